//! Topics for the page: measures, a place on the map, neighbours, and the words that any λ may bring to the top.

use std::collections::HashMap;

use super::Shown;
use super::data::TopicData;
use crate::estimate::{DocTopics, PhiRows};
use crate::evaluate::evaluation::{Measures, TopicMeasures, evaluate};
use crate::evaluate::listing::labels;
use crate::evaluate::map::{js_divergences, principal_coordinates};
use crate::evaluate::spread::{distinctiveness, is_background};
use crate::evaluate::summary::insert_top;
use crate::model::trained::Model;

/// Words that the page shows of a topic.
const SHOWN_WORDS: usize = 30;

/// Steps of λ from 0 to 1 whose top words are all there.
const LAMBDA_STEPS: u32 = 10;

/// Words of the search: the most frequent ones, beside those of topics.
const SEARCH_WORDS: usize = 20_000;

/// Topics of each word in the search.
const SEARCH_TOPICS: usize = 10;

/// Topics that are compared with each other; the work grows with the square of their number.
const MAP_TOPICS: usize = 1_000;

/// Nearest topics that are named.
const NEAREST: usize = 5;

/// Topics and the words that they share.
pub(super) struct Topics {
    pub(super) topics: Vec<TopicData>,
    pub(super) words: Words,
}

/// The words of the page.
pub(super) struct Words {
    pub(super) names: Vec<String>,
    pub(super) tokens: Vec<u64>,
    pub(super) topics: Vec<Vec<u32>>,
}

/// Every topic that has tokens, largest first.
pub(super) fn topics(shown: Shown<'_>) -> Topics {
    let Shown { corpus, z, model, .. } = shown;
    let measures = evaluate(model, corpus, Measures::default()).topics;
    let word_tokens: Vec<u64> =
        model.n.columns().map(|column| column.count.iter().map(|&n| u64::from(n)).sum()).collect();
    let rows = rows(model);
    let candidates: Vec<Vec<(u32, u32)>> = measures
        .iter()
        .map(|topic| candidates(&rows[usize::from(topic.topic)], model, topic, &word_tokens))
        .collect();
    let numbers = page_words(&candidates, &word_tokens);
    let places: HashMap<u32, u32> = numbers.iter().copied().zip(0..).collect();
    let docs = DocTopics::of_state(model, &corpus.doc_start, z);
    let (documents, distinctiveness) =
        (docs.documents_of_topics(), distinctiveness(&docs, &model.n.topic_tokens));
    let labels = labels(&model.n, &model.vocab, model.beta);
    let map = Map::new(model, &measures);
    let total = corpus.num_tokens() as f64;
    let topics = measures.iter().zip(candidates).enumerate().map(|(at, (measures, words))| TopicData {
        topic: measures.topic,
        tokens: measures.tokens,
        documents: documents[usize::from(measures.topic)],
        share: measures.tokens as f64 / total,
        psi: model.psi[usize::from(measures.topic)],
        npmi: measures.npmi,
        umass: measures.umass,
        exclusivity: measures.exclusivity,
        distinctiveness: distinctiveness[usize::from(measures.topic)],
        background: is_background(distinctiveness[usize::from(measures.topic)], measures.tokens),
        label: labels[usize::from(measures.topic)].iter().filter_map(|v| places.get(v).copied()).collect(),
        x: map.points.get(at).map(|point| point[0]),
        y: map.points.get(at).map(|point| point[1]),
        near: map.near.get(at).cloned().unwrap_or_default(),
        words: words.into_iter().map(|(v, n)| (places[&v], n)).collect(),
        docs: Vec::new(),
    });
    Topics { topics: topics.collect(), words: Words::new(model, &numbers, &word_tokens) }
}

/// The words of each topic with n_kv.
fn rows(model: &Model) -> Vec<Vec<(u32, u32)>> {
    let mut rows = vec![Vec::new(); model.psi.len()];
    for column in model.n.columns() {
        for (k, n_kv) in column.iter() {
            rows[usize::from(k)].push((column.word, n_kv));
        }
    }
    rows
}

