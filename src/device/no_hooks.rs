//! What stands in for `hooks` in a build without tests: nothing goes wrong on purpose.

use std::time::Duration;

#[cfg(feature = "gpu")]
use super::Exchange;
pub(super) use super::forced_division::ForcedDivision;

/// No hooks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hooks;

impl Hooks {
    pub(super) fn division(self) -> Option<ForcedDivision> {
        None
    }

    pub(super) fn patience(self, patience: Duration) -> Duration {
        patience
    }
}

#[cfg(feature = "gpu")]
impl Hooks {
    pub(super) fn lost_in(self, _: u32) -> bool {
        false
    }

    pub(super) fn miscounted_in(self, _: u32) -> bool {
        false
    }

    pub(super) fn shader(self, source: String) -> String {
        source
    }

    pub(super) fn binding_bytes(self, limit: u64) -> u64 {
        limit
    }

    pub(super) fn budget(self, budget: u32) -> u32 {
        budget
    }

    pub(super) fn keeps_pace(self) -> bool {
        false
    }

    pub(super) fn streams(self) -> bool {
        false
    }

    pub(super) fn exchange(self, exchange: Exchange) -> Exchange {
        exchange
    }

    pub(super) fn width(self, width: u32) -> u32 {
        width
    }
}
