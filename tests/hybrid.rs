//! A GPU and the CPU together, and the choice between them: the same z, n, d and trace however the work is divided, whoever
//! fails, and the right choice. What stands in for the GPU is a CPU that sleeps, fails or hangs as it is told.

use std::sync::Arc;

use hdp_gpu::chain::{self, Start};
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::choice::CpuPart;
use hdp_gpu::device::{ForcedDivision, Hooks, Place, StandIn, Work};
use hdp_gpu::params::Init;
use hdp_gpu::selftest::{Reference, cases};
use hdp_gpu::{Chain, Corpus, Error, Params, Settings};

const DIVISIONS: [Option<ForcedDivision>; 5] = [
    None,
    Some(ForcedDivision::Fixed(0.0)),
    Some(ForcedDivision::Fixed(0.37)),
    Some(ForcedDivision::Fixed(1.0)),
    Some(ForcedDivision::Moving),
];

fn hooks(stand_in: StandIn) -> Hooks {
    Hooks { stand_in: Some(stand_in), ..Hooks::default() }
}

fn hybrid(stand_in: StandIn, division: Option<ForcedDivision>) -> Place {
    Place::with_stand_in(CpuPart::Shares, Hooks { division, ..hooks(stand_in) })
}

fn auto(stand_in: StandIn) -> Place {
    Place::with_stand_in(CpuPart::Measured, hooks(stand_in))
}

fn corpus_and_params() -> (Arc<Corpus>, Params) {
    let params = Settings { init: Init::Random(20), ..Settings::default() }.check().unwrap();
    (Arc::new(sample().corpus), params)
}

fn chain_at(place: &Place) -> Box<dyn Chain> {
    let (corpus, params) = corpus_and_params();
    let start = Start::first(&corpus, &params);
    chain::open(corpus, params, start, place).unwrap()
}

/// Everything that a trace is made from, after each of some iterations.
fn states(chain: &mut dyn Chain, iterations: u32) -> Vec<(Vec<u16>, u64, [u64; 2])> {
    let state = |_| {
        let stuck = chain.step().unwrap().z.stuck_tokens;
        let likelihood = chain.state().log_likelihood();
        (chain.z().unwrap(), stuck, [likelihood.model, likelihood.lda].map(f64::to_bits))
    };
    (0..iterations).map(state).collect()
}

#[test]
fn any_division_gives_the_result_of_the_cpu() {
    for case in cases() {
        let reference = Reference::new(case, 4).unwrap();
        for division in DIVISIONS {
            let difference = reference.compare(&hybrid(StandIn::PLAIN, division));
            assert!(difference.is_none(), "{}, {division:?}: {}", reference.case().name, difference.unwrap());
        }
    }
}

/// The comparison above would see a token that was sampled by the wrong one, or by none.
#[test]
fn a_wrong_part_is_seen() {
    let errs = StandIn { errs: Some(0), ..StandIn::PLAIN };
    let idle = StandIn { samples: 0.0, ..StandIn::PLAIN };
    let reference = Reference::new(cases().swap_remove(0), 4).unwrap();
    for stand_in in [errs, idle] {
        let difference = reference.compare(&hybrid(stand_in, Some(ForcedDivision::Fixed(0.37))));
        assert!(difference.is_some(), "{stand_in:?}");
    }
}

/// Nobody asks for z on the way, so it is only where it is sampled.
#[test]
fn topics_move_with_the_division() {
    let last = |place: &Place| {
        let mut chain = chain_at(place);
        (0..12).for_each(|_| assert!(chain.step().is_ok()));
        chain.z().unwrap()
    };
    assert!(last(&hybrid(StandIn::PLAIN, Some(ForcedDivision::Moving))) == last(&Place::cpu()));
}

#[test]
fn it_grows_and_has_two_names() {
    let (corpus, _) = corpus_and_params();
    let params = Settings { init: Init::Random(20), max_topics: 21, ..Settings::default() }.check().unwrap();
    let open = |place: &Place| {
        let start = Start::first(&corpus, &params);
        chain::open(Arc::clone(&corpus), params.clone(), start, place).unwrap()
    };
    let mut expected = open(&Place::cpu());
    let cpu = expected.device_name();
    let place = hybrid(StandIn::PLAIN, Some(ForcedDivision::Moving));
    let mut chain = open(&place);
    assert_eq!([chain.device_name(), place.name()], [(); 2].map(|()| format!("stand-in with {cpu}")));
    assert!(states(&mut *chain, 12) == states(&mut *expected, 12));
    assert!(chain.state().params().k_star() > 21, "K* has not grown");
}

