//! The beat by which each rank knows that the others are there: without it a rank that stands still has all others wait for ever.
//!
//! Whoever talks keeps the beat while it waits; when nobody talks, a thread of its own does. So one thread at a time uses MPI, and
//! nothing else than MPI is needed: what it cannot reach is what the sums would wait for.

use std::thread;
use std::time::{Duration, Instant};

use mpi::point_to_point::Status;
use mpi::request::{Request, Scope, StaticScope};
use mpi::traits::{Communicator, Destination, Source};
use mpi::{Rank, Tag};

use super::all;
use crate::error::Error;
use crate::ranks::silence::Silence;

/// The tag of what hearts say, beside that of what ranks send.
const OF_HEARTS: Tag = 1;

/// What they say: that one is there, and that it says nothing more.
static HERE: [u8; 1] = [0];
static GOODBYE: [u8; 1] = [1];

/// The exit code of a job that has lost a rank.
const LOST: u8 = 1;

/// How often a wait for another rank looks for it quickly, and how long it rests between looks after that, if it may.
const QUICK_LOOKS: u64 = 20_000;
const REST: Duration = Duration::from_micros(200);

/// Looks from one glance at the clock to the next.
const LOOKS_PER_GLANCE: u64 = 64;

/// The last message to a rank, as long as MPI has not taken it.
type Sending = Option<Request<'static, [u8], StaticScope>>;

/// What a rank tells the others of itself, and knows of them.
pub(super) struct Heart {
    silence: Silence,
    beaten: Instant,
    sending: Vec<Sending>,
    /// The others as messages name them.
    names: Vec<String>,
    tell: fn(&Error),
}

#[expect(
    unsafe_code,
    reason = "a request belongs to no thread: MPI asks only that one thread at a time uses it, as a lock has it"
)]
// SAFETY: `initialize` asks MPI for `Threading::Serialized`, and all of this is used behind a lock.
unsafe impl Send for Heart {}

impl Heart {
    /// That of a rank with such a number among these. What is said when one of them is lost, is told by `tell`.
    pub(super) fn new(rank: usize, names: Vec<String>, tell: fn(&Error)) -> Self {
        let sending = names.iter().map(|_| None).collect();
        Self { silence: Silence::new(rank, names.len()), beaten: Instant::now(), sending, names, tell }
    }

    /// How long another rank may say nothing, and no time at all for ever.
    pub(super) fn set_patience(&mut self, patience: Duration) {
        self.silence.set_patience(patience);
    }

    /// The time from one beat to the next.
    pub(super) fn interval(&self) -> Duration {
        self.silence.interval()
    }

    /// Tells the others that this rank is there, if it is time to, and listens whether they are. Ends all when one is not.
    pub(super) fn beat(&mut self) {
        if self.beaten.elapsed() >= self.interval() {
            for rank in self.others() {
                // Who has yet to take the last beat needs no other.
                self.say(rank, &HERE);
            }
            self.look_around();
        }
    }

    /// Waits until something that was begun is done, and keeps the beat meanwhile. Who `rests` leaves its processor to others when it takes
    /// long.
    pub(super) fn wait<'a, D: ?Sized, S: Scope<'a>>(
        &mut self,
        mut request: Request<'a, D, S>,
        rests: bool,
    ) -> Status {
        let mut looks: u64 = 0;
        loop {
            request = match request.test() {
                Ok(status) => return status,
                Err(waiting) => waiting,
            };
            looks += 1;
            if rests && looks > QUICK_LOOKS {
                self.beat();
                thread::sleep(REST);
            } else {
                if looks.is_multiple_of(LOOKS_PER_GLANCE) {
                    self.beat();
                }
                thread::yield_now();
            }
        }
    }

    /// Says goodbye and waits until all have: no message is on its way then, and MPI may end.
    pub(super) fn stop(&mut self) {
        let mut to_tell: Vec<usize> = self.others().collect();
        while !to_tell.is_empty()
            || !self.silence.is_for_good()
            || self.others().any(|rank| !self.is_free(rank))
        {
            to_tell.retain(|&rank| !self.say(rank, &GOODBYE));
            self.look_around();
            thread::sleep(REST);
        }
    }

    /// Listens, and ends all when a rank has not been heard for too long.
    fn look_around(&mut self) {
        let passed = self.beaten.elapsed();
        self.beaten += passed;
        self.listen();
        if let Some(lost) = self.silence.pass(passed) {
            self.end_without(lost);
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = all().rank() as usize;
        (0..self.names.len()).filter(move |&other| other != rank)
    }

    /// Begins to tell a rank something, unless it has yet to take what it was told before; whether it does.
    fn say(&mut self, rank: usize, words: &'static [u8]) -> bool {
        let is_free = self.is_free(rank);
        if is_free {
            let world = all();
            let to = world.process_at_rank(rank as Rank);
            self.sending[rank] = to.immediate_send_with_tag(StaticScope, words, OF_HEARTS).test().err();
        }
        is_free
    }

    /// Whether a rank has taken what it was told.
    fn is_free(&mut self, rank: usize) -> bool {
        self.sending[rank] = self.sending[rank].take().and_then(|sending| sending.test().err());
        self.sending[rank].is_none()
    }

    /// Takes what the others have said.
    fn listen(&mut self) {
        while let Some(said) = all().any_process().immediate_probe_with_tag(OF_HEARTS) {
            let (from, mut words) = (said.source_rank(), HERE);
            all().process_at_rank(from).receive_into_with_tag(&mut words, OF_HEARTS);
            if words == GOODBYE {
                self.silence.said_goodbye(from as usize);
            } else {
                self.silence.heard(from as usize);
            }
        }
    }

    /// Ends all ranks, as this one has gone.
    fn end_without(&self, lost: usize) -> ! {
        let (name, silence) = (self.names[lost].clone(), self.silence.limit().as_secs_f64());
        let error = format!(
            "nothing was heard of it for {silence:.0} s, as when a process is stopped, or a machine or the network stands still; all ranks \
             end, and a run goes on from its last checkpoint"
        );
        (self.tell)(&Error::Rank { name, exit_code: LOST, error });
        all().abort(LOST.into())
    }
}