/// The words that are among the first for some λ, by falling n_kv. Relevance is ln φ_kv − (1 − λ)·ln p_v.
fn candidates(
    row: &[(u32, u32)],
    model: &Model,
    topic: &TopicMeasures,
    word_tokens: &[u64],
) -> Vec<(u32, u32)> {
    let phi = model.mean_phi();
    let terms: Vec<(f64, f64)> = row
        .iter()
        .map(|&(v, n_kv)| (libm::log(phi.of(topic.topic, n_kv)), libm::log(word_tokens[v as usize] as f64)))
        .collect();
    let mut chosen: Vec<u32> = Vec::new();
    for step in 0..=LAMBDA_STEPS {
        let rest = 1.0 - f64::from(step) / f64::from(LAMBDA_STEPS);
        let mut top: Vec<(f64, u32)> = Vec::new();
        for (at, (ln_phi, ln_tokens)) in (0..).zip(&terms) {
            insert_top(&mut top, SHOWN_WORDS, ln_phi - rest * ln_tokens, at);
        }
        chosen.extend(top.into_iter().map(|(_, at)| at));
    }
    chosen.sort_unstable();
    chosen.dedup();
    let mut words: Vec<(u32, u32)> = chosen.into_iter().map(|at| row[at as usize]).collect();
    words.sort_by_key(|&(v, n_kv)| (std::cmp::Reverse(n_kv), v));
    words
}

/// The words of topics and the most frequent ones, by falling N_v.
fn page_words(candidates: &[Vec<(u32, u32)>], word_tokens: &[u64]) -> Vec<u32> {
    let mut frequent: Vec<u32> = (0..word_tokens.len() as u32).collect();
    let by_tokens = |&v: &u32| (std::cmp::Reverse(word_tokens[v as usize]), v);
    frequent.sort_by_key(by_tokens);
    frequent.truncate(SEARCH_WORDS);
    frequent.extend(candidates.iter().flatten().map(|&(v, _)| v));
    frequent.sort_by_key(by_tokens);
    frequent.dedup();
    frequent
}

impl Words {
    fn new(model: &Model, numbers: &[u32], word_tokens: &[u64]) -> Self {
        let columns: Vec<_> = model.n.columns().collect();
        let most = |&v: &u32| {
            let mut top: Vec<(u32, u32)> = Vec::new();
            for (k, n_kv) in columns[v as usize].iter() {
                insert_top(&mut top, SEARCH_TOPICS, n_kv, u32::from(k));
            }
            top.into_iter().flat_map(|(n_kv, k)| [k, n_kv]).collect()
        };
        Self {
            names: numbers.iter().map(|&v| model.vocab[v as usize].clone()).collect(),
            tokens: numbers.iter().map(|&v| word_tokens[v as usize]).collect(),
            topics: numbers.iter().map(most).collect(),
        }
    }
}

/// Where the largest topics are, and which ones are near.
struct Map {
    points: Vec<[f64; 2]>,
    near: Vec<Vec<u16>>,
}

impl Map {
    fn new(model: &Model, topics: &[TopicMeasures]) -> Self {
        let numbers: Vec<u16> = topics.iter().take(MAP_TOPICS).map(|topic| topic.topic).collect();
        let divergences = js_divergences(&PhiRows::of_model(model), &numbers);
        let near = |i: usize| {
            let mut others: Vec<usize> = (0..numbers.len()).filter(|&j| j != i).collect();
            others.sort_by(|&a, &b| divergences[(i, a)].total_cmp(&divergences[(i, b)]));
            others.into_iter().take(NEAREST).map(|j| numbers[j]).collect()
        };
        Self { near: (0..numbers.len()).map(near).collect(), points: principal_coordinates(&divergences) }
    }
}