#[test]
fn the_division_is_in_the_progress() {
    let mut chain = chain_at(&hybrid(StandIn::PLAIN, Some(ForcedDivision::Fixed(0.37))));
    let progress = chain.step().unwrap();
    assert!((progress.gpu_share - 0.37).abs() < 0.01, "{progress:?}");
    let mut cpu = chain_at(&Place::cpu());
    assert_eq!(cpu.step().unwrap().gpu_share, 0.0);
}

/// Each part of the GPU's work fails in the middle of a run: the CPU goes on from the last snapshot, also when its own part had
/// been sampled already.
#[test]
fn a_gpu_that_is_lost_leaves_the_same_result() {
    let expected = states(&mut *chain_at(&Place::cpu()), 8);
    for work in [Work::Submit, Work::Wait, Work::Collect, Work::Send, Work::Fetch] {
        for from in [1, 4] {
            let stand_in = StandIn { fails: Some((work, from)), ..StandIn::PLAIN };
            let place = hybrid(stand_in, Some(ForcedDivision::Moving));
            let mut chain = chain_at(&place.clone().with_cpu_in_reserve(true));
            assert!(states(&mut *chain, 8) == expected, "{work:?} from {from} on");
            assert!(chain.device_name().starts_with("cpu"), "{work:?} from {from} on");
            assert!(matches!(chain.take_device_error(), Some(Error::Device { .. })));
            let mut without_reserve = chain_at(&place);
            let failed = (0..8).find_map(|_| without_reserve.step().and_then(|_| without_reserve.z()).err());
            assert!(failed.is_some(), "{work:?} from {from} on");
        }
    }
}

#[test]
fn a_run_goes_on_on_another_device() {
    let expected = states(&mut *chain_at(&Place::cpu()), 8).pop();
    let places =
        [hybrid(StandIn::PLAIN, Some(ForcedDivision::Fixed(0.37))), Place::cpu(), auto(StandIn::PLAIN)];
    for (first, second) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
        let mut chain = chain_at(&places[first]);
        states(&mut *chain, 5);
        let (corpus, params) = corpus_and_params();
        let start = Start::of(&mut *chain).unwrap();
        let mut chain = chain::open(corpus, params, start, &places[second]).unwrap();
        assert!(states(&mut *chain, 3).pop() == expected, "{first} {second}");
    }
}

/// With a GPU that hangs in the middle of a run the CPU goes on from the last snapshot, and nothing waits for the GPU's thread.
#[test]
fn a_gpu_that_hangs_leaves_the_same_result() {
    let expected = states(&mut *chain_at(&Place::cpu()), 8);
    let script = StandIn { hangs: Some(4), ..StandIn::PLAIN };
    for share in [0.37, 1.0] {
        let division = Some(ForcedDivision::Fixed(share));
        let hooks = Hooks { division, patience: Some(0.2), ..hooks(script) };
        let place = Place::with_stand_in(CpuPart::Shares, hooks);
        let mut chain = chain_at(&place.clone().with_cpu_in_reserve(true));
        assert!(states(&mut *chain, 8) == expected && chain.device_name().starts_with("cpu"));
        let error = chain.take_device_error().expect("it hangs").to_string();
        assert!(error.starts_with("stand-in: did not answer within "), "{error}");
        let mut without_reserve = chain_at(&place);
        let error = (0..8).find_map(|_| without_reserve.step().err()).expect("it hangs").to_string();
        assert!(error.starts_with("stand-in: did not answer within "), "{error}");
    }
}

/// Iterations in which a trial must have ended, on however busy a machine.
const MOST_ITERATIONS: u32 = 3000;

/// A trial that fails costs a chain nothing; but one without a reserve ends with its error.
#[test]
fn a_trial_that_fails_ends_a_chain_without_a_reserve() {
    for work in [Work::Open, Work::Wait] {
        let script = StandIn { fails: Some((work, 0)), ..StandIn::PLAIN };
        let mut expected = chain_at(&Place::cpu());
        let mut chain = chain_at(&auto(script).with_cpu_in_reserve(true));
        let error = (0..MOST_ITERATIONS).find_map(|_| {
            assert!(states(&mut *chain, 1) == states(&mut *expected, 1));
            chain.take_device_error()
        });
        assert!(matches!(error, Some(Error::Device { .. })), "{work:?}: {error:?}");
        let mut chain = chain_at(&auto(script));
        let error = (0..MOST_ITERATIONS).find_map(|_| chain.step().err());
        assert!(matches!(error, Some(Error::Device { .. })), "{work:?}: {error:?}");
    }
}
