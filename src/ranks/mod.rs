//! The processes that train one model together, a rank each: what they add up, tell and hand to each other.
//!
//! Every rank has documents of its own, and the same Φ, Ψ, n and d as every other. A process by itself is the first rank of
//! one, and nothing of this does anything there.

mod alone;
mod failure;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(any(feature = "mpi", test))]
mod ring;
#[cfg(any(feature = "mpi", test))]
mod silence;
#[cfg(feature = "testing")]
mod threads;
mod values;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use bytemuck::Pod;

use self::alone::Alone;
#[cfg(feature = "mpi")]
pub use self::mpi::initialize;
#[cfg(feature = "testing")]
pub use self::threads::threads;

/// Bytes of a message, at most: MPI counts in 32 bits, and memory for a message is small beside that for a corpus. Tests of this crate have
/// many of them in few tokens.
pub const PIECE: usize = if cfg!(test) { 64 } else { 1 << 22 };

/// Bytes that all ranks together say at once, at most, for the same reason.
const GATHERED: usize = if cfg!(test) { 64 } else { 1 << 30 };

/// Within how long ranks end a job of which one does not answer any more, unless they are told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What connects a rank with the others. A link that fails ends the whole job.
///
/// All ranks call [`Self::sum`], [`Self::broadcast`] and [`Self::gather`] in the same order, with vectors of the same length.
pub trait Link: Send + Sync + fmt::Debug {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// The machine that this rank runs on.
    fn host(&self) -> String;

    /// The number of this rank among those on its machine, from 0.
    fn rank_on_host(&self) -> usize;

    /// Within how long another rank that does not answer any more ends all; no time at all is for ever.
    fn set_patience(&self, _patience: Duration) {}

    /// Replaces `values` by their sums over all ranks.
    fn sum(&self, values: &mut [u32]);

    /// Gives `bytes` of the first rank to all.
    fn broadcast(&self, bytes: &mut [u8]);

    /// The bytes of all ranks after each other; `lengths` has those of all.
    fn gather(&self, bytes: &[u8], lengths: &[usize]) -> Vec<u8>;

    /// Sends bytes to another rank, which receives as many.
    fn send(&self, to: usize, bytes: &[u8]);

    /// Receives bytes that another rank sends.
    fn receive(&self, from: usize, bytes: &mut [u8]);

    /// Ends all ranks at once with this exit code.
    fn abort(&self, code: u8) -> !;
}

/// A rank, and its way to the others; copies share it.
#[derive(Clone, Debug)]
pub struct Ranks {
    link: Arc<dyn Link>,
    spent: Arc<Spent>,
    /// Whether this rank has left something that all do together, and the others may wait for it for ever.
    is_torn: Arc<AtomicBool>,
}

/// What talking to other ranks has cost so far.
#[derive(Debug, Default)]
struct Spent {
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// Time and bytes that talking to other ranks has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Talk {
    /// Seconds, waiting for slower ranks included.
    pub seconds: f64,
    /// Bytes that this rank has given or been given, by the lengths of what is added up, told and sent.
    pub bytes: u64,
}

impl std::ops::Sub for Talk {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { seconds: self.seconds - before.seconds, bytes: self.bytes - before.bytes }
    }
}

impl Default for Ranks {
    fn default() -> Self {
        Self::alone()
    }
}

impl Ranks {
    /// A process by itself.
    pub fn alone() -> Self {
        Self::new(Alone)
    }

    /// A rank at this link.
    pub fn new(link: impl Link + 'static) -> Self {
        Self { link: Arc::new(link), spent: Arc::default(), is_torn: Arc::default() }
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.link.rank()
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.link.size()
    }

    /// Whether there are other ranks.
    pub fn are_several(&self) -> bool {
        self.size() > 1
    }

    /// Whether this is the first rank, which decides, reads and writes.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// The machine that this rank runs on.
    pub fn host(&self) -> String {
        self.link.host()
    }

    /// The number of this rank among those on its machine, from 0.
    pub fn rank_on_host(&self) -> usize {
        self.link.rank_on_host()
    }

