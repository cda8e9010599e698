//! What must hold of every state, derived again from z after every iteration.

mod common;

use std::sync::Arc;

use common::fixed_cases;
use hdp_gpu::chain::Start;
use hdp_gpu::corpus::Corpus;
use hdp_gpu::device::Place;
use hdp_gpu::params::{Algorithm, GammaPrior, Init, Learn, PhiLaw, PsiLaw};
use hdp_gpu::{Chain, Params, Sampler, Settings, chain};
use proptest::prelude::*;

/// A small corpus: word numbers by document.
fn corpus(docs: &[Vec<u32>], vocab_size: usize) -> Corpus {
    let mut doc_start = vec![0];
    doc_start.extend(docs.iter().scan(0, |end, doc| {
        *end += doc.len();
        Some(*end)
    }));
    Corpus::new(docs.concat(), doc_start, (0..vocab_size).map(|v| v.to_string()).collect()).expect("a corpus")
}

/// Compares everything that a chain keeps with what z says.
fn check(sampler: &mut dyn Chain) -> Result<(), TestCaseError> {
    let z = sampler.z().unwrap();
    let (corpus, k_star) = (sampler.state().corpus(), sampler.state().params().k_star());
    prop_assert!(z.iter().all(|&k| usize::from(k) < k_star));

    let mut n = vec![vec![0u32; corpus.vocab_size()]; k_star];
    z.iter().zip(&corpus.w).for_each(|(&k, &v)| n[usize::from(k)][v as usize] += 1);
    let mut kept = vec![vec![0u32; corpus.vocab_size()]; k_star];
    for column in sampler.state().counts().n.columns() {
        prop_assert!(column.topic.is_sorted_by(|a, b| a < b));
        column.iter().for_each(|(k, count)| kept[usize::from(k)][column.word as usize] = count);
    }
    prop_assert_eq!(&kept, &n);
    let n_k: Vec<u64> = n.iter().map(|row| row.iter().map(|&count| u64::from(count)).sum()).collect();
    prop_assert_eq!(&sampler.state().counts().n.topic_tokens, &n_k);
    prop_assert_eq!(n_k.iter().sum::<u64>(), corpus.num_tokens() as u64);

    let m: Vec<Vec<u32>> = (0..corpus.num_docs())
        .map(|d| {
            let mut m = vec![0; k_star];
            z[corpus.doc(d)].iter().for_each(|&k| m[usize::from(k)] += 1);
            m
        })
        .collect();
    for (d, m) in m.iter().enumerate() {
        prop_assert_eq!(m.iter().sum::<u32>() as usize, corpus.doc(d).len());
    }
    for k in 0..k_star {
        let mut tokens: Vec<u32> = m.iter().map(|m| m[k]).filter(|&tokens| tokens > 0).collect();
        tokens.sort_unstable();
        let kept: Vec<u32> = sampler
            .state()
            .counts()
            .d
            .topic(k as u16)
            .flat_map(|(p, docs)| std::iter::repeat_n(p, docs as usize))
            .collect();
        prop_assert_eq!(kept, tokens, "d of topic {}", k);
    }

    let l = sampler.state().l();
    for k in 0..k_star {
        prop_assert!(l[k] <= n_k[k], "l_{} = {} of {} tokens", k, l[k], n_k[k]);
        prop_assert_eq!(l[k] > 0, n_k[k] > 0);
    }
    let (tables, docs) = (l.iter().sum::<u64>(), corpus.doc_lengths().filter(|&tokens| tokens > 0).count());
    prop_assert!((docs as u64..=corpus.num_tokens() as u64).contains(&tables));

    let psi = sampler.state().psi();
    prop_assert!((psi.psi.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    prop_assert!(psi.psi.iter().all(|psi| (0.0..=1.0).contains(psi)));
    prop_assert!(psi.ln_psi.iter().all(|ln| ln.is_finite()));
    let likelihood = sampler.state().log_likelihood();
    prop_assert!(likelihood.model.is_finite() && likelihood.lda.is_finite());
    Ok(())
}

/// A chain by the sampler that the parameters ask for.
fn chain_from(corpus: &Arc<Corpus>, params: &Params, start: Start) -> Box<dyn Chain> {
    chain::open(Arc::clone(corpus), params.clone(), start, &Place::cpu()).unwrap()
}

fn now(chain: &mut dyn Chain) -> Start {
    let z = chain.z().unwrap();
    Start {
        iteration: chain.state().iteration(),
        z,
        l: chain.state().l().to_vec(),
        psi: chain.state().psi().clone(),
        concentrations: chain.state().params().concentrations(),
    }
}

/// Documents of one token and of many, an empty one, a word in every document, a word seen once.
fn docs() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let doc = prop_oneof![
        1 => Just(vec![]),
        3 => Just(vec![2]),
        6 => prop::collection::vec(0u32..12, 1..60).prop_map(|mut doc| { doc.push(0); doc }),
        1 => prop::collection::vec(0u32..3, 300..600),
    ];
    prop::collection::vec(doc, 1..12).prop_map(|mut docs| {
        docs[0].push(12);
        docs
    })
}

proptest! {
    #![proptest_config(fixed_cases(250))]

    #[test]
    fn every_state_is_consistent(
        docs in docs(),
        (max_topics, init_topics) in (1u32..=70).prop_flat_map(|k| (Just(k), 1..=(k - 1).max(1))),
        alpha in prop_oneof![Just(0.01), Just(0.1), Just(5.0)],
        beta in prop_oneof![Just(0.01), Just(1.0)],
        gamma in prop_oneof![Just(0.1), Just(1.0), Just(20.0)],
        learned in any::<[bool; 3]>(),
        psi in prop_oneof![Just(PsiLaw::Sticks), Just(PsiLaw::Dp), Just(PsiLaw::Uniform)],
        discount in prop_oneof![Just(0.0), Just(0.3)],
        grow in any::<bool>(),
        init in prop_oneof![Just(Init::ONE), Just(Init::Documents(1)), Just(Init::Sequential)],
        seed in any::<u64>(),
        sampler in prop_oneof![
            Just(Algorithm::Ppu { phi: PhiLaw::Ppu }),
            Just(Algorithm::Ppu { phi: PhiLaw::Dirichlet }),
            Just(Algorithm::Direct),
        ],
    ) {
        let init = match init {
            Init::Random(_) => Init::Random(init_topics),
            Init::Documents(_) => Init::Documents(init_topics),
            other => other,
        };
        let learn = |learned: bool, shape, rate| learned.then_some(GammaPrior { shape, rate });
        let settings = Settings {
            alpha,
            beta,
            gamma,
            learn: Learn {
                alpha: learn(learned[0], 1.0, 1.0),
                beta: learn(learned[1], 10.0, 1000.0),
                gamma: learn(learned[2] && psi != PsiLaw::Uniform && discount == 0.0, 2.0, 1.0),
            },
            psi,
            discount: if psi == PsiLaw::Uniform { 0.0 } else { discount },
            max_topics,
            grow: grow && psi != PsiLaw::Uniform,
            init,
            anneal: None,
            seed,
            sampler,
        };
        let corpus = Arc::new(corpus(&docs, 14));
        let params = settings.check().unwrap();
        let first = Start::first(&corpus, &params);
        let mut chain = chain_from(&corpus, &params, first);
        check(&mut *chain)?;
        let mut middle = None;
        for iteration in 1..=8 {
            chain.step().unwrap();
            check(&mut *chain)?;
            if iteration == 3 {
                middle = Some(now(&mut *chain));
            }
        }
        // A chain depends on nothing but what it can be resumed from.
        let mut resumed = chain_from(&corpus, &params, middle.expect("it was there"));
        for _ in 3..8 {
            resumed.step().unwrap();
        }
        prop_assert_eq!(now(&mut *chain), now(&mut *resumed));
        prop_assert_eq!(chain.state().counts(), resumed.state().counts());
    }
}

/// A chain whose K* grows after the state that it is resumed from, and again later, goes on in the same way, with every sampler
/// and law of Ψ that can grow.
#[test]
fn growth_does_not_depend_on_where_a_chain_is_resumed() {
    let docs: Vec<Vec<u32>> = (0..12).map(|d| (0..40).map(|i| (7 * d + i * i) % 13).collect()).collect();
    let corpus = Arc::new(corpus(&docs, 14));
    let prior = Some(GammaPrior { shape: 20.0, rate: 4.0 });
    let held = Some(GammaPrior { shape: 100.0, rate: 1000.0 });
    let urn = Algorithm::Ppu { phi: PhiLaw::Ppu };
    for sampler in [urn, Algorithm::Ppu { phi: PhiLaw::Dirichlet }, Algorithm::Direct] {
        for psi in [PsiLaw::Sticks, PsiLaw::Dp] {
            let settings = Settings {
                learn: Learn { alpha: prior, beta: held, gamma: prior },
                psi,
                max_topics: 2,
                grow: true,
                sampler,
                ..Settings::paper()
            };
            let params = settings.check().unwrap();
            let mut chain = chain_from(&corpus, &params, Start::first(&corpus, &params));
            let mut states = vec![now(&mut *chain)];
            for _ in 0..30 {
                chain.step().unwrap();
                check(&mut *chain).unwrap();
                states.push(now(&mut *chain));
            }
            let k_star: Vec<usize> = states.iter().map(|state| state.l.len()).collect();
            let grows: Vec<usize> = (1..=30).filter(|&i| k_star[i] > k_star[i - 1]).collect();
            assert!(!grows.is_empty(), "{sampler:?}, {psi:?}: K* {k_star:?}");
            for &last_before in &grows {
                let mut resumed = chain_from(&corpus, &params, states[last_before - 1].clone());
                for state in &states[last_before..] {
                    resumed.step().unwrap();
                    assert_eq!(now(&mut *resumed), *state, "{sampler:?}, {psi:?}");
                }
                assert_eq!(resumed.state().counts(), chain.state().counts());
            }
        }
    }
}

/// The likelihoods against their definition, term by term, on a state small enough for it.
#[test]
fn likelihood_is_its_definition() {
    let corpus = Arc::new(corpus(&[vec![0, 1, 1, 2], vec![2], vec![], vec![0, 0, 3, 3, 3, 1]], 5));
    let settings =
        Settings { max_topics: 6, init: Init::Random(3), alpha: 0.7, beta: 0.2, ..Settings::paper() };
    let mut sampler = Sampler::on_cpu(Arc::clone(&corpus), settings.check().unwrap()).unwrap();
    for _ in 0..5 {
        sampler.step().unwrap();
        let (alpha, beta, k_star) = (0.7, 0.2, 6);
        let z = sampler.z().unwrap();
        let psi = sampler.state().psi().psi.clone();
        // Chain rule, a token after the other: p(w_i, z_i | those before).
        let (mut model, mut lda) = (0.0f64, 0.0f64);
        let mut n = vec![vec![0.0; 5]; k_star];
        for d in 0..corpus.num_docs() {
            let mut m = vec![0.0; k_star];
            for (before, i) in corpus.doc(d).enumerate() {
                let (k, v) = (usize::from(z[i]), corpus.w[i] as usize);
                let word = (beta + n[k][v]) / (5.0 * beta + n[k].iter().sum::<f64>());
                let before = before as f64;
                model += (word * (alpha * psi[k] + m[k]) / (alpha + before)).ln();
                lda += (word * (alpha + m[k]) / (alpha * k_star as f64 + before)).ln();
                n[k][v] += 1.0;
                m[k] += 1.0;
            }
        }
        let likelihood = sampler.state().log_likelihood();
        approx::assert_relative_eq!(likelihood.model, model, max_relative = 1e-10);
        approx::assert_relative_eq!(likelihood.lda, lda, max_relative = 1e-10);
    }
}
