//! Whether runs have settled, in numbers and in plain sentences.

use super::data::Diagnostic;
use super::run_files::RunFiles;
use crate::evaluate::convergence::{Convergence, convergence};

/// R-hat above this means that halves of traces, or runs, differ.
const R_HAT_GATE: f64 = 1.1;

/// Sentences, and the numbers that they rest on.
pub(super) fn settled(runs: &[RunFiles], num_tokens: usize) -> (Vec<String>, Vec<Diagnostic>) {
    let likelihood = look(runs, |run| &run.trace.log_likelihood);
    let topics = look(runs, |run| &run.trace.active_topics);
    let diagnostic = |trace, convergence: Convergence| Diagnostic {
        trace,
        rhat: convergence.r_hat,
        ess: convergence.effective_size,
    };
    let diagnostics = vec![diagnostic("log-likelihood", likelihood), diagnostic("active topics", topics)];
    let own = runs.first().and_then(|run| run.of_chains(runs)).map(str::to_owned);
    let mut sentences = vec![own.unwrap_or_else(|| verdict(runs, likelihood, topics))];
    sentences.extend(runs.iter().filter_map(|run| trend(run, num_tokens, runs.len() > 1)));
    sentences.extend(runs.iter().filter_map(|run| growth(run, runs.len() > 1)));
    (sentences, diagnostics)
}

fn look(runs: &[RunFiles], trace: impl Fn(&RunFiles) -> &Vec<f64>) -> Convergence {
    let traces: Vec<&[f64]> = runs.iter().map(|run| trace(run).as_slice()).collect();
    convergence(&traces)
}

fn verdict(runs: &[RunFiles], likelihood: Convergence, topics: Convergence) -> String {
    let (Some(likelihood), topics) = (likelihood.r_hat, topics.r_hat.unwrap_or(1.0)) else {
        return "The traces are too short to tell whether sampling has settled.".to_owned();
    };
    let what = if runs.len() > 1 { "runs" } else { "run" };
    if likelihood <= R_HAT_GATE && topics <= R_HAT_GATE {
        let verb = if runs.len() > 1 { "have" } else { "has" };
        return format!(
            "The {what} {verb} settled, as far as log-likelihood and number of topics tell (R-hat {likelihood:.2} and {topics:.2}); \
             topics themselves may still move."
        );
    }
    let (name, r_hat) =
        if likelihood > topics { ("log-likelihood", likelihood) } else { ("number of topics", topics) };
    if runs.len() > 1 {
        format!(
            "The {name} still moves or differs between the runs (R-hat {r_hat:.2}, near 1 when settled): train longer, or compare the runs."
        )
    } else {
        format!(
            "The {name} still moves in the second half of the run (R-hat {r_hat:.2}, near 1 when settled): train longer."
        )
    }
}

/// When room was made for more topics.
fn growth(run: &RunFiles, named: bool) -> Option<String> {
    let (iteration, k_star) = (&run.trace.iteration, &run.trace.max_topics);
    let grown: Vec<String> = (1..k_star.len())
        .filter(|&row| k_star[row] > k_star[row - 1])
        .map(|row| format!("to {} by iteration {}", k_star[row], iteration[row]))
        .collect();
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
    let values = &run.trace.log_likelihood;
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
            "The log-likelihood{which} {direction} by {:.4} a token from the third to the last quarter.",
            change.abs()
        )
    })
}
