//! A finish: copies of states after sweeps of direct assignment.

use std::sync::Arc;

use hdp_gpu::chain::{FinishedState, Start};
use hdp_gpu::params::{Algorithm, PhiLaw};
use hdp_gpu::{Chain, Corpus, Params, Settings};

use super::law::distance;
use super::{Exact, INFINITE, SHORT, TRUNCATED, assert_agrees, assert_differs};
use crate::chains::{Walk, on_cpu};
use crate::law::{Make, on_one_thread};
use crate::mutations::altered;

/// A chain that is seen through finishes of so many sweeps.
struct Seen {
    chain: Box<dyn Chain>,
    sweeps: u32,
    /// α as finishes have it, if not as the chain.
    alpha: Option<f64>,
}

impl Walk for Seen {
    fn step(&mut self) {
        Walk::step(&mut self.chain);
    }

    fn now(&mut self) -> Start {
        let mut start = self.chain.now();
        let (corpus, mut params) =
            (Arc::new(self.chain.state().corpus().clone()), self.chain.state().params().clone());
        if let Some(alpha) = self.alpha {
            start.concentrations.alpha = alpha;
            params = altered(&params, |settings| settings.alpha = alpha);
        }
        let copy = on_cpu(&corpus, &params, start.clone());
        let finished = FinishedState::new(&corpus, copy.state(), start.z, self.sweeps).expect("a finish");
        let FinishedState { state, z, .. } = finished;
        Start {
            iteration: state.iteration(),
            z,
            l: state.l().to_vec(),
            psi: state.psi().clone(),
            concentrations: state.params().concentrations(),
        }
    }
}

fn seen(
    corpus: &Arc<Corpus>,
    params: &Params,
    start: Start,
    sweeps: u32,
    alpha: Option<f64>,
) -> Box<dyn Walk> {
    Box::new(Seen { chain: on_cpu(corpus, params, start), sweeps, alpha })
}

/// With an exact Φ a finish leaves the posterior as it is, with K* where truncation shapes it and where it does not.
#[test]
fn finished_states_of_an_exact_phi_draw_from_the_posterior() {
    let make: Make = &|corpus, params, start| seen(corpus, params, start, 3, None);
    assert_agrees(&TRUNCATED, 3 * SHORT, make);
    assert_agrees(&INFINITE, SHORT, make);
}

#[test]
fn a_finish_with_twice_alpha_is_seen() {
    let make: Make = &|corpus, params, start| seen(corpus, params, start, 20, Some(2.0 * params.alpha()));
    assert_differs(&TRUNCATED, SHORT, "a finish with 2α", make);
}

fn with_urn(params: &Params) -> Params {
    altered(params, |settings: &mut Settings| settings.sampler = Algorithm::Ppu { phi: PhiLaw::Ppu })
}

/// Finished states of the urn lie between its law and the posterior: the more sweeps, the nearer.
#[test]
fn finished_states_of_the_urn_come_closer_to_the_posterior() {
    // Those whose K* is larger.
    for Exact { case, posterior } in &TRUNCATED[TRUNCATED.len() / 2..] {
        let away = |sweeps: u32| {
            let make: Make = &|corpus, params, start| seen(corpus, &with_urn(params), start, sweeps, None);
            on_one_thread(|| distance(case, posterior, 3 * SHORT, make))
        };
        let found = [0, 1, 5].map(away);
        println!("{case}: total variation after 0, 1 and 5 sweeps {found:.3?}");
        assert!(found[1] < 0.8 * found[0] && found[2] < 0.6 * found[0], "{case}: {found:?}");
    }
}
