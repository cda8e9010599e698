//! A synthetic corpus follows the law of each of its parts.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::*;

/// α as large as it takes for several topics a document, and few topics with much mass.
fn settings() -> SynthSettings {
    SynthSettings {
        docs: 20_000,
        doc_length: 12.0,
        vocab_size: 500,
        alpha: 1.5,
        beta: 0.05,
        gamma: 3.0,
        max_topics: 6,
        seed: 11,
    }
}

/// Pearson's test of counts against probabilities; cells that expect less than 5 are pooled.
fn assert_frequencies(what: &str, counts: &[u32], probability: &[f64]) {
    let n: f64 = counts.iter().copied().map(f64::from).sum();
    let (mut statistic, mut cells) = (0.0, 0);
    let mut pool = (0.0, 0.0);
    let mut add = |count: f64, expected: f64| {
        statistic += (count - expected) * (count - expected) / expected;
        cells += 1;
    };
    for (&count, &p) in counts.iter().zip(probability) {
        if n * p >= 5.0 {
            add(f64::from(count), n * p);
        } else {
            pool = (pool.0 + f64::from(count), pool.1 + n * p);
        }
    }
    if pool.1 >= 5.0 {
        add(pool.0, pool.1);
    }
    assert!(cells > 1, "{what}: nothing to compare");
    let p_value = ChiSquared::new(f64::from(cells - 1)).unwrap().sf(statistic);
    assert!(p_value > 1e-6, "{what}: chi-square {statistic} on {cells} cells");
}

/// The z-score of independent values whose mean should be 0.
fn assert_centred(what: &str, differences: &[f64]) {
    let score = differences.iter().sum::<f64>() / differences.iter().map(|x| x * x).sum::<f64>().sqrt();
    assert!(score.abs() < 4.9, "{what}: z = {score} over {} values", differences.len());
}

/// Every token of a document has the law Ψ; tokens of one document depend on each other, so one is taken
/// from each, and the last has been through the urn.
#[test]
fn topics_follow_psi() {
    let Synthetic { corpus, z, psi, .. } = synth(&settings()).unwrap();
    assert!((psi.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{psi:?}");
    let mut counts = vec![0; psi.len()];
    for d in 0..corpus.num_docs() {
        counts[usize::from(z[corpus.doc(d).end - 1])] += 1;
    }
    assert_frequencies("last tokens", &counts, &psi);
}

/// A document of n tokens misses topic k with probability Π_{i<n} (α(1 − Ψ_k) + i)/(α + i).
#[test]
fn documents_have_as_many_topics_as_a_dirichlet_multinomial() {
    let settings = settings();
    let Synthetic { corpus, z, psi, .. } = synth(&settings).unwrap();
    let expected = |n: usize| -> f64 {
        let missed = |psi: f64| -> f64 {
            (0..n)
                .map(|i| i as f64)
                .map(|i| (settings.alpha * (1.0 - psi) + i) / (settings.alpha + i))
                .product()
        };
        psi.iter().map(|&psi| 1.0 - missed(psi)).sum()
    };
    let differences: Vec<f64> = (0..corpus.num_docs())
        .map(|d| {
            let mut topics = z[corpus.doc(d)].to_vec();
            topics.sort_unstable();
            topics.dedup();
            topics.len() as f64 - expected(corpus.doc(d).len())
        })
        .collect();
    assert_centred("topics a document", &differences);
}

/// Given Ψ, two documents share their topic by chance alone: with probability Σ_k Ψ_k².
#[test]
fn a_document_starts_with_an_empty_urn() {
    let Synthetic { corpus, z, psi, .. } = synth(&settings()).unwrap();
    let chance: f64 = psi.iter().map(|psi| psi * psi).sum();
    let differences: Vec<f64> = (0..corpus.num_docs() / 2)
        .map(|pair| corpus.doc(2 * pair).end)
        .map(|second| f64::from(u8::from(z[second - 1] == z[second])) - chance)
        .collect();
    assert_centred("equal topics across documents", &differences);
}

#[test]
fn words_follow_phi() {
    let Synthetic { corpus, z, phi, .. } = synth(&settings()).unwrap();
    for (k, row) in &phi {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "topic {k}");
        let mut counts = vec![0; row.len()];
        for (&v, _) in corpus.w.iter().zip(&z).filter(|&(_, z)| z == k) {
            counts[v as usize] += 1;
        }
        assert_frequencies(&format!("topic {k}"), &counts, row);
    }
}

#[test]
fn phi_has_a_row_for_each_topic_with_tokens() {
    // So many topics that some get none.
    let settings = SynthSettings { docs: 50, gamma: 40.0, max_topics: 300, ..settings() };
    let Synthetic { z, psi, phi, .. } = synth(&settings).unwrap();
    let mut used = z;
    used.sort_unstable();
    used.dedup();
    assert!(used.len() > 10 && used.len() < psi.len());
    assert_eq!(phi.iter().map(|&(k, _)| k).collect::<Vec<_>>(), used);
}

/// E Σ_v φ_kv² = (β + 1)/(βV + 1) for φ_k ~ Dir(β), and E φ_kv = 1/V.
#[test]
fn rows_follow_the_dirichlet_law() {
    for beta in [0.01, 0.7, 4.0] {
        let settings = SynthSettings {
            beta,
            gamma: 1000.0,
            max_topics: 3000,
            alpha: 100.0,
            vocab_size: 40,
            ..settings()
        };
        let phi = synth(&settings).unwrap().phi;
        assert!(phi.len() > 1000, "{} rows", phi.len());
        let expected = (beta + 1.0) / (beta * 40.0 + 1.0);
        let squares = |row: &[f64]| row.iter().map(|p| p * p).sum::<f64>();
        let differences: Vec<f64> = phi.iter().map(|(_, row)| squares(row) - expected).collect();
        assert_centred(&format!("squares at β = {beta}"), &differences);
        for v in [0, 20, 39] {
            let differences: Vec<f64> = phi.iter().map(|(_, row)| row[v] - 1.0 / 40.0).collect();
            assert_centred(&format!("word {v} at β = {beta}"), &differences);
        }
    }
}

/// E Ψ_k = (γ/(1 + γ))^k/(1 + γ), and what is left over for the last.
#[test]
fn psi_follows_its_sticks() {
    let gamma = 2.0;
    let drawn: Vec<Vec<f64>> = (0..20_000)
        .map(|seed| draw_psi(&SynthSettings { gamma, max_topics: 4, seed, ..settings() }))
        .collect();
    for (k, expected) in [1.0 / 3.0, 2.0 / 9.0, 4.0 / 27.0, 8.0 / 27.0].into_iter().enumerate() {
        let differences: Vec<f64> = drawn.iter().map(|psi| psi[k] - expected).collect();
        assert_centred(&format!("psi {k}"), &differences);
        // The second moment of the first stick, Beta(1, γ): 2/((1 + γ)(2 + γ)).
        if k == 0 {
            let differences: Vec<f64> = drawn.iter().map(|psi| psi[0] * psi[0] - 2.0 / 12.0).collect();
            assert_centred("psi 0, squared", &differences);
        }
    }
}

#[test]
fn documents_have_poisson_lengths_and_at_least_one_token() {
    let corpus = synth(&SynthSettings { doc_length: 40.0, ..settings() }).unwrap().corpus;
    let lengths: Vec<f64> = corpus.doc_lengths().map(|length| length as f64 - 40.0).collect();
    assert_centred("lengths", &lengths);
    assert_centred("squared lengths", &lengths.iter().map(|x| x * x - 40.0).collect::<Vec<_>>());
    let short = synth(&SynthSettings { docs: 1000, doc_length: 1e-6, ..settings() }).unwrap().corpus;
    assert!(short.doc_lengths().all(|length| length == 1));
}

#[test]
fn words_are_named_in_byte_order() {
    assert_eq!(vocab(2), ["w0001", "w0002"]);
    let many = vocab(12_345);
    assert_eq!(many[0], "w00001");
    assert!(many.is_sorted());
}

#[test]
fn the_seed_fixes_the_corpus() {
    let few = SynthSettings { docs: 200, ..settings() };
    let synthetic = synth(&few).unwrap();
    assert_eq!(synth(&few).unwrap(), synthetic);
    assert_ne!(synth(&SynthSettings { seed: 12, ..few.clone() }).unwrap().corpus, synthetic.corpus);
    // Documents have streams of their own: more of them leave the first ones as they were.
    let more = synth(&SynthSettings { docs: 300, ..few }).unwrap();
    assert_eq!(more.corpus.w[..synthetic.corpus.num_tokens()], synthetic.corpus.w[..]);
}

#[test]
fn the_extremes_give_finite_rows() {
    for (alpha, beta, gamma, max_topics) in
        [(1e-9, 1e-9, 1e-9, 65_535), (1e9, 1e9, 1e9, 65_535), (1.0, 1e-9, 1.0, 1), (1e9, 1e-9, 1e3, 2000)]
    {
        let extreme =
            SynthSettings { docs: 50, vocab_size: 100, alpha, beta, gamma, max_topics, ..settings() };
        let Synthetic { psi, phi, .. } = synth(&extreme).unwrap();
        for row in phi.iter().map(|(_, row)| row).chain([&psi]) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{extreme:?}");
            assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{extreme:?}");
        }
    }
}

