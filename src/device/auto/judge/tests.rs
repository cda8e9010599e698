//! The judge with made-up machines: what it takes, and what it spends on it.

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
                judge.tried(seconds, seconds / SHARE);
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

/// A fast GPU is taken after a single step of the CPU, whatever that costs.
#[test]
fn the_gpu_when_the_cpu_is_in_its_way() {
    let (modes, _) = run(300, |_| [1.0, 0.0, 0.004, 0.0]);
    assert_eq!(modes.iter().filter(|&&mode| mode == Mode::Cpu).count(), 1, "{modes:?}");
    assert_eq!(modes[299], Mode::Gpu, "{modes:?}");
}

#[test]
fn a_gpu_that_becomes_fast_gets_its_chance() {
    let costs: Costs = |step| if step < 20 { [1.0, 5.0, 1.0, 0.0] } else { [1.0, 0.0, 1.0, 0.0] };
    let (modes, _) = run(300, costs);
    assert!(modes[..20].iter().all(|&mode| mode == Mode::Cpu), "{modes:?}");
    assert!(modes[50..].iter().all(|&mode| mode == Mode::Both), "{modes:?}");
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
    judge.tried(9.0, 450.0);
    (0..5).for_each(|_| judge.learn(1.0, division));
    assert!(judge.take_decided() && !judge.take_trial_due() && !judge.take_decided());
    judge.changed();
    (0..10).for_each(|_| judge.learn(1.0, division));
    assert!(judge.take_trial_due());
    judge.tried(0.1, 5.0);
    assert_eq!(judge.mode(), Mode::Both);
    judge.lost_gpu();
    judge.changed();
    (0..500).for_each(|_| judge.learn(1.0, division));
    assert!(judge.mode() == Mode::Cpu && !judge.take_trial_due());
}
