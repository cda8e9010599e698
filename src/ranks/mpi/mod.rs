//! Ranks that a launcher of MPI has started, such as `mpirun` or `srun`.

use std::sync::Mutex;
use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::{Universe, initialize_with_threading, processor_name};
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source};
use mpi::{Count, Threading};

use super::{Link, Ranks};
use crate::error::{Error, Result};

/// How often a rank that waits for word from the first one looks for it quickly, and how long it sleeps between looks after
/// that: a rank that waits for results to be written leaves its core to others.
const QUICK_LOOKS: u32 = 20_000;
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// A place for a message of no bytes.
static NOTHING: [u8; 1] = [0];

/// A rank of MPI. One thread at a time talks.
struct Mpi {
    world: Mutex<World>,
    rank: usize,
    size: usize,
    host: String,
    rank_on_host: usize,
}

/// Room for a sum, and what MPI ends with.
struct World {
    sums: Vec<u32>,
    _universe: Universe,
}

/// All ranks.
fn all() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

/// Starts MPI, if this process was not started by itself.
///
/// # Errors
/// [`Error::Rank`] when MPI cannot be used by the threads of this program.
pub fn initialize() -> Result<Ranks> {
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
    let world = Mutex::new(World { sums: Vec::new(), _universe: universe });
    Ok(Ranks::new(Mpi { world, rank, size, host, rank_on_host }))
}

impl Mpi {
    fn talk<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        work(&mut self.world.lock().expect("a thread that panicked has ended the job"))
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

    fn sum(&self, values: &mut [u32]) {
        self.talk(|World { sums, .. }| {
            sums.resize(values.len(), 0);
            all().all_reduce_into(&*values, &mut sums[..], SystemOperation::sum());
            values.copy_from_slice(sums);
        });
    }

    fn broadcast(&self, bytes: &mut [u8]) {
        let world = all();
        self.talk(|_| {
            scope(|scope| {
                let mut request = world.process_at_rank(0).immediate_broadcast_into(scope, bytes);
                let mut looks = 0;
                while let Err(waiting) = request.test() {
                    request = waiting;
                    looks += 1;
                    if looks < QUICK_LOOKS {
                        std::thread::yield_now();
                    } else {
                        std::thread::sleep(LOOK_EVERY);
                    }
                }
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
        let places: Vec<Count> = counts
            .iter()
            .scan(0, |end, count| {
                let place = *end;
                *end += count;
                Some(place)
            })
            .collect();
        self.talk(|_| {
            let mut parts = PartitionMut::new(&mut all[..], counts, places);
            self::all().all_gather_varcount_into(bytes, &mut parts);
        });
        all
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        self.talk(|_| all().process_at_rank(to as i32).send(bytes));
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        let status = self.talk(|_| all().process_at_rank(from as i32).receive_into(bytes));
        let received = status.count(u8::equivalent_datatype()) as usize;
        assert_eq!(received, bytes.len(), "bytes from rank {from}, and bytes that it was to send");
    }

    fn abort(&self, code: u8) -> ! {
        // Another thread may be waiting for a rank, and never let go.
        all().abort(code.into())
    }
}
