//! The memory of each machine, of which the ranks there all take some: a run that cannot fit is refused before it begins.

use serde::{Deserialize, Serialize};

use crate::corpus::Portion;
use crate::device::Place;
use crate::error::Result;
use crate::machine::Memory;
use crate::params::Params;
use crate::ranks::Ranks;
use crate::run::needs::{Needs, Workload, size};
use crate::run::plan::Plan;

/// What a rank needs of its machine.
#[derive(Serialize, Deserialize)]
struct Share {
    host: String,
    /// Bytes that it takes at least, whatever topics are found.
    least: u64,
}

/// Sees whether the memory of this rank's machine is enough for the ranks there, of which this one takes at least so many bytes.
///
/// # Errors
/// [`crate::Error::Rank`], the same on all, names a rank whose machine is too small.
pub(super) fn check(ranks: &Ranks, least: u64) -> Result<()> {
    let shares = ranks.gather_told(&Share { host: ranks.host(), least });
    let problem = problem(&shares, ranks.rank(), Memory::of_machine().total);
    ranks.agree(problem.map_or(Ok(()), |problem| Err(ranks.refusal(problem))))
}

/// Bytes that another rank than the first takes at least for its documents.
pub(super) fn least_of(portion: &Portion, params: &Params, place: &Place) -> u64 {
    // It keeps no samples and writes nothing.
    let workload = Workload::new(&portion.corpus, None, params, Plan::default(), place.is_gpu());
    Needs::least_of_rank(&workload.shared_with_cpu(place.is_shared()))
}

/// Why the machine of a rank, which has `total` bytes, is too small.
fn problem(shares: &[Share], rank: usize, total: u64) -> Option<String> {
    let there = shares.iter().filter(|share| share.host == shares[rank].host);
    let (ranks, least) =
        there.fold((0, 0_u64), |(ranks, least), share| (ranks + 1, least.saturating_add(share.least)));
    let plural = if ranks == 1 { "" } else { "s" };
    (least > total).then(|| {
        format!(
            "its machine has {} of memory, and the part of {ranks} rank{plural} there needs at least {}; start ranks on more \
             machines, lower `max_topics`, or train on a part of the corpus",
            size(total),
            size(least)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_machine_share_its_memory() {
        let share = |host: &str, least| Share { host: host.to_owned(), least };
        let shares = [share("a", 3 << 30), share("b", 5 << 30), share("a", 2 << 30)];
        let problem = |rank, total: u64| problem(&shares, rank, total << 30);
        assert!((0..3).all(|rank| problem(rank, 5).is_none()));
        let both = problem(2, 4).expect("5 GB do not fit");
        assert!(
            both.starts_with("its machine has 4.3 GB of memory, and the part of 2 ranks there"),
            "{both}"
        );
        assert!(both.contains("needs at least 5.4 GB; start ranks on more machines"), "{both}");
        let one = problem(1, 4).expect("5 GB do not fit");
        assert!(one.contains("1 rank there needs at least 5.4 GB"), "{one}");
    }

    #[test]
    fn all_ranks_know_whose_machine_is_too_small() {
        let checked = |least: u64| {
            crate::ranks::threads(3, move |ranks| {
                let own = if ranks.rank() == 1 { least } else { 1 };
                check(&ranks, own).map_err(|error| (error.to_string(), error.exit_code()))
            })
        };
        assert!(checked(1).iter().all(Result::is_ok));
        for refused in checked(u64::MAX / 2) {
            let (sentence, code) = refused.expect_err("no machine has so much");
            assert!(
                sentence.starts_with("rank 0 of 3 on thread: its machine has ") && code == 2,
                "{sentence}"
            );
        }
    }
}
