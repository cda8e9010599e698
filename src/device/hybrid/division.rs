//! How the tokens are divided between a GPU and the CPU, by what both took: the aim is that they end together.

use super::parts::Times;
use crate::device::recent::Recent;

/// The share that a GPU of unknown speed begins with: a slow one does not hold up much, a fast one soon has more.
const FIRST_SHARE: f64 = 0.1;

/// The least share of either part: what has no work cannot be measured.
const LEAST_SHARE: f64 = 0.005;

/// The part of the time that a move must spare after one, two, three and more measurements of the division as it is: little evidence
/// is enough for much to gain, and noise alone moves nothing.
const LEAST_GAINS: [f64; 4] = [0.1, 0.06, 0.04, 0.02];

/// Measurements after which a division that has not moved has settled.
const SETTLED: u32 = 4;

/// Measurements before a division that had settled moves again: another program that holds up a step or two is no reason.
const BEFORE_LEAVING: u32 = 3;

/// A part that takes this many times what it took is believed at once: waiting to be sure would cost too much.
const STUCK: f64 = 4.0;

/// A division of the tokens, and what was measured of it.
///
/// The time of each part is taken as proportional to its tokens. Where a fixed cost makes that wrong, the division that both parts
/// end together with is still the only one at which it rests, and every move goes towards it and not past it: with
/// G = g₀ + s·g and C = c₀ + (1 − s)·c, a move leaves ((1 − s)·g₀ + s·c₀) / G of the way to it.
#[derive(Clone, Debug)]
pub(in crate::device) struct Division {
    /// The part of the tokens that is the GPU's.
    share: f64,
    /// The times of both parts for all tokens, in seconds, since the last move.
    gpu: Recent,
    cpu: Recent,
    /// What the host does for itself before its part begins, in seconds.
    beside: Recent,
    /// Measurements since the last move.
    measured: u32,
    /// Whether it has settled before.
    had_settled: bool,
    /// Whether the next measurement is left out: a GPU compiles, and wakes up.
    is_cold: bool,
}

impl Default for Division {
    fn default() -> Self {
        Self::at(FIRST_SHARE)
    }
}

impl Division {
    /// With this share on the GPU, and nothing known.
    pub(in crate::device) fn at(share: f64) -> Self {
        let share = share.clamp(LEAST_SHARE, 1.0 - LEAST_SHARE);
        let [gpu, cpu, beside] = std::array::from_fn(|_| Recent::default());
        Self { share, gpu, cpu, beside, measured: 0, had_settled: false, is_cold: true }
    }

    /// As it should be when the parts would take so many seconds for all tokens.
    pub(in crate::device) fn by_times(gpu: f64, cpu: f64) -> Self {
        Self::at(cpu / (gpu + cpu))
    }

    /// The part of the tokens that is the GPU's.
    pub(in crate::device) fn share(&self) -> f64 {
        self.share
    }

    /// Whether nothing says any more that it should move.
    pub(in crate::device) fn is_settled(&self) -> bool {
        self.measured >= SETTLED
    }

    /// Measurements since the last move.
    pub(in crate::device) fn measured(&self) -> u32 {
        self.measured
    }

    /// What the GPU would take for all tokens, in seconds, as far as a part of them tells.
    pub(in crate::device) fn gpu_seconds(&self) -> Option<f64> {
        self.gpu.typical()
    }

    /// What the CPU would take for all tokens, in seconds, as far as a part of them tells.
    pub(in crate::device) fn cpu_seconds(&self) -> Option<f64> {
        self.cpu.typical()
    }

    /// Begins to measure anew: the device is not what it was.
    pub(in crate::device) fn forget(&mut self) {
        *self = Self::at(self.share);
    }

    /// Learns what a step with a division took, and moves if that pays. Documents are whole: `nearest` is the share that comes next
    /// to another one.
    pub(in crate::device) fn learn(&mut self, times: &Times, nearest: impl Fn(f64) -> f64) {
        self.share = times.share;
        if std::mem::take(&mut self.is_cold) {
            return;
        }
        if self.measured == 0 {
            // What was measured with another division tells of another part of the fixed costs.
            [&mut self.gpu, &mut self.cpu, &mut self.beside].into_iter().for_each(Recent::clear);
        }
        self.measured += 1;
        self.had_settled |= self.is_settled();
        let part = |recent: &mut Recent, seconds: f64, share: f64| {
            let all = seconds / share;
            let is_stuck = recent.typical().is_some_and(|typical| all > STUCK * typical);
            if is_stuck {
                recent.clear();
            }
            if share > 0.0 {
                recent.push(all);
            }
            is_stuck
        };
        let gpu_is_stuck = part(&mut self.gpu, times.gpu, times.share);
        let is_stuck = part(&mut self.cpu, times.cpu, 1.0 - times.share) || gpu_is_stuck;
        self.beside.push(times.beside);
        if !self.had_settled || is_stuck || self.measured >= BEFORE_LEAVING {
            self.move_if_it_pays(nearest);
        }
    }

