//! The processors that a job may use on a machine, of which a launcher binds each rank to some.

use std::thread;

use crate::machine;

/// What Slurm says of its jobs.
const SLURM: &str = "SLURM_CPUS_ON_NODE";

/// Those of the job here, or where nobody says, those of the machine, or of the container on it.
pub(super) fn of_job() -> usize {
    given(std::env::var(SLURM).ok().as_deref()).or_else(unbound).unwrap_or_else(machine::processors)
}

fn given(said: Option<&str>) -> Option<usize> {
    said?.parse().ok().filter(|&processors| processors > 0)
}

/// Those that a thread of this process may use once it is not bound: the system does not let it have others than its container has.
fn unbound() -> Option<usize> {
    let looking = thread::Builder::new().spawn(|| {
        unbind();
        thread::available_parallelism().ok().map(usize::from)
    });
    looking.ok()?.join().ok()?
}

/// Lets this thread run on every processor that it may run on.
// Ranks are processes of the program: the library by itself has none.
#[cfg(all(feature = "cli", target_os = "linux"))]
fn unbind() {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut all = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|processor| all.set(processor));
    // Where this is not allowed, the thread stays where it is.
    let _ = sched_setaffinity(None, &all);
}

#[cfg(not(all(feature = "cli", target_os = "linux")))]
fn unbind() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slurm_says_is_a_number() {
        assert_eq!(given(Some("8")), Some(8));
        for said in [None, Some(""), Some("0"), Some("8(x2)")] {
            assert_eq!(given(said), None);
        }
    }

    #[cfg(all(feature = "cli", target_os = "linux"))]
    #[test]
    fn a_bound_process_sees_what_it_could_have() {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let bound = thread::spawn(|| {
            let all = unbound();
            let own = sched_getaffinity(None).expect("the processors of this thread");
            let first = (0..CpuSet::MAX_CPU).find(|&processor| own.is_set(processor)).expect("one");
            let mut one = CpuSet::new();
            one.set(first);
            sched_setaffinity(None, &one).expect("it may run on one of its own");
            assert_eq!(thread::available_parallelism().expect("a number").get(), 1);
            (all, unbound())
        });
        let (before, after) = bound.join().expect("a thread");
        assert!(after >= before && after > Some(0), "{before:?}, {after:?}");
    }
}
