//! The host's memory: what the chain holds, what the last states are summed up in, and what the results are made in.

use super::Workload;
use super::disk::{SHARE, logs_most};
use crate::chain::Start;
use crate::device::cpu::Cpu;
use crate::device::host_bytes;
use crate::estimate::{CHUNK_DOCS, PhiRows, Samples};
use crate::heap::{Heap, Sizes};
use crate::infer::CHUNK_TOKENS;
use crate::model::alias::{TableBuilder, WordTables};
use crate::model::collapsed::CollapsedTopics;
use crate::model::counts::TopicWordCounts;
use crate::model::dirichlet::DirichletRows;
use crate::model::histogram::DocTopicHistogram;
use crate::model::phi::{Phi, PoissonPolyaUrn};
use crate::model::recount::Recount;
use crate::model::trained::Model;
use crate::model::z_counts::ZCounts;
use crate::params::{Algorithm, PhiLaw};

/// Pages of the program that training and writing touch first, and the threads' stacks.
const PROGRAM: f64 = 4e6;

/// What the report is made in: bytes a topic, bytes a topic once there are so many that passages are left out, bytes a word.
const REPORT_TOPIC: f64 = 70e3;
const REPORT_FURTHER_TOPIC: f64 = 40e3;
const REPORT_WORD: f64 = 300.0;
const REPORT_TOPICS: f64 = 2000.0;

/// A topic of a group, as it is counted or read back for the page.
const GROUP_TOPIC: f64 = 160.0;

/// What passages of the documents' own text are found in, and bytes a document of the list of what there is.
const PASSAGES: f64 = 10e6;
const TEXT_OF_DOC: f64 = 4.0;

/// Topics in ldavis.json, at most, and bytes a pair of them.
const LDAVIS_TOPICS: f64 = 2000.0;
const LDAVIS_PAIR: f64 = 34.0;

/// Words of a topic that coherence looks at.
const TOP_WORDS: f64 = 10.0;

/// Memory beyond the corpus.
pub(super) fn memory(run: &Workload) -> Heap {
    // Before there is anything else, z and its topics sorted by word.
    let start = run.range(|sizes| Start::bytes(sizes) + Recount::bytes(sizes)).least;
    let (chain, sums) = (run.range(|sizes| chain(run, sizes)), run.range(|sizes| sums(run, sizes)));
    let waiting = (run.range(Start::bytes) + sums) * run.waiting;
    let rows = (1.0 + run.waiting) * rows_most(run);
    let ends = results_most(run).max(scores_most(run)) + finish_most(run);
    Heap {
        least: start.max(chain.least + sums.least + results_least(run)) + waiting.least,
        most: chain.most + sums.most + rows + ends + waiting.most + PROGRAM,
    }
}

/// What a chain takes by itself, at least.
pub(super) fn chain_least(run: &Workload) -> f64 {
    let start = run.range(|sizes| Start::bytes(sizes) + Recount::bytes(sizes));
    start.least.max(run.range(|sizes| chain(run, sizes)).least)
}

/// The rows of the logs, which are all kept, and those that a checkpoint has while it is written.
fn rows_most(run: &Workload) -> f64 {
    growing(logs_most(run)) + logs_most(run)
}

/// Lists of so many bytes that have grown.
fn growing(bytes: f64) -> f64 {
    Heap::grown::<u8>(0.0, bytes).most
}

/// The chain, and the state that a checkpoint is written from; with a GPU also the one that the CPU would go on from.
fn chain(run: &Workload, sizes: &Sizes) -> Heap {
    let copy = Start::bytes(sizes).at_most();
    let state = copy + TopicWordCounts::bytes(sizes) + DocTopicHistogram::bytes(sizes);
    let Algorithm::Ppu { phi } = run.settings.sampler else {
        return state + CollapsedTopics::bytes(sizes);
    };
    let phi = match phi {
        PhiLaw::Ppu => PoissonPolyaUrn::bytes(sizes),
        PhiLaw::Dirichlet => DirichletRows::bytes(sizes),
    };
    let gpu = if run.gpu { host_bytes(sizes) + copy } else { Heap::default() };
    let cpu = if run.shared || !run.gpu { Cpu::bytes(sizes) } else { Heap::default() };
    // A GPU that is to prove itself is opened with z and has tables of its own meanwhile.
    let trial =
        if run.shared { (Start::bytes(sizes) + WordTables::bytes(sizes)).at_most() } else { Heap::default() };
    let device = gpu + cpu + trial;
    state + phi + TableBuilder::bytes(sizes) + ZCounts::bytes(sizes) + device
}

