//! A finish: sweeps of direct assignment on a copy of a chain's state.
//!
//! They leave the posterior unchanged, with Ψ drawn by the chain's own law and everything learned that the chain learns; K* stays. The
//! chain itself goes on as if it had never been looked at. A finish draws with a seed of its own, which depends on the chain's seed and on
//! the iteration of its state.

use std::sync::Arc;

use super::direct::DirectAssignment;
use super::{Chain, Start, State};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::rng::{Step, Stream};
use crate::watch::go_on_here;

/// The copy of a state that a finish has gone over.
pub struct FinishedState {
    /// Everything but z.
    pub state: State,
    /// The topics of all tokens.
    pub z: Vec<u16>,
    /// The sweeps that were made.
    pub sweeps: u32,
}

impl FinishedState {
    /// Makes `sweeps` sweeps from `state`, in which the tokens of `corpus`, which is all documents, have the topics `z`.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hdp_gpu::chain::{Chain, FinishedState, Sampler};
    /// use hdp_gpu::{Settings, corpus::sample::sample};
    ///
    /// let corpus = Arc::new(sample().corpus);
    /// let mut chain = Sampler::on_cpu(Arc::clone(&corpus), Settings::default().check()?)?;
    /// chain.step()?;
    /// let (state, z) = chain.state_and_z()?;
    /// let finished = FinishedState::new(&corpus, state, z.into_owned(), 2)?;
    /// assert_eq!(finished.state.iteration(), 1);
    /// assert_ne!(finished.z, chain.z()?);
    /// # Ok::<(), hdp_gpu::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the state that comes out is not one that can be, and [`Error::Interrupted`](crate::Error::Interrupted) when it is told to stop
    /// ([`watched`](crate::watch::watched)).
    pub fn new(corpus: &Arc<Corpus>, state: &State, z: Vec<u16>, sweeps: u32) -> Result<Self> {
        let iteration = state.iteration();
        let seed = Stream::new(state.params().seed(), Step::Finish, iteration, 0).next_u64();
        let start = Start { iteration: 0, ..state.start_with(z) };
        let params = state.params().of_finish(seed);
        let mut chain = DirectAssignment::new(Arc::clone(corpus).into(), params, start);
        for _ in 0..sweeps {
            go_on_here()?;
            chain.step()?;
        }
        let (mut state, z) = chain.into_parts();
        state.check()?;
        state.iteration = iteration;
        Ok(Self { state, z, sweeps })
    }
}
