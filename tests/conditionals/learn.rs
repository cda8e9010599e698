//! α, β and γ given the rest of the state, and slice sampling.

use hdp_gpu::dist::slice::slice_sample;
use hdp_gpu::model::learn::{self, Given, escobar_west};
use hdp_gpu::model::lengths::Lengths;
use hdp_gpu::model::psi::Psi;
use hdp_gpu::params::{Algorithm, Concentrations, GammaPrior, Learn, PhiLaw, PsiLaw};
use hdp_gpu::rng::{Step, Stream};
use hdp_gpu::{Params, Settings};
use statrs::distribution::{ContinuousCDF, Gamma};
use statrs::function::gamma::ln_gamma;

use crate::common::P_VALUE_GATE;
use crate::grid::{Grid, quantiles_p_value};
use crate::{counts_of, params};

const PRIOR: GammaPrior = GammaPrior { shape: 1.5, rate: 0.7 };

/// Logarithms of concentrations, within which their laws here are.
const LEAST: f64 = -25.0;
const MOST: f64 = 15.0;

/// The law of ln c, where c has the prior and the likelihood c^T·Π_j Γ(c)/Γ(c + N_j).
fn restaurants(lengths: &Lengths, tables: f64) -> Grid {
    Grid::new(LEAST, MOST, |ln_c| {
        let c = ln_c.exp();
        let rising = |n: u64| ln_gamma(c + n as f64) - ln_gamma(c);
        let customers: f64 = lengths.iter().map(|(n, docs)| docs as f64 * rising(n)).sum();
        (PRIOR.shape + tables) * ln_c - PRIOR.rate * c - customers
    })
}

/// (documents, length).
type Docs = &'static [(usize, u64)];

/// Documents and tables. The auxiliary variables are drawn customer by customer for many restaurants, and
/// one by one for few with many customers.
const RESTAURANTS: [(&str, Docs, u64); 6] = [
    ("one", &[(1, 37)], 5),
    ("one customer", &[(1, 1)], 1),
    ("many short ones", &[(150, 3), (60, 1), (40, 7)], 330),
    ("few long ones", &[(1, 3000), (1, 20_000), (1, 5000)], 12),
    ("short ones, then two long ones", &[(100, 20), (1, 140), (1, 150)], 250),
    ("as many tables as customers", &[(5, 4), (3, 0)], 20),
];

#[test]
fn a_concentration_of_restaurants_has_its_law() {
    for (name, docs, tables) in RESTAURANTS {
        let lengths = docs.iter().flat_map(|&(docs, length)| std::iter::repeat_n(length, docs));
        let lengths = Lengths::count(lengths);
        let law = restaurants(&lengths, tables as f64);
        let of_tables = |tables: u64| {
            law.p_value(|ln_c, stream| escobar_west(ln_c.exp(), &lengths, tables, PRIOR, stream).ln())
        };
        assert_seen(name, of_tables(tables), &[("a table more", of_tables(tables + 1))]);
    }
}

/// The right law is obeyed, and the wrong ones are seen.
fn assert_seen(name: &str, p: f64, wrong: &[(&str, f64)]) {
    println!("{name}: p = {p:.2e}");
    assert!(p > P_VALUE_GATE, "{name}: p = {p:e}");
    for (what, p) in wrong {
        println!("{name} with {what}: p = {p:.2e}");
        assert!(*p < P_VALUE_GATE, "{name}: {what} goes unnoticed, p = {p:e}");
    }
}