/// The copy of a state that a finish makes of all documents, and what it samples it with.
fn finish_most(run: &Workload) -> f64 {
    if run.plan.sweeps(run.settings.sampler, run.all.tokens as usize) == 0 {
        return 0.0;
    }
    let sizes = Sizes { docs: run.all.docs, tokens: run.all.tokens, ..run.last() };
    let state = Start::bytes(&sizes) + TopicWordCounts::bytes(&sizes) + DocTopicHistogram::bytes(&sizes);
    (state + CollapsedTopics::bytes(&sizes)).most
}

/// Sums over samples; while a checkpoint is written, the next sample is added to a copy.
fn sums(run: &Workload, sizes: &Sizes) -> Heap {
    let sums = Samples::bytes(sizes);
    if run.has_samples() { sums + sums.at_most() } else { Heap::default() }
}

/// z that has come from a GPU, unless the CPU puts it together, the model and Φ by topic.
fn results_least(run: &Workload) -> f64 {
    let sizes = run.least();
    let z = if run.gpu && !run.shared { Heap::exact::<u16>(run.tokens) } else { Heap::default() };
    (z + Model::bytes(&sizes) + PhiRows::bytes(&sizes, run.has_samples())).least
}

/// The model, Φ by topic and the file that takes most room; or the report, which needs no Φ. z is lent, or is among what
/// the chain has for a GPU.
fn results_most(run: &Workload) -> f64 {
    let (sizes, topics) = (run.last(), run.topics());
    let phi = PhiRows::bytes(&sizes, run.has_samples()).most;
    let shown = topics.min(LDAVIS_TOPICS);
    let ldavis = LDAVIS_PAIR * shown * shown + 36.0 * run.words + 32.0 * sizes.word_topics;
    let chunk = (CHUNK_DOCS as f64 / run.docs.max(1.0)).min(1.0);
    let theta = 8.0 * run.docs + 80.0 * sizes.doc_topics * chunk;
    let doc_topics = 2.0 * SHARE * topics * run.docs * chunk;
    // In which documents the top ten words of topics are: a bit a document, or 8 bytes for one that they are in.
    let bits = (TOP_WORDS * topics).min(run.words) * run.docs / 8.0;
    let coherence = growing(bits.min(8.0 * run.tokens));
    let model_file = 16.0 * sizes.word_topics + 32.0 * run.k_star();
    // A grouping after the other; for the page the file is read whole where it has means over samples.
    let groups = GROUP_TOPIC * run.group_topics();
    let files =
        phi + [groups, ldavis, coherence, theta, doc_topics, model_file].into_iter().fold(0.0, f64::max);
    let report = REPORT_TOPIC * topics.min(REPORT_TOPICS)
        + REPORT_FURTHER_TOPIC * (topics - REPORT_TOPICS).max(0.0)
        + REPORT_WORD * run.words
        + coherence
        + if run.text_bytes > 0.0 { PASSAGES + TEXT_OF_DOC * run.docs } else { 0.0 }
        + groups;
    Model::bytes(&sizes).most + files.max(report)
}

/// Scoring held-out documents: φ_kv of every topic for the words that they have, with tables that are made once, and some of
/// the documents at once.
fn scores_most(run: &Workload) -> f64 {
    let words = run.held_out.tokens.min(run.words);
    let held_out =
        Sizes { words, tokens: run.held_out.tokens, phi_cells: words * run.topics(), ..Sizes::default() };
    let phi = Phi::<f64>::bytes(&held_out).most + WordTables::bytes(&held_out).least;
    let observed = 40.0 * run.held_out.tokens + 60.0 * run.held_out.tokens.min(CHUNK_TOKENS as f64);
    2.0 * Model::bytes(&run.last()).most + phi + observed
}
