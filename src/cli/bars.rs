//! Bars for work on documents and for work of several parts; on a terminal only.

use std::time::Duration;

use hdp_gpu::Result;
use hdp_gpu::watch::{Watch, watched};
use indicatif::{ProgressBar, ProgressStyle};

/// A bar for work of which only the share done is known.
pub(super) struct ShareBar(ProgressBar);

impl ShareBar {
    const STEPS: u64 = 1000;

    pub(super) fn new(what: &'static str, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(Self::STEPS) };
        let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {msg}: {percent} %, {eta} left")
            .expect("the template is well formed");
        Self(bar.with_style(style).with_message(what))
    }

    /// Does `work`, which reads; on a thread of its own only where somebody sees the bar.
    pub(super) fn watched<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let done = if self.0.is_hidden() { work() } else { watched(self, work) };
        self.finish();
        done
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Watch for ShareBar {
    fn share_done(&self, share: f64) {
        self.0.set_position((share * Self::STEPS as f64) as u64);
    }
}

/// Says what is done, and since when, until it is dropped.
pub(super) struct Waiting(ProgressBar);

impl Waiting {
    pub(super) fn new(what: &'static str) -> Self {
        const TICK: Duration = Duration::from_millis(200);
        let style =
            ProgressStyle::with_template("{spinner} {msg}, {elapsed}").expect("the template is well formed");
        let bar = ProgressBar::new_spinner().with_style(style).with_message(what);
        // Only where it is seen, because it takes a thread.
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Self(bar)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar for work of several parts.
pub(super) struct PartBar(ProgressBar);

impl PartBar {
    pub(super) fn new() -> Self {
        let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {pos}/{len}  {msg}, {elapsed}")
            .expect("the template is well formed");
        Self(ProgressBar::new(0).with_style(style))
    }

    /// A part begins.
    pub(super) fn begin(&self, part: usize, parts: usize, what: &str) {
        self.0.set_length(parts as u64);
        self.0.set_position(part as u64);
        self.0.set_message(what.to_owned());
        self.0.tick();
    }

    /// Prints something beside the bar.
    pub(super) fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
