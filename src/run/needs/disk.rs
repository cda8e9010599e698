//! The disk: checkpoints, the logs and the results.

use super::Workload;
use crate::estimate::Samples;
use crate::heap::Heap;
use crate::run::checkpoint::state_bytes;
use crate::run::results::doc_topics_wide::MOST_SHARES;

/// Two checkpoints are kept while a third one is written.
const CHECKPOINTS: f64 = 3.0;

/// report.html without a topic, and the most that its data may weigh.
const PAGE: f64 = 80e3;
const MOST_REPORT: f64 = 9.6e6;

/// Files for a person to look at: bytes a topic.
const REPORT_TOPIC: f64 = 13e3;
const LDAVIS_TOPIC: f64 = 20e3;
const TABLES_TOPIC: f64 = 2.5e3;

/// Bytes a token in state.gz; a corpus of a single word has 2.4, texts have 9 to 14.
const STATE_TOKEN: (f64, f64) = (1.0, 15.0);

/// A row of topics-by-group.csv without its names.
const GROUP_TOPIC: f64 = 120.0;

/// What is left of a byte of text: equal documents pack to a hundredth, texts of three alphabets to 0.3 to 0.6, and what cannot be packed to all.
const PACKED: (f64, f64) = (0.005, 1.01);

/// A share in text, with its topic.
pub(super) const SHARE: f64 = 26.0;

/// Files of the run's folder.
pub(super) fn disk(run: &Workload) -> Heap {
    let checkpoint = state_bytes(&run.most());
    let checkpoints = CHECKPOINTS * (checkpoint + sums(run) + logs_most(run));
    let (least, most) = (checkpoint + results_least(run), checkpoints + logs_most(run) + results_most(run));
    Heap { least, most } * run.chains + text(run)
}

/// The documents' own text, packed, with lists of documents and blocks.
fn text(run: &Workload) -> Heap {
    if run.text_bytes == 0.0 {
        return Heap::default();
    }
    Heap {
        least: PACKED.0 * run.text_bytes + 4.0 * run.docs,
        most: PACKED.1 * run.text_bytes + 4.0 * run.docs + 1e3,
    }
}

/// The sums of samples in a checkpoint.
fn sums(run: &Workload) -> f64 {
    if run.has_samples() { Samples::file_bytes_of(&run.most()) } else { 0.0 }
}

fn traced(run: &Workload) -> f64 {
    f64::from(run.plan.iterations / run.plan.trace_every) + 2.0
}

/// All rows of the three logs.
pub(super) fn logs_most(run: &Workload) -> f64 {
    200.0 * f64::from(run.plan.iterations) + traced(run) * (90.0 + 20.0 * run.topics()) + 10e3
}

/// A row for each document in both files of θ, one for each word in two files, and Ψ.
fn results_least(run: &Workload) -> f64 {
    let docs = 20.0 * run.docs + 2.0 * run.name_bytes;
    let words = 4.0 * run.words + 2.0 * run.vocab_bytes + 8.0 * run.used_words;
    STATE_TOKEN.0 * run.tokens + docs + words + 16.0 * run.k_star() + PAGE
}

fn results_most(run: &Workload) -> f64 {
    let topics = run.topics();
    let (n, m) = (run.last_word_topics(), run.last_doc_topics());
    let sd = f64::from(u8::from(run.has_samples()));
    let state = STATE_TOKEN.1 * run.tokens + 24.0 * run.k_star();
    // Every document has all topics; while there are few, all numbers below the largest have a column.
    let columns = topics.max(run.k_star().min(100.0));
    let doc_topics = run.docs * (14.0 + SHARE * columns) + run.name_bytes;
    // Names and metadata are repeated in every row.
    let names = run.name_bytes * (m / run.docs.max(1.0));
    let tables = if cfg!(feature = "parquet") { 2.0 } else { 1.0 };
    let doc_topics_csv = tables * ((46.0 + 20.0 * sd) * (m + run.docs) + names + run.name_bytes);
    // It is left out when it would be larger.
    let wide = SHARE * (run.docs * topics).min(MOST_SHARES as f64) + 14.0 * run.docs + run.name_bytes;
    // A group has its name in every row.
    let groups = (GROUP_TOPIC + run.name_bytes / run.docs.max(1.0)) * run.group_topics();
    let theta = (14.0 + 8.0 * sd) * m + 16.0 * run.docs;
    let phi = (14.0 + 8.0 * sd) * n + 16.0 * run.k_star();
    let model = 8.0 * n + 16.0 * run.k_star();
    let words = 20.0 * n + 24.0 * run.words + 2.0 * run.vocab_bytes;
    let shown = LDAVIS_TOPIC * topics.min(2000.0)
        + (REPORT_TOPIC * topics).min(MOST_REPORT)
        + TABLES_TOPIC * topics
        + 2.0 * PAGE;
    let held_out = 4.0 * run.held_out.tokens + 40.0 * run.held_out.docs;
    state + doc_topics + doc_topics_csv + wide + groups + theta + phi + model + words + shown + held_out
}
