//! The numbers of ldavis.json, by the definitions of pyLDAvis's `prepare`, from sparse rows of Φ and their floors.

use rayon::prelude::*;

use super::LAMBDA_STEPS;
use crate::estimate::{DocTopics, PhiRow, PhiRows};
use crate::evaluate::map::topic_map;
use crate::evaluate::summary::insert_top;

/// Fewer tokens of a term in a topic are left out of the token table.
const FEWEST_TOKENS: f64 = 0.5;

/// A topic.
pub(super) struct Topic {
    pub(super) topic: u16,
    /// Its place among the topics with tokens, from 0.
    pub(super) place: usize,
    /// Σ_d N_d θ_dk.
    tokens: f64,
    /// Its share of that over all topics.
    pub(super) share: f64,
}

/// A term in a bar chart.
#[derive(Clone, Copy)]
pub(super) struct TermInfo {
    pub(super) word: u32,
    /// Expected tokens in the topic.
    pub(super) tokens: f64,
    /// Expected tokens in all topics.
    pub(super) total: f64,
    pub(super) ln_phi: f64,
    /// ln (φ_kv / p_v).
    pub(super) ln_lift: f64,
}

/// What all parts of the file are made from.
pub(super) struct Prepared<'a> {
    phi: &'a PhiRows,
    /// The topics with tokens, the largest first.
    pub(super) topics: Vec<Topic>,
    /// Terms in a bar chart.
    pub(super) bars: usize,
    /// Σ_k φ_kv times the topic's tokens, by word.
    word_tokens: Vec<f64>,
    /// ln p_v, p_v the word's share of that.
    ln_p: Vec<f64>,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(phi: &'a PhiRows, docs: &DocTopics<'_>, bars: usize) -> Self {
        let topics = ranked_topics(docs);
        let floor: f64 = topics.iter().map(|topic| row(phi, topic).floor * topic.tokens).sum();
        let mut word_tokens = vec![floor; phi.vocab_size];
        for topic in &topics {
            let row = row(phi, topic);
            for (&v, phi) in row.words.iter().zip(&row.phi) {
                word_tokens[v as usize] += (phi - row.floor) * topic.tokens;
            }
        }
        let total: f64 = word_tokens.iter().sum();
        let ln_p = word_tokens.iter().map(|tokens| libm::log(tokens / total)).collect();
        Self { phi, topics, bars: bars.min(phi.vocab_size), word_tokens, ln_p }
    }

    /// Where each topic is in the plane.
    pub(super) fn map(&self) -> Vec<[f64; 2]> {
        let topics: Vec<u16> = self.topics.iter().map(|topic| topic.topic).collect();
        topic_map(self.phi, &topics)
    }

    /// The most salient terms (Chuang et al. 2012), for the view without a topic: p_v Σ_k q_k ln (q_k / share_k), with
    /// q_k = φ_kv / Σ_j φ_jv. pyLDAvis puts their ranks where other terms have logarithms.
    pub(super) fn salient(&self) -> Vec<TermInfo> {
        // Σ_k φ_kv and Σ_k φ_kv ln (φ_kv / share_k): what all words have, and more for those with tokens.
        let (mut sums, mut logs) = (vec![0.0; self.phi.vocab_size], vec![0.0; self.phi.vocab_size]);
        let (mut floor_sum, mut floor_log) = (0.0, 0.0);
        for topic in &self.topics {
            let row = row(self.phi, topic);
            let log = |phi: f64| phi * libm::log(phi / topic.share);
            let floor = log(row.floor);
            floor_sum += row.floor;
            floor_log += floor;
            for (&v, &phi) in row.words.iter().zip(&row.phi) {
                sums[v as usize] += phi - row.floor;
                logs[v as usize] += log(phi) - floor;
            }
        }
        let mut top = Vec::new();
        for v in 0..self.phi.vocab_size {
            let (sum, log) = (floor_sum + sums[v], floor_log + logs[v]);
            let distinctiveness = log / sum - libm::log(sum);
            insert_top(&mut top, self.bars, self.word_tokens[v] * distinctiveness, v as u32);
        }
        let rank = |at: usize| (self.bars - at) as f64;
        let info = |(at, (_, word)): (usize, (f64, u32))| {
            let tokens = self.word_tokens[word as usize].floor();
            TermInfo { word, tokens, total: tokens, ln_phi: rank(at), ln_lift: rank(at) }
        };
        top.into_iter().enumerate().map(info).collect()
    }

    /// Each topic's terms: those that are among the most relevant for any λ.
    pub(super) fn relevant(&self) -> Vec<Vec<TermInfo>> {
        let mut rarest: Vec<u32> = (0..self.phi.vocab_size as u32).collect();
        rarest.sort_by(|&a, &b| self.ln_p[a as usize].total_cmp(&self.ln_p[b as usize]));
        self.topics.par_iter().map(|topic| self.relevant_in(topic, &rarest)).collect()
    }

    fn relevant_in(&self, topic: &Topic, rarest: &[u32]) -> Vec<TermInfo> {
        let row = row(self.phi, topic);
        let info = |word: u32, phi: f64| {
            let (ln_phi, total) = (libm::log(phi), self.word_tokens[word as usize]);
            TermInfo {
                word,
                tokens: phi * topic.tokens,
                total,
                ln_phi,
                ln_lift: ln_phi - self.ln_p[word as usize],
            }
        };
        let mut candidates: Vec<TermInfo> =
            row.words.iter().zip(&row.phi).map(|(&v, &phi)| info(v, phi)).collect();
        // All words without tokens have the same φ: the rarest are the most relevant, or the first when λ is 1.
        let missing = |v: &u32| row.words.binary_search(v).is_err();
        let rare = rarest.iter().copied().filter(missing).take(self.bars);
        let mut floor: Vec<u32> =
            (0..rarest.len() as u32).filter(missing).take(self.bars).chain(rare).collect();
        floor.sort_unstable();
        floor.dedup();
        candidates.extend(floor.into_iter().map(|v| info(v, row.floor)));
        self.most_relevant(candidates)
            .into_iter()
            .map(|info| TermInfo { ln_phi: rounded(info.ln_phi), ln_lift: rounded(info.ln_lift), ..info })
            .collect()
    }

    /// The candidates with the largest λ ln φ_kv + (1 − λ) ln (φ_kv / p_v), for λ from 0 to 1, in the order in which they
    /// first appear.
    fn most_relevant(&self, candidates: Vec<TermInfo>) -> Vec<TermInfo> {
        let mut candidates = self.not_outdone(candidates);
        candidates.sort_by_key(|info| info.word);
        let mut seen = vec![false; candidates.len()];
        let mut relevant = Vec::new();
        for step in 0..=LAMBDA_STEPS {
            let lambda = f64::from(step) / f64::from(LAMBDA_STEPS);
            let mut top = Vec::new();
            for (at, info) in (0..).zip(&candidates) {
                insert_top(&mut top, self.bars, lambda * info.ln_phi + (1.0 - lambda) * info.ln_lift, at);
            }
            for (_, at) in top {
                if !std::mem::replace(&mut seen[at as usize], true) {
                    relevant.push(candidates[at as usize]);
                }
            }
        }
        relevant
    }

    /// Leaves out candidates that as many others as there are bars exceed both in ln φ and in lift: they do so for all λ.
    fn not_outdone(&self, mut candidates: Vec<TermInfo>) -> Vec<TermInfo> {
        candidates.sort_by(|a, b| b.ln_lift.total_cmp(&a.ln_lift).then(a.word.cmp(&b.word)));
        let mut top: Vec<(f64, u32)> = Vec::new();
        candidates.retain(|info| {
            let outdone = top.get(self.bars - 1).is_some_and(|&(ln_phi, _)| ln_phi > info.ln_phi);
            if !outdone {
                insert_top(&mut top, self.bars, info.ln_phi, info.word);
            }
            !outdone
        });
        candidates
    }

    /// Every shown term with the topics that have tokens of it: (word, rank of the topic, share of the word's tokens), by name.
    pub(super) fn token_table(&self, mut shown: Vec<u32>, vocab: &[String]) -> Vec<(u32, usize, f64)> {
        shown.sort_unstable();
        shown.dedup();
        shown.sort_by_key(|&v| &vocab[v as usize]);
        let mut place = vec![None; self.phi.vocab_size];
        shown.iter().enumerate().for_each(|(at, &v)| place[v as usize] = Some(at));
        let mut table = Vec::new();
        for (rank, topic) in self.topics.iter().enumerate() {
            let row = row(self.phi, topic);
            let mut push = |v: u32, at: usize, phi: f64| {
                let tokens = phi * topic.tokens;
                if tokens >= FEWEST_TOKENS {
                    let share = tokens.round_ties_even() / self.word_tokens[v as usize];
                    table.push((at, rank, v, share));
                }
            };
            for (&v, &phi) in row.words.iter().zip(&row.phi) {
                place[v as usize].into_iter().for_each(|at| push(v, at, phi));
            }
            if row.floor * topic.tokens >= FEWEST_TOKENS {
                let missing = shown.iter().enumerate().filter(|(_, v)| row.words.binary_search(v).is_err());
                missing.for_each(|(at, &v)| push(v, at, row.floor));
            }
        }
        table.sort_by_key(|&(at, rank, ..)| (at, rank));
        table.into_iter().map(|(_, rank, v, share)| (v, rank, share)).collect()
    }
}

