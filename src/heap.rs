//! Bytes on the heap: every structure that grows with the corpus or with the topics says, beside its fields, what it takes for
//! given sizes.

use std::ops::{Add, Mul};

/// What lists that grow item by item have room for, of what they hold.
const GROWTH: f64 = 2.0;

/// What an array takes whose length is set anew in each iteration, of what it holds: room beyond its length is never touched,
/// but where it lay before may stay held.
const MOVES: f64 = 1.5;

/// The first room of a list is for four items: twice its only one, and as many again.
const FIRST_ROOM: f64 = 2.0;

/// The sizes that structures depend on; numbers of what they name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// D.
    pub(crate) docs: f64,
    /// V.
    pub(crate) words: f64,
    /// Bytes of all words.
    pub(crate) vocab_bytes: f64,
    /// N.
    pub(crate) tokens: f64,
    /// The tokens of the longest document.
    pub(crate) longest_doc: f64,
    /// Threads.
    pub(crate) threads: f64,
    /// Runs of documents that are counted side by side.
    pub(crate) shards: f64,
    /// K*.
    pub(crate) k_star: f64,
    /// Topics with tokens.
    pub(crate) topics: f64,
    /// Nonzeros of n.
    pub(crate) word_topics: f64,
    /// Nonzeros of m.
    pub(crate) doc_topics: f64,
    /// Nonzeros of Φ.
    pub(crate) phi_cells: f64,
    /// Points of ϕ(β) that are drawn ahead.
    pub(crate) prior_points: f64,
}

/// Bytes of some arrays, as floating-point numbers because those do not overflow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Heap {
    /// What they hold.
    pub(crate) least: f64,
    /// With the room that they have to grow.
    pub(crate) most: f64,
}

impl Heap {
    /// An array that is made for as many items as it holds.
    pub(crate) fn exact<T>(items: f64) -> Self {
        Self::bytes(items * size_of::<T>() as f64)
    }

    /// `items` items that were added one by one, to so many lists in all.
    pub(crate) fn grown<T>(lists: f64, items: f64) -> Self {
        let room = Self::exact::<T>(GROWTH * items + FIRST_ROOM * lists);
        Self { least: Self::exact::<T>(items).least, most: room.most }
    }

    /// An array whose length is set anew in each iteration.
    pub(crate) fn resized<T>(items: f64) -> Self {
        let bytes = items * size_of::<T>() as f64;
        Self { least: bytes, most: MOVES * bytes }
    }

    /// So many bytes.
    pub(crate) fn bytes(bytes: f64) -> Self {
        Self { least: bytes, most: bytes }
    }

    /// The same, if it is there at all.
    pub(crate) fn at_most(self) -> Self {
        Self { least: 0.0, ..self }
    }
}

impl Add for Heap {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { least: self.least + other.least, most: self.most + other.most }
    }
}

impl Mul<f64> for Heap {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self { least: times * self.least, most: times * self.most }
    }
}

#[cfg(test)]
impl std::iter::Sum for Heap {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

/// What a list really holds, and what it takes with its room.
#[cfg(test)]
pub(crate) fn held<T>(list: &Vec<T>) -> Heap {
    let [held, room] = [list.len(), list.capacity()].map(|items| (items * size_of::<T>()) as f64);
    Heap { least: held, most: room }
}
