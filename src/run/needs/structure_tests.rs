//! What structures say that they take, against what they do take on the sample corpus.

use std::sync::Arc;

use crate::chain::{Chain, Sampler, Start};
use crate::corpus::sample::sample;
use crate::corpus::{Corpus, strings_bytes};
use crate::device::cpu::Cpu;
use crate::device::{Device, ZStep};
use crate::estimate::{PhiRows, Samples};
use crate::heap::{Heap, Sizes};
use crate::model::alias::TableBuilder;
use crate::model::collapsed::CollapsedTopics;
use crate::model::counts::{Counts, TopicWordCounts, word_blocks};
use crate::model::dirichlet::DirichletRows;
use crate::model::histogram::DocTopicHistogram;
use crate::model::phi::PoissonPolyaUrn;
use crate::model::recount::{Recount, doc_tasks, recount};
use crate::model::trained::Model;
use crate::model::z_counts::ZCounts;
use crate::params::{Init, Params, Settings};

/// A corpus, where a chain on it starts, and what is counted there.
struct Fixture {
    corpus: Arc<Corpus>,
    params: Params,
    start: Start,
    counts: Counts,
}

impl Fixture {
    fn new(topics: u32) -> Self {
        let corpus = Arc::new(sample().corpus);
        let settings = Settings { init: Init::Random(topics), max_topics: 300, ..Settings::paper() };
        let params = settings.check().unwrap();
        let start = Start::first(&corpus, &params);
        let mut counts = Counts::new(&word_blocks(&corpus.word_tokens()), params.k_star());
        recount(&corpus, &start.z, &mut counts);
        Self { corpus, params, start, counts }
    }

    /// The sizes of the start, with nothing in Φ.
    fn sizes(&self) -> Sizes {
        let Self { corpus, params, counts, start } = self;
        let threads = rayon::current_num_threads();
        Sizes {
            docs: corpus.num_docs() as f64,
            words: corpus.vocab_size() as f64,
            vocab_bytes: corpus.vocab.iter().map(String::len).sum::<usize>() as f64,
            tokens: corpus.num_tokens() as f64,
            longest_doc: corpus.doc_lengths().max().unwrap() as f64,
            threads: threads as f64,
            shards: doc_tasks(&corpus.doc_start, threads).len() as f64,
            k_star: params.k_star() as f64,
            topics: counts.n.active_topics() as f64,
            word_topics: nonzeros(&counts.n),
            doc_topics: self.doc_topics(&start.z),
            ..Sizes::default()
        }
    }

    /// The nonzeros of m.
    fn doc_topics(&self, z: &[u16]) -> f64 {
        let topics = |d| z[self.corpus.doc(d)].iter().collect::<std::collections::BTreeSet<_>>().len();
        (0..self.corpus.num_docs()).map(topics).sum::<usize>() as f64
    }
}

fn nonzeros(n: &TopicWordCounts) -> f64 {
    n.columns().map(|column| column.topic.len()).sum::<usize>() as f64
}

/// What is held is at least what was said, and the room at most.
#[track_caller]
fn within(what: &str, said: Heap, taken: Heap) {
    assert!(taken.least > 0.0, "{what} holds nothing");
    assert!(said.least <= taken.least && taken.most <= said.most, "{what}: said {said:?}, taken {taken:?}");
}

/// The same, and nothing but little things was left out of what was said to be held.
#[track_caller]
fn compare(what: &str, said: Heap, taken: Heap) {
    within(what, said, taken);
    assert!(said.least > 0.97 * taken.least, "{what}: said {said:?}, holds {taken:?}");
}

#[test]
fn counts_and_the_start_take_what_they_say() {
    for topics in [20, 200] {
        let fixture = Fixture::new(topics);
        let (Fixture { corpus, params, start, counts }, sizes) = (&fixture, fixture.sizes());
        compare("start", Start::bytes(&sizes), start.heap_bytes());
        compare("n", TopicWordCounts::bytes(&sizes), counts.n.heap_bytes());
        compare("recount", Recount::bytes(&sizes), Recount::new(corpus, params.k_star()).heap_bytes());
        let d = DocTopicHistogram::bytes(&sizes);
        within("d", d, counts.d.heap_bytes());
    }
}

