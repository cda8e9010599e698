//! The sizes that the needs of a run depend on.

use crate::corpus::Corpus;
use crate::evaluate::groups::grouped;
use crate::model::recount::doc_tasks;
use crate::params::{Init, MAX_TOPICS, Params, Settings};
use crate::run::plan::{Plan, Until};

/// How the number of topics grows with the corpus: the starting topics + N^0.4 have never been reached in a measured run.
const TOPICS_EXPONENT: f64 = 0.4;

/// A run as far as its needs depend on it; sizes are numbers of what they name.
#[derive(Clone, Debug)]
pub struct Workload {
    /// D.
    pub docs: f64,
    /// V.
    pub words: f64,
    /// Words with tokens.
    pub used_words: f64,
    /// N.
    pub tokens: f64,
    /// The tokens of the longest document.
    pub longest_doc: f64,
    /// Σ_v min(N_v, topics): the most nonzeros of n.
    pub word_topics: f64,
    /// Bytes of all words.
    pub vocab_bytes: f64,
    /// Bytes of all documents' names and metadata.
    pub name_bytes: f64,
    /// The ways in which columns of metadata divide documents, and the groups of all of them.
    pub groupings: f64,
    /// See there.
    pub groups: f64,
    /// Bytes that the corpus takes in memory; a mapped file takes none.
    pub corpus_bytes: f64,
    /// Bytes of the documents' own text, of which all chains share a packed file.
    pub text_bytes: f64,
    /// Documents that are scored at the end.
    pub held_out: HeldOut,
    /// D and N of all documents, of which this rank may have a part.
    pub all: HeldOut,
    /// The priors, the truncation and the sampler.
    pub settings: Settings,
    /// How long to train and what to keep.
    pub plan: Plan,
    /// Chains, each with its results.
    pub chains: f64,
    /// Those of them that wait in memory while one goes on.
    pub waiting: f64,
    /// Threads.
    pub threads: f64,
    /// Runs of documents that are counted side by side, at most one a thread.
    pub shards: f64,
    /// Whether z is on a GPU.
    pub gpu: bool,
    /// Whether the CPU has a share of it too, or may have.
    pub shared: bool,
}

/// Documents, such as those that are kept out of training.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldOut {
    /// Their number.
    pub docs: f64,
    /// Their tokens.
    pub tokens: f64,
}

impl Workload {
    /// Training on `corpus` with the threads of the current rayon pool.
    pub fn new(corpus: &Corpus, held_out: Option<&Corpus>, params: &Params, plan: Plan, gpu: bool) -> Self {
        let text = |strings: &[String]| strings.iter().map(String::len).sum::<usize>() as f64;
        let metadata = corpus.metadata.columns.iter().map(|column| text(&column.values));
        let names = corpus.doc_names.as_deref();
        let [docs, words, tokens] =
            [corpus.num_docs(), corpus.vocab_size(), corpus.num_tokens()].map(|number| number as f64);
        let (vocab_bytes, name_bytes) =
            (text(&corpus.vocab), names.map_or(0.0, text) + metadata.sum::<f64>());
        let (columns, _) = grouped(corpus);
        let groups = columns.iter().flat_map(|column| &column.groupings).map(|it| it.names.len() as f64);
        let groups: Vec<f64> = groups.collect();
        let most = topics(params.settings(), tokens) as u64;
        let word_tokens = corpus.word_tokens();
        Self {
            used_words: word_tokens.iter().filter(|&&tokens| tokens > 0).count() as f64,
            word_topics: word_tokens.iter().map(|&tokens| tokens.min(most) as f64).sum(),
            longest_doc: corpus.doc_lengths().max().unwrap_or(0) as f64,
            corpus_bytes: corpus.least_bytes(),
            text_bytes: 0.0,
            held_out: held_out.map_or_else(HeldOut::default, |held_out| HeldOut {
                docs: held_out.num_docs() as f64,
                tokens: held_out.num_tokens() as f64,
            }),
            all: HeldOut { docs, tokens },
            settings: params.settings().clone(),
            threads: rayon::current_num_threads() as f64,
            shards: doc_tasks(&corpus.doc_start, rayon::current_num_threads()).len() as f64,
            docs,
            words,
            tokens,
            vocab_bytes,
            name_bytes,
            groupings: groups.len() as f64,
            groups: groups.iter().sum(),
            plan,
            chains: 1.0,
            waiting: 0.0,
            gpu,
            shared: false,
        }
    }

    /// The same with a share of the documents on the CPU, beside a GPU, or not.
    pub fn shared_with_cpu(self, shared: bool) -> Self {
        Self { shared, ..self }
    }

    /// The same as a part of `corpus`, on the first of several ranks.
    #[must_use]
    pub fn of_all(self, corpus: &Corpus) -> Self {
        let [docs, tokens] = [corpus.num_docs(), corpus.num_tokens()].map(|number| number as f64);
        Self { all: HeldOut { docs, tokens }, ..self }
    }

    /// The same in `chains` chains, which wait for each other in memory if they go on in turns.
    pub fn in_chains(self, chains: u32, until: Until) -> Self {
        let chains = f64::from(chains);
        let waiting = if until == Until::Settled { chains - 1.0 } else { 0.0 };
        Self { chains, waiting, ..self }
    }

    /// The same with the documents' own text, of so many bytes, kept.
    pub fn with_text(self, bytes: u64) -> Self {
        Self { text_bytes: bytes as f64, ..self }
    }

    /// K*.
    pub(super) fn k_star(&self) -> f64 {
        f64::from(self.settings.max_topics)
    }

    /// The most topics with tokens.
    pub(super) fn topics(&self) -> f64 {
        topics(&self.settings, self.tokens)
    }

    /// Whether results are means over samples.
    pub(super) fn has_samples(&self) -> bool {
        self.plan.sampling.samples > 1
    }

    /// The most topics of groups, in all groupings.
    pub(super) fn group_topics(&self) -> f64 {
        (self.groups * self.topics()).min(self.groupings * self.last_doc_topics())
    }

    /// The nonzeros of n at the end of a run, at most: already the first iteration halves those of a random start.
    pub(super) fn last_word_topics(&self) -> f64 {
        self.used_words + 0.5 * self.word_topics
    }

    /// The nonzeros of m at the end of a run, at most. After the first iteration from 200 random topics there were 0.31 to
    /// 0.35 a token, after a thousand from one topic 0.04.
    pub(super) fn last_doc_topics(&self) -> f64 {
        let share = if self.settings.init == Init::ONE { 0.15 } else { 0.4 };
        self.docs + share * self.tokens
    }
}

/// The most topics with tokens in a corpus of `tokens` tokens.
fn topics(settings: &Settings, tokens: f64) -> f64 {
    let found = f64::from(settings.init.topics().unwrap_or(0)) + tokens.powf(TOPICS_EXPONENT);
    found.ceil().min(f64::from(if settings.grow { MAX_TOPICS } else { settings.max_topics }))
}
