//! Ranks that a launcher of MPI has started, such as `mpirun` or `srun`.

mod heart;

use std::borrow::Cow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::{Universe, initialize_with_threading, processor_name};
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use mpi::{Count, Rank, Tag, Threading};

use self::heart::Heart;
use super::{Link, Ranks, ring};
use crate::error::{Error, Result};

/// The tag of what ranks send.
const OF_RANKS: Tag = 0;

/// Bytes for each rank from which on sums go around in a ring. Fewer take longer from rank to rank than through a tree, as MPI has them go,
/// by the time that a message takes however short it is.
const RING: usize = 1 << 14;

/// A place for a message of no bytes.
static NOTHING: [u8; 1] = [0];

/// A rank of MPI. One thread at a time talks.
struct Mpi {
    world: Arc<Mutex<World>>,
    rank: usize,
    size: usize,
    host: String,
    rank_on_host: usize,
    /// The thread that keeps the beat ends with this.
    beating: Option<(Sender<()>, thread::JoinHandle<()>)>,
}

/// Room for a sum, the beat, and what MPI ends with.
struct World {
    sums: Vec<u32>,
    heart: Heart,
    _universe: Universe,
}

/// All ranks.
fn all() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

/// Starts MPI, if this process was not started by itself. Why all are ended when one is lost, is told by `tell`.
///
/// # Errors
/// [`Error::Rank`] when MPI cannot be used by the threads of this program.
pub fn initialize(tell: fn(&Error)) -> Result<Ranks> {
    let refused = |problem: &str| Error::Rank {
        name: "MPI".to_owned(),
        exit_code: 2,
        error: format!("{problem}; use an MPI that was built with threads, or start one process"),
    };
    let (universe, threading) = initialize_with_threading(Threading::Serialized)
        .ok_or_else(|| refused("MPI has been started by something else"))?;
    if threading < Threading::Serialized {
        return Err(refused("this MPI may be used by the first thread of a process only"));
    }
    let (rank, size) = (all().rank() as usize, all().size() as usize);
    if size == 1 {
        return Ok(Ranks::alone());
    }
    let rank_on_host = all().split_shared(rank as i32).rank() as usize;
    let host = processor_name().unwrap_or_else(|_| "a host without a name".to_owned());
    let names = names(&host);
    let world = World { sums: Vec::new(), heart: Heart::new(rank, names, tell), _universe: universe };
    let world = Arc::new(Mutex::new(world));
    let beating = Some(keep_beating(&world).map_err(|_| refused("the system gives it no further thread"))?);
    Ok(Ranks::new(Mpi { world, rank, size, host, rank_on_host, beating }))
}

/// All ranks as messages name them.
fn names(host: &str) -> Vec<String> {
    let (rank, size) = (all().rank(), all().size());
    let name = format!("rank {rank} of {size} on {host}");
    let mut lengths = vec![0; size as usize];
    all().all_gather_into(&(name.len() as Count), &mut lengths[..]);
    let mut names = vec![0; lengths.iter().sum::<Count>() as usize];
    let mut parts = PartitionMut::new(&mut names[..], &lengths[..], places(&lengths));
    all().all_gather_varcount_into(name.as_bytes(), &mut parts);
    let mut rest = &names[..];
    let name = |length: Count| rest.split_off(..length as usize).map(String::from_utf8_lossy);
    lengths.into_iter().filter_map(name).map(Cow::into_owned).collect()
}

/// Where parts begin that follow each other.
fn places(counts: &[Count]) -> Vec<Count> {
    let begin = |end: &mut Count, count: &Count| Some(std::mem::replace(end, *end + count));
    counts.iter().scan(0, begin).collect()
}

/// Has a thread keep the beat whenever nobody talks, until the other end of this channel is gone.
fn keep_beating(world: &Arc<Mutex<World>>) -> std::io::Result<(Sender<()>, thread::JoinHandle<()>)> {
    let (end, ended): (_, Receiver<()>) = channel();
    let world = Arc::clone(world);
    let thread = thread::Builder::new().name("beat".to_owned()).spawn(move || {
        let mut interval = Duration::ZERO;
        while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            // Who talks keeps the beat.
            if let Ok(mut world) = world.try_lock() {
                world.heart.beat();
                interval = world.heart.interval();
            }
        }
    })?;
    Ok((end, thread))
}