#[test]
fn what_does_not_fit_into_the_memory_is_refused() {
    let refused = |total: u64, change: fn(&mut SynthSettings)| {
        let mut settings = settings();
        change(&mut settings);
        match synth_within(&Memory { total }, &settings) {
            Err(Error::Setting { setting, problem, .. }) => (setting, problem),
            other => panic!("not refused: {other:?}"),
        }
    };
    let gigabyte = 1_000_000_000;
    assert_eq!(refused(gigabyte, |s| s.docs = 10_000_000).0, "docs");
    assert_eq!(refused(gigabyte, |s| (s.docs, s.vocab_size) = (1, 4_000_000_000)).0, "vocab_size");
    // Room for the words and the row of one topic, and not for the 6 that the documents have.
    let (setting, problem) = refused(105_000, |s| s.docs = 100);
    assert!(setting == "vocab_size" && problem.contains("500 words with 4 topics need"), "{problem}");
}

#[test]
fn unusable_values_are_refused_by_name() {
    let refused = |change: fn(&mut SynthSettings)| {
        let mut settings = settings();
        change(&mut settings);
        match synth(&settings) {
            Err(Error::Setting { setting, .. }) => setting,
            other => panic!("not refused: {other:?}"),
        }
    };
    assert_eq!(refused(|s| s.docs = 0), "docs");
    assert_eq!(refused(|s| s.vocab_size = 0), "vocab_size");
    assert_eq!(refused(|s| s.doc_length = 0.0), "doc_length");
    assert_eq!(refused(|s| s.doc_length = f64::NAN), "doc_length");
    assert_eq!(refused(|s| s.doc_length = 1e7), "doc_length");
    assert_eq!(refused(|s| s.alpha = 0.0), "alpha");
    assert_eq!(refused(|s| s.beta = -1.0), "beta");
    assert_eq!(refused(|s| s.gamma = f64::INFINITY), "gamma");
    assert_eq!(refused(|s| s.max_topics = 0), "max_topics");
}
