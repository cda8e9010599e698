//! What the machine, or the container that the program runs in, has: its memory, processor, system and folders.

use std::path::Path;
use std::sync::LazyLock;

use sysinfo::{CpuRefreshKind, System};

/// What a fuzzer's corpora, and those in memory, may take: the largest ones that are read are then still read in no time.
const FUZZING_TOTAL: u64 = 1 << 26;

/// The memory that something may take.
#[derive(Debug)]
pub(crate) struct Memory {
    /// In bytes.
    pub(crate) total: u64,
}

impl Memory {
    /// All that the machine has, or that the container we run in may use; no bound when neither is known. It is asked
    /// for once: reading it takes longer than an iteration on a small corpus.
    pub(crate) fn of_machine() -> Self {
        static TOTAL: LazyLock<u64> = LazyLock::new(|| {
            if cfg!(fuzzing) {
                return FUZZING_TOTAL;
            }
            let Ok(mut system) = System::new() else { return u64::MAX };
            system.refresh_memory();
            let container = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
            let total = system.total_memory().min(container);
            if total == 0 { u64::MAX } else { total }
        });
        Self { total: *TOTAL }
    }

    /// What inputs may take that tests make up: a number in one of them is no reason to fill the machine.
    pub(crate) fn of_tests() -> Self {
        Self { total: FUZZING_TOTAL }
    }

    /// What of it is free now, in bytes; no bound when that is not known.
    pub(crate) fn free() -> u64 {
        let Ok(mut system) = System::new() else { return u64::MAX };
        system.refresh_memory();
        // What a container has in files' pages is given up when memory is short.
        let container = system
            .cgroup_limits()
            .map_or(u64::MAX, |limits| limits.total_memory - limits.rss.min(limits.total_memory));
        let free = system.available_memory().min(container);
        if free == 0 { u64::MAX } else { free }
    }
}

/// The processor as its maker calls it, where the system tells.
pub(crate) fn cpu_name() -> Option<String> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    let name = system.cpus().first()?.brand().trim().to_owned();
    Some(name).filter(|name| !name.is_empty())
}

/// The processors of the machine, whichever of them this process may use.
pub(crate) fn processors() -> usize {
    let Ok(mut system) = System::new() else { return 1 };
    system.refresh_cpu_list(CpuRefreshKind::nothing());
    system.cpus().len().max(1)
}

/// The operating system with its version, as far as it is known.
pub(crate) fn system_name() -> String {
    System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
}

/// What there is to know about this machine; nothing in it names its user, its host or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The operating system with its version, as far as it is known.
    pub system: String,
    /// The version of its kernel.
    pub kernel: Option<String>,
    /// The processor as its maker calls it.
    pub processor: Option<String>,
    /// Its cores.
    pub cores: Option<usize>,
    /// What runs faster with instructions that not every processor of its kind has, and whether this one has them.
    pub instructions: Vec<(&'static str, bool)>,
    /// The memory that the machine has, or that the container may use, in bytes.
    pub memory_total: Option<u64>,
    /// The part of it that is free now.
    pub memory_free: Option<u64>,
}

impl Facts {
    /// This machine now.
    pub fn now() -> Self {
        let known = |bytes: u64| Some(bytes).filter(|&bytes| bytes != u64::MAX);
        Self {
            system: system_name(),
            kernel: System::kernel_version().ok(),
            processor: cpu_name(),
            cores: System::physical_core_count().ok(),
            instructions: instructions(),
            memory_total: known(Memory::of_machine().total),
            memory_free: known(Memory::free()),
        }
    }
}

/// The instructions that the program asks for where it runs, and those that its target always has and it was measured with.
fn instructions() -> Vec<(&'static str, bool)> {
    #[cfg(target_arch = "x86_64")]
    let known = vec![
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("popcnt", is_x86_feature_detected!("popcnt")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let known = if cfg!(target_feature = "neon") { vec![("neon", true)] } else { Vec::new() };
    known
}

/// What a folder has to offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Why no file can be made in it, if so.
    pub refused: Option<String>,
    /// Free bytes on its disk.
    pub free: Option<u64>,
}

impl Room {
    /// That of `folder`, where a file without a name is made to see.
    pub fn of(folder: &Path) -> Self {
        let refused = tempfile::tempfile_in(folder).err().map(|error| error.kind().to_string());
        Self { refused, free: fs4::available_space(folder).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_has_no_room() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let room = Room::of(folder.path());
        assert!(room.refused.is_none() && room.free.is_some(), "{room:?}");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
        let room = Room::of(&folder.path().join("none"));
        assert_eq!(room.refused.as_deref(), Some("entity not found"));
    }

    #[test]
    fn this_machine_has_memory_and_some_of_it_is_free() {
        let Facts { system, memory_total, memory_free, .. } = Facts::now();
        assert!(!system.is_empty());
        assert!(memory_free <= memory_total && memory_total.is_none_or(|bytes| bytes > 1 << 24));
    }
}
