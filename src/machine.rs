//! What the machine, or the container that the program runs in, has: its memory, processor and system.

use std::sync::LazyLock;

use sysinfo::{CpuRefreshKind, System};

/// What a fuzzer's corpora may take: the largest ones that are read are then still read in no time.
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

/// The operating system with its version, as far as it is known.
pub(crate) fn system_name() -> String {
    System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned())
}
