//! What the page is made of, as its scripts read it.

use serde::Serialize;

/// All data of a page.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ReportData {
    pub(super) version: &'static str,
    pub(super) beta: f64,
    /// V.
    pub(super) vocab_size: usize,
    /// N.
    pub(super) num_tokens: usize,
    /// The runs whose traces are shown; all else is the first one's.
    pub(super) runs: Vec<RunData>,
    /// Plain sentences on whether the runs have settled.
    pub(super) settled: Vec<String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The topics with tokens, largest first.
    pub(super) topics: Vec<TopicData>,
    /// The words that topics and the search need.
    pub(super) words: Vec<String>,
    /// N_v of each.
    pub(super) word_tokens: Vec<u64>,
    /// For each, the topics with most of its tokens: topic, n_kv, topic, n_kv, ….
    pub(super) search: Vec<Vec<u32>>,
    /// The documents that topics name.
    pub(super) documents: Vec<DocumentData>,
    /// The names of the columns of metadata.
    pub(super) metadata: Vec<String>,
    pub(super) groups: Vec<GroupData>,
    /// Sentences on columns that make no groups.
    pub(super) no_groups: Vec<String>,
    /// Whether the intervals of shares in groups are the spread over samples.
    pub(super) has_samples: bool,
    pub(super) quantiles: Vec<QuantileData>,
    /// Topics with fewer tokens are folded into one line of the table.
    pub(super) fold_below: u64,
    /// The topics of several runs, matched.
    pub(super) matching: Option<MatchingData>,
    /// Whether the order of words is not known.
    pub(super) bag: bool,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RunData {
    pub(super) name: String,
    /// The command that repeats it.
    pub(super) command: String,
    /// What it was made of: names and values.
    pub(super) card: Vec<(&'static str, String)>,
    pub(super) trace: TraceData,
    pub(super) timing: TimingData,
    pub(super) ranks: Vec<RankData>,
}

/// The rows of trace.csv.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct TraceData {
    pub(super) iteration: Vec<u32>,
    pub(super) log_likelihood: Vec<f64>,
    pub(super) log_likelihood_lda: Vec<f64>,
    pub(super) active_topics: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    pub(super) beta: Vec<f64>,
    pub(super) gamma: Vec<f64>,
    /// K*.
    pub(super) max_topics: Vec<f64>,
}

/// Seconds an iteration, means over stretches of a long run.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct TimingData {
    pub(super) iteration: Vec<f64>,
    pub(super) seconds: Vec<f64>,
}

/// Tokens per topic at an iteration, falling.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RankData {
    pub(super) iteration: u32,
    pub(super) tokens: Vec<u64>,
}

/// What a trace says of convergence.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Diagnostic {
    pub(super) trace: &'static str,
    pub(super) rhat: Option<f64>,
    pub(super) ess: Option<f64>,
}

/// A topic.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TopicData {
    pub(super) topic: u16,
    pub(super) tokens: u64,
    pub(super) documents: u64,
    pub(super) share: f64,
    pub(super) psi: f64,
    pub(super) npmi: Option<f64>,
    pub(super) umass: Option<f64>,
    pub(super) exclusivity: f64,
    /// How far it keeps to documents of its own, and whether it is so much everywhere that it says nothing of any.
    pub(super) distinctiveness: Option<f64>,
    pub(super) background: bool,
    /// The words of its label, by their places in the list of words.
    pub(super) label: Vec<u32>,
    /// Its place on the map; none for the smallest of very many topics.
    pub(super) x: Option<f64>,
    pub(super) y: Option<f64>,
    /// The nearest topics by number, nearest first.
    pub(super) near: Vec<u16>,
    /// Places in the list of words with n_kv, falling.
    pub(super) words: Vec<(u32, u32)>,
    pub(super) docs: Vec<TopicDocument>,
}

/// A document of a topic: its place in the list of documents, its share, and a passage.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TopicDocument(pub(super) usize, pub(super) f64, pub(super) PassageData);

/// A passage of a document.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum PassageData {
    /// Its own text: every second part is a word of the topic.
    Text(Vec<String>),
    /// Words, with 1 for those in the topic.
    Words(Vec<(String, u8)>),
}

/// A document.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DocumentData {
    pub(super) name: String,
    /// From 1.
    pub(super) number: usize,
    pub(super) tokens: usize,
    pub(super) meta: Vec<String>,
}

/// A column of metadata that makes groups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct GroupData {
    pub(super) column: String,
    /// date, number or name.
    pub(super) kind: &'static str,
    /// Sentences on what is in no group, and what is not on the page.
    pub(super) notes: Vec<String>,
    /// Of dates by several units, the most fitting one first.
    pub(super) views: Vec<GroupView>,
}

/// Groups and their topics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct GroupView {
    /// The length of stretches of time.
    pub(super) unit: Option<&'static str>,
    /// What the groups are called: times and numbers in their order, names with the most distinctive first.
    pub(super) values: Vec<String>,
    /// Where times and numbers are.
    pub(super) at: Vec<f64>,
    pub(super) documents: Vec<u64>,
    pub(super) tokens: Vec<u64>,
    /// For each topic, the groups that have it: group, share, low, high, group, …, in millionths; an end that is not known is -1.
    pub(super) cells: Vec<Vec<i64>>,
}

/// The topics that runs have found, those that most of them have first.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MatchingData {
    /// The places of the runs in the list of runs: one without a model has no topics.
    pub(super) runs: Vec<usize>,
    pub(super) topics: Vec<MatchedData>,
}

/// A topic that one run or several have found: for each of the runs its number there, its share and the cosine with the first.
#[derive(Clone, Debug, Serialize)]
pub(super) struct MatchedData {
    pub(super) label: Vec<String>,
    pub(super) found: Vec<Option<(u16, f64, f64)>>,
}

/// The topics at a quantile of tokens per topic.
#[derive(Clone, Debug, Serialize)]
pub(super) struct QuantileData {
    pub(super) percent: u32,
    pub(super) topics: Vec<u16>,
}
