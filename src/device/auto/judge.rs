//! Which of the CPU, a GPU and both samples z the fastest: what is tried, and what is taken, by the seconds that steps took.

use crate::device::recent::Recent;

/// Where a z step is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Cpu,
    Both,
    Gpu,
}

/// Steps on the CPU that its time is taken from at the start, unless the GPU is clearly faster than one of them.
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

/// Steps to the first time that all is looked at again: where the CPU was taken, or something has changed, and where the GPU has a
/// part. From then on the interval doubles. On the CPU a look is a trial in the background, which costs next to nothing.
const FIRST_INTERVAL: u32 = 10;
const GPU_INTERVAL: u32 = 50;

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
    /// The GPU's best trial, in seconds, what all tokens would take by it, and the trial of the last time that it came to nothing.
    trial: Option<f64>,
    trial_of_all: f64,
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
            trial_of_all: f64::INFINITY,
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

    /// Whether nothing is being found out.
    pub(super) fn is_steady(&self) -> bool {
        self.phase == Phase::Steady
    }

    /// The same for a GPU that is opened again: what was chosen is told anew, and no trial is due that the GPU would miss.
    pub(super) fn recalled(&self) -> Self {
        Self { decided: true, is_trial_due: false, ..self.clone() }
    }

    /// The seconds of a step in each mode, as far as they are known: the CPU, both, the GPU.
    pub(super) fn figures(&self) -> [Option<f64>; 3] {
        [&self.cpu, &self.both, &self.gpu].map(Recent::typical)
    }

    /// What a trial has found: its seconds, and what all tokens would take by it.
    pub(super) fn tried(&mut self, seconds: f64, of_all: f64) {
        (self.trial, self.trial_of_all) = (Some(seconds), of_all);
        if self.phase == Phase::Steady || self.knows_cpu() {
            self.follow_trial();
        }
    }

    /// Whether the CPU's time is known well enough to begin with.
    fn knows_cpu(&self) -> bool {
        let is_clear = self.cpu.typical().is_some_and(|cpu| self.trial_of_all < CLEAR * cpu);
        self.phase == Phase::Start && (self.steps >= CPU_STEPS || is_clear)
    }

    /// The GPU is left, for good.
    pub(super) fn lost_gpu(&mut self) {
        (self.has_gpu, self.is_trial_due) = (false, false);
        self.take(Mode::Cpu);
    }

    /// Something has changed on which the times depend.
    pub(super) fn changed(&mut self) {
        self.interval = FIRST_INTERVAL;
        self.rejected = None;
    }

    /// Learns what a step took.
    pub(super) fn learn(&mut self, seconds: f64, division: DivisionNow) {
        self.steps += 1;
        self.seconds += seconds;
        match self.phase {
            Phase::Start => {
                self.cpu.push(seconds);
                if self.knows_cpu() {
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
        if mode != Mode::Cpu {
            self.interval = self.interval.max(GPU_INTERVAL);
        }
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
                let interval = if now > cpu { FIRST_INTERVAL } else { self.interval };
                self.steps >= interval && LOOK_COST * self.seconds >= cost
            }
        };
        if !is_due {
            return;
        }
        self.interval = self.interval.saturating_mul(2);
        (self.steps, self.seconds) = (0, 0.0);
        match self.mode {
            Mode::Cpu => self.is_trial_due = true,
            Mode::Both | Mode::Gpu => self.settle(),
        }
    }
}

#[cfg(test)]
mod tests;
