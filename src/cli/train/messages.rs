//! What `train` says before, at the end, and when something is not as it should be.

use hdp_gpu::checkpoint::last_iteration;
use hdp_gpu::evaluate::summary::{rank, summarise};
use hdp_gpu::output::Folder;
use hdp_gpu::output::folder::chain_path;
use hdp_gpu::output::run_json::{CorpusInfo, RunInfo, command_line, shell_line};
use hdp_gpu::params::{Learn, MAX_TOPICS, PsiLaw};
use hdp_gpu::train::Outcome;
use hdp_gpu::{Chain, Params, Result};

use super::Ended;
use crate::cli::{evaluate, tell, topics};

/// Topics and words shown when a run has ended.
const SHOWN_TOPICS: usize = 10;
const SHOWN_WORDS: usize = 8;

/// Says what is trained on, and where, with the reason for that device.
pub(super) fn announce(info: &RunInfo, reason: Option<&str>) {
    let CorpusInfo { source, documents, tokens, words, .. } = &info.corpus;
    let held_out = info.holdout.as_ref().map_or_else(String::new, |held_out| {
        format!("; {} documents, {} tokens held out", held_out.documents, held_out.tokens)
    });
    // A device that has already failed was not taken, whatever there was to say for it.
    let reason = reason.filter(|_| info.device_error.is_none());
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    tell(format_args!(
        "{source}: {documents} documents, {tokens} tokens, {words} words{held_out}; training on {}{reason}",
        info.device
    ));
}

/// Says from where a run, or its chain `number`, goes on.
pub(super) fn announce_resumption(from: u32, iterations: u32, number: Option<u32>) {
    let chain = number.map_or_else(String::new, |number| format!("chain {number}: "));
    if from < iterations {
        tell(format_args!("{chain}going on from iteration {from} of {iterations}"));
    } else {
        tell(format_args!("{chain}all {iterations} iterations are done; writing the results again"));
    }
}

/// Says how a run that has failed can go on.
pub(super) fn tell_way_back(folder: &Folder) {
    if let Some(iteration) = last_iteration(folder) {
        let kept = match folder.further_chains().len() {
            0 => format!("the checkpoint of iteration {iteration} is kept"),
            _ => "the checkpoints of all chains are kept".to_owned(),
        };
        tell(format_args!("{kept}; when the cause is mended, go on with: {}", resume_command()));
    }
}

/// The command that goes on with this run, as a shell takes it.
fn resume_command() -> String {
    let command = command_line().into_iter().filter(|arg| arg != "--force" && arg != "--resume");
    shell_line(&command.chain(["--resume".to_owned()]).collect::<Vec<_>>())
}

/// The largest topics, the score and what was learned.
pub(super) fn end_of_chain(chain: &dyn Chain, folder: &Folder, info: &RunInfo) -> String {
    let n = &chain.state().counts().n;
    let mut largest = summarise(n, SHOWN_WORDS);
    let active = largest.len();
    rank(&mut largest);
    largest.truncate(SHOWN_TOPICS);
    let corpus = chain.state().corpus();
    let shown = folder.path().display();
    let mut text = topics::fitted(&topics::table(&largest, corpus.num_tokens() as u64, &corpus.vocab));
    if active > largest.len() {
        text += &format!("… and {} more: hdp-gpu topics {shown}\n", active - largest.len());
    }
    if let Some(score) = info.holdout.as_ref().and_then(|held_out| held_out.completion.as_ref()) {
        text += &format!("held out: {}\n", evaluate::score_line(score));
    }
    let learned = learned(info);
    if !learned.is_empty() {
        text += &format!("learned: {}\n", learned.join(", "));
    }
    text
}