fn row<'a>(phi: &'a PhiRows, topic: &Topic) -> &'a PhiRow {
    &phi.rows[usize::from(topic.topic)]
}

/// The topics with tokens, the largest first.
fn ranked_topics(docs: &DocTopics<'_>) -> Vec<Topic> {
    let shares = docs.shares();
    // N_d θ_dk = (αΨ_k + m_dk) · N_d / (αΨ_A + N_d).
    let mut weights = 0.0;
    let mut tokens = vec![0.0; shares.alpha_psi().len()];
    let Ok(()) = docs.for_each(|d, topics| {
        let weight = docs.tokens(d) as f64 / (shares.prior() + docs.tokens(d) as f64);
        weights += weight;
        topics.iter().for_each(|topic| tokens[usize::from(topic.topic)] += weight * topic.m);
        Ok::<(), std::convert::Infallible>(())
    });
    let tokens_of = |k: u16| shares.alpha_psi()[usize::from(k)] * weights + tokens[usize::from(k)];
    let total: f64 = shares.active().iter().map(|&k| tokens_of(k)).sum();
    let topic = |(place, &topic): (usize, &u16)| {
        let tokens = tokens_of(topic);
        Topic { topic, place, tokens, share: tokens / total }
    };
    let mut topics: Vec<Topic> = shares.active().iter().enumerate().map(topic).collect();
    topics.sort_by(|a, b| b.tokens.total_cmp(&a.tokens));
    topics
}

/// To four digits, as pyLDAvis does.
fn rounded(logarithm: f64) -> f64 {
    (logarithm * 1e4).round_ties_even() / 1e4
}