    /// Within how long another rank that does not answer any more ends all, where it can stand still without this one; no time at all is
    /// for ever. It is [`PATIENCE`] until it is set.
    pub fn set_patience(&self, patience: Duration) {
        self.link.set_patience(patience);
    }

    /// What talking has cost since the process began.
    pub fn talk(&self) -> Talk {
        Talk {
            seconds: Duration::from_nanos(self.spent.nanoseconds.load(Relaxed)).as_secs_f64(),
            bytes: self.spent.bytes.load(Relaxed),
        }
    }

    /// Does `work` on a message of so many bytes, if there are other ranks, and counts what it costs.
    fn talked<T>(&self, bytes: usize, work: impl FnOnce(&dyn Link) -> T) -> T {
        let start = Instant::now();
        let done = work(&*self.link);
        self.spent.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
        self.spent.bytes.fetch_add(bytes as u64, Relaxed);
        done
    }

    /// Replaces `values` by their sums over all ranks.
    pub fn sum(&self, values: &mut [u32]) {
        if self.are_several() {
            for piece in values.chunks_mut(PIECE / size_of::<u32>()) {
                self.talked(size_of_val(piece), |link| link.sum(piece));
            }
        }
    }

    /// What each rank says, in the order of ranks.
    pub fn gather(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        if !self.are_several() {
            return vec![bytes.to_vec()];
        }
        let mut lengths = vec![0; self.size()];
        lengths[self.rank()] = u32::try_from(bytes.len()).expect("a message is short");
        self.sum(&mut lengths);
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
        self.gather_of(bytes, &lengths)
    }

    /// As [`Self::gather`], where all ranks say as many bytes: so they need not tell each other how many.
    pub fn gather_alike<const LENGTH: usize>(&self, bytes: [u8; LENGTH]) -> Vec<Vec<u8>> {
        self.gather_of(&bytes, &vec![LENGTH; self.size()])
    }

    fn gather_of(&self, bytes: &[u8], lengths: &[usize]) -> Vec<Vec<u8>> {
        let mut all: Vec<Vec<u8>> = lengths.iter().map(|&length| Vec::with_capacity(length)).collect();
        let piece = (GATHERED / self.size()).max(1);
        for at in (0..lengths.iter().copied().max().unwrap_or(0)).step_by(piece) {
            let part = |length: usize| at.min(length)..(at + piece).min(length);
            let now: Vec<usize> = lengths.iter().map(|&length| part(length).len()).collect();
            let said = self.talked(now.iter().sum(), |link| link.gather(&bytes[part(bytes.len())], &now));
            let mut rest = &said[..];
            for (all, length) in all.iter_mut().zip(now) {
                all.extend(rest.split_off(..length).expect("as many bytes as were said"));
            }
        }
        all
    }

    /// Tells all ranks what the first one knows, in any number of bytes.
    pub fn broadcast(&self, bytes: &mut Vec<u8>) {
        if !self.are_several() {
            return;
        }
        let mut length = (bytes.len() as u64).to_le_bytes();
        self.talked(length.len(), |link| link.broadcast(&mut length));
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        for piece in bytes.chunks_mut(PIECE) {
            self.talked(piece.len(), |link| link.broadcast(piece));
        }
    }

    /// Sends bytes to another rank, any number of them.
    pub fn send(&self, to: usize, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE) {
            self.talked(piece.len(), |link| link.send(to, piece));
        }
    }

    /// Receives the bytes that another rank sends, of which there are so many, piece by piece. What is left when this is dropped is still
    /// on its way, and would be taken for what comes next.
    pub fn pieces(&self, from: usize, length: usize) -> impl Iterator<Item = Vec<u8>> {
        (0..length).step_by(PIECE).map(move |at| {
            let mut piece = vec![0; PIECE.min(length - at)];
            self.talked(piece.len(), |link| link.receive(from, &mut piece));
            piece
        })
    }

    /// Receives numbers straight to where they are to be.
    pub fn receive_into<T: Pod>(&self, from: usize, numbers: &mut [T]) {
        for piece in bytemuck::cast_slice_mut::<T, u8>(numbers).chunks_mut(PIECE) {
            self.talked(piece.len(), |link| link.receive(from, piece));
        }
    }
}
