//! Direct assignment: the fully collapsed sampler of Teh, Jordan, Beal and Blei (2006), "Hierarchical Dirichlet
//! processes", on one thread.
//!
//! It samples the same model as [`crate::Sampler`], by other means: Φ is integrated out instead of drawn.

use std::borrow::Cow;
use std::time::Instant;

use crate::chain::{Chain, Progress, Start, State};
use crate::corpus::Portion;
use crate::device::ZReport;
use crate::error::Result;
use crate::model::collapsed::CollapsedTopics;
use crate::params::Params;

/// A chain on the CPU.
pub(super) struct DirectAssignment {
    state: State,
    topics: CollapsedTopics,
}

impl DirectAssignment {
    /// A chain that goes on from `start`.
    pub(super) fn new(portion: Portion, params: Params, start: Start) -> Self {
        let (state, z) = State::new(portion, params, start);
        Self { topics: CollapsedTopics::new(z, state.corpus()), state }
    }

    /// The state and its z.
    pub(super) fn into_parts(self) -> (State, Vec<u16>) {
        (self.state, self.topics.into_z())
    }
}

impl Chain for DirectAssignment {
    fn step(&mut self) -> Result<Progress> {
        let iteration = self.state.iteration + 1;
        let State { portion, params, counts, psi, .. } = &mut self.state;
        let start = Instant::now();

        self.topics.sample_z(&portion.corpus, psi, params, iteration, counts);
        let z_seconds = start.elapsed().as_secs_f64();

        self.state.sample_l_and_psi(iteration);
        let seconds = start.elapsed().as_secs_f64();

        self.state.iteration = iteration;
        Ok(Progress {
            iteration,
            seconds,
            l_psi_seconds: seconds - z_seconds,
            z: ZReport { z_seconds, ..ZReport::default() },
            ..Progress::default()
        })
    }

    fn state(&self) -> &State {
        &self.state
    }

    fn state_and_z(&mut self) -> Result<(&State, Cow<'_, [u16]>)> {
        Ok((&self.state, Cow::Borrowed(self.topics.z())))
    }

    fn device_name(&self) -> String {
        "cpu (1 thread)".to_owned()
    }
}
