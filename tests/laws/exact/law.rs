//! The law: a long run visits partitions as often, and has the means, that the exact posterior says.

use std::collections::BTreeMap;
use std::fmt;

use hdp_gpu::chain::Start;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::case::{Case, partition};
use super::posterior::Posterior;
use crate::chains::Walk;
use crate::common::{P_VALUE_GATE, chi_square_p_value};
use crate::law::Make;

/// Chains of a run, each with a seed of its own.
const CHAINS: u64 = 4;

/// Parts of a chain, whose means are taken for independent.
const BATCHES: usize = 25;

/// Iterations from one state that is looked at to the next, so that chi-square may take them for independent. In
/// 300,000 iterations and more of each case, the correlations of the number of topics, of whether there is one topic
/// only, of whether two tokens are together, and of both log-likelihoods were up to 0.7 from one iteration to the next,
/// 0.11 after 10, and 0.006 after 30, where their errors are 0.002. With concentrations that are learned, these and their
/// logarithms had correlations up to 0.012 after 30, and with other laws of Ψ up to 0.015, where errors are 0.01.
const THINNING: u32 = 30;

/// The p-values of what was seen of a run.
#[derive(Clone, Debug)]
pub(crate) struct PValues {
    /// The partition of the tokens.
    partition: f64,
    /// The number of topics with tokens.
    topics: f64,
    /// The means that the posterior has, by name.
    means: Vec<(&'static str, f64)>,
}

impl PValues {
    fn pass(&self) -> bool {
        let means = self.means.iter().map(|&(_, p)| p);
        means.chain([self.partition, self.topics]).all(|p| p > P_VALUE_GATE)
    }
}

impl fmt::Display for PValues {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { partition, topics, means } = self;
        write!(f, "p-values: partition {partition:.1e}, topics {topics:.1e}")?;
        means.iter().try_for_each(|(name, p)| write!(f, ", {name} {p:.1e}"))
    }
}

/// What is kept of a run.
struct Seen {
    /// How often each partition was there.
    partitions: BTreeMap<Vec<u16>, u64>,
    /// What the posterior has means of, chain by chain.
    values: Vec<Vec<f64>>,
}

/// Runs chains and compares `draws` states with the posterior: the p-values, as an error when one is out of the law.
pub(crate) fn agrees(
    case: &Case,
    posterior: &Posterior,
    draws: usize,
    make: Make,
) -> Result<PValues, PValues> {
    let seen = Seen::of(case, posterior, draws, make);
    let means = posterior.means.iter().zip(&seen.values);
    let found = PValues {
        partition: seen.partition_p_value(posterior),
        topics: seen.topics_p_value(posterior),
        means: means.map(|(mean, values)| (mean.name, mean_p_value(values, mean.mean))).collect(),
    };
    if found.pass() { Ok(found) } else { Err(found) }
}

/// The total variation distance of the partitions of `draws` states from the posterior.
pub(crate) fn distance(case: &Case, posterior: &Posterior, draws: usize, make: Make) -> f64 {
    let seen = Seen::of(case, posterior, draws, make);
    let off = |(z, probability): (&Vec<u16>, &f64)| {
        (seen.partitions.get(z).map_or(0.0, |&count| count as f64) / seen.draws() - probability).abs()
    };
    0.5 * posterior.partitions.iter().map(off).sum::<f64>()
}

impl Seen {
    /// What chains come to, each with a seed of its own.
    fn of(case: &Case, posterior: &Posterior, draws: usize, make: Make) -> Self {
        let values = vec![Vec::new(); posterior.means.len()];
        let mut seen = Self { partitions: BTreeMap::new(), values };
        for seed in 1..=CHAINS {
            let params = case.params(seed);
            let start = Start::first(&case.corpus, &params);
            let mut chain = make(&case.corpus, &params, start);
            seen.run(case, posterior, draws / CHAINS as usize, &mut *chain);
        }
        seen
    }

    /// Runs a chain, and forgets its first states.
    fn run(&mut self, case: &Case, posterior: &Posterior, draws: usize, chain: &mut dyn Walk) {
        const FORGOTTEN: u32 = 20 * THINNING;
        (0..FORGOTTEN).for_each(|_| chain.step());
        for _ in 0..draws {
            (0..THINNING).for_each(|_| chain.step());
            let state = chain.now();
            *self.partitions.entry(partition(&state.z)).or_default() += 1;
            for (mean, values) in posterior.means.iter().zip(&mut self.values) {
                values.push((mean.of)(case, &state));
            }
        }
    }

    fn draws(&self) -> f64 {
        self.partitions.values().sum::<u64>() as f64
    }

    fn partition_p_value(&self, posterior: &Posterior) -> f64 {
        let draws = self.draws();
        let observed = |z| self.partitions.get(z).copied().unwrap_or(0);
        // Rare ones are pooled with rare ones.
        let mut cells: Vec<(f64, u64)> =
            posterior.partitions.iter().map(|(z, probability)| (draws * probability, observed(z))).collect();
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (expected, observed): (Vec<f64>, Vec<u64>) = cells.into_iter().unzip();
        assert_eq!(observed.iter().sum::<u64>(), draws as u64, "a partition that cannot be");
        chi_square_p_value(&observed, &expected)
    }

    fn topics_p_value(&self, posterior: &Posterior) -> f64 {
        let draws = self.draws();
        let last = |z: &[u16]| usize::from(*z.iter().max().expect("there are tokens"));
        let most = posterior.partitions.keys().map(|z| last(z)).max().expect("there are partitions");
        let (mut observed, mut expected) = (vec![0; most + 1], vec![0.0; most + 1]);
        self.partitions.iter().for_each(|(z, count)| observed[last(z)] += count);
        posterior.partitions.iter().for_each(|(z, probability)| expected[last(z)] += draws * probability);
        chi_square_p_value(&observed, &expected)
    }
}

/// The p-value of a mean by Student's t of batch means, which need not know how values depend on their neighbours.
fn mean_p_value(values: &[f64], mean: f64) -> f64 {
    let batches = values.chunks_exact(values.len() / (BATCHES * CHAINS as usize));
    let means: Vec<f64> =
        batches.map(|batch| batch.iter().sum::<f64>() / batch.len() as f64 - mean).collect();
    let count = means.len() as f64;
    let centre = means.iter().sum::<f64>() / count;
    let variance = means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / (count - 1.0);
    let t = centre / (variance / count).sqrt();
    2.0 * StudentsT::new(0.0, 1.0, count - 1.0).expect("a positive number of degrees").sf(t.abs())
}
