//! The names of the files of a run and of an inference.

/// Log-likelihoods and topics by iteration; the same bytes on every device.
pub const TRACE: &str = "trace.csv";
/// Where the time went, by iteration.
pub const TIMING: &str = "timing.csv";
/// Tokens per topic at the iterations of the trace.
pub const TOKENS_PER_TOPIC: &str = "tokens_per_topic.csv";
/// Every setting, and what the run was made of.
pub const RUN: &str = "run.json";
/// The top words of each topic, as MALLET writes them.
pub const TOPIC_KEYS: &str = "topic-keys.txt";
/// The topics of each document, as MALLET writes them.
pub const DOC_TOPICS: &str = "doc-topics.txt";
/// The topic of each token, as MALLET writes it.
pub const STATE: &str = "state.gz";
/// Ψ and n.
pub const MODEL: &str = "model.safetensors";
/// The words, by number.
pub const VOCAB: &str = "vocab.txt";
/// A row for each topic.
pub const TOPICS: &str = "topics.csv";
/// The topics of each document with its metadata, a row for each.
pub const DOC_TOPICS_CSV: &str = "doc-topics.csv";
/// The shares of all topics of each document, unless there are very many.
pub const DOC_TOPICS_WIDE: &str = "doc-topics-wide.csv";
/// The documents with the largest shares of each topic.
pub const TOPIC_DOCS: &str = "topic-docs.csv";
/// The topics of groups of documents, when there are any.
pub const TOPICS_BY_GROUP: &str = "topics-by-group.csv";
/// The topics of each word, as MALLET writes them.
pub const WORD_TOPIC_COUNTS: &str = "word-topic-counts.txt";
/// Φ for SciPy.
pub const PHI: &str = "phi.npz";
/// θ for SciPy.
pub const THETA: &str = "theta.npz";
/// What pyLDAvis shows.
pub const LDAVIS: &str = "ldavis.json";
/// [`TOPICS`] as Parquet, with the feature `parquet`.
pub const TOPICS_PARQUET: &str = "topics.parquet";
/// [`DOC_TOPICS_CSV`] as Parquet, with the feature `parquet`.
pub const DOC_TOPICS_PARQUET: &str = "doc-topics.parquet";
/// The documents that preparation emptied, when there are any.
pub const DROPPED_DOCUMENTS: &str = "dropped-documents.csv";

/// The documents' own text, unless passages are refused.
pub const TEXTS: &str = "texts.bin";

/// The page that shows a run.
pub const REPORT: &str = "report.html";
/// The held-out documents, as a prepared corpus, when there are any.
pub const HELD_OUT: &str = "heldout.corpus";
/// Their numbers and names.
pub const HELD_OUT_DOCUMENTS: &str = "heldout-documents.csv";
/// What was measured of a run.
pub const EVALUATION: &str = "evaluation.json";
/// The folder of checkpoints.
pub const CHECKPOINT: &str = "checkpoint";
/// The file in it whose lock keeps a second process out.
pub const LOCK: &str = "lock";
/// The folder of a run's further chains.
pub const CHAINS: &str = "chains";
/// What an inference was made of.
pub const INFER: &str = "infer.json";
/// Words that the model does not know, when there are any.
pub const UNKNOWN_WORDS: &str = "unknown-words.csv";

/// The files of an inference; as below, the last one makes the folder an inference's.
pub(super) const INFERENCE: [&str; 6] =
    [DOC_TOPICS_CSV, DOC_TOPICS_PARQUET, THETA, STATE, UNKNOWN_WORDS, INFER];

/// The files of a run that are not made of its last state.
pub(super) const STAY: &[&str] =
    &[TRACE, TIMING, TOKENS_PER_TOPIC, DROPPED_DOCUMENTS, TEXTS, HELD_OUT, HELD_OUT_DOCUMENTS, RUN];

/// The files of a run. `RUN` comes last: what is left of a removal that was cut short still counts as a run.
pub(super) const ALL: [&str; 26] = [
    TRACE,
    TIMING,
    TOKENS_PER_TOPIC,
    TOPIC_KEYS,
    DOC_TOPICS,
    STATE,
    MODEL,
    VOCAB,
    TOPICS,
    DOC_TOPICS_CSV,
    DOC_TOPICS_WIDE,
    TOPIC_DOCS,
    TOPICS_BY_GROUP,
    WORD_TOPIC_COUNTS,
    PHI,
    THETA,
    LDAVIS,
    TOPICS_PARQUET,
    DOC_TOPICS_PARQUET,
    DROPPED_DOCUMENTS,
    TEXTS,
    HELD_OUT,
    HELD_OUT_DOCUMENTS,
    EVALUATION,
    REPORT,
    RUN,
];
