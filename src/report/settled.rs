//! Whether runs have settled, in numbers and in plain sentences.

use super::data::Diagnostic;
use super::run_files::RunFiles;
use crate::run::settled::{Judged, Traces, Verdict, verdict};

/// Sentences, and the numbers that they rest on.
pub(super) fn settled(runs: &[RunFiles], num_tokens: usize) -> (Vec<String>, Vec<Diagnostic>) {
    let Some(first) = runs.first() else { return (Vec::new(), Vec::new()) };
    let verdict = judge(runs, first);
    let diagnostics = verdict.traces.iter().map(|trace| Diagnostic {
        trace: trace.trace.name().trim_start_matches("the "),
        rhat: trace.r_hat,
        ess: trace.effective_size,
    });
    let of = if runs.len() > 1 { Judged::Runs(runs.len()) } else { Judged::Run };
    let own = first.sentence_of_chains(runs).map(str::to_owned);
    let mut sentences = vec![own.unwrap_or_else(|| verdict.sentence(of, false))];
    sentences.extend(runs.iter().filter_map(|run| trend(run, num_tokens, runs.len() > 1)));
    sentences.extend(runs.iter().filter_map(|run| growth(run, runs.len() > 1)));
    (sentences, diagnostics.collect())
}

/// What a look at the runs finds, each with the rows of its own grid.
fn judge(runs: &[RunFiles], first: &RunFiles) -> Verdict {
    let spec = &first.record.settings;
    let traces = runs.iter().map(|run| {
        let every = run.record.settings.plan.trace_every;
        Traces::of(&run.history.trace, &spec.model, every)
    });
    verdict(&traces.collect::<Vec<_>>(), &spec.plan, spec.until, spec.model.anneal)
}

/// When room was made for more topics.
fn growth(run: &RunFiles, named: bool) -> Option<String> {
    let rows = run.history.trace.windows(2).filter(|rows| rows[1].max_topics > rows[0].max_topics);
    let grown = rows.map(|rows| format!("to {} by iteration {}", rows[1].max_topics, rows[1].iteration));
    let grown: Vec<String> = grown.collect();
    let which = if named { format!(" of {}", run.name) } else { String::new() };
    (!grown.is_empty()).then(|| {
        format!(
            "The represented topics{which} grew {}; the log-likelihood as LDA, which depends on their number, jumps there.",
            grown.join(", ")
        )
    })
}

/// Where the log-likelihood goes, unless it stays.
fn trend(run: &RunFiles, num_tokens: usize, named: bool) -> Option<String> {
    let values: Vec<f64> = run.history.trace.iter().map(|row| row.log_likelihood).collect();
    let quarter = values.len() / 4;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (before, last) = (
        values.get(values.len() - 2 * quarter..values.len() - quarter)?,
        values.get(values.len() - quarter..)?,
    );
    let change = (mean(last) - mean(before)) / num_tokens as f64;
    let which = if named { format!(" of {}", run.name) } else { String::new() };
    let direction = if change > 0.0 { "rose" } else { "fell" };
    (quarter > 0 && change.abs() >= 5e-5).then(|| {
        format!(
            "The log-likelihood{which} {direction} by {:.4} per token from the third to the last quarter.",
            change.abs()
        )
    })
}
