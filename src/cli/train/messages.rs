//! What `train` says before, at the end, and when something is not as it should be.

use std::collections::HashMap;

use hdp_gpu::Result;
use hdp_gpu::RunRecord;
use hdp_gpu::device::{AutoChoice, cpu};
use hdp_gpu::params::{Learn, MAX_TOPICS, Preset, Size};
use hdp_gpu::run::folder::{Folder, chain_path};
use hdp_gpu::run::record::CorpusRecord;
use hdp_gpu::run::results::read_back::read_spread;
use hdp_gpu::run::together::RankRecord;
use hdp_gpu::run::{ChainOutcome, Event, Outcome};

use crate::cli::command::resume_command;
use crate::cli::topic_list::TopicList;
use crate::cli::wording::counted;
use crate::cli::{eprint_line, evaluate, topics};

/// What is trained on, and where, with the reason for that device.
pub(in crate::cli) fn announcement(record: &RunRecord, reason: Option<&str>) -> String {
    let CorpusRecord { source, documents, tokens, words, .. } = &record.corpus;
    let held_out = record.holdout.as_ref().map_or_else(String::new, |held_out| {
        let (documents, tokens) = (held_out.documents as u64, held_out.tokens as u64);
        format!("; {}, {} held out", counted(documents, "document"), counted(tokens, "token"))
    });
    // A device that has already failed was not taken, whatever there was to say for it.
    let reason = reason.filter(|_| record.device_error.is_none());
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let device = match record.ranks.len() {
        0 => record.device.clone(),
        _ => devices(&record.ranks),
    };
    let sizes = [(documents, "document"), (tokens, "token"), (words, "word")];
    let sizes = sizes.map(|(&count, noun)| counted(count as u64, noun)).join(", ");
    format!("{source}: {sizes}{held_out}; training on {device}{reason}")
}

/// What is done for a person who says how many topics there are, and what else could be.
pub(super) fn number_of_topics(topics: u32) -> String {
    let topics = counted(topics, "topic");
    format!("fitting LDA with {topics}, as --topics asks; without it, the HDP learns their number")
}

/// What a small corpus is given.
pub(in crate::cli) fn small(record: &RunRecord) -> Option<String> {
    let Size { docs, tokens, .. } = record.size();
    (record.settings.preset == Preset::Small.name()).then(|| {
        let (small, default) = (Preset::Small.name(), Preset::Default.name());
        format!(
            "{docs} documents of {tokens} tokens are a small corpus: Φ is exact and β learned (--preset {small}); --preset {default} has the \
             sampler of large ones"
        )
    })
}

/// The devices of ranks, equal ones together.
fn devices(ranks: &[RankRecord]) -> String {
    let mut names: Vec<&str> = ranks.iter().map(|rank| rank.device.as_str()).collect();
    names.sort_unstable();
    let equal: Vec<String> =
        names.chunk_by(|a, b| a == b).map(|equal| format!("{} × {}", equal.len(), equal[0])).collect();
    format!("{} ranks: {}", ranks.len(), equal.join(", "))
}

/// From where a run, or its chain `number`, goes on.
pub(in crate::cli) fn resumption(from: u32, iterations: u32, number: Option<u32>) -> String {
    let chain = number.map_or_else(String::new, |number| format!("chain {number}: "));
    if from < iterations {
        format!("{chain}going on from iteration {from} of {iterations}")
    } else {
        format!("{chain}all {iterations} iterations are done; writing the results again")
    }
}

/// What the last state is given before it becomes results.
pub(in crate::cli) fn finishing(sweeps: u32) -> String {
    let sweeps = counted(sweeps, "sweep");
    format!("finishing the last state: {sweeps} of direct assignment on a copy of it")
}

/// What `--device auto` has taken, and by which figures.
pub(in crate::cli) fn choice(choice: &AutoChoice) -> String {
    format!("iteration {}: auto takes {choice}", choice.iteration)
}

/// How a run that has failed can go on.
pub(in crate::cli) fn way_back(iteration: u32, has_chains: bool) -> String {
    let kept = if has_chains {
        "the checkpoints of all chains are kept".to_owned()
    } else {
        format!("the checkpoint of iteration {iteration} is kept")
    };
    format!("{kept}; when the cause is mended, go on with: {}", resume_command())
}

