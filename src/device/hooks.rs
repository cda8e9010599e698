//! What tests can have a device do: fail, run an altered shader, work in smaller parts, or share the work in a given way.

use std::time::Duration;

use super::Exchange;
pub(super) use super::forced_division::ForcedDivision;
use super::stand_in::StandIn;

/// What can be made to go wrong, to test what happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A GPU is lost.
    Lost,
    /// A count comes back wrong.
    Count,
    /// A thread of the CPU panics.
    Panic,
    /// The CPU asks for more memory than there is.
    Memory,
    /// The CPU never comes back.
    Hang,
}

/// Hooks into a device; by default none is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hooks {
    /// Something that goes wrong on purpose, in the given iteration.
    pub fault: Option<(Fault, u32)>,
    /// A change to the shaders' source, to see that a wrong shader is found out.
    pub alter_shader: Option<fn(String) -> String>,
    /// A smaller limit for a binding than the device's, in bytes.
    pub binding_bytes: Option<u64>,
    /// A smaller budget of loop trips than the kernel's; a token that needs more is still sampled.
    pub budget: Option<u32>,
    /// As if the device ran so many lanes together: 4, 8, 16, 32 or 64.
    pub width: Option<u32>,
    /// How the lanes of teams exchange what they know, where they can.
    pub exchange: Option<Exchange>,
    /// Keep the corpus on the host and send it batch by batch, as when it does not fit the device.
    pub stream: bool,
    /// A division between a GPU and the CPU.
    pub division: Option<ForcedDivision>,
    /// What stands in for the GPU.
    pub stand_in: Option<StandIn>,
    /// Seconds after which a GPU is taken to hang.
    pub patience: Option<f64>,
    /// Submissions stay as long as they are at first, however long they take.
    pub keep_pace: bool,
}

impl Hooks {
    /// The division between a GPU and the CPU, if it is not to be measured.
    pub(super) fn division(self) -> Option<ForcedDivision> {
        self.division
    }

    /// How long a GPU may take instead of this.
    pub(super) fn patience(self, patience: Duration) -> Duration {
        self.patience.map_or(patience, Duration::from_secs_f64)
    }
}

#[cfg(feature = "gpu")]
impl Hooks {
    /// Whether the device is lost in an iteration.
    pub(super) fn lost_in(self, iteration: u32) -> bool {
        self.fault == Some((Fault::Lost, iteration))
    }

    /// Whether a count of an iteration comes back wrong.
    pub(super) fn miscounted_in(self, iteration: u32) -> bool {
        self.fault == Some((Fault::Count, iteration))
    }

    /// A shader as it is compiled.
    pub(super) fn shader(self, source: String) -> String {
        match self.alter_shader {
            Some(alter) => alter(source),
            None => source,
        }
    }

    /// The limit for a binding of a device that has this one.
    pub(super) fn binding_bytes(self, limit: u64) -> u64 {
        self.binding_bytes.unwrap_or(limit)
    }

    /// The budget of loop trips of a kernel that has this one.
    pub(super) fn budget(self, budget: u32) -> u32 {
        self.budget.unwrap_or(budget)
    }

    /// Whether submissions stay as long as they are.
    pub(super) fn keeps_pace(self) -> bool {
        self.keep_pace
    }

    /// Whether the corpus stays on the host although it would fit.
    pub(super) fn streams(self) -> bool {
        self.stream
    }

    /// How the lanes of a device exchange what they know, which would do it in this way.
    pub(super) fn exchange(self, exchange: Exchange) -> Exchange {
        self.exchange.unwrap_or(exchange)
    }

    /// The lanes that a device runs together, which runs so many.
    pub(super) fn width(self, width: u32) -> u32 {
        self.width.unwrap_or(width)
    }
}