#[test]
fn phi_its_tables_and_the_cpu_take_what_they_say() {
    for topics in [20, 200] {
        let mut fixture = Fixture::new(topics);
        let mut sizes = fixture.sizes();
        let Fixture { corpus, params, start, counts } = &mut fixture;
        let mut urn = PoissonPolyaUrn::new(&counts.n, params);
        let mut tables = TableBuilder::default();
        let phi = urn.sample(&counts.n, params, 1);
        sizes.phi_cells = tables.build(phi, &start.psi, params.alpha()).topic.len() as f64;
        compare("urn", PoissonPolyaUrn::bytes(&sizes), urn.heap_bytes());
        urn.draw_ahead(params, 2);
        sizes.prior_points = params.beta() * sizes.words * sizes.k_star;
        let ahead = PoissonPolyaUrn::bytes(&Sizes { prior_points: 1.1 * sizes.prior_points, ..sizes });
        within("urn with what is drawn ahead", ahead, urn.heap_bytes());
        compare("tables", TableBuilder::bytes(&sizes), tables.heap_bytes());

        let mut cpu = Cpu::new(Arc::clone(corpus), params, start.z.clone());
        let before = nonzeros(&counts.n);
        let is_active = counts.n.are_active();
        let step = ZStep {
            tables: tables.tables(),
            iteration: 1,
            is_active: &is_active,
            docs: 0..corpus.num_docs(),
        };
        let mut counted = ZCounts::default();
        counted.resize(step.tables, params.k_star());
        cpu.collect_z(&step, Some(&mut counted)).unwrap();
        within("what is counted", ZCounts::bytes(&sizes), counted.heap_bytes());
        counted.take_into(step.tables, counts);
        assert!(nonzeros(&counts.n) != before, "nothing was sampled");
        let sizes = Sizes { topics: sizes.k_star, ..sizes };
        within("CPU", Cpu::bytes(&sizes), cpu.heap_bytes());
    }
}

#[test]
fn an_exact_phi_takes_what_it_says() {
    let fixture = Fixture::new(20);
    let Fixture { params, start, counts, .. } = &fixture;
    let mut rows = DirichletRows::new(&counts.n);
    let phi = rows.sample(&counts.n, &start.psi, params, 1);
    let cells: usize = phi.blocks.iter().map(|block| block.nonzeros()).sum();
    let sizes = Sizes { phi_cells: cells as f64, ..fixture.sizes() };
    compare("rows of Φ", DirichletRows::bytes(&sizes), rows.heap_bytes());
}

#[test]
fn direct_assignment_takes_what_it_says() {
    let mut fixture = Fixture::new(20);
    let mut topics = CollapsedTopics::new(fixture.start.z.clone(), &fixture.corpus);
    let before = fixture.sizes();
    within("z with its counts", CollapsedTopics::bytes(&before), topics.heap_bytes());
    let Fixture { corpus, params, start, counts } = &mut fixture;
    topics.sample_z(corpus, &start.psi, params, 1, counts);
    // Lists keep the room of what they held before.
    let most = CollapsedTopics::bytes(&before).most;
    let least = CollapsedTopics::bytes(&fixture.sizes()).least;
    within("z with its counts", Heap { least, most }, topics.heap_bytes());
}

#[test]
fn samples_and_results_take_what_they_say() {
    let fixture = Fixture::new(20);
    let mut chain = Sampler::on_cpu(Arc::clone(&fixture.corpus), fixture.params.clone()).unwrap();
    let mut samples = Samples::new(chain.state());
    let (state, z) = chain.state_and_z().unwrap();
    samples.add(state, &z);
    let sizes = Sizes { doc_topics: fixture.doc_topics(&z), ..fixture.sizes() };
    let model: Model = state.model();
    compare("samples", Samples::bytes(&sizes), samples.heap_bytes());
    compare("Φ by topic", PhiRows::bytes(&sizes, false), PhiRows::of_model(&model).heap_bytes());
    compare("Φ of samples", PhiRows::bytes(&sizes, true), samples.phi().heap_bytes());
    compare("the model", Model::bytes(&sizes), model.heap_bytes());
}

#[test]
fn a_corpus_takes_its_tokens_documents_and_strings() {
    let corpus = sample().corpus;
    let values = corpus.metadata.columns.iter().map(|column| &column.values);
    let strings: usize = values.chain(&corpus.doc_names).chain([&corpus.vocab]).map(Vec::len).sum();
    let arrays = size_of_val(&corpus.w[..]) + size_of_val(&corpus.doc_start[1..]);
    assert_eq!(corpus.least_bytes(), arrays as f64 + strings_bytes(strings as f64, 0.0).most);
}
