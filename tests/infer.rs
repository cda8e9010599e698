//! Topics of new documents: close to training's for documents of the training set, the same whatever is around them,
//! and the prior where nothing is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use hdp_gpu::Model;
use hdp_gpu::chain::Chain;
use hdp_gpu::corpus::Corpus;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::Place;
use hdp_gpu::infer::{InferSettings, Inference, InferredDoc, infer};
use hdp_gpu::params::Init;
use hdp_gpu::watch::Watch;
use hdp_gpu::{Error, Sampler, Settings};

/// A chain on the sample with its topics found.
fn trained(corpus: &Arc<Corpus>, iterations: u32) -> Sampler {
    let params = Settings { init: Init::Random(40), ..Settings::paper() }.check().unwrap();
    let mut chain = Sampler::on_cpu(Arc::clone(corpus), params).unwrap();
    steps(&mut chain, iterations);
    chain
}

fn steps(chain: &mut Sampler, iterations: u32) {
    for _ in 0..iterations {
        chain.step().unwrap();
    }
}

fn inferred(model: &Model, corpus: &Corpus, settings: InferSettings) -> Inference {
    infer(model, corpus, settings, &Place::cpu(), &()).unwrap()
}

/// The documents `docs` of a corpus.
fn part(corpus: &Corpus, docs: &[usize]) -> Corpus {
    let mut new = Corpus::new(Vec::new(), vec![0], corpus.vocab.clone()).expect("a corpus");
    for &d in docs {
        new.w.to_mut().extend(&corpus.w[corpus.doc(d)]);
        new.doc_start.push(new.w.len());
    }
    new
}

#[test]
fn documents_of_the_training_set_come_back() {
    let corpus = Arc::new(sample().corpus);
    let mut chain = trained(&corpus, 400);
    let model = chain.state().model();
    // The mean of 20 samples of the chain, with Φ and Ψ going on; of the documents, every third.
    let docs: Vec<usize> = (0..corpus.num_docs()).step_by(3).collect();
    let k_star = chain.state().params().k_star();
    let mut m = vec![vec![0.0; k_star]; docs.len()];
    for _ in 0..20 {
        steps(&mut chain, 5);
        let z = chain.z().unwrap();
        for (m, &d) in m.iter_mut().zip(&docs) {
            z[corpus.doc(d)].iter().for_each(|&k| m[usize::from(k)] += 1.0 / 20.0);
        }
    }
    let inference = inferred(&model, &part(&corpus, &docs), InferSettings::default());
    let variation = |(doc, m): (&InferredDoc, &Vec<f64>)| {
        let mut new = vec![0.0; k_star];
        doc.m.iter().for_each(|&(k, tokens)| new[usize::from(k)] = tokens);
        assert!((new.iter().sum::<f64>() - f64::from(doc.tokens)).abs() < 1e-9);
        let share = |tokens: f64, k: usize| {
            (model.alpha * model.psi[k] + tokens) / (model.alpha + f64::from(doc.tokens))
        };
        (0..k_star).map(|k| (share(new[k], k) - share(m[k], k)).abs()).sum::<f64>() / 2.0
    };
    let mean = inference.docs.iter().zip(&m).map(variation).sum::<f64>() / docs.len() as f64;
    println!("mean total variation: {mean:.4}");
    assert!(mean < 0.1, "a mean total variation of {mean}");
}

#[test]
fn a_document_does_not_depend_on_its_neighbours() {
    let corpus = Arc::new(sample().corpus);
    let model = trained(&corpus, 20).state().model();
    let settings = InferSettings { burn_in: 5, samples: 3, thin: 2, seed: 7 };
    let together = inferred(&model, &part(&corpus, &[3, 8, 900, 8]), settings);
    let (alone, after) = (
        inferred(&model, &part(&corpus, &[8]), settings),
        inferred(&model, &part(&corpus, &[1, 8]), settings),
    );
    assert_eq!(together.docs[1], alone.docs[0]);
    assert_eq!(together.docs[3], alone.docs[0]);
    assert_eq!(after.docs[1], alone.docs[0]);
    // Nor on the order of its words, or on the numbers that they have in another vocabulary.
    let mut reordered = part(&corpus, &[8]);
    reordered.w.to_mut().reverse();
    reordered.w.to_mut().iter_mut().for_each(|v| *v = corpus.vocab_size() as u32 - 1 - *v);
    reordered.vocab.reverse();
    assert_eq!(inferred(&model, &reordered, settings).docs, alone.docs);
    let other_seed = inferred(&model, &part(&corpus, &[8]), InferSettings { seed: 8, ..settings });
    assert_ne!(other_seed.docs, alone.docs);
}

#[test]
fn nothing_known_gives_nothing_but_the_prior() {
    let corpus = Arc::new(sample().corpus);
    let model = trained(&corpus, 5).state().model();
    let mut new = part(&corpus, &[2]);
    let unknown = new.vocab.len() as u32;
    new.vocab.push("xyzzy".to_owned());
    new.doc_start.push(new.w.len());
    new.w.to_mut().extend([unknown; 4]);
    new.doc_start.push(new.w.len());
    let settings = InferSettings { burn_in: 2, samples: 2, thin: 1, seed: 1 };
    let inference = inferred(&model, &new, settings);
    assert_eq!(inference.docs[1], InferredDoc::default());
    assert_eq!(inference.docs[2], InferredDoc { unknown: 4, ..InferredDoc::default() });
    assert!(inference.z[..new.doc_start[1]].iter().all(Option::is_some));
    assert!(inference.z[new.doc_start[1]..].iter().all(Option::is_none));
    let empty = inferred(&model, &part(&corpus, &[]), settings);
    assert!(empty.docs.is_empty() && empty.device_error.is_none());
}

/// Stops after so many looks.
struct Impatient {
    looks: AtomicU32,
    most: u32,
}

impl Watch for Impatient {
    fn share_done(&self, share: f64) {
        assert!((0.0..=1.0).contains(&share));
    }

    fn should_stop(&self) -> bool {
        self.looks.fetch_add(1, Relaxed) == self.most
    }
}

/// With the CPU in reserve too: that somebody stops is no failure of a device.
#[test]
fn an_inference_can_be_stopped() {
    let corpus = Arc::new(sample().corpus);
    let model = trained(&corpus, 1).state().model();
    let settings = InferSettings { burn_in: 20, samples: 5, thin: 1, seed: 1 };
    let watch = Impatient { looks: AtomicU32::new(0), most: 7 };
    let place = Place::cpu().with_cpu_in_reserve(true);
    let stopped = infer(&model, &corpus, settings, &place, &watch);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(watch.looks.load(Relaxed), 8);
}
