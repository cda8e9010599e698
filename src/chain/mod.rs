//! Chains on the topics of a corpus: what all samplers have in common, and a file for each sampler.

mod direct;
mod finish;
mod open;
pub(crate) mod over_ranks;
mod phi;
mod ppu;
mod start;
mod state;

use std::borrow::Cow;

pub use self::finish::FinishedState;
pub use self::open::open;
pub(crate) use self::phi::phi_law;
pub use self::ppu::Sampler;
pub use self::start::Start;
pub use self::state::State;
use serde::{Deserialize, Serialize};

use crate::corpus::Topics;
use crate::device::{AutoChoice, ZReport};
use crate::error::{Error, Result};
use crate::ranks::Talk;

/// A Markov chain on the topics of a corpus.
pub trait Chain: Send {
    /// One iteration.
    ///
    /// # Errors
    /// When the device fails and nothing can take its place.
    fn step(&mut self) -> Result<Progress>;

    /// The state, without its z.
    fn state(&self) -> &State;

    /// The state with its z, which is lent if it is in the host's memory: a copy would take 2 bytes a token.
    ///
    /// # Errors
    /// When the device fails and nothing can take its place.
    fn state_and_z(&mut self) -> Result<(&State, Cow<'_, [u16]>)>;

    /// A copy of z.
    ///
    /// # Errors
    /// As [`Self::state_and_z`].
    fn z(&mut self) -> Result<Vec<u16>> {
        self.state_and_z().map(|(_, z)| z.into_owned())
    }

    /// Where the chain would go on, to be kept.
    ///
    /// # Errors
    /// As [`Self::state_and_z`].
    fn start(&mut self) -> Result<Start<Topics>> {
        let z = self.z()?;
        Ok(self.state().start_with(z.into()))
    }

    /// The device as a person would name it.
    fn device_name(&self) -> String;

    /// Its driver, when it has one.
    fn device_driver(&self) -> Option<String> {
        None
    }

    /// What a device that chooses for itself has chosen since the last time, and by which figures.
    fn take_device_choice(&mut self) -> Option<AutoChoice> {
        None
    }

    /// Why the device was left for the CPU, once.
    fn take_device_error(&mut self) -> Option<Error> {
        None
    }

    /// What all ranks have told of their devices when their z was last gathered, in the order of ranks; nothing of a process by itself.
    fn devices_of_ranks(&self) -> &[RankDevice] {
        &[]
    }
}

/// What a rank samples on, and has found out about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankDevice {
    /// The device as a person would name it.
    pub name: String,
    /// What a device that chooses for itself has chosen last.
    pub choice: Option<AutoChoice>,
    /// Since which iteration the CPU does what a GPU was to do, and why.
    pub failure: Option<(u32, String)>,
}

/// What one iteration has to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// The iteration that has ended.
    pub iteration: u32,
    /// Time of the whole iteration.
    pub seconds: f64,
    /// Time of step 1.
    pub phi_seconds: f64,
    /// Time of step 2.
    pub alias_seconds: f64,
    /// Time of steps 4 and 5.
    pub l_psi_seconds: f64,
    /// Step 3.
    pub z: ZReport,
    /// The part of the tokens that a GPU had in it.
    pub gpu_share: f64,
    /// The GPU's team size, when it has a choice.
    pub team: Option<u32>,
    /// What talking to other ranks has cost.
    pub talk: Talk,
    /// The time of the slowest rank's z step over that of all in the mean.
    pub slowest_rank: f64,
}
