//! The host's conditionals against their exact laws: Φ, the alias tables, l, Ψ and the concentrations.

#[path = "../common/mod.rs"]
mod common;
mod grid;
mod learn;
mod psi;

use common::{P_VALUE_GATE, chi_square_p_value};
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::model::alias::{TableBuilder, WordTables};
use hdp_gpu::model::counts::{ColumnBlock, TopicWordCounts};
use hdp_gpu::model::dirichlet::DirichletRows;
use hdp_gpu::model::histogram::DocTopicHistogram;
use hdp_gpu::model::l;
use hdp_gpu::model::phi::{Phi, PoissonPolyaUrn};
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::Init;
use hdp_gpu::{Chain, Params, Sampler, Settings};
use statrs::distribution::{Beta, ContinuousCDF, Discrete, Poisson};

fn params(change: impl FnOnce(&mut Settings)) -> Params {
    let mut settings = Settings::paper();
    change(&mut settings);
    settings.check().unwrap()
}

/// n from n_kv, by word.
fn counts_of<const K: usize>(n_kv: &[[u32; K]], topic_tokens: Vec<u64>) -> TopicWordCounts {
    let mut block = ColumnBlock::new(0..n_kv.len() as u32);
    for column in n_kv {
        (0..).zip(column).filter(|&(_, &count)| count > 0).for_each(|(k, &count)| block.push(k, count));
        block.end_column();
    }
    TopicWordCounts { blocks: vec![block], topic_tokens }
}

/// ϕ_kv ~ Poisson(β + n_kv), every cell of a small n, cells without counts too.
#[test]
fn phi_has_the_law_of_the_poisson_polya_urn() {
    const DRAWS: u32 = 200_000;
    let params = params(|s| (s.beta, s.max_topics) = (0.3, 3));
    let n_kv = [[0u32, 2, 0], [1, 0, 0], [0, 0, 7]];
    let n = counts_of(&n_kv, vec![1, 2, 7]);
    let mut urn = PoissonPolyaUrn::new(&n, &params);
    let mut observed = vec![vec![vec![0u64; 40]; 3]; 3];
    for iteration in 0..DRAWS {
        let phi = urn.sample(&n, &params, iteration);
        let mut varphi = [[0u32; 3]; 3];
        for column in phi.blocks[0].columns() {
            column.iter().for_each(|(k, points)| varphi[column.word as usize][usize::from(k)] = points);
        }
        for k in 0..3 {
            assert_eq!(phi.row_sum[k], varphi.iter().map(|column| f64::from(column[k])).sum::<f64>());
        }
        for (v, column) in varphi.iter().enumerate() {
            column.iter().enumerate().for_each(|(k, &points)| observed[v][k][points as usize] += 1);
        }
    }
    for v in 0..3 {
        for k in 0..3 {
            let law = Poisson::new(params.beta() + f64::from(n_kv[v][k])).unwrap();
            let expected: Vec<f64> = (0..40).map(|points| law.pmf(points) * f64::from(DRAWS)).collect();
            let p = chi_square_p_value(&observed[v][k], &expected);
            assert!(p > P_VALUE_GATE, "word {v}, topic {k}: p = {p:e}");
        }
    }
}

/// The law of the alias table of word `v`, by entry.
fn alias_law(tables: &WordTables, v: u32) -> Vec<f64> {
    let entries = tables.entries(v);
    let mut law = vec![0.0; entries.len()];
    for cell in 0..entries.len() {
        // A full cell's threshold is one short of 2^32; its other entry is itself.
        let (threshold, other) = tables.alias_table(v).cell(cell);
        let own = f64::from(threshold) / 4_294_967_296.0;
        law[cell] += own / entries.len() as f64;
        law[other] += (1.0 - own) / entries.len() as f64;
    }
    law
}

