//! What may be asked of a device when it is opened; the rest is chosen by the corpus and the device.

use super::Kernel;
#[cfg(feature = "testing")]
use super::hooks::Hooks;
#[cfg(all(feature = "gpu", not(feature = "testing")))]
use super::no_hooks::Hooks;

/// What may be asked of a device.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The kernel of a GPU, or the one that suits the corpus.
    pub kernel: Option<Kernel>,
    /// The lanes of a GPU that a document has, one of [`TEAMS`](super::TEAMS), or as many as suit the corpus.
    pub team: Option<u32>,
    /// What goes wrong on purpose, or is smaller than it need be.
    #[cfg(feature = "testing")]
    pub hooks: Hooks,
}

impl OpenOptions {
    /// A kernel, or the one that suits the corpus, and nothing else.
    pub fn new(kernel: Option<Kernel>) -> Self {
        Self { kernel, ..Self::default() }
    }

    /// The same, with hooks.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_hooks(self, hooks: Hooks) -> Self {
        Self { hooks, ..self }
    }

    #[cfg(all(feature = "gpu", feature = "testing"))]
    pub(super) fn hooks(&self) -> Hooks {
        self.hooks
    }

    #[cfg(all(feature = "gpu", not(feature = "testing")))]
    pub(super) fn hooks(&self) -> Hooks {
        Hooks
    }
}
