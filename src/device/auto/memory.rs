//! What `auto` has learnt at a place, for the next time that the GPU is opened there.

use std::sync::{Arc, Mutex, PoisonError};

use super::judge::Judge;
use crate::corpus::Corpus;
use crate::device::ZStep;
use crate::device::hybrid::Division;

/// Sizes have changed a lot when they have grown or shrunk by this factor.
const MUCH: f64 = 1.5;

/// The sizes that the times of a z step depend on: K*, the entries of the tables, the tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape([f64; 3]);

impl Shape {
    /// The shape of a step.
    pub(super) fn of(step: &ZStep<'_>, corpus: &Corpus) -> Self {
        let sizes = [step.is_active.len(), step.tables.topic.len(), corpus.num_tokens()];
        Self(sizes.map(|size| size.max(1) as f64))
    }

    /// Whether no size is much larger or smaller than another's.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(own, other)| *own <= MUCH * other && other <= MUCH * own)
    }
}

/// A choice that stood when it was last heard of.
#[derive(Clone, Debug)]
pub(super) struct Learnt {
    /// When all was last looked at.
    pub(super) shape: Shape,
    pub(super) judge: Judge,
    pub(super) division: Division,
    pub(super) team: Option<u32>,
}

/// What is known at a place; copies share it.
#[derive(Clone, Debug, Default)]
pub(in crate::device) struct Memory(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// Choices for shapes of which no two are alike.
    learnt: Vec<Learnt>,
    /// Whether the GPU has failed.
    is_lost: bool,
}

impl Memory {
    fn with<R>(&self, work: impl FnOnce(&mut Known) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The choice for steps of such a shape.
    pub(super) fn recall(&self, shape: &Shape) -> Option<Learnt> {
        self.with(|known| known.learnt.iter().find(|learnt| learnt.shape.is_like(shape)).cloned())
    }

    /// Keeps a choice instead of those for shapes like its own.
    pub(super) fn keep(&self, learnt: Learnt) {
        self.with(|known| {
            known.learnt.retain(|old| !old.shape.is_like(&learnt.shape));
            known.learnt.push(learnt);
        });
    }

    /// Whether the GPU has failed.
    pub(super) fn is_lost(&self) -> bool {
        self.with(|known| known.is_lost)
    }

    /// The GPU has failed: it is not opened again.
    pub(super) fn lose(&self) {
        self.with(|known| known.is_lost = true);
    }
}
