//! Two chains side by side, one on the CPU and one on the GPU.

use std::sync::Arc;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::device::{Exchange, Hooks, OpenOptions, Place};
use hdp_gpu::{Chain, Corpus, Result, Settings};

use crate::gpu::place;

/// How documents are given to a GPU: by teams of so many lanes, on a device that runs so many together, or as many as it does, and
/// whose lanes exchange what they know in this way, where they can.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub(crate) team: u32,
    width: Option<u32>,
    exchange: Exchange,
}

/// Every team size, every width, and one document in a workgroup or up to eight of them.
pub(crate) const WAYS: [Way; 5] = [
    Way::by_memory(4, 8),
    Way::by_memory(8, 64),
    Way::by_memory(16, 32),
    Way::by_memory(32, 4),
    Way::by_memory(64, 16),
];

/// Every team size by subgroups: those that fit one, and those that find out that they do not.
pub(crate) const SUBGROUP_WAYS: [Way; 7] = [
    Way { team: 4, width: None, exchange: Exchange::OwnSlots },
    Way { team: 8, width: None, exchange: Exchange::OwnSlots },
    Way { team: 4, width: None, exchange: Exchange::Subgroup },
    Way { team: 8, width: None, exchange: Exchange::Subgroup },
    Way { team: 16, width: Some(16), exchange: Exchange::Subgroup },
    Way { team: 32, width: Some(32), exchange: Exchange::Subgroup },
    Way { team: 64, width: Some(64), exchange: Exchange::Subgroup },
];

impl Way {
    /// A test's name with what it is tried with.
    pub(crate) fn named(self, name: &str) -> String {
        let width = self.width.map_or(String::new(), |width| format!("_width_{width}"));
        let exchange = match self.exchange {
            Exchange::Memory => "",
            Exchange::Subgroup => "_by_subgroup",
            Exchange::OwnSlots => "_with_own_slots",
        };
        format!("{name}_team_{}{width}{exchange}", self.team)
    }

    const fn by_memory(team: u32, width: u32) -> Self {
        Self { team, width: Some(width), exchange: Exchange::Memory }
    }

    /// Whether the workgroups of the GPU that is tested are subgroups, so that lanes can exchange what they know by them.
    pub(crate) fn is_one_subgroup(self) -> bool {
        let place = place();
        let gpu = place.gpu().expect("it is a GPU");
        let lanes = self.width.unwrap_or(gpu.subgroup_lanes[1]);
        gpu.subgroup_operations && gpu.subgroup_lanes == [lanes; 2] && self.team <= lanes
    }

    pub(crate) fn options(self) -> OpenOptions {
        let hooks = Hooks { width: self.width, exchange: Some(self.exchange), ..Hooks::default() };
        let mut options = OpenOptions::default().with_hooks(hooks);
        options.team = Some(self.team);
        options
    }
}

/// A chain on the CPU.
pub(crate) fn on_cpu(corpus: &Arc<Corpus>, settings: &Settings) -> Box<dyn Chain> {
    at(&Place::cpu(), corpus, settings)
}

/// A chain on the GPU.
pub(crate) fn on_gpu(corpus: &Arc<Corpus>, settings: &Settings, options: OpenOptions) -> Box<dyn Chain> {
    at(&place().with_options(options), corpus, settings)
}

/// A chain on the GPU that goes on on the CPU when the GPU fails.
pub(crate) fn on_gpu_with_reserve(
    corpus: &Arc<Corpus>,
    settings: &Settings,
    options: OpenOptions,
) -> Box<dyn Chain> {
    at(&place().with_options(options).with_cpu_in_reserve(true), corpus, settings)
}

fn at(place: &Place, corpus: &Arc<Corpus>, settings: &Settings) -> Box<dyn Chain> {
    let params = settings.clone().check().unwrap();
    let start = Start::first(corpus, &params);
    chain::open(Arc::clone(corpus), params, start, place).unwrap()
}

/// Makes iterations on both and compares the states after each one; returns the stuck tokens of all of them.
pub(crate) fn agree(corpus: &Arc<Corpus>, settings: &Settings, options: OpenOptions, iterations: u32) -> u64 {
    let (mut cpu, mut gpu) = (on_cpu(corpus, settings), on_gpu(corpus, settings, options));
    (0..iterations).map(|_| step_both(&mut *cpu, &mut *gpu).unwrap()).sum()
}

/// One iteration on both, which must end in the same state; returns the stuck tokens.
///
/// # Errors
/// When the GPU fails.
pub(crate) fn step_both(cpu: &mut dyn Chain, gpu: &mut dyn Chain) -> Result<u64> {
    let expected = cpu.step().unwrap();
    let progress = gpu.step()?;
    let iteration = progress.iteration;
    assert_eq!(iteration, expected.iteration);
    let (expected_z, z) = (cpu.z().unwrap(), gpu.z()?);
    assert_eq!(expected_z.len(), z.len());
    if let Some(i) = (0..z.len()).find(|&i| z[i] != expected_z[i]) {
        panic!(
            "iteration {iteration}: token {i} is in topic {} on the CPU, {} on the GPU",
            expected_z[i], z[i]
        );
    }
    assert!(cpu.state().counts().n == gpu.state().counts().n, "iteration {iteration}: n differs");
    assert!(cpu.state().counts().d == gpu.state().counts().d, "iteration {iteration}: d differs");
    assert_eq!(expected.z.stuck_tokens, progress.z.stuck_tokens, "iteration {iteration}");
    assert_eq!(cpu.state().log_likelihood(), gpu.state().log_likelihood(), "iteration {iteration}");
    Ok(expected.z.stuck_tokens)
}
