//! What may be asked of a device when it is opened; the rest is chosen by the corpus and the device.

use super::hooks::Hooks;
use super::{ForcedDivision, Kernel};

/// What may be asked of a device.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The kernel of a GPU, or the one that suits the corpus.
    pub kernel: Option<Kernel>,
    /// The lanes of a GPU that a document has, one of [`TEAMS`](super::TEAMS), or as many as suit the corpus.
    pub team: Option<u32>,
    /// How a GPU and the CPU that work together share the tokens, or as is measured.
    pub division: Option<ForcedDivision>,
    /// What goes wrong on purpose, or is smaller than it need be.
    #[cfg(feature = "testing")]
    pub hooks: Hooks,
}

impl OpenOptions {
    /// A kernel, or the one that suits the corpus, and nothing else.
    pub fn new(kernel: Option<Kernel>) -> Self {
        Self { kernel, ..Self::default() }
    }

    /// The same, with a team size, or one that is chosen.
    #[must_use]
    pub fn with_team(self, team: Option<u32>) -> Self {
        Self { team, ..self }
    }

    /// The same, with a division between a GPU and the CPU, or one that is measured.
    #[must_use]
    pub fn with_division(self, division: Option<ForcedDivision>) -> Self {
        Self { division, ..self }
    }

    /// The same, with hooks.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks, ..self }
    }

    #[cfg(feature = "testing")]
    pub(super) fn hooks(&self) -> Hooks {
        self.hooks
    }

    #[cfg(not(feature = "testing"))]
    #[expect(clippy::unused_self, reason = "hooks are asked for in builds for tests only")]
    pub(super) fn hooks(&self) -> Hooks {
        Hooks
    }
}
