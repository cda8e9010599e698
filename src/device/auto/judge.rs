//! Which of the CPU, a GPU and both samples z the fastest: what is tried, and what is taken, by the seconds that steps took.

use crate::device::recent::Recent;

/// Where a z step is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Cpu,
    Both,
    Gpu,
}

/// Steps on the CPU that its time is taken from at the start.
const CPU_STEPS: u32 = 2;

/// Steps in which the CPU and its rival take turns, when it is not clear which one is faster: a machine is not always as busy.
const DUEL_STEPS: u32 = 10;

/// It is clear when one takes at most this much of the other's time.
const CLEAR: f64 = 0.75;

/// Steps on the GPU alone that its time is taken from; the first is left out.
const GPU_STEPS: u32 = 4;

/// Steps after which a division that still moves is taken as it is.
const MOST_SETTLING: u32 = 40;

/// What trying both together may cost, in steps of the CPU alone.
const BUDGET: f64 = 3.0;

/// The part of a time by which another must be shorter to be worth a change.
const GAIN: f64 = 0.02;

/// A GPU alone is measured when it may take at most this much of the time of both.
const GPU_WITHIN: f64 = 1.05;

/// A trial of a GPU that was found wanting is followed up only when it takes at most this much of what it took then.
const IMPROVED: f64 = 0.8;

/// Steps to the first time that all is looked at again, and to the next one after something has changed; from then on the interval
/// doubles.
const FIRST_INTERVAL: u32 = 50;
const CHANGED_INTERVAL: u32 = 10;

/// A look that may need steps on the CPU may cost this part of the time since the last one.
const LOOK_COST: f64 = 0.01;

/// What is being found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The CPU's time, and what a GPU can do in the background.
    Start,
    /// What both together take, while the division settles.
    Settling { steps: u32 },
    /// What the GPU takes alone.
    GpuAlone { steps: u32 },
    /// Whether the CPU or its rival is faster now.
    Duel { steps: u32, rival: Mode },
    /// Nothing: the choice stands.
    Steady,
}

/// What a step told of the division.
#[derive(Clone, Copy, Debug)]
pub(super) struct DivisionNow {
    /// Measurements since it has moved.
    pub(super) measured: u32,
    /// Whether it rests.
    pub(super) is_settled: bool,
    /// What the GPU would take for all tokens, in seconds.
    pub(super) gpu_seconds: Option<f64>,
    /// What the CPU would take for all tokens, in seconds.
    pub(super) cpu_seconds: Option<f64>,
}

/// What is known, and what is done about it.
#[derive(Clone, Debug)]
pub(super) struct Judge {
    mode: Mode,
    phase: Phase,
    cpu: Recent,
    both: Recent,
    gpu: Recent,
    /// The GPU's best trial, in seconds, and that of the last time that it came to nothing.
    trial: Option<f64>,
    rejected: Option<f64>,
    /// What was lost by trying, in seconds.
    spent: f64,
    interval: u32,
    steps: u32,
    seconds: f64,
    is_trial_due: bool,
    /// Whether there is a GPU.
    has_gpu: bool,
    decided: bool,
}

impl Judge {
    pub(super) fn new() -> Self {
        Self {
            mode: Mode::Cpu,
            phase: Phase::Start,
            cpu: Recent::default(),
            both: Recent::default(),
            gpu: Recent::default(),
            trial: None,
            rejected: None,
            spent: 0.0,
            interval: FIRST_INTERVAL,
            steps: 0,
            seconds: 0.0,
            is_trial_due: true,
            has_gpu: true,
            decided: false,
        }
    }

    /// Where the next step is sampled.
    pub(super) fn mode(&self) -> Mode {
        match self.phase {
            Phase::Duel { steps, .. } if steps.is_multiple_of(2) => Mode::Cpu,
            Phase::Duel { rival, .. } => rival,
            _ => self.mode,
        }
    }

    /// Whether the GPU is to be tried beside the next step, which is the CPU's; asked once.
    pub(super) fn take_trial_due(&mut self) -> bool {
        std::mem::take(&mut self.is_trial_due)
    }

    /// Whether there is a choice that has not been told; asked once.
    pub(super) fn take_decided(&mut self) -> bool {
        std::mem::take(&mut self.decided)
    }