/// Densities that are narrow, wide, of two tops, skewed, or cut off: the ln of each, and of one that is not the same.
#[test]
fn slices_leave_a_density_as_it_is() {
    fn tops(x: f64) -> f64 {
        let top = |at: f64, narrow: f64| (-narrow * (x - at).powi(2)).exp();
        (top(-2.0, 2.0) + 2.0 * top(1.5, 8.0) + 0.1 * top(0.0, 0.1)).ln()
    }
    type Case = (&'static str, f64, f64, fn(f64) -> f64, fn(f64) -> f64);
    let cases: [Case; 5] = [
        ("narrow", -0.01, 0.01, |x| -0.5 * (x / 1e-3).powi(2), |x| -0.5 * (x / 1.1e-3).powi(2)),
        ("wide", -1000.0, 1000.0, |x| -0.5 * (x / 100.0).powi(2), |x| -0.1 * x.abs()),
        ("two tops", -15.0, 15.0, tops, |x| tops(x) + 0.1 * x),
        ("skewed", -25.0, 5.0, |x| 0.9 * x - x.exp(), |x| x - x.exp()),
        ("cut off", -3.0, 1.0, |x| 2.0 * x, |x| 1.5 * x),
    ];
    for (name, from, to, ln_density, wrong) in cases {
        let law = Grid::new(from, to, ln_density);
        let of = |ln_density: fn(f64) -> f64| {
            law.p_value(|x, stream| slice_sample(x, from..=to, ln_density, stream))
        };
        assert_seen(name, of(ln_density), &[("another density", of(wrong))]);
    }
}

/// A state with 3 topics of 4 words.
const N_KV: [[u32; 3]; 4] = [[9, 0, 0], [1, 2, 0], [0, 0, 7], [4, 0, 1]];
const TOPIC_TOKENS: [u64; 3] = [14, 2, 8];
const L: [u64; 5] = [4, 0, 3, 0, 1];
const PSI: [f64; 5] = [0.3, 0.2, 0.1, 0.25, 0.15];

/// What is learned given that state, with these l, and documents of 12 tokens.
fn learn(vocab_size: usize, l: &[u64], params: &Params, iteration: u32) -> Concentrations {
    let n = counts_of(&N_KV, TOPIC_TOKENS.to_vec());
    let psi = Psi { psi: PSI.to_vec(), ln_psi: PSI.map(f64::ln).to_vec() };
    let lengths = Lengths::count([12, 0, 12].into_iter());
    learn::sample(&Given { n: &n, l, psi: &psi, lengths: &lengths, vocab_size }, params, iteration)
}

/// β has its prior and the likelihood of the words with Φ integrated out.
#[test]
fn beta_has_its_law() {
    let law = Grid::new(LEAST, MOST, |ln_beta| {
        let beta = ln_beta.exp();
        let rising = |a: f64, n: f64| ln_gamma(a + n) - ln_gamma(a);
        let words: f64 = N_KV.iter().flatten().map(|&n| rising(beta, f64::from(n))).sum();
        let topics: f64 = TOPIC_TOKENS.iter().map(|&n| rising(4.0 * beta, n as f64)).sum();
        PRIOR.shape * ln_beta - PRIOR.rate * beta + words - topics
    });
    let of = |vocab_size, shape| {
        let prior = Some(GammaPrior { shape, ..PRIOR });
        let mut iteration = 0;
        law.p_value(|ln_beta, _| {
            iteration += 1;
            let params = exact_params(|s| (s.beta, s.learn.beta) = (ln_beta.exp(), prior));
            learn(vocab_size, &L, &params, iteration).beta.ln()
        })
    };
    let wrong = [("2V", of(8, PRIOR.shape)), ("a shape less", of(4, PRIOR.shape - 1.0))];
    assert_seen("β", of(4, PRIOR.shape), &wrong);
}

/// Parameters of the sampler without approximation, which lets β be learned by any prior.
fn exact_params(change: impl FnOnce(&mut Settings)) -> Params {
    params(|s| {
        (s.max_topics, s.sampler) = (5, Algorithm::Ppu { phi: PhiLaw::Dirichlet });
        change(s);
    })
}

/// Given sticks, γ is Gamma(a + K, b − Σ_{k≤K} ln(1 − ς_k)) with the sticks up to the last topic in use.
#[test]
fn gamma_given_sticks_has_its_law() {
    let params = exact_params(|s| s.learn.gamma = Some(PRIOR));
    // The flag topic, whose stick is 1, has none of its own.
    for (l, sticks, left) in [([4, 0, 3, 0, 0], 3.0, 0.4f64), ([1, 0, 0, 0, 2], 4.0, 0.15)] {
        let drawn: Vec<f64> = (0..50_000).map(|iteration| learn(4, &l, &params, iteration).gamma).collect();
        let p_value = |sticks: f64| {
            let law = Gamma::new(PRIOR.shape + sticks, PRIOR.rate - left.ln()).unwrap();
            quantiles_p_value(&drawn.iter().map(|&gamma| law.cdf(gamma)).collect::<Vec<_>>())
        };
        assert_seen("γ given sticks", p_value(sticks), &[("a stick more", p_value(sticks + 1.0))]);
    }
}

/// Without an order, γ is the concentration of one restaurant with Σl customers at as many tables as there are topics; α that of
/// the documents, at Σl tables.
#[test]
fn alpha_and_gamma_are_concentrations_of_restaurants() {
    let p_value = |law: &Grid, which: fn(Concentrations) -> f64, shape: f64| {
        let prior = Some(GammaPrior { shape, ..PRIOR });
        let mut iteration = 0;
        law.p_value(|ln_c, _| {
            iteration += 1;
            let params = exact_params(|s| {
                s.psi = PsiLaw::Dp;
                (s.learn.alpha, s.learn.gamma) = (prior, prior);
                (s.alpha, s.gamma) = (ln_c.exp(), ln_c.exp());
            });
            which(learn(4, &L, &params, iteration)).ln()
        })
    };
    let documents = restaurants(&Lengths::count([12, 12].into_iter()), 8.0);
    let alpha = |shape| p_value(&documents, |learned| learned.alpha, shape);
    assert_seen("α", alpha(PRIOR.shape), &[("a table more", alpha(PRIOR.shape + 1.0))]);
    let tables = restaurants(&Lengths::count([8].into_iter()), 3.0);
    let gamma = |shape| p_value(&tables, |learned| learned.gamma, shape);
    assert_seen("γ", gamma(PRIOR.shape), &[("a topic more", gamma(PRIOR.shape + 1.0))]);
}

/// All are learned.
fn learn_all(psi: PsiLaw) -> Params {
    let prior = Some(GammaPrior { shape: 2.0, rate: 3.0 });
    exact_params(|s| (s.psi, s.learn) = (psi, Learn { alpha: prior, beta: prior, gamma: prior }))
}

/// What is not learned stays, to the bit, and does not change what is.
#[test]
fn only_what_is_learned_changes() {
    let all = learn_all(PsiLaw::Sticks);
    let (fixed, learned) = (all.concentrations(), learn(4, &L, &all, 1));
    let only = |change: fn(&mut Settings)| {
        let mut settings = all.settings().clone();
        change(&mut settings);
        learn(4, &L, &settings.check().unwrap(), 1)
    };
    assert_eq!(only(|s| s.learn.alpha = None), Concentrations { alpha: fixed.alpha, ..learned });
    assert_eq!(only(|s| s.learn.beta = None), Concentrations { beta: fixed.beta, ..learned });
    assert_eq!(only(|s| s.learn.gamma = None), Concentrations { gamma: fixed.gamma, ..learned });
    assert_eq!(only(|s| s.learn = Learn::default()), fixed);
}

#[test]
fn known_draws() {
    for (psi, iteration, [alpha, beta, gamma]) in [
        (PsiLaw::Sticks, 1, [0.6239796809055589, 0.08068068160400407, 1.1500351818252275]),
        (PsiLaw::Sticks, 2, [0.9448958422391276, 0.010936390328408114, 1.0933146556601636]),
        (PsiLaw::Dp, 1, [0.6239796809055589, 0.08068068160400407, 0.5722764328923905]),
        (PsiLaw::Dp, 2, [0.9448958422391276, 0.010936390328408114, 0.6502263226742673]),
    ] {
        let learned = learn(4, &L, &learn_all(psi), iteration);
        assert_eq!(learned, Concentrations { alpha, beta, gamma }, "{psi:?}, iteration {iteration}");
    }
    let mut stream = Stream::new(1, Step::Beta, 2, 3);
    let mut x = 0.5;
    let walked = [0; 3].map(|_| {
        x = slice_sample(x, -30.0..=10.0, |x| 2.0 * x - libm::exp(x), &mut stream);
        x
    });
    assert_eq!(walked, [0.6484597744173394, 0.7456733917511814, 0.5394845436546905]);
    // Both ways to draw the auxiliary variables.
    for (lengths, expected) in [([3, 3, 8], 1.719085866218455), ([3, 500, 800], 0.654171237894446)] {
        let drawn = escobar_west(0.7, &Lengths::count(lengths.into_iter()), 9, PRIOR, &mut stream);
        assert_eq!(drawn, expected, "{lengths:?}");
    }
}