/// What is said of an event whoever listens.
pub(in crate::cli) fn warning(event: &Event<'_>) -> Option<String> {
    Some(match *event {
        Event::UnusableCheckpoint { path, problem } => {
            format!("warning: {} cannot be used ({problem}); going on from the one before", path.display())
        }
        Event::NoCheckpoint { path } => {
            format!("{} has no checkpoint: starting from the beginning", path.display())
        }
        Event::DeviceFailed(failure) => format!(
            "warning: {}; from iteration {} on, {} is used, with the same result",
            failure.error,
            failure.iteration,
            cpu::name()
        ),
        Event::ScoredOnCpu(error) => {
            format!("warning: {error}; the CPU scored the held-out documents, with the same result")
        }
        Event::DiskRefuses(error) => {
            let rest = "what cannot be written waits in memory, and the run goes on and tries again";
            format!("warning: {error}; {rest}")
        }
        Event::FlagTopicUsed { tokens, params } => flag_topic(tokens, params.settings().max_topics),
        _ => return None,
    })
}

/// The last topic, which stands for all that are not represented, was needed.
fn flag_topic(tokens: u64, max_topics: u32) -> String {
    let remedy = match max_topics {
        MAX_TOPICS => "no more can be represented, so lower --gamma or --alpha".to_owned(),
        max_topics => format!("train again with --max-topics {}", (2 * max_topics).min(MAX_TOPICS)),
    };
    format!(
        "warning: up to {tokens} tokens were in topic {}, which stands for all topics that are not represented; {remedy}",
        max_topics - 1
    )
}

/// Prints what came of the first chain, all chains when there are several, and where everything is.
pub(super) fn report_end(outcome: &Outcome) -> Result<()> {
    let (first, shown) = (&outcome.chains[0], outcome.out.display());
    let mut text = end_of_chain(first, outcome);
    let record = &first.record;
    let mut done = format!(
        "{} in {:.1} s, {}",
        counted(record.iterations_done, "iteration"),
        record.wall_seconds,
        counted(first.topics as u64, "topic")
    );
    if let Some(chains) = &record.chains {
        text += &chain_table(&outcome.chains);
        if let Some(mean) = chains.completion_mean {
            text += &format!("held out, mean of {} chains: {mean:.4} nats per word\n", chains.count);
        }
        text += &format!("{}\n", chains.sentence);
        let iterations = outcome.chains.iter().map(|chain| u64::from(chain.record.iterations_done));
        let (iterations, all) = (iterations.sum::<u64>(), record.settings.chains);
        let of = if chains.count < all as usize { format!(" of {all}") } else { String::new() };
        done = format!(
            "{}{of} chains, {} in {:.1} s",
            chains.count,
            counted(iterations, "iteration"),
            chains.wall_seconds
        );
    }
    text += &format!("{done}; results in {shown}, open {shown}/report.html\n");
    topics::print_all(&text)
}

/// The largest topics, the score and what was learned.
fn end_of_chain(chain: &ChainOutcome, outcome: &Outcome) -> String {
    let (corpus, shown) = (&outcome.corpus, outcome.out.display());
    // Those of a run that was stopped may be an earlier state's.
    let spread = match outcome.interrupted {
        None => read_spread(&Folder::unlocked(&outcome.out)).unwrap_or_default(),
        Some(_) => HashMap::new(),
    };
    let list = TopicList { vocab: &corpus.vocab, tokens: corpus.num_tokens() as u64, spread: &spread };
    let mut text = topics::fitted(&list.table(&chain.largest));
    if chain.topics > chain.largest.len() {
        text += &format!("… and {} more: hdp-gpu topics {shown}\n", chain.topics - chain.largest.len());
    }
    if let Some(score) = chain.record.holdout.as_ref().and_then(|held_out| held_out.completion.as_ref()) {
        text += &format!("held out: {}\n", evaluate::score_line(score));
    }
    let learned = learned(&chain.record);
    if !learned.is_empty() {
        text += &format!("learned: {}\n", learned.join(", "));
    }
    let (topics, tokens) = (chain.topics, corpus.num_tokens());
    let documents = corpus.doc_start.windows(2).filter(|doc| doc[0] < doc[1]).count();
    let settings = &chain.record.settings;
    let is_learned = settings.preset == Preset::Default.name() && settings.model.grow;
    if is_learned && is_many(topics, documents, tokens) {
        let small = Preset::Small.name();
        text += &format!(
            "{topics} topics are many for {documents} documents of {tokens} tokens together: --preset {small} is for small corpora\n"
        );
    }
    text
}

