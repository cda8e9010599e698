//! What the first of several ranks has the others do. Between orders they wait for the next one.

use serde::{Deserialize, Serialize};

use crate::infer::InferSettings;
use crate::params::Settings;
use crate::ranks::Ranks;

/// An order. What it needs beside this follows it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Say who you are, and whether you can do your part.
    Meet,
    /// Take your documents.
    TakeDocuments,
    /// See whether your machine has the memory for your part of what these settings ask for.
    CheckMemory(Settings),
    /// Make the first state of a chain, with what follows if it is to be as another run's model has it.
    MakeStart(Settings),
    /// Take your part of a state.
    TakeStart,
    /// Open a chain at the state that you have.
    Open(Settings),
    /// Make an iteration.
    Step,
    /// Give your z.
    GiveZ,
    /// Infer the topics of your part of new documents under the model that follows.
    Infer(InferSettings),
    /// Score the completion of yours.
    Complete(InferSettings),
    /// Estimate their probability from left to right.
    LeftToRight {
        /// Particles.
        particles: u32,
        /// The seed.
        seed: u64,
    },
    /// Go.
    End,
}

impl Order {
    /// Gives the order, on the first rank.
    pub(super) fn give(self, ranks: &Ranks) {
        if ranks.are_several() {
            ranks.tell(Some(self));
        }
    }

    /// Waits for an order, on the others.
    pub(super) fn wait(ranks: &Ranks) -> Self {
        ranks.tell(None)
    }
}
