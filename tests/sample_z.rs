//! The z step: its law against enumeration, and its bits against the definition written plainly.

mod common;

use std::sync::Arc;

use common::{P_VALUE_GATE, chi_square_p_value, fixed_cases};
use hdp_gpu::corpus::Corpus;
use hdp_gpu::device::Place;
use hdp_gpu::device::cpu::{ActiveColumns, Counter, DocWalk};
use hdp_gpu::model::alias::{TableBuilder, WordTables};
use hdp_gpu::model::counts::{ColumnBlock, Counts, word_blocks};
use hdp_gpu::model::histogram::DocTopicHistogram;
use hdp_gpu::model::phi::Phi;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::model::z::{DocTopicCounts, Sweep, sample_z};
use hdp_gpu::rng::{self, Step, Stream};
use hdp_gpu::{Params, Settings};
use proptest::prelude::*;

/// Φ from the points ϕ_kv, given by word.
fn phi(columns: &[Vec<u32>]) -> Phi {
    let mut row_sum = vec![0.0; columns[0].len()];
    let mut block = ColumnBlock::new(0..columns.len() as u32);
    for column in columns {
        for (k, &points) in column.iter().enumerate().filter(|&(_, &points)| points > 0) {
            block.push(k as u16, points);
            row_sum[k] += f64::from(points);
        }
        block.end_column();
    }
    Phi { blocks: vec![block], row_sum }
}

fn psi(values: &[f64]) -> Psi {
    Psi { psi: values.to_vec(), ln_psi: values.iter().map(|value| value.ln()).collect() }
}

fn params(alpha: f64, max_topics: usize, seed: u64) -> Params {
    Settings { alpha, max_topics: max_topics as u32, seed, ..Settings::paper() }.check().unwrap()
}

/// p(z | w, Φ, Ψ) of one document over all z, by enumeration: z number s has topic (s / K^i) mod K at token i.
fn exact_law(w: &[u32], columns: &[Vec<u32>], psi: &[f64], alpha: f64) -> Vec<f64> {
    let phi = phi(columns);
    let k_star = psi.len();
    let mut law: Vec<f64> = (0..k_star.pow(w.len() as u32))
        .map(|state| {
            let mut m = vec![0.0; k_star];
            topics_of(state, k_star, w.len())
                .zip(w)
                .map(|(k, &v)| {
                    let phi_kv = f64::from(columns[v as usize][k]) / phi.row_sum[k];
                    let urn = alpha * psi[k] + m[k];
                    m[k] += 1.0;
                    phi_kv * urn
                })
                .product()
        })
        .collect();
    let total: f64 = law.iter().sum();
    law.iter_mut().for_each(|mass| *mass /= total);
    law
}

fn topics_of(state: usize, k_star: usize, tokens: usize) -> impl Iterator<Item = usize> {
    (0..tokens).map(move |i| state / k_star.pow(i as u32) % k_star)
}

/// Starts many copies of a document from the exact law, makes one sweep, and tests that the law is still the
/// exact one. Returns the p-value; `sweep_alpha` is the α of the sweep.
fn stationarity(w: &[u32], columns: &[Vec<u32>], psi_values: &[f64], alpha: f64, sweep_alpha: f64) -> f64 {
    const COPIES: usize = 100_000;
    let k_star = psi_values.len();
    let law = exact_law(w, columns, psi_values, alpha);
    let cumulative: Vec<f64> = law
        .iter()
        .scan(0.0, |sum, mass| {
            *sum += mass;
            Some(*sum)
        })
        .collect();
    let z: Vec<u16> = (0..COPIES)
        .flat_map(|copy| {
            let u = Stream::new(11, Step::SynthDocument, 0, copy as u32).uniform();
            let state = cumulative.partition_point(|&sum| sum <= u).min(law.len() - 1);
            topics_of(state, k_star, w.len()).map(|k| k as u16)
        })
        .collect();
    let corpus = Corpus::new(
        w.repeat(COPIES),
        (0..=COPIES).map(|copy| copy * w.len()).collect(),
        (0..columns.len()).map(|v| v.to_string()).collect(),
    )
    .expect("a corpus");
    let mut counts = Counts::new(&word_blocks(&corpus.word_tokens()), k_star);
    let mut builder = TableBuilder::default();
    let tables = builder.build(&phi(columns), &psi(psi_values), sweep_alpha);
    let mut device = Place::cpu().open(Arc::new(corpus), &params(alpha, k_star, 5), z).unwrap();
    device.sample_z(tables, 1, &mut counts).unwrap();
    let mut observed = vec![0; law.len()];
    for z in device.z().unwrap().chunks(w.len()) {
        let state: usize = z.iter().enumerate().map(|(i, &k)| usize::from(k) * k_star.pow(i as u32)).sum();
        observed[state] += 1;
    }
    let expected: Vec<f64> = law.iter().map(|mass| mass * COPIES as f64).collect();
    chi_square_p_value(&observed, &expected)
}

