//! The run card: what a run's record says, in words for a reader.

use crate::corpus::Dropped;
use crate::evaluate::Score;
use crate::params::{Algorithm, GammaPrior, PhiLaw, Settings};
use crate::run::record::{HoldoutRecord, RunRecord};
use crate::run::{FinishRecord, RunSpec, Until};

/// What a run was made of, as names and values.
pub(super) fn card(record: &RunRecord) -> Vec<(&'static str, String)> {
    let RunRecord { settings, corpus, .. } = record;
    let model = &settings.model;
    let corpus_line = format!(
        "{} ({}): {} documents, {} tokens, {} words",
        corpus.source,
        corpus.format,
        grouped(corpus.documents as u64),
        grouped(corpus.tokens as u64),
        grouped(corpus.words as u64)
    );
    let mut card = vec![
        ("Corpus", corpus_line),
        ("Left out", dropped(&corpus.preparation.dropped)),
        ("Sampler", sampler(model.sampler).to_owned()),
        ("Priors", priors(record)),
        ("Topics", format!("K* {}, start {}, Ψ {}", k_star(record), model.init, psi(model))),
        ("Seed", model.seed.to_string()),
        ("Chains", chains(settings)),
        ("Iterations", iterations(record)),
        ("Finish", record.finished.as_ref().map_or_else(String::new, finish)),
        ("Time", format!("{:.1} s on {}", record.wall_seconds, record.device)),
        ("Version", format!("{} {}", record.program, record.version)),
        ("Held out", record.holdout.as_ref().map_or_else(String::new, held_out)),
    ];
    card.retain(|(_, value)| !value.is_empty());
    card
}

/// What a further chain of a run has of its own.
pub(super) fn of_chain(record: &RunRecord) -> Vec<(&'static str, String)> {
    let mut card = card(record);
    let learn = record.settings.model.learn;
    let is_learned = [learn.alpha, learn.beta, learn.gamma].iter().any(Option::is_some);
    card.retain(|(name, _)| match *name {
        "Priors" => is_learned,
        name => ["Seed", "Iterations", "Finish", "Time", "Held out"].contains(&name),
    });
    card
}

fn iterations(record: &RunRecord) -> String {
    let RunRecord { settings, .. } = record;
    let most = if settings.until == Until::Settled { "at most " } else { "" };
    let (done, asked) = (grouped(record.iterations_done.into()), grouped(settings.plan.iterations.into()));
    format!("{done} of {most}{asked}, {}", record.status.name())
}

fn priors(record: &RunRecord) -> String {
    let (now, model) = (record.concentrations, &record.settings.model);
    format!(
        "α {}, β {}, γ {}",
        concentration(model.alpha, model.learn.alpha, now.alpha),
        concentration(model.beta, model.learn.beta, now.beta),
        concentration(model.gamma, model.learn.gamma, now.gamma)
    )
}

/// What became of the last state before it was shown.
fn finish(finished: &FinishRecord) -> String {
    let FinishRecord { sweeps, active_topics, .. } = finished;
    format!(
        "{} of direct assignment on a copy of the last state, which then has {} topics: this page shows them, and its curves the chain",
        if *sweeps == 1 { "one sweep".to_owned() } else { format!("{sweeps} sweeps") },
        grouped(*active_topics as u64)
    )
}

/// A concentration, and where it has come to if it is learned.
fn concentration(first: f64, prior: Option<GammaPrior>, last: f64) -> String {
    match prior {
        Some(GammaPrior { shape, rate }) => {
            format!("learned, {last:.4} at the end (prior Gamma({shape:?}, {rate:?}))")
        }
        None => format!("= {first}"),
    }
}

/// K*, and where it has come to if it grows.
fn k_star(record: &RunRecord) -> String {
    let Settings { max_topics, grow, .. } = record.settings.model;
    if grow { format!("from {max_topics} to {}", record.max_topics) } else { format!("= {max_topics}") }
}

/// The chains, if there are several, and the seeds of the others.
fn chains(RunSpec { chains, model, .. }: &RunSpec) -> String {
    if *chains < 2 {
        return String::new();
    }
    let last = model.seed.saturating_add(u64::from(chains - 1));
    format!("{chains}, with seeds {} to {last}", model.seed)
}

/// The law of Ψ.
fn psi(Settings { psi, discount, .. }: &Settings) -> String {
    let name = psi.name();
    if *discount > 0.0 { format!("{name}, discount {discount}") } else { name.to_owned() }
}

fn held_out(HoldoutRecord { documents, completion, .. }: &HoldoutRecord) -> String {
    let Some(Score { per_word, standard_error, .. }) = completion else { return String::new() };
    let error = standard_error.map_or_else(String::new, |error| format!(" ± {error:.4}"));
    format!("{per_word:.4}{error} nats per word, {documents} documents")
}

/// A whole number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join("\u{202f}")
}

fn sampler(sampler: Algorithm) -> &'static str {
    match sampler {
        Algorithm::Direct => "direct assignment",
        Algorithm::Ppu { phi: PhiLaw::Dirichlet } => "sparse parallel, exact Φ",
        Algorithm::Ppu { phi: PhiLaw::Ppu } => "sparse parallel, Poisson Pólya urn",
    }
}

/// What preparation left out, in one line.
fn dropped(dropped: &Dropped) -> String {
    let kinds = [
        (dropped.stop_words, "stop words"),
        (dropped.short_words, "short words"),
        (dropped.rare_words, "rare words"),
        (dropped.common_words, "common words"),
    ];
    let kinds = kinds.into_iter().filter(|(tally, _)| tally.words > 0);
    let kinds = kinds
        .map(|(tally, what)| format!("{} {what} ({} tokens)", grouped(tally.words), grouped(tally.tokens)));
    let mut parts: Vec<String> = kinds.collect();
    if !dropped.documents.is_empty() {
        parts.push(format!("{} documents that were too short", dropped.documents.len()));
    }
    parts.join(", ")
}