/// Every cell of every alias table of a real state: the table's law is φ_kv·αΨ_k, and the weights are φ_kv.
#[test]
fn tables_of_real_columns_hold_their_law() {
    let corpus = std::sync::Arc::new(sample().corpus);
    let params = params(|s| (s.init, s.max_topics) = (Init::Random(60), 500));
    let sampler = Sampler::on_cpu(corpus, params.clone()).unwrap();
    let (counts, psi) = (sampler.state().counts(), sampler.state().psi());
    let mut urn = PoissonPolyaUrn::new(&counts.n, &params);
    let phi = urn.sample(&counts.n, &params, 1);
    let mut builder = TableBuilder::default();
    let tables = builder.build(phi, psi, params.alpha());

    for column in phi.blocks.iter().flat_map(ColumnBlock::columns) {
        let entries = tables.entries(column.word);
        assert_eq!(&tables.topic[entries.clone()], column.topic);
        let phi_kv: Vec<f64> =
            column.iter().map(|(k, points)| f64::from(points) / phi.row_sum[usize::from(k)]).collect();
        let prior: Vec<f64> = column
            .topic
            .iter()
            .zip(&phi_kv)
            .map(|(&k, phi_kv)| phi_kv * params.alpha() * psi.psi[usize::from(k)])
            .collect();
        let total: f64 = prior.iter().sum();

        let law = alias_law(tables, column.word);
        for ((&k, prior), is) in column.topic.iter().zip(&prior).zip(law) {
            let should = prior / total;
            assert!((is - should).abs() < 1e-9, "word {}, topic {k}: {is} for {should}", column.word);
        }

        let largest = phi_kv.iter().copied().fold(0.0, f64::max);
        let weights = &tables.weight[entries.clone()];
        let unit = f64::from(*weights.iter().max().unwrap()) / largest;
        for (&weight, phi_kv) in weights.iter().zip(&phi_kv) {
            assert!((f64::from(weight) - phi_kv * unit).abs() <= 1.0, "word {}", column.word);
        }
        let mass = tables.mass[column.word as usize] as f64;
        assert!((mass - total * unit).abs() <= 1.0 + 1e-9 * mass, "word {}", column.word);
    }
}

/// The mass of a column whose prior part would round to nothing is 1, and 0 only where there is no column.
#[test]
fn a_small_mass_does_not_vanish() {
    let mut block = ColumnBlock::new(0..2);
    block.push(1, 1);
    block.end_column();
    block.end_column();
    let phi = Phi { blocks: vec![block], row_sum: vec![0.0, 1.0] };
    for ln_psi in [-20.0, -720.0, -1000.0] {
        let psi = Psi { psi: vec![1.0, libm::exp(ln_psi)], ln_psi: vec![0.0, ln_psi] };
        assert_eq!(TableBuilder::default().build(&phi, &psi, 1e-9).mass, [1, 0], "ln Ψ = {ln_psi}");
    }
}

/// Past the last active topic Ψ_k soon is subnormal, then 0: a column with such topics alone has the law of
/// φ_kv·Ψ_k all the same.
#[test]
fn a_column_whose_psi_underflows_keeps_its_law() {
    let ln_psi = [-0.001, -690.0, -744.0, -745.0, -746.0, -746.5, -2000.0, -2001.0];
    let psi = Psi { psi: ln_psi.iter().map(|&ln| libm::exp(ln)).collect(), ln_psi: ln_psi.to_vec() };
    assert!(psi.psi[2] > 0.0 && !psi.psi[2].is_normal() && psi.psi[4] == 0.0);
    let columns: [&[(u16, u32)]; 5] =
        [&[(0, 3)], &[(2, 1), (3, 2)], &[(2, 4), (4, 1), (5, 3)], &[(6, 1), (7, 5)], &[(1, 1), (6, 9)]];
    let mut block = ColumnBlock::new(0..5);
    for column in columns {
        column.iter().for_each(|&(k, points)| block.push(k, points));
        block.end_column();
    }
    let phi = Phi { blocks: vec![block], row_sum: vec![3.0, 1.0, 5.0, 2.0, 1.0, 3.0, 10.0, 5.0] };
    let mut builder = TableBuilder::default();
    let tables = builder.build(&phi, &psi, 0.1);
    for (v, column) in (0..).zip(columns) {
        let ln_weight: Vec<f64> = column
            .iter()
            .map(|&(k, points)| (k as usize, f64::from(points)))
            .map(|(k, points)| libm::log(points / phi.row_sum[k]) + ln_psi[k])
            .collect();
        let largest = ln_weight.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = ln_weight.iter().map(|ln| libm::exp(ln - largest)).sum();
        for (&ln, is) in ln_weight.iter().zip(alias_law(tables, v)) {
            let should = libm::exp(ln - largest) / total;
            assert!((is - should).abs() < 1e-9, "word {v}: {is} for {should}");
        }
    }
    assert!(tables.mass[0] > 1);
    assert_eq!(tables.mass[1..], [1; 4]);
}

/// The number of tables of m customers: P(l) = |s(m, l)|·a^l·Γ(a)/Γ(a + m), by its recurrence.
fn antoniak(m: usize, a: f64) -> Vec<f64> {
    let mut law = vec![1.0];
    for seated in 0..m {
        let seated = seated as f64;
        let mut next = vec![0.0; law.len() + 1];
        for (tables, mass) in law.iter().enumerate() {
            next[tables] += mass * seated / (a + seated);
            next[tables + 1] += mass * a / (a + seated);
        }
        law = next;
    }
    law
}

fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(j, y)| sum[i + j] += x * y);
    }
    sum
}