    /// The seconds of a step in each mode, as far as they are known: the CPU, both, the GPU.
    pub(super) fn figures(&self) -> [Option<f64>; 3] {
        [&self.cpu, &self.both, &self.gpu].map(Recent::typical)
    }

    /// What a trial has found: the seconds that the GPU would need for all tokens, and for the trial alone.
    pub(super) fn tried(&mut self, seconds: f64) {
        self.trial = Some(seconds);
        if self.phase == Phase::Steady {
            self.follow_trial();
        }
    }

    /// The GPU is left, for good.
    pub(super) fn lost_gpu(&mut self) {
        (self.has_gpu, self.is_trial_due) = (false, false);
        self.take(Mode::Cpu);
    }

    /// Something has changed on which the times depend.
    pub(super) fn changed(&mut self) {
        self.interval = self.interval.min(CHANGED_INTERVAL);
        self.rejected = None;
    }

    /// Learns what a step took.
    pub(super) fn learn(&mut self, seconds: f64, division: DivisionNow) {
        self.steps += 1;
        self.seconds += seconds;
        match self.phase {
            Phase::Start => {
                self.cpu.push(seconds);
                if self.steps >= CPU_STEPS {
                    self.follow_trial();
                }
            }
            Phase::Settling { steps } => self.learn_settling(steps + 1, seconds, division),
            Phase::GpuAlone { steps } => {
                if steps > 0 {
                    self.gpu.push(seconds);
                }
                self.phase = Phase::GpuAlone { steps: steps + 1 };
                if steps + 1 == GPU_STEPS {
                    self.conclude(division);
                }
            }
            Phase::Duel { steps, rival } => {
                self.recent(self.mode()).push(seconds);
                self.phase = Phase::Duel { steps: steps + 1, rival };
                if steps + 1 == DUEL_STEPS {
                    self.decide();
                }
            }
            Phase::Steady => self.learn_steady(seconds),
        }
    }

    /// Goes on from a trial that is back, once the CPU's time is known too.
    fn follow_trial(&mut self) {
        let (Some(trial), Some(cpu)) = (self.trial, self.cpu.typical()) else { return };
        let is_new = self.rejected.is_none_or(|rejected| trial < IMPROVED * rejected);
        if trial < cpu && is_new {
            self.settle();
        } else if self.phase == Phase::Start {
            self.take(Mode::Cpu);
        }
    }

    fn settle(&mut self) {
        self.both.clear();
        self.gpu.clear();
        self.spent = 0.0;
        (self.mode, self.phase) = (Mode::Both, Phase::Settling { steps: 0 });
    }

    fn learn_settling(&mut self, steps: u32, seconds: f64, division: DivisionNow) {
        self.phase = Phase::Settling { steps };
        let cpu = self.cpu.typical().unwrap_or(f64::INFINITY);
        self.spent += (seconds - cpu).max(0.0);
        if division.measured <= 1 {
            self.both.clear();
        }
        self.both.push(seconds);
        let is_settled = division.is_settled || steps >= MOST_SETTLING;
        if is_settled {
            let both = self.both.typical().unwrap_or(f64::INFINITY);
            if division.gpu_seconds.is_some_and(|gpu| gpu < GPU_WITHIN * both.min(cpu)) {
                (self.mode, self.phase) = (Mode::Gpu, Phase::GpuAlone { steps: 0 });
            } else {
                self.conclude(division);
            }
        } else if self.spent > BUDGET * cpu {
            self.conclude(division);
        }
    }

    /// Decides, or has the CPU measured again beside its rival if what is known of it does not settle the matter.
    fn conclude(&mut self, division: DivisionNow) {
        let [cpu, both, gpu] = self.figures().map(|seconds| seconds.unwrap_or(f64::INFINITY));
        let (best, rival) = if gpu < both { (gpu, Mode::Gpu) } else { (both, Mode::Both) };
        let cpu_at_least = cpu.min(division.cpu_seconds.unwrap_or(cpu));
        if best < CLEAR * cpu_at_least || cpu < CLEAR * best {
            return self.decide();
        }
        self.cpu.clear();
        self.recent(rival).clear();
        self.phase = Phase::Duel { steps: 0, rival };
    }