#[test]
fn a_sweep_keeps_the_exact_law() {
    // Two topics and two tokens; four topics and five tokens; a word that only some topics have; a Ψ so
    // small that its topic lives on m_d alone.
    let keeps = |w: &[u32], columns: &[Vec<u32>], psi: &[f64], alpha: f64| {
        let p = stationarity(w, columns, psi, alpha, alpha);
        assert!(p > P_VALUE_GATE, "words {w:?}, Ψ {psi:?}, α {alpha}: p = {p:e}");
    };
    keeps(&[0, 1], &[vec![3, 1], vec![1, 5]], &[0.6, 0.4], 0.5);
    let four = [vec![5, 1, 2, 7], vec![1, 4, 1, 0], vec![2, 2, 0, 1]];
    keeps(&[0, 1, 2, 0, 1], &four, &[0.4, 0.3, 0.2, 0.1], 1.0);
    keeps(&[0, 0, 1, 1], &[vec![9, 0, 4], vec![1, 2, 4]], &[0.1, 0.7, 0.2], 0.1);
    keeps(&[0, 1, 0, 1, 1], &[vec![1, 6], vec![3, 1]], &[0.999, 0.001], 2.0);
}

#[test]
fn a_sweep_with_twice_the_alpha_is_found_out() {
    let columns = vec![vec![5, 1, 2, 7], vec![1, 4, 1, 0], vec![2, 2, 0, 1]];
    let p = stationarity(&[0, 1, 2, 0, 1], &columns, &[0.4, 0.3, 0.2, 0.1], 1.0, 2.0);
    assert!(p < P_VALUE_GATE, "p = {p:e}");
}

/// The z step as it is defined, with nothing clever: the reference.
fn sample_z_plainly(
    tables: &WordTables,
    k_star: usize,
    seed: u64,
    iteration: u32,
    first: u64,
    w: &[u32],
    z: &mut [u16],
) -> u64 {
    let key = rng::key(seed);
    let mut stuck = 0;
    for t in 0..w.len() {
        let mut m = vec![0u64; k_star];
        for (other, &k) in z.iter().enumerate() {
            m[usize::from(k)] += u64::from(other != t);
        }
        let (v, i) = (w[t], first + t as u64);
        let entries = tables.entries(v);
        let products: Vec<(u16, u64)> = entries
            .clone()
            .map(|e| (tables.topic[e], u64::from(tables.weight[e]) * m[usize::from(tables.topic[e])]))
            .collect();
        let document: u64 = products.iter().map(|&(_, product)| product).sum();
        let total = tables.mass[v as usize] + document;
        if total == 0 {
            stuck += 1;
            continue;
        }
        let block = rng::philox(key, [(i / 2) as u32, ((i / 2) >> 32) as u32, iteration, Step::Z as u32]);
        let half = 2 * (i % 2) as usize;
        let r = u128::from(block[half]) << 32 | u128::from(block[half + 1]);
        let mut u = ((r * u128::from(total)) >> 64) as u64;
        z[t] = if u < document {
            let mut chosen = products.iter();
            loop {
                let &(k, product) = chosen.next().unwrap();
                if u < product {
                    break k;
                }
                u -= product;
            }
        } else {
            let block = rng::philox(key, [i as u32, (i >> 32) as u32, iteration, Step::ZAlias as u32]);
            let r = u128::from(block[0]) << 32 | u128::from(block[1]);
            let cell = ((r * entries.len() as u128) >> 64) as usize;
            let (threshold, other) = tables.alias_table(v).cell(cell);
            tables.topic[entries.start + if block[2] < threshold { cell } else { other }]
        };
    }
    stuck
}

