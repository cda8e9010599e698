//! What a look at chains has found, in one plain sentence.

use super::{R_HAT_GATE, TraceVerdict, Verdict};

/// What a verdict is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// One chain, whose halves are compared.
    Run,
    /// So many chains of a run.
    Chains(usize),
    /// So many runs that were laid over each other.
    Runs(usize),
}

impl Judged {
    /// With what it does.
    fn has(self, done: &str) -> String {
        match self {
            Self::Run => format!("the run has {done}"),
            Self::Chains(count) => format!("the {count} chains have {done}"),
            Self::Runs(count) => format!("the {count} runs have {done}"),
        }
    }
}

impl Verdict {
    /// In one plain sentence; `capped` says that there have been all iterations that there may be.
    pub fn sentence(&self, of: Judged, capped: bool) -> String {
        if self.settled {
            let largest = self.traces.iter().filter_map(|trace| trace.r_hat).fold(1.0, f64::max);
            let since = self.since.unwrap_or(0);
            let (what, whose) = match of {
                Judged::Run => ("The run has settled".to_owned(), "its"),
                Judged::Chains(count) => (format!("The {count} chains agree"), "their"),
                Judged::Runs(count) => (format!("The {count} runs agree"), "their"),
            };
            return format!(
                "{what} since iteration {since}: {whose} traces are flat, with R-hat {largest:.3} at most."
            );
        }
        let done = if capped { ", with none left," } else { "" };
        let after = format!("By iteration {}{done} {}:", self.iteration, of.has("not settled"));
        if self.since.is_none() {
            return format!("{after} the traces are too short to tell.");
        }
        let r_hat = |trace: &&TraceVerdict| trace.r_hat.unwrap_or(f64::INFINITY);
        let unsettled = self.traces.iter().filter(|trace| !trace.settled);
        let worst = unsettled.max_by(|a, b| r_hat(a).total_cmp(&r_hat(b)));
        worst.map_or_else(
            || format!("{after} a part of what is looked at was annealed."),
            |worst| format!("{after} {}", worst.problem(of)),
        )
    }
}

impl TraceVerdict {
    /// Why it has not settled.
    fn problem(&self, of: Judged) -> String {
        let name = self.trace.name();
        let (Some(r_hat), Some(drift), Some(size)) = (self.r_hat, self.drift, self.effective_size) else {
            return format!("{name} stays as it is in each of them and differs between them.");
        };
        let (between, in_all) =
            if of == Judged::Run { ("", "") } else { (" or differs between them", " in all of them") };
        if !self.agrees() {
            format!("{name} moves{between} (R-hat {r_hat:.3}, at most {R_HAT_GATE} when settled).")
        } else if drift.abs() > self.error() {
            let moves = if drift > 0.0 { "rises" } else { "falls" };
            format!("{name} agrees (R-hat {r_hat:.3}) and still {moves}{in_all}.")
        } else {
            format!(
                "{name} agrees (R-hat {r_hat:.3}), and its {size:.0} independent values are too few to know that it stays."
            )
        }
    }
}
