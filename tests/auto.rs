//! What `auto` comes to beside a GPU that is slow, fast, slow at first, fails or hangs, and what it remembers. What stands in for the
//! GPU takes so long, or so little, that no other program on the machine makes a difference; what `auto` comes to is waited for.

#[path = "common/z_steps.rs"]
mod z_steps;

use hdp_gpu::device::choice::CpuPart;
use hdp_gpu::device::{AutoChoice, Hooks, Place, StandIn, Work};
use hdp_gpu::{Error, Result};
use z_steps::{Lane, ZSteps};

/// Much longer than any step of the CPU.
const LONG: f64 = 0.4;

/// A GPU that takes no time at all. Only what a trial has is sampled.
const FAST: StandIn = StandIn { samples: 0.03, ..StandIn::PLAIN };

/// The first iterations, in which a GPU can be otherwise than in later ones.
const FIRST: u32 = 1;
const LATER: u32 = 1_000_000;

/// Steps after which `auto` must have come to something.
const MOST_STEPS: usize = 3000;

fn place(stand_in: StandIn) -> Place {
    place_with_patience(stand_in, None)
}

fn place_with_patience(stand_in: StandIn, patience: Option<f64>) -> Place {
    Place::with_stand_in(CpuPart::Measured, Hooks { stand_in: Some(stand_in), patience, ..Hooks::default() })
}

fn steps() -> ZSteps {
    ZSteps::new(300_000)
}

/// Makes a step that is one of the iterations from `from` on.
fn step(steps: &ZSteps, lane: &mut Lane, from: u32) -> Result<()> {
    steps.step(lane, from + lane.seconds.len() as u32)
}

/// Makes steps until `auto` has chosen; it must not fail.
fn next_choice(steps: &ZSteps, lane: &mut Lane, from: u32) -> AutoChoice {
    for _ in 0..MOST_STEPS {
        step(steps, lane, from).unwrap();
        assert!(lane.device.take_error().is_none());
        if let Some(choice) = lane.device.take_choice() {
            return choice;
        }
    }
    panic!("auto has come to nothing");
}

/// Makes steps until the GPU has a part, or is left; returns why it was left.
fn until_gpu(steps: &ZSteps, lane: &mut Lane, from: u32) -> Option<Error> {
    for _ in 0..MOST_STEPS {
        step(steps, lane, from).unwrap();
        let error = lane.device.take_error();
        if error.is_some() || lane.device.gpu_share() > 0.0 {
            return error;
        }
    }
    panic!("the GPU is neither taken nor left");
}

#[test]
fn a_fast_gpu_is_taken() {
    let steps = steps();
    let mut lane = steps.open(&place(FAST));
    let choice = next_choice(&steps, &mut lane, FIRST);
    assert!(choice.gpu_share > 0.5 && choice.cpu_seconds > choice.hybrid_seconds, "{choice:?}");
    step(&steps, &mut lane, FIRST).unwrap();
    assert!(lane.device.gpu_share() > 0.5 && lane.device.name().starts_with("stand-in"));
}

#[test]
fn a_slow_gpu_is_not_taken() {
    let steps = steps();
    let mut lane = steps.open(&place(StandIn { fixed: LONG, ..FAST }));
    let choice = next_choice(&steps, &mut lane, FIRST);
    assert!(choice.gpu_share == 0.0 && choice.hybrid_seconds.is_none(), "{choice:?}");
    // It is tried again from time to time, and never taken.
    for _ in 0..100 {
        step(&steps, &mut lane, FIRST).unwrap();
        assert_eq!((lane.device.gpu_share(), lane.device.take_choice()), (0.0, None));
    }
}

#[test]
fn a_gpu_that_becomes_fast_is_taken() {
    let steps = steps();
    let mut lane = steps.open(&place(StandIn { cold: (LATER - 1, LONG), ..FAST }));
    assert_eq!(next_choice(&steps, &mut lane, FIRST).gpu_share, 0.0);
    let choice = next_choice(&steps, &mut lane, LATER);
    assert!(choice.gpu_share > 0.5, "{choice:?}");
}

#[test]
fn a_gpu_that_becomes_slow_is_left() {
    let steps = steps();
    // The first iterations are the slow ones, and here they come last.
    let mut lane = steps.open(&place(StandIn { cold: (LATER - 1, LONG), ..FAST }));
    assert!(next_choice(&steps, &mut lane, LATER).gpu_share > 0.5);
    assert_eq!(next_choice(&steps, &mut lane, FIRST).gpu_share, 0.0);
}

