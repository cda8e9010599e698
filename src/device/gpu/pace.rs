//! How much goes into one submission: short ones, because operating systems end long ones.

use std::time::Duration;

use super::kernel::SOFTWARE_TRIPS;

/// The time that a submission should take, and on a software GPU, which no operating system watches.
const TARGET: Duration = Duration::from_millis(20);
const SOFTWARE_TARGET: Duration = Duration::from_secs(2);

/// Loop trips of a dispatch on a real GPU, at first and at most.
const FIRST_TRIPS: u32 = 1 << 18;
const MOST_TRIPS: u32 = 1 << 24;

/// Learned from the submissions so far.
#[derive(Debug)]
pub(super) struct Pace {
    /// Tokens in one submission.
    tokens: u64,
    /// Loop trips of an invocation in one dispatch.
    trips: u32,
    is_software: bool,
}

impl Pace {
    pub(super) fn new(is_software: bool) -> Self {
        let (tokens, trips) = if is_software { (1 << 18, SOFTWARE_TRIPS) } else { (1 << 20, FIRST_TRIPS) };
        Self { tokens, trips, is_software }
    }

    /// Whether the device is a program.
    pub(super) fn is_software(&self) -> bool {
        self.is_software
    }

    /// Tokens that a submission may sample.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Loop trips that a dispatch may make.
    pub(super) fn trips(&self) -> u32 {
        self.trips
    }

    /// Learns from a submission of so many tokens and dispatches that took `time`.
    pub(super) fn learn(&mut self, tokens: u64, dispatches: usize, time: Duration) {
        let target = if self.is_software { SOFTWARE_TARGET } else { TARGET };
        if time > target * 3 / 2 {
            self.tokens = (self.tokens / 2).max(1);
            if dispatches <= 1 && !self.is_software {
                self.trips = (self.trips / 2).max(SOFTWARE_TRIPS);
            }
        } else if time < target / 2 {
            // What a submission did not use says nothing about more.
            if 2 * tokens >= self.tokens {
                self.tokens = (self.tokens * 2).min(1 << 40);
            }
            if !self.is_software {
                self.trips = (self.trips * 2).min(MOST_TRIPS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_become_as_long_as_they_should_be() {
        let mut pace = Pace::new(false);
        // A million tokens a millisecond.
        for _ in 0..30 {
            let tokens = pace.tokens();
            pace.learn(tokens, 1, Duration::from_nanos(tokens));
        }
        assert!((10_000_000..=30_000_000).contains(&pace.tokens()), "{}", pace.tokens());
        let (before, trips) = (pace.tokens(), pace.trips());
        pace.learn(before, 1, Duration::from_secs(1));
        assert!(pace.tokens() == before / 2 && pace.trips() == trips / 2);
        pace.learn(10, 1, Duration::ZERO);
        assert_eq!(pace.tokens(), before / 2);
    }

    #[test]
    fn a_software_gpu_keeps_its_trips() {
        let mut pace = Pace::new(true);
        pace.learn(1 << 17, 1, Duration::ZERO);
        pace.learn(1 << 17, 1, Duration::from_secs(1));
        assert_eq!(pace.trips(), SOFTWARE_TRIPS);
    }
}