/// Prints that of the first chain, all chains when there are several, and where everything is.
pub(super) fn report_end(ended: &[Ended], folder: &Folder) -> Result<()> {
    let (first, shown) = (&ended[0], folder.path().display());
    let mut text = first.text.clone();
    let mut done =
        format!("{} iterations in {:.1} s, {} topics", first.done(), first.seconds(), first.topics);
    if let Some(chains) = &first.info.chains {
        text += &chain_table(ended);
        if let Some(mean) = chains.completion_mean {
            text += &format!("held out, mean of {} chains: {mean:.4} nats a word\n", chains.count);
        }
        text += &format!("{}\n", chains.sentence);
        let iterations: u64 = ended.iter().map(|chain| u64::from(chain.done())).sum();
        let (count, all) = (chains.count, first.info.settings.chains);
        let of = if count < all as usize { format!(" of {all}") } else { String::new() };
        done = format!("{count}{of} chains, {iterations} iterations in {:.1} s", chains.wall_seconds);
    }
    text += &format!("{done}; results in {shown}, open {shown}/report.html\n");
    topics::print_all(&text)
}

/// A row for each chain.
fn chain_table(ended: &[Ended]) -> String {
    let score = |ended: &Ended| ended.info.holdout.as_ref()?.completion.as_ref().map(|score| score.per_word);
    let is_scored = ended.iter().any(|ended| score(ended).is_some());
    let mut table = " chain  seed  iterations  topics  log-likelihood a token".to_owned();
    table += if is_scored { "  held out\n" } else { "\n" };
    for chain in ended {
        let (number, seed, done, topics) =
            (chain.number, chain.info.settings.model.seed, chain.done(), chain.topics);
        table += &format!("{number:>6} {seed:>5} {done:>11} {topics:>7} {:>23.4}", chain.log_likelihood);
        table += &score(chain).map_or_else(String::new, |score| format!(" {score:>9.4}"));
        table += "\n";
    }
    table
}

/// The concentrations that were learned, with what came out, and a K* that has grown.
fn learned(info: &RunInfo) -> Vec<String> {
    let (Learn { alpha, beta, gamma }, now) = (info.settings.model.learn, info.concentrations);
    let concentrations = [("α", alpha, now.alpha), ("β", beta, now.beta), ("γ", gamma, now.gamma)];
    let learned = concentrations.into_iter().filter(|(_, prior, _)| prior.is_some());
    let mut learned: Vec<String> = learned.map(|(name, _, now)| format!("{name} = {now:.4}")).collect();
    if info.max_topics > info.settings.model.max_topics {
        learned.push(format!("room for {} topics", info.max_topics));
    }
    learned
}

/// Says what the results of an interrupted run lack.
pub(super) fn warn_of_interruption(ended: &Ended, chains: u32, folder: &Folder) {
    let Ended { info, outcome, number, .. } = ended;
    let (done, asked) = (info.iterations_done, info.settings.iterations);
    let chain = if chains > 1 { format!(" of chain {number} of {chains}") } else { String::new() };
    let of = if chains > 1 { String::new() } else { format!(" of {asked}") };
    tell(format_args!("interrupted after iteration {done}{of}{chain}; go on with: {}", resume_command()));
    // The chain itself may have come to its end.
    if !outcome.interrupted {
        return;
    }
    if info.settings.samples > 1 {
        let of = match outcome.samples.as_ref().map(|samples| samples.count()) {
            None => "the last state".to_owned(),
            Some(taken) => format!("{taken} samples"),
        };
        let asked = info.settings.samples;
        tell(format_args!("warning: topics of documents are those of {of}, not of {asked} samples"));
    }
    if info.holdout.is_some() {
        let run = chain_path(folder.path(), *number);
        let run = run.display();
        tell(format_args!("warning: the held-out documents are not scored yet: hdp-gpu evaluate {run}"));
    }
}

/// Says that the last topic, which stands for all that are not represented, was needed.
pub(super) fn warn_of_flag_topic(outcome: &Outcome, params: &Params) {
    // In LDA the last topic is one like any other.
    let stands_for_others = params.max_topics() > 1 && params.psi() != PsiLaw::Uniform;
    if outcome.past.most_flag_topic_tokens > 0 && stands_for_others {
        tell(format_args!(
            "warning: up to {} tokens were in topic {}, which stands for all topics that are not represented; {}",
            outcome.past.most_flag_topic_tokens,
            params.max_topics() - 1,
            match params.max_topics() {
                MAX_TOPICS => "no more can be represented, so lower --gamma or --alpha".to_owned(),
                max_topics => format!("train again with --max-topics {}", (2 * max_topics).min(MAX_TOPICS)),
            },
        ));
    }
}