impl Mpi {
    fn talk<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        work(&mut self.world.lock().expect("a thread that panicked has ended the job"))
    }

    /// Gives numbers to the next rank, and takes some from the one before.
    fn exchange(&self, heart: &mut Heart, given: &[u32], taken: &mut [u32]) {
        let (world, at) = (all(), |rank: usize| (rank % self.size) as Rank);
        let next = world.process_at_rank(at(self.rank + 1));
        let before = world.process_at_rank(at(self.rank + self.size - 1));
        scope(|scope| {
            let taking = before.immediate_receive_into_with_tag(scope, taken, OF_RANKS);
            let giving = next.immediate_send_with_tag(scope, given, OF_RANKS);
            heart.wait(taking, false);
            heart.wait(giving, false);
        });
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.beating.take() {
            drop(end);
            thread.join().expect("a thread that panicked has ended the job");
        }
        self.talk(|World { heart, .. }| heart.stop());
    }
}

impl std::fmt::Debug for Mpi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

impl Link for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    fn rank_on_host(&self) -> usize {
        self.rank_on_host
    }

    fn set_patience(&self, patience: Duration) {
        self.talk(|World { heart, .. }| heart.set_patience(patience));
    }

    fn sum(&self, values: &mut [u32]) {
        let ring = (self.rank, self.size);
        self.talk(|World { sums, heart, .. }| {
            if size_of_val(values) >= RING * self.size {
                return ring::sum(values, ring, sums, |given, taken| self.exchange(heart, given, taken));
            }
            sums.resize(values.len(), 0);
            scope(|scope| {
                let (world, sum) = (all(), SystemOperation::sum());
                heart.wait(world.immediate_all_reduce_into(scope, &*values, &mut sums[..], sum), false);
            });
            values.copy_from_slice(sums);
        });
    }

    fn broadcast(&self, bytes: &mut [u8]) {
        let world = all();
        self.talk(|World { heart, .. }| {
            // A rank that waits for results to be written leaves its processor to others.
            scope(|scope| {
                heart.wait(world.process_at_rank(0).immediate_broadcast_into(scope, bytes), true);
            });
        });
    }

    fn gather(&self, bytes: &[u8], lengths: &[usize]) -> Vec<u8> {
        let mut all = vec![0; lengths.iter().sum()];
        if all.is_empty() {
            return all;
        }
        // Where an empty vector has its bytes, MPI reads that they are among those of the others.
        let bytes = if bytes.is_empty() { &NOTHING[..0] } else { bytes };
        let count = |&length| Count::try_from(length).expect("ranks say at most so much at once");
        let counts: Vec<Count> = lengths.iter().map(count).collect();
        let places = places(&counts);
        let (world, mut parts) = (self::all(), PartitionMut::new(&mut all[..], counts, places));
        self.talk(|World { heart, .. }| {
            scope(|scope| {
                heart.wait(world.immediate_all_gather_varcount_into(scope, bytes, &mut parts), false);
            });
        });
        drop(parts);
        all
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        let world = all();
        let to = world.process_at_rank(to as Rank);
        self.talk(|World { heart, .. }| {
            scope(|scope| {
                heart.wait(to.immediate_send_with_tag(scope, bytes, OF_RANKS), false);
            });
        });
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        let (world, length) = (all(), bytes.len());
        let process = world.process_at_rank(from as Rank);
        let status = self.talk(|World { heart, .. }| {
            scope(|scope| heart.wait(process.immediate_receive_into_with_tag(scope, bytes, OF_RANKS), false))
        });
        let received = status.count(u8::equivalent_datatype()) as usize;
        assert_eq!(received, length, "bytes from rank {from}, and bytes that it was to send");
    }

    fn abort(&self, code: u8) -> ! {
        // Another thread may be waiting for a rank, and never let go.
        all().abort(code.into())
    }
}
