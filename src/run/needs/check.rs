//! Refuses a run that cannot fit, and warns of one that may not.

use std::path::{Path, PathBuf};

use super::size::range;
use super::{Needs, Workload, size};
use crate::error::{Error, Result};
use crate::machine::Memory;
use crate::run::folder::out::existing_or_parent;

/// What there is for a run.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The memory that the machine has, or that the container may use; [`u64::MAX`] when neither is known.
    pub memory_total: u64,
    /// The part of it that is free now.
    pub memory_free: u64,
    /// Free space on the disk of the run's folder, with what files take that are in the folder already and are replaced or go
    /// on; [`u64::MAX`] when it is not known.
    pub disk_free: u64,
    /// The folder that is there, the run's own or one above it.
    pub disk: PathBuf,
}

impl Machine {
    /// This machine, for a run in the folder `out`.
    pub fn now(out: &Path) -> Self {
        let disk = existing_or_parent(out);
        let disk = disk.canonicalize().unwrap_or_else(|_| disk.to_owned());
        let free = fs4::available_space(&disk).unwrap_or(u64::MAX);
        Self {
            memory_total: Memory::of_machine().total,
            memory_free: Memory::free(),
            disk_free: free.saturating_add(bytes_in(out)),
            disk,
        }
    }
}

/// The bytes of all files in `folder` and the folders in it; links are not followed.
pub(super) fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => bytes_in(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    bytes.fold(0, u64::saturating_add)
}

impl Needs {
    /// The needs beside what `machine` has, in one line.
    pub fn line(&self, machine: &Machine) -> String {
        let free =
            |bytes: u64| if bytes == u64::MAX { String::new() } else { format!(" ({} free)", size(bytes)) };
        let memory = range(self.memory.least, self.memory.most);
        let memory = format!("{memory} of memory{}", free(machine.memory_free));
        let disk = format!("up to {} of disk{}", size(self.disk.most), free(machine.disk_free));
        match self.device {
            None => format!("needs {memory} and {disk}"),
            Some(device) => {
                format!("needs {memory}, {} on the device and {disk}", range(device.least, device.most))
            }
        }
    }

    /// Refuses a run that takes more than `machine` has, whatever topics are found.
    ///
    /// # Errors
    /// [`Error::Setting`] names the flag to lower, or `out` when it is the disk that is too small.
    pub fn check(&self, workload: &Workload, machine: &Machine) -> Result<()> {
        let fits = |change: fn(&mut Workload), fits: &dyn Fn(&Self) -> bool| {
            let mut changed = workload.clone();
            change(&mut changed);
            fits(&Self::of(&changed))
        };
        let one_chain = |run: &mut Workload| (run.chains, run.waiting) = (1.0, 0.0);
        if self.disk.least > machine.disk_free {
            let (needed, free) = (size(self.disk.least), size(machine.disk_free));
            let problem = format!(
                "the run needs at least {needed} of disk, and {} has {free} free",
                machine.disk.display()
            );
            let (setting, remedy) = if fits(one_chain, &|needs| needs.disk.least <= machine.disk_free) {
                ("chains", "lower it, give `out` on another disk, or free some space")
            } else {
                ("out", "give a path on another disk, or free some space")
            };
            return Err(Error::setting(setting, problem, remedy));
        }
        let total = |needs: &Self| needs.memory.least.saturating_add(workload.corpus_bytes as u64);
        if total(self) <= machine.memory_total {
            return Ok(());
        }
        let (needed, there) = (size(total(self)), size(machine.memory_total));
        let problem = format!("training needs at least {needed} of memory, and there are {there}");
        let fits = |change| fits(change, &|needs| total(needs) <= machine.memory_total);
        let (setting, remedy) = if fits(one_chain) {
            ("chains", "lower it: chains that go on in turns wait in memory")
        } else if fits(|run| run.plan.sampling.samples = 1) {
            ("samples", "train without it")
        } else if fits(|run| (run.threads, run.shards) = (1.0, 1.0)) {
            ("threads", "lower it: every thread counts words for itself")
        } else if fits(|run| run.settings.max_topics = 1) {
            ("max_topics", "lower it: β·V·K* prior points are drawn in every iteration")
        } else {
            ("CORPUS", "train on a part of it, or on a machine with more memory")
        };
        Err(Error::setting(setting, problem, remedy))
    }

    /// What is likely to be more than is free now, a sentence each.
    pub fn warnings(&self, machine: &Machine) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.memory.likely() > machine.memory_free {
            let (most, free) = (size(self.memory.most), size(machine.memory_free));
            warnings.push(format!(
                "training may need up to {most} of memory, and {free} are free; end other programs, \
                 or lower `max_topics` or the topics of `init`"
            ));
        }
        if self.disk.likely() > machine.disk_free {
            let (most, free, disk) = (size(self.disk.most), size(machine.disk_free), machine.disk.display());
            warnings.push(format!(
                "the run may need up to {most} of disk, and {disk} has {free} free; free some space, or give \
                 `out` on another disk"
            ));
        }
        warnings
    }
}