/// l_k against the sum over documents of exact Antoniak variables, from the histogram alone.
#[test]
fn l_has_the_antoniak_law() {
    const DRAWS: u32 = 200_000;
    for (alpha, psi_k, doc_tokens) in [
        (0.1, 0.5, vec![5, 3, 1]),
        (2.0, 0.7, vec![30]),
        (50.0, 0.4, vec![4, 4, 4, 9, 300]),
        (1.0, 1e-3, vec![400; 3]),
    ] {
        let params = params(|s| (s.alpha, s.max_topics) = (alpha, 2));
        let mut part = DocTopicHistogram::new(2);
        doc_tokens.iter().for_each(|&p| part.add(0, p));
        let mut d = DocTopicHistogram::new(2);
        d.merge(std::iter::once(&part));
        let psi = Psi { psi: vec![psi_k, 1.0 - psi_k], ln_psi: vec![psi_k.ln(), (1.0 - psi_k).ln()] };
        let law = doc_tokens
            .iter()
            .map(|&m| antoniak(m as usize, alpha * psi_k))
            .reduce(|a, b| convolve(&a, &b))
            .unwrap();
        let mut observed = vec![0u64; law.len()];
        for iteration in 0..DRAWS {
            let drawn = l::sample(&d, &psi, &params, iteration);
            assert_eq!(drawn[1], 0);
            observed[drawn[0] as usize] += 1;
        }
        let expected: Vec<f64> = law.iter().map(|mass| mass * f64::from(DRAWS)).collect();
        let p = chi_square_p_value(&observed, &expected);
        assert!(p > P_VALUE_GATE, "α {alpha}, Ψ_k {psi_k}, documents {doc_tokens:?}: p = {p:e}");
        // The law knows the term j = 1 from one that has lost it.
        let shifted: Vec<u64> = observed[1..].iter().copied().chain([0]).collect();
        assert!(chi_square_p_value(&shifted, &expected) < P_VALUE_GATE);
    }
}

/// φ_k ~ Dir(β + n_k): every φ_kv against its marginal Beta law, and the independence of its order by the shares
/// φ_kv / (φ_kv + φ_k,v+1 + …), which are independent Beta variables.
#[test]
fn an_exact_phi_has_the_dirichlet_law() {
    const DRAWS: u32 = 50_000;
    const CELLS: usize = 50;
    let params = params(|s| (s.beta, s.max_topics) = (0.3, 3));
    let n_kv = [[0u32, 2, 0], [1, 0, 0], [0, 0, 7], [4, 0, 1]];
    let n = counts_of(&n_kv, vec![5, 2, 8]);
    let psi = Psi { psi: vec![1.0 / 3.0; 3], ln_psi: vec![(1.0f64 / 3.0).ln(); 3] };
    let mut rows = DirichletRows::new(&n);
    let mut observed = vec![vec![vec![0u64; CELLS]; 3]; 3];
    for iteration in 0..DRAWS {
        let phi = rows.sample(&n, &psi, &params, iteration);
        let mut phi_kv = [[0.0; 3]; 4];
        for column in phi.blocks[0].columns() {
            column.iter().for_each(|(k, value)| phi_kv[column.word as usize][usize::from(k)] = value);
        }
        for k in 0..3 {
            let mut left = 1.0;
            for v in 0..3 {
                let shape = |v: usize| params.beta() + f64::from(n_kv[v][k]);
                let law = Beta::new(shape(v), (v + 1..4).map(shape).sum()).unwrap();
                let quantile = law.cdf((phi_kv[v][k] / left).clamp(0.0, 1.0));
                observed[v][k][((quantile * CELLS as f64) as usize).min(CELLS - 1)] += 1;
                left -= phi_kv[v][k];
            }
        }
    }
    for (v, topics) in observed.iter().enumerate() {
        for (k, observed) in topics.iter().enumerate() {
            let p = chi_square_p_value(observed, &[f64::from(DRAWS) / CELLS as f64; CELLS]);
            assert!(p > P_VALUE_GATE, "word {v}, topic {k}: p = {p:e}");
        }
    }
}

/// Every topic within reach has a row, whether it has tokens or not; the others have none.
#[test]
fn only_topics_out_of_reach_lack_a_row() {
    let params = params(|s| s.max_topics = 5);
    let n = counts_of(&[[0, 0, 3, 0, 0], [0, 0, 0, 2, 0]], vec![0, 0, 3, 2, 0]);
    let ln_psi = vec![-0.1, -400.0, -300.0, -5.0, -439.0];
    let psi = Psi { psi: ln_psi.iter().map(|&ln| libm::exp(ln)).collect(), ln_psi };
    let mut rows = DirichletRows::new(&n);
    let phi = rows.sample(&n, &psi, &params, 1);
    let drawn: std::collections::BTreeSet<u16> =
        phi.blocks[0].columns().flat_map(|column| column.topic.to_vec()).collect();
    assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
}