/// Whether so many topics are hardly to be believed: when few tokens bear each of them, or a small corpus has few documents for each.
fn is_many(topics: usize, documents: usize, tokens: usize) -> bool {
    /// Tokens and documents for each topic, and the documents from which on only tokens count.
    const TOKENS: usize = 50;
    const DOCUMENTS: usize = 10;
    const LARGE: usize = 1000;
    tokens < TOKENS * topics || documents < LARGE && documents < DOCUMENTS * topics
}

/// A row for each chain.
fn chain_table(chains: &[ChainOutcome]) -> String {
    let score = |chain: &ChainOutcome| Some(chain.record.holdout.as_ref()?.completion.as_ref()?.per_word);
    let is_scored = chains.iter().any(|chain| score(chain).is_some());
    let mut table = " chain  seed  iterations  topics  log-likelihood per token".to_owned();
    table += if is_scored { "  held out\n" } else { "\n" };
    for chain in chains {
        let (number, topics) = (chain.number, chain.topics);
        let (seed, done) = (chain.record.settings.model.seed, chain.record.iterations_done);
        table += &format!("{number:>6} {seed:>5} {done:>11} {topics:>7} {:>25.4}", chain.log_likelihood);
        table += &score(chain).map_or_else(String::new, |score| format!(" {score:>9.4}"));
        table += "\n";
    }
    table
}

/// The concentrations that were learned, with what came out, and a K* that has grown.
fn learned(record: &RunRecord) -> Vec<String> {
    let now = record.finished.as_ref().map_or(record.concentrations, |finished| finished.concentrations);
    let Learn { alpha, beta, gamma } = record.settings.model.learn;
    let concentrations = [("α", alpha, now.alpha), ("β", beta, now.beta), ("γ", gamma, now.gamma)];
    let learned = concentrations.into_iter().filter(|(_, prior, _)| prior.is_some());
    let mut learned: Vec<String> = learned.map(|(name, _, now)| format!("{name} = {now:.4}")).collect();
    if record.max_topics > record.settings.model.max_topics {
        learned.push(format!("room for {} topics", record.max_topics));
    }
    learned
}

/// Says what the results of an interrupted run lack.
pub(super) fn warn_of_interruption(outcome: &Outcome) {
    let Some(stopped) = outcome.chains.iter().find(|chain| Some(chain.number) == outcome.interrupted) else {
        return;
    };
    let (number, record, chains) =
        (stopped.number, &stopped.record, outcome.chains[0].record.settings.chains);
    let (done, asked) = (record.iterations_done, record.settings.plan.iterations);
    let chain = if chains > 1 { format!(" of chain {number} of {chains}") } else { String::new() };
    let of = if chains > 1 { String::new() } else { format!(" of {asked}") };
    eprint_line(format_args!(
        "interrupted after iteration {done}{of}{chain}; go on with: {}",
        resume_command()
    ));
    // The chain itself may have come to its end.
    if !stopped.interrupted {
        return;
    }
    let asked = record.settings.plan.sampling.samples;
    if asked > 1 {
        let of = match stopped.samples.as_ref().map(|samples| samples.count()) {
            None => "the last state".to_owned(),
            Some(taken) => format!("{taken} samples"),
        };
        eprint_line(format_args!("warning: topics of documents are those of {of}, not of {asked} samples"));
    }
    if record.holdout.is_some() {
        let run = chain_path(&outcome.out, number);
        let run = run.display();
        eprint_line(format_args!(
            "warning: the held-out documents are not scored yet: hdp-gpu evaluate {run}"
        ));
    }
}