proptest! {
    #![proptest_config(fixed_cases(200))]

    /// Short and long columns, few and many topics in a document: whichever side is walked, the bits agree.
    #[test]
    fn sample_z_has_the_bits_of_its_definition(
        seed in any::<u64>(),
        iteration in any::<u32>(),
        first in prop_oneof![0u64..100, (1u64 << 33) - 50..(1 << 33) + 50],
        k_star in 1usize..400,
        density in 0.01f64..1.0,
        spread in prop_oneof![1usize..12, 1usize..400],
        neighbours in 0usize..800,
        alpha in prop_oneof![Just(1e-6), Just(0.1), Just(50.0)],
        tokens in 1usize..200,
    ) {
        let mut stream = Stream::new(seed, Step::SynthTopic, 0, 0);
        let columns: Vec<Vec<u32>> = (0..5)
            .map(|_| (0..k_star).map(|_| {
                if stream.uniform() < density { 1 + stream.below(1000) as u32 } else { 0 }
            }).collect())
            .collect();
        let psi_values: Vec<f64> = (0..k_star).map(|k| 0.5f64.powi(k as i32 + 1)).collect();
        let w: Vec<u32> = (0..tokens).map(|_| stream.below(5) as u32).collect();
        let start: Vec<u16> =
            (0..tokens).map(|_| stream.below(spread.min(k_star) as u64) as u16).collect();
        let mut builder = TableBuilder::default();
        let tables = builder.build(&phi(&columns), &psi(&psi_values), alpha);

        let mut plain = start.clone();
        let plain_stuck = sample_z_plainly(tables, k_star, seed, iteration, first, &w, &mut plain);
        let sweep = Sweep { tables, key: rng::key(seed), iteration };

        // By look-ups or walks, with a list of the document's topics.
        let mut listed = start.clone();
        let mut doc = DocTopicCounts::default();
        let mut chosen = Vec::new();
        let stuck = sample_z(sweep, first, &w, &mut listed, &mut doc, |entry| chosen.push(entry));
        prop_assert!(chosen.iter().map(|&entry| tables.topic[entry]).eq(drawn(&plain, &w, tables)));
        prop_assert_eq!((&listed, stuck), (&plain, plain_stuck));
        let mut d = DocTopicHistogram::new(k_star);
        doc.drain_into(&mut d);
        prop_assert!(is_histogram_of(&d, &plain));

        // By walks along the columns of active topics, or by look-ups in those of topics that only other documents have; new ones
        // come from the alias table.
        let mut walked = start;
        let mut active = ActiveColumns::default();
        let others = (0..neighbours).map(|_| stream.below(k_star as u64) as u16);
        active.set_topics(&is_active(walked.iter().copied().chain(others), k_star));
        active.build(tables);
        let mut d = DocTopicHistogram::new(k_star);
        let mut chosen = Chosen(0);
        let stuck =
            DocWalk::default().sample_z(sweep, &active, first, &w, &mut walked, &mut d, &mut chosen);
        prop_assert_eq!(chosen.0 + stuck, tokens as u64);
        prop_assert_eq!((&walked, stuck), (&plain, plain_stuck));
        prop_assert!(is_histogram_of(&d, &plain));
    }
}

/// The tokens that chose something.
struct Chosen(u64);

impl Counter for Chosen {
    fn slot(&mut self, _: usize) {
        self.0 += 1;
    }

    fn entry(&mut self, _: usize) {
        self.0 += 1;
    }
}

/// The topics of the tokens that had something to draw from: all but those of words without any weight.
fn drawn(z: &[u16], w: &[u32], tables: &WordTables) -> impl Iterator<Item = u16> {
    z.iter().zip(w).filter(|&(_, &v)| tables.mass[v as usize] > 0).map(|(&k, _)| k)
}

/// Which topics below K* there are.
fn is_active(topics: impl Iterator<Item = u16>, k_star: usize) -> Vec<bool> {
    let mut is_active = vec![false; k_star];
    topics.for_each(|k| is_active[usize::from(k)] = true);
    is_active
}

/// Whether `d` has one document, with the topics `z`.
fn is_histogram_of(d: &DocTopicHistogram, z: &[u16]) -> bool {
    let topics = 0..=z.iter().copied().max().unwrap_or(0);
    topics.into_iter().all(|k| {
        let tokens = z.iter().filter(|&&z| z == k).count() as u32;
        let m: Vec<(u32, u64)> = d.topic(k).collect();
        if tokens == 0 { m.is_empty() } else { m == [(tokens, 1)] }
    })
}

#[test]
fn a_word_without_any_weight_keeps_its_topic_and_is_counted() {
    let columns = vec![vec![2, 3], vec![0, 0]];
    let mut builder = TableBuilder::default();
    let tables = builder.build(&phi(&columns), &psi(&[0.5, 0.5]), 0.1);
    assert_eq!(tables.mass[1], 0);
    let mut z = [1, 0, 1];
    let sweep = Sweep { tables, key: rng::key(1), iteration: 1 };
    let counted = |_| unreachable!("there is nothing to choose");
    let stuck = sample_z(sweep, 0, &[1, 1, 1], &mut z, &mut DocTopicCounts::default(), counted);
    assert_eq!((stuck, z), (3, [1, 0, 1]));
    let mut active = ActiveColumns::default();
    active.set_topics(&is_active(z.into_iter(), 2));
    active.build(tables);
    let mut d = DocTopicHistogram::new(2);
    let mut chosen = Chosen(0);
    let stuck = DocWalk::default().sample_z(sweep, &active, 0, &[1, 1, 1], &mut z, &mut d, &mut chosen);
    assert_eq!((stuck, z, chosen.0), (3, [1, 0, 1], 0));
}