    fn recent(&mut self, mode: Mode) -> &mut Recent {
        match mode {
            Mode::Cpu => &mut self.cpu,
            Mode::Both => &mut self.both,
            Mode::Gpu => &mut self.gpu,
        }
    }

    /// Takes what was the fastest.
    fn decide(&mut self) {
        let [cpu, both, gpu] = self.figures().map(|seconds| seconds.unwrap_or(f64::INFINITY));
        let mode = if both.min(gpu) > (1.0 - GAIN) * cpu {
            self.rejected = self.trial;
            Mode::Cpu
        } else if gpu < (1.0 - GAIN) * both {
            Mode::Gpu
        } else {
            Mode::Both
        };
        self.take(mode);
    }

    fn take(&mut self, mode: Mode) {
        (self.mode, self.phase, self.decided) = (mode, Phase::Steady, true);
        (self.steps, self.seconds) = (0, 0.0);
    }

    fn learn_steady(&mut self, seconds: f64) {
        let recent = self.recent(self.mode);
        recent.push(seconds);
        let now = recent.typical().unwrap_or(seconds);
        if !self.has_gpu {
            return;
        }
        let cpu = self.cpu.typical().unwrap_or(seconds);
        let is_due = match self.mode {
            // A trial in the background costs next to nothing.
            Mode::Cpu => self.steps >= self.interval,
            Mode::Both | Mode::Gpu => {
                let is_clear = now < CLEAR * cpu;
                let cost = if is_clear { 0.0 } else { f64::from(DUEL_STEPS / 2) * (cpu - now).max(0.0) };
                let interval = if now > cpu { self.interval.min(CHANGED_INTERVAL) } else { self.interval };
                self.steps >= interval && LOOK_COST * self.seconds >= cost
            }
        };
        if !is_due {
            return;
        }
        self.interval = (2 * self.interval).max(FIRST_INTERVAL);
        (self.steps, self.seconds) = (0, 0.0);
        match self.mode {
            Mode::Cpu => self.is_trial_due = true,
            Mode::Both | Mode::Gpu => self.settle(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::hybrid::{Division, Times};

    /// What each part takes in a step: seconds of the CPU for all tokens, a fixed cost of the GPU, its seconds for all tokens,
    /// and what the host loses to it.
    type Costs = fn(u32) -> [f64; 4];

    /// A trial has this part of the tokens.
    const SHARE: f64 = 0.02;

    /// Steps as a made-up machine takes them: the modes, and the seconds of all.
    fn run(steps: u32, costs: Costs) -> (Vec<Mode>, f64) {
        let (mut judge, mut division) = (Judge::new(), Division::default());
        let (mut modes, mut all, mut pending) = (Vec::new(), 0.0, None);
        for step in 0..steps {
            let [cpu, fixed, gpu, lost] = costs(step);
            if let Some((seconds, left)) = pending.take() {
                if left > 0.0 {
                    pending = Some((seconds, left));
                } else {
                    division = Division::by_times(seconds / SHARE, cpu);
                    judge.tried(seconds);
                }
            }
            if judge.take_trial_due() {
                let seconds = fixed + SHARE * gpu;
                pending = Some((seconds, 2.0 * seconds));
            }
            let mode = judge.mode();
            let share = match mode {
                Mode::Cpu => 0.0,
                Mode::Both => division.share(),
                Mode::Gpu => 1.0,
            };
            let gpu_time = if share > 0.0 { fixed + share * gpu } else { 0.0 };
            let times = Times { share, gpu: gpu_time, cpu: (1.0 - share) * cpu, beside: 0.0, seconds: 0.0 };
            let seconds = gpu_time.max(times.cpu) + if share > 0.0 { lost } else { 0.0 };
            pending = pending.map(|(of_trial, left)| (of_trial, left - seconds));
            if mode == Mode::Both {
                division.learn(&Times { seconds, ..times }, |share| share);
            }
            let (measured, is_settled) = (division.measured(), division.is_settled());
            let (gpu_seconds, cpu_seconds) = (division.gpu_seconds(), division.cpu_seconds());
            judge.learn(seconds, DivisionNow { measured, is_settled, gpu_seconds, cpu_seconds });
            modes.push(mode);
            all += seconds;
        }
        (modes, all)
    }

    /// The seconds of a step with the right choice from the start.
    fn best([cpu, fixed, gpu, lost]: [f64; 4]) -> f64 {
        // Where both end together, or the GPU never catches up with its fixed cost.
        let share = ((cpu - fixed) / (cpu + gpu)).clamp(0.0, 1.0);
        cpu.min((fixed + share * gpu).max((1.0 - share) * cpu) + lost).min(fixed + gpu + lost)
    }

    #[track_caller]
    fn takes(mode: Mode, costs: Costs) {
        let (modes, seconds) = run(300, costs);
        assert_eq!(modes[299], mode, "{modes:?}");
        let right: f64 = (0..300).map(|step| best(costs(step))).sum();
        assert!(seconds < 1.03 * right, "{seconds} instead of {right}: {modes:?}");
    }

    #[test]
    fn both_when_they_are_as_fast() {
        takes(Mode::Both, |_| [1.0, 0.0, 1.0, 0.0]);
        takes(Mode::Both, |_| [1.0, 0.05, 0.5, 0.02]);
    }

    #[test]
    fn both_when_the_gpu_is_slower() {
        takes(Mode::Both, |_| [1.0, 0.0, 4.0, 0.0]);
    }

    #[test]
    fn the_cpu_when_the_gpu_does_not_pay() {
        takes(Mode::Cpu, |_| [1.0, 2.0, 1.0, 0.0]);
        takes(Mode::Cpu, |_| [1.0, 0.0, 30.0, 0.1]);
        takes(Mode::Cpu, |_| [1.0, 0.9, 0.2, 0.2]);
        takes(Mode::Cpu, |_| [1.0, 0.1, 100.0, 0.5]);
    }

    /// A fast GPU is taken after two steps of the CPU, whatever these cost.
    #[test]
    fn the_gpu_when_the_cpu_is_in_its_way() {
        let (modes, _) = run(300, |_| [1.0, 0.0, 0.004, 0.0]);
        assert_eq!(modes.iter().filter(|&&mode| mode == Mode::Cpu).count(), 2, "{modes:?}");
        assert_eq!(modes[299], Mode::Gpu, "{modes:?}");
    }

    #[test]
    fn a_gpu_that_becomes_fast_gets_its_chance() {
        let costs: Costs = |step| if step < 20 { [1.0, 5.0, 1.0, 0.0] } else { [1.0, 0.0, 1.0, 0.0] };
        let (modes, _) = run(300, costs);
        assert!(modes[..50].iter().all(|&mode| mode == Mode::Cpu), "{modes:?}");
        assert!(modes[60..].iter().filter(|&&mode| mode == Mode::Both).count() > 225, "{modes:?}");
    }

    #[test]
    fn a_gpu_that_becomes_slow_is_left() {
        let costs: Costs = |step| if step < 100 { [1.0, 0.0, 1.0, 0.0] } else { [1.0, 1.5, 40.0, 0.0] };
        let (modes, seconds) = run(400, costs);
        assert_eq!(modes[399], Mode::Cpu, "{modes:?}");
        assert!(seconds < 1.1 * (50.0 + 300.0), "{seconds}: {modes:?}");
    }

    #[test]
    fn a_change_is_a_reason_to_look_again() {
        let mut judge = Judge::new();
        let division = DivisionNow { measured: 0, is_settled: false, gpu_seconds: None, cpu_seconds: None };
        assert!(judge.take_trial_due());
        judge.tried(9.0);
        (0..5).for_each(|_| judge.learn(1.0, division));
        assert!(judge.take_decided() && !judge.take_trial_due() && !judge.take_decided());
        judge.changed();
        (0..10).for_each(|_| judge.learn(1.0, division));
        assert!(judge.take_trial_due());
        judge.tried(0.1);
        assert_eq!(judge.mode(), Mode::Both);
        judge.lost_gpu();
        judge.changed();
        (0..500).for_each(|_| judge.learn(1.0, division));
        assert!(judge.mode() == Mode::Cpu && !judge.take_trial_due());
    }
}