    fn move_if_it_pays(&mut self, nearest: impl Fn(f64) -> f64) {
        let times = (self.gpu.typical(), self.cpu.typical(), self.beside.typical());
        let (Some(gpu), Some(cpu), Some(beside)) = times else { return };
        let seconds = |share: f64| (share * gpu).max(beside + (1.0 - share) * cpu);
        let even = (beside + cpu) / (gpu + cpu);
        let share = nearest(even.clamp(LEAST_SHARE, 1.0 - LEAST_SHARE));
        let gain = 1.0 - seconds(share) / seconds(self.share);
        let evidence = (self.measured as usize).min(LEAST_GAINS.len()) - 1;
        if share != self.share && gain > LEAST_GAINS[evidence] {
            (self.share, self.measured) = (share, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of two parts with fixed costs: `[fixed, for all tokens]` of each, and a factor for chance.
    fn times(share: f64, gpu: [f64; 2], cpu: [f64; 2], beside: f64, chance: f64) -> Times {
        let part = |[fixed, all]: [f64; 2], share: f64| fixed + all * share;
        let (gpu, cpu) = (part(gpu, share) * chance, part(cpu, 1.0 - share) / chance);
        Times { share, gpu, cpu, beside, seconds: gpu.max(beside + cpu) - beside }
    }

    /// The shares of some steps.
    fn shares(
        steps: u32,
        gpu: [f64; 2],
        cpu: [f64; 2],
        beside: f64,
        chance: impl Fn(u32) -> f64,
    ) -> Vec<f64> {
        let mut division = Division::default();
        let step = |i: u32| {
            let share = division.share();
            division.learn(&times(share, gpu, cpu, beside, chance(i)), |share| share);
            share
        };
        (0..steps).map(step).collect()
    }

    #[test]
    fn both_parts_end_together() {
        for (gpu, cpu, beside) in [
            ([0.0, 1.0], [0.0, 1.0], 0.0),
            ([0.0, 4.0], [0.0, 1.0], 0.0),
            ([0.0, 0.05], [0.0, 1.0], 0.0),
            ([0.3, 0.1], [0.05, 1.0], 0.0),
            ([0.6, 0.1], [0.1, 1.0], 0.0),
            ([0.0, 1.0], [0.0, 1.0], 0.2),
            ([0.001, 30.0], [0.001, 1.0], 0.0),
        ] {
            let shares = shares(60, gpu, cpu, beside, |_| 1.0);
            let last = times(shares[59], gpu, cpu, beside, 1.0);
            let (gpu_end, cpu_end) = (last.gpu, beside + last.cpu);
            assert!((gpu_end / cpu_end - 1.0).abs() < 0.1, "{gpu:?} {cpu:?}: {gpu_end} {cpu_end}");
            assert_eq!(shares[59], shares[40], "{gpu:?} {cpu:?} does not rest");
        }
    }

    #[test]
    fn a_fixed_cost_makes_it_go_one_way_only() {
        let shares = shares(60, [0.5, 0.2], [0.1, 1.0], 0.0, |_| 1.0);
        assert!(shares.is_sorted() && shares[59] > 0.4, "{shares:?}");
    }

    #[test]
    fn chance_hardly_moves_it() {
        let chance = |i: u32| [1.03, 0.98, 1.0, 0.97, 1.02, 0.99, 1.01][i as usize % 7];
        let shares = shares(200, [0.0, 1.0], [0.0, 1.0], 0.0, chance);
        let moves = shares[20..].windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert_eq!(moves, 0, "{shares:?}");
    }

    /// Now and then the CPU's part has half of its threads only.
    #[test]
    fn a_step_that_is_held_up_moves_nothing() {
        let mut division = Division::default();
        let mut learn = |i: u32| {
            let cpu = if i >= 10 && i % 4 == 2 { 2.0 } else { 1.0 };
            division.learn(&times(division.share(), [0.0, 1.0], [0.0, cpu], 0.0, 1.0), |share| share);
            division.share()
        };
        let shares: Vec<f64> = (0..200).map(&mut learn).collect();
        assert!(shares[10..].iter().all(|share| *share == shares[9]), "{shares:?}");
    }

    #[test]
    fn a_device_that_changes_is_followed() {
        let mut division = Division::default();
        let mut learn = |gpu: f64, steps: u32| {
            for _ in 0..steps {
                let share = division.share();
                division.learn(&times(share, [0.0, gpu], [0.0, 1.0], 0.0, 1.0), |share| share);
            }
            division.share()
        };
        assert!((learn(1.0, 20) - 0.5).abs() < 0.02);
        assert!((learn(0.25, 40) - 0.8).abs() < 0.02);
        assert!((learn(4.0, 40) - 0.2).abs() < 0.02);
    }

    #[test]
    fn the_first_step_of_a_cold_device_is_not_believed() {
        let mut division = Division::default();
        division.learn(&times(0.1, [500.0, 1.0], [0.0, 1.0], 0.0, 1.0), |share| share);
        assert_eq!(division.share(), FIRST_SHARE);
    }

    /// Two documents only, with 3 of 4 tokens in the first: it is one's or the other's.
    #[test]
    fn whole_documents_only() {
        let nearest = |share: f64| if share < 0.375 { 0.0 } else { 0.75 };
        for (gpu, expected) in [(0.1, 0.75), (1.0, 0.75), (9.0, 0.0)] {
            let mut division = Division::at(0.75);
            for _ in 0..20 {
                let share = nearest(division.share());
                division.learn(&times(share, [0.0, gpu], [0.0, 1.0], 0.0, 1.0), nearest);
            }
            assert_eq!((division.share(), division.is_settled()), (expected, true), "{gpu}");
        }
    }
}
