//! How long a run is, and which of its states the results are a mean of.

use serde::{Deserialize, Serialize};

use super::finish::Finish;

/// How long to train and what to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Iterations; at most, if the run goes on until its chains have settled.
    pub iterations: u32,
    /// Iterations between rows of the trace; the first and the last state are always there.
    pub trace_every: u32,
    /// What the results are a mean of.
    #[serde(flatten)]
    pub sampling: Sampling,
}

/// What a run goes on until.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// All iterations are done.
    #[default]
    Iterations,
    /// Its chains have settled, or all iterations are done.
    Settled,
}

impl Until {
    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Settled => "settled",
        }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            iterations: 1000,
            trace_every: 10,
            sampling: Sampling { thin: 5, finish: Finish::Auto, ..Sampling::LAST },
        }
    }
}

impl Plan {
    /// The same with the last iteration `end`, if there is one.
    pub fn ending(self, end: Option<u32>) -> Self {
        Self { iterations: end.unwrap_or(self.iterations), ..self }
    }

    /// The last iteration of a run that has settled at `iteration`: several samples come after it, as far as there are
    /// iterations for them. If there are too few, they are the last states of all, none of which has been passed.
    pub fn end_of_settled(&self, iteration: u32) -> u32 {
        let Sampling { samples, thin, .. } = self.sampling;
        let rest = if samples > 1 { samples.saturating_mul(thin) } else { 0 };
        iteration.saturating_add(rest).min(self.iterations)
    }

    /// The last iteration of chains that have settled at `iteration`. `at` has where each of them is, and the end of the course that it
    /// is on. One may be farther than it need be, because it was trained without being looked at or because others have begun
    /// since: all then go on to the end of its course, or so far that its samples are still to come.
    pub fn end_of_chains(&self, iteration: u32, at: &[(u32, Option<u32>)]) -> u32 {
        let mut end = self.end_of_settled(iteration);
        loop {
            let first = self.sampling.first(end).unwrap_or(end.saturating_add(1));
            let passed = at.iter().filter(|&&(at, course)| at >= first && course != Some(end));
            let ends = passed.map(|&(at, course)| {
                course.filter(|&course| course > end).unwrap_or_else(|| self.end_of_settled(at))
            });
            match ends.max() {
                Some(later) if later > end => end = later,
                _ => return end,
            }
        }
    }
}

/// The states at the end of a run that θ and Φ are a mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// How many; with one, the last state stands for itself.
    pub samples: u32,
    /// Iterations from one to the next.
    pub thin: u32,
    /// The finish that each of them is given.
    #[serde(default = "Finish::none")]
    pub finish: Finish,
}

impl Sampling {
    /// The last state alone, as it is.
    pub const LAST: Self = Self { samples: 1, thin: 1, finish: Finish::NONE };

    /// The iteration of the first of several samples in a run of `iterations`.
    pub(crate) fn first(self, iterations: u32) -> Option<u32> {
        let before = (u64::from(self.samples) - 1) * u64::from(self.thin);
        let first = u64::from(iterations).checked_sub(before).map(|first| first as u32);
        first.filter(|_| self.samples > 1)
    }

    /// How many of several samples a run of `iterations` has had after `iteration`.
    pub(crate) fn taken(self, iteration: u32, iterations: u32) -> u32 {
        let since = self.first(iterations).and_then(|first| iteration.checked_sub(first));
        since.map_or(0, |since| since / self.thin + 1)
    }

    /// Whether the state after `iteration` of `iterations` is one of several samples.
    pub(crate) fn is_due(self, iteration: u32, iterations: u32) -> bool {
        let left = u64::from(iterations - iteration);
        let (samples, thin) = (u64::from(self.samples), u64::from(self.thin));
        samples > 1 && left < samples * thin && left.is_multiple_of(thin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_after_a_run_has_settled() {
        for (samples, thin) in [(1, 5), (2, 1), (3, 2), (10, 1), (4, 3)] {
            let plan = Plan {
                iterations: 20,
                trace_every: 1,
                sampling: Sampling { samples, thin, ..Sampling::LAST },
            };
            for settled in 1..=20 {
                let end = plan.end_of_settled(settled);
                assert!((settled..=20).contains(&end));
                let taken = plan.sampling.taken(settled, 20);
                // Those that were taken before it settled are among those of the course that it takes.
                assert!(taken == 0 || end == 20, "{samples} {thin}: {settled} to {end}");
                assert!(end == 20 || plan.sampling.first(end).is_none_or(|first| first > settled));
            }
        }
    }

    #[test]
    fn chains_that_are_farther_keep_their_samples_or_have_them_to_come() {
        for (samples, thin) in [(1, 5), (3, 2), (10, 1)] {
            let plan = Plan {
                iterations: 200,
                trace_every: 1,
                sampling: Sampling { samples, thin, ..Sampling::LAST },
            };
            for (settled, at, course) in (20..60).step_by(7).flat_map(|settled| {
                let courses = [None, Some(40), Some(64), Some(200)];
                (0..70).flat_map(move |at| courses.map(|course| (settled, at, course)))
            }) {
                let course = course.filter(|&course| course >= at);
                let end = plan.end_of_chains(settled, &[(at, course), (0, None)]);
                let first = plan.sampling.first(end).unwrap_or(end + 1);
                assert!(end >= plan.end_of_settled(settled) && end >= at);
                assert!(course == Some(end) || at < first, "{settled} {at} {course:?}: {end}");
                // It is the same when the others have come to it.
                assert_eq!(plan.end_of_chains(settled, &[(at, Some(end)), (end, Some(end))]), end);
            }
        }
    }

    #[test]
    fn samples_are_the_last_states() {
        let due = |samples, thin| -> Vec<u32> {
            let sampling = Sampling { samples, thin, ..Sampling::LAST };
            (1..=10).filter(|&iteration| sampling.is_due(iteration, 10)).collect()
        };
        assert_eq!(due(3, 2), [6, 8, 10]);
        assert_eq!(due(10, 1), (1..=10).collect::<Vec<_>>());
        assert!(due(1, 5).is_empty());
        for (samples, thin) in [(3, 2), (10, 1), (1, 5), (2, 4)] {
            let due = due(samples, thin);
            for iteration in 0..=10 {
                let taken = due.iter().filter(|&&due| due <= iteration).count();
                let sampling = Sampling { samples, thin, ..Sampling::LAST };
                assert_eq!(sampling.taken(iteration, 10) as usize, taken);
            }
        }
    }
}