/// A trial fails at each of its moments: no step does.
#[test]
fn a_gpu_that_fails_in_a_trial_is_left() {
    let steps = ZSteps::new(20_000);
    let fails = [Work::Open, Work::Submit, Work::Wait, Work::Collect, Work::Send, Work::Fetch];
    let scripts = fails.map(|work| StandIn { fails: Some((work, 0)), ..FAST });
    for script in scripts.into_iter().chain([StandIn { errs: Some(0), ..FAST }]) {
        let place = place(script);
        let mut lane = steps.open(&place);
        let error = until_gpu(&steps, &mut lane, FIRST);
        assert!(matches!(error, Some(Error::Device { .. })), "{script:?}: {error:?}");
        assert!(lane.device.name().starts_with("cpu") && lane.device.take_choice().is_none());
        // What is opened at the same place after that does without it, and says nothing.
        drop(lane);
        let mut lane = steps.open(&place);
        for _ in 0..20 {
            step(&steps, &mut lane, FIRST).unwrap();
            assert!(lane.device.gpu_share() == 0.0 && lane.device.take_error().is_none());
        }
    }
}

fn did_not_answer(error: &Error) -> bool {
    matches!(error, Error::Device { name, problem, .. } if name == "stand-in" && problem.contains("did not answer"))
}

#[test]
fn a_gpu_that_hangs_in_its_trial_is_left() {
    let steps = ZSteps::new(20_000);
    let mut lane = steps.open(&place_with_patience(StandIn { hangs: Some(0), ..FAST }, Some(0.05)));
    let error = until_gpu(&steps, &mut lane, FIRST).expect("it hangs");
    assert!(did_not_answer(&error), "{error}");
}

/// After its trial the GPU has topics, so a step fails; that the device goes with it holds up nobody.
#[test]
fn a_gpu_that_hangs_in_a_step_fails_the_step() {
    let steps = steps();
    let place = place_with_patience(StandIn { hangs: Some(LATER), ..FAST }, Some(2.0));
    let mut lane = steps.open(&place);
    assert!(until_gpu(&steps, &mut lane, FIRST).is_none());
    let failed: Result<()> = (0..MOST_STEPS).try_for_each(|_| step(&steps, &mut lane, LATER));
    let error = failed.expect_err("it hangs");
    assert!(did_not_answer(&error), "{error}");
    let error = lane.device.z().expect_err("its topics are gone");
    assert!(error.to_string().contains("topics"), "{error}");
    lane.device.lose();
    drop(lane);
    let mut lane = steps.open(&place);
    step(&steps, &mut lane, FIRST).unwrap();
    assert!(lane.device.name().starts_with("cpu") && lane.device.take_error().is_none());
}

/// In later iterations a trial would find that it draws other topics.
const UNTRIED: StandIn = StandIn { errs: Some(LATER), ..FAST };

#[test]
fn what_was_chosen_is_remembered() {
    let steps = steps();
    for (script, has_gpu) in [(UNTRIED, true), (StandIn { fixed: LONG, ..UNTRIED }, false)] {
        let place = place(script);
        let mut lane = steps.open(&place);
        let choice = next_choice(&steps, &mut lane, FIRST);
        assert_eq!(choice.gpu_share > 0.0, has_gpu, "{choice:?}");
        drop(lane);
        let mut lane = steps.open(&place);
        let again = next_choice(&steps, &mut lane, LATER);
        assert_eq!(again.gpu_share > 0.0, has_gpu, "{again:?}");
        // The CPU is not measured again, unless it is what was taken: that is known at once.
        assert!(if has_gpu { again.cpu_seconds == choice.cpu_seconds } else { lane.seconds.len() == 1 });
        step(&steps, &mut lane, LATER).unwrap();
        assert_eq!(lane.device.gpu_share() > 0.0, has_gpu);
    }
}

#[test]
fn another_corpus_is_another_matter() {
    let place = place(UNTRIED);
    let small = ZSteps::new(60_000);
    let large = steps();
    assert!(next_choice(&large, &mut large.open(&place), FIRST).gpu_share > 0.0);
    let error = until_gpu(&small, &mut small.open(&place), LATER);
    assert!(error.is_some(), "a trial of the GPU would have failed");
}
