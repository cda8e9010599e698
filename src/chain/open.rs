//! The chain that parameters ask for.

use super::direct::DirectAssignment;
use super::{Chain, Sampler, Start};
use crate::corpus::Portion;
use crate::device::Place;
use crate::error::{Error, Result};
use crate::params::{Algorithm, Params};

/// A chain at `start`, by the sampler that the parameters ask for: the paper's at `place`, direct assignment on the CPU.
///
/// ```
/// use std::sync::Arc;
///
/// use hdp_gpu::chain::{self, Start};
/// use hdp_gpu::{Corpus, Settings, device::Place};
///
/// let words = ["ash", "birch"].map(String::from).to_vec();
/// let corpus = Arc::new(Corpus::new(vec![0, 1, 1, 0], vec![0, 2, 4], words)?);
/// let params = Settings::default().check()?;
/// let start = Start::first(&corpus, &params);
/// let mut chain = chain::open(corpus, params, start, &Place::cpu())?;
/// chain.step()?;
/// assert_eq!(chain.state().iteration(), 1);
/// assert_eq!(chain.state().model().n.topic_tokens.iter().sum::<u64>(), 4);
/// # Ok::<(), hdp_gpu::Error>(())
/// ```
///
/// When a device that can fail has the CPU in reserve, the CPU takes its place, now or later, and
/// [`Chain::take_device_error`] tells why.
///
/// # Errors
/// When the device fails and nothing is in reserve, the memory is too small for the Φ that is asked for, or several ranks are
/// to do what only one can.
pub fn open(
    portion: impl Into<Portion>,
    params: Params,
    start: Start,
    place: &Place,
) -> Result<Box<dyn Chain>> {
    let portion = portion.into();
    match params.sampler() {
        Algorithm::Direct if portion.ranks.are_several() => portion.ranks.agree(Err(Error::setting(
            "sampler",
            "direct assignment is one process's work",
            "start one process, or leave out `sampler` direct",
        ))),
        Algorithm::Direct => Ok(Box::new(DirectAssignment::new(portion, params, start))),
        Algorithm::Ppu { phi } => Ok(Box::new(Sampler::open(portion, params, phi, start, place)?)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::sample::sample;
    use crate::params::{PsiLaw, Settings};

    #[test]
    fn chains_go_to_other_threads() {
        fn sent<T: Send>() {}
        sent::<Box<dyn Chain>>();
    }

    #[test]
    fn the_sampler_is_the_one_that_is_asked_for() {
        let corpus = Arc::new(sample().corpus);
        let direct = Settings { sampler: Algorithm::Direct, psi: PsiLaw::Dp, ..Settings::paper() };
        for (settings, has_phi) in [(direct.clone(), false), (Settings::paper(), true)] {
            let params = settings.check().unwrap();
            let start = Start::first(&corpus, &params);
            let mut chain = open(Arc::clone(&corpus), params, start, &Place::cpu()).unwrap();
            assert_eq!(chain.step().unwrap().phi_seconds > 0.0, has_phi);
        }
        let refused = Sampler::on_cpu(corpus, direct.check().unwrap()).err().expect("another sampler");
        assert_eq!(refused.exit_code(), 2);
    }
}
