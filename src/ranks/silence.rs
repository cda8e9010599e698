//! How long other ranks have been silent: every rank tells every other now and then that it is there.

use std::time::Duration;

use super::PATIENCE;

/// The longest time from one beat to the next, and how many there are at least in a patience.
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);
const BEATS: u32 = 40;

/// What is left of a patience for the launcher to end all ranks.
const RESERVE: f64 = 0.2;

/// How long the others have said nothing, in the eyes of one rank.
#[derive(Debug)]
pub(super) struct Silence {
    rank: usize,
    patience: Duration,
    /// That of each rank; none of who has said goodbye.
    of: Vec<Option<Duration>>,
}

impl Silence {
    /// That of `size` ranks, in the eyes of this one.
    pub(super) fn new(rank: usize, size: usize) -> Self {
        let of = (0..size).map(|other| (other != rank).then_some(Duration::ZERO)).collect();
        Self { rank, patience: PATIENCE, of }
    }

    /// How long a rank may say nothing; no time at all is for ever.
    pub(super) fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// The time from one beat to the next.
    pub(super) fn interval(&self) -> Duration {
        match self.patience {
            Duration::ZERO => LONGEST_INTERVAL,
            patience => (patience / BEATS).min(LONGEST_INTERVAL),
        }
    }

    /// A rank has said that it is there.
    pub(super) fn heard(&mut self, rank: usize) {
        self.of[rank] = self.of[rank].and(Some(Duration::ZERO));
    }

    /// A rank has said that it will say nothing more.
    pub(super) fn said_goodbye(&mut self, rank: usize) {
        self.of[rank] = None;
    }

    /// Whether all have.
    pub(super) fn is_for_good(&self) -> bool {
        self.of.iter().all(Option::is_none)
    }

    /// So much time has passed since this was called last; returns a rank that has been silent for too long.
    ///
    /// A job may be suspended, and all its ranks sleep then. When they go on, their clocks say that hours have passed, so a rank
    /// counts no more at once than it would have let pass, had it been running.
    pub(super) fn pass(&mut self, time: Duration) -> Option<usize> {
        let time = time.min(2 * self.interval());
        for silence in self.of.iter_mut().flatten() {
            *silence += time;
        }
        let is_lost = |silence: &Option<Duration>| silence.is_some_and(|silence| silence > self.limit());
        self.of.iter().position(is_lost).filter(|_| !self.patience.is_zero())
    }

    /// How long this rank waits for another. The first one waits for the shortest time and each for longer than those before it, so that
    /// one tells of what several see.
    pub(super) fn limit(&self) -> Duration {
        self.patience.mul_f64(1.0 - RESERVE / (self.rank + 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// After how many seconds a rank of four misses another, while `others` are heard every second.
    fn missed_after(rank: usize, others: &[usize]) -> Option<(u32, usize)> {
        let mut silence = Silence::new(rank, 4);
        (1..200).find_map(|second| {
            others.iter().for_each(|&other| silence.heard(other));
            silence.pass(SECOND).map(|lost| (second, lost))
        })
    }

    #[test]
    fn one_rank_misses_another_first_and_within_the_patience() {
        assert_eq!(missed_after(0, &[1, 3]), Some((49, 2)));
        assert_eq!(missed_after(1, &[0, 3]), Some((55, 2)));
        assert_eq!(missed_after(1, &[2, 3]), Some((55, 0)));
        assert_eq!(missed_after(3, &[1, 2]), Some((58, 0)));
        assert_eq!(missed_after(3, &[0, 1, 2]), None);
    }

    #[test]
    fn time_in_which_this_process_slept_does_not_count() {
        let mut silence = Silence::new(0, 2);
        assert_eq!(silence.pass(1000 * SECOND), None);
        assert!((0..45).all(|_| silence.pass(SECOND).is_none()));
        assert!((0..2).any(|_| silence.pass(SECOND) == Some(1)));
    }

    #[test]
    fn who_has_said_goodbye_is_not_missed() {
        let mut silence = Silence::new(1, 3);
        silence.said_goodbye(0);
        silence.heard(0);
        assert!(!silence.is_for_good());
        silence.said_goodbye(2);
        assert!(silence.is_for_good() && (0..1000).all(|_| silence.pass(SECOND).is_none()));
    }

    #[test]
    fn patience_is_as_it_is_set() {
        let mut silence = Silence::new(0, 2);
        silence.set_patience(2 * SECOND);
        assert_eq!(silence.interval(), SECOND / 20);
        assert_eq!((1..100).find(|_| silence.pass(SECOND / 20).is_some()), Some(33));
        silence.set_patience(Duration::ZERO);
        assert!((0..1000).all(|_| silence.pass(SECOND).is_none()));
    }
}
