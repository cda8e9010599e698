//! Ordinary and hard corpora, with every team size.

use std::sync::Arc;

use hdp_gpu::corpus::sample::sample;
use hdp_gpu::params::{Algorithm, GammaPrior, Init, Learn, PhiLaw, PsiLaw};
use hdp_gpu::{Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{WAYS, Way, agree, on_cpu, on_gpu, step_both};
use crate::corpora::{corpus, drawn, with_a_common_word, words_seen_once};
use crate::trial;

/// A corpus by name, how to start, and how long to go on.
struct Case {
    name: &'static str,
    corpus: fn() -> Arc<Corpus>,
    max_topics: u32,
    init_topics: u32,
    iterations: u32,
}

const CASES: [Case; 14] = [
    Case {
        name: "sample_from_one_topic",
        corpus: || Arc::new(sample().corpus),
        max_topics: 1000,
        init_topics: 1,
        iterations: 3,
    },
    Case {
        name: "sample_from_50_topics",
        corpus: || Arc::new(sample().corpus),
        max_topics: 1000,
        init_topics: 50,
        iterations: 3,
    },
    // Around the lanes of a workgroup, and the lengths at which a topic's count outgrows 16 bits.
    Case {
        name: "lengths_from_0_to_100000",
        corpus: || drawn(&[1, 100_000, 2, 0, 31, 32, 33, 63, 64, 65, 1, 65_535, 65_536, 1], 300),
        max_topics: 1000,
        init_topics: 20,
        iterations: 1,
    },
    Case {
        name: "more_than_16_bits_of_tokens_in_one_topic",
        corpus: || drawn(&[70_000], 3),
        max_topics: 1,
        init_topics: 1,
        iterations: 2,
    },
    Case {
        name: "one_word",
        corpus: || drawn(&[1, 2, 50, 400, 33], 1),
        max_topics: 1000,
        init_topics: 3,
        iterations: 5,
    },
    Case {
        name: "one_word_one_topic",
        corpus: || drawn(&[1, 2, 50, 400, 33], 1),
        max_topics: 1,
        init_topics: 1,
        iterations: 3,
    },
    Case {
        name: "one_topic",
        corpus: || drawn(&[100; 50], 200),
        max_topics: 1,
        init_topics: 1,
        iterations: 3,
    },
    Case {
        name: "two_topics",
        corpus: || drawn(&[100; 50], 200),
        max_topics: 2,
        init_topics: 1,
        iterations: 5,
    },
    Case {
        name: "65535_topics_from_one",
        corpus: || drawn(&[40; 60], 100),
        max_topics: 65_535,
        init_topics: 1,
        iterations: 3,
    },
    Case {
        name: "65535_topics_from_all",
        corpus: || drawn(&[40; 60], 100),
        max_topics: 65_535,
        init_topics: 65_534,
        iterations: 3,
    },
    // Nearly the most topics whose counts are in workgroup memory.
    Case {
        name: "7000_topics",
        corpus: || drawn(&[40; 60], 100),
        max_topics: 7000,
        init_topics: 6000,
        iterations: 3,
    },
    Case {
        name: "a_word_in_every_document",
        corpus: || with_a_common_word(300, 20, 500),
        max_topics: 1000,
        init_topics: 100,
        iterations: 4,
    },
    Case {
        name: "one_document",
        corpus: || drawn(&[3001], 400),
        max_topics: 1000,
        init_topics: 10,
        iterations: 4,
    },
    // More documents in one dispatch than there are rows of m for a document that has its m in storage.
    Case {
        name: "many_short_documents_then_a_long_one",
        corpus: || drawn(&[vec![1; 9000], vec![66_000]].concat(), 50),
        max_topics: 2000,
        init_topics: 5,
        iterations: 2,
    },
];

impl Case {
    fn run(&self, way: Way) {
        let Self { max_topics, init_topics, .. } = *self;
        let settings = Settings { max_topics, init: Init::Random(init_topics), ..Settings::paper() };
        agree(&(self.corpus)(), &settings, way.options(), self.iterations);
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for way in WAYS {
        let named = |name: &str| way.named(name);
        for case in &CASES {
            trials.push(trial(named(case.name), move || case.run(way)));
        }
        trials.push(trial(named("stuck_tokens"), move || stuck_tokens(way)));
        trials.push(trial(named("every_token_from_the_prior"), move || every_token_from_the_prior(way)));
        trials.push(trial(named("an_exact_phi"), move || an_exact_phi(way)));
        trials.push(trial(named("a_k_star_that_grows"), move || a_k_star_that_grows(way)));
        trials.push(trial(named("other_laws_of_psi"), move || other_laws_of_psi(way)));
        trials.push(trial(named("d_longer_than_its_list"), move || d_longer_than_its_list(way)));
        // Larger teams are not for them.
        if way.team <= 8 {
            let million = named("a_million_documents_of_three_tokens");
            trials.push(trial(million, move || a_million_documents_of_three_tokens(way)));
        }
    }
    trials
}

/// Words whose column is empty: such a token keeps a topic that Φ does not list.
fn stuck_tokens(way: Way) {
    for (max_topics, beta) in [(1, 0.01), (2, 0.01), (5000, 2e-4)] {
        let settings = Settings { max_topics, beta, ..Settings::paper() };
        let stuck = agree(&words_seen_once(40, 50), &settings, way.options(), 3);
        assert!(stuck > 100, "{stuck} stuck tokens with {max_topics} topics");
    }
}

/// The most loop trips a token: each one also draws from its alias table. Neighbouring documents are long, and
/// differ in length and in where they stop.
fn every_token_from_the_prior(way: Way) {
    let lengths: Vec<usize> = (0..8).map(|d| 3000 + 113 * d).chain([20_000]).collect();
    let settings = Settings { alpha: 1e6, init: Init::Random(5), ..Settings::paper() };
    agree(&drawn(&lengths, 300), &settings, way.options(), 2);
}

/// Dense columns, with a topic's Φ at every word.
fn an_exact_phi(way: Way) {
    let sampler = Algorithm::Ppu { phi: PhiLaw::Dirichlet };
    for (max_topics, init_topics) in [(1, 1), (3, 2), (300, 40)] {
        let init = Init::Random(init_topics);
        let settings = Settings { max_topics, init, sampler, ..Settings::paper() };
        agree(&drawn(&[1, 0, 33, 64, 65, 400, 2000], 120), &settings, way.options(), 4);
    }
}

/// A start of so many topics with room for one more, whose K* may grow, and with all concentrations learned.
pub(crate) fn growing(init_topics: u32) -> Settings {
    let learned = Some(GammaPrior { shape: 2.0, rate: 1.0 });
    let held = Some(GammaPrior { shape: 100.0, rate: 10_000.0 });
    Settings {
        learn: Learn { alpha: learned, beta: held, gamma: learned },
        psi: PsiLaw::Dp,
        max_topics: init_topics + 1,
        grow: true,
        init: Init::Random(init_topics),
        ..Settings::paper()
    }
}

/// K* grows a few times, also past the most topics whose counts are in workgroup memory.
fn a_k_star_that_grows(way: Way) {
    let dirichlet = Algorithm::Ppu { phi: PhiLaw::Dirichlet };
    let corpus = drawn(&[1, 0, 33, 64, 65, 400, 2000], 120);
    // Of which there are so many more to come that thousands of empty ones do not hold their share.
    let mut many = Settings { gamma: 3000.0, ..growing(6000) };
    many.learn.gamma = Some(GammaPrior { shape: 3000.0, rate: 1.0 });
    for settings in [
        growing(1),
        Settings { psi: PsiLaw::Sticks, ..growing(3) },
        Settings { sampler: dirichlet, ..growing(2) },
        many,
    ] {
        let (mut cpu, mut gpu) = (on_cpu(&corpus, &settings), on_gpu(&corpus, &settings, way.options()));
        let mut grown = 0;
        for _ in 0..5 {
            let before = cpu.state().params().k_star();
            step_both(&mut *cpu, &mut *gpu).unwrap();
            assert_eq!(cpu.state().params(), gpu.state().params());
            assert_eq!((cpu.state().l(), cpu.state().psi()), (gpu.state().l(), gpu.state().psi()));
            grown += u32::from(cpu.state().params().k_star() > before);
        }
        let (first, last) = (settings.max_topics as usize, cpu.state().params().k_star());
        assert!(grown > 0 && last > first, "K* stayed at {last}");
        let learned = cpu.state().params().concentrations();
        assert!(learned.alpha != settings.alpha && learned.beta != settings.beta);
        assert!(learned.gamma != settings.gamma);
    }
}

/// Ψ without an order, with a discount and uniform, from each kind of start.
fn other_laws_of_psi(way: Way) {
    let corpus = drawn(&[1, 0, 33, 64, 65, 400, 2000], 120);
    for (psi, discount) in
        [(PsiLaw::Dp, 0.0), (PsiLaw::Dp, 0.3), (PsiLaw::Sticks, 0.3), (PsiLaw::Uniform, 0.0)]
    {
        for init in [Init::Documents(4), Init::Sequential] {
            let settings = Settings { psi, discount, init, max_topics: 50, ..Settings::paper() };
            agree(&corpus, &settings, way.options(), 3);
        }
    }
}

/// Every token goes to a topic that had none, in more documents than the list of such (topic, p) holds.
fn d_longer_than_its_list(way: Way) {
    const LIST_CAPACITY: u64 = 1 << 16;
    let docs: Vec<Vec<u32>> = (0..LIST_CAPACITY as u32 + 5000).map(|d| vec![d % 3]).collect();
    let corpus = corpus(&docs, 3);
    // So much of Ψ and of the choice of z is left to the prior that the second topic gets everything.
    let settings = Settings {
        alpha: 1e6,
        beta: 5.0,
        gamma: 1e9,
        max_topics: 2,
        init: Init::Random(1),
        ..Settings::paper()
    };
    let (mut cpu, mut gpu) = (on_cpu(&corpus, &settings), on_gpu(&corpus, &settings, way.options()));
    assert_eq!(gpu.state().counts().n.topic_tokens[1], 0);
    step_both(&mut *cpu, &mut *gpu).unwrap();
    let listed = gpu.state().counts().d.docs(1);
    assert!(listed > LIST_CAPACITY, "only {listed} documents have the new topic");
    step_both(&mut *cpu, &mut *gpu).unwrap();
}

/// A million of them: the corpus that the smallest teams are for.
fn a_million_documents_of_three_tokens(way: Way) {
    let corpus = drawn(&vec![3; 1_000_000], 2000);
    let settings = Settings { init: Init::Random(20), ..Settings::paper() };
    agree(&corpus, &settings, way.options(), 1);
}
