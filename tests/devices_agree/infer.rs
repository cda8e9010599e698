//! New documents: the same topics on both devices, with every team size, and when the GPU fails.

use std::sync::Arc;

use hdp_gpu::Model;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::{Fault, Hooks, Place};
use hdp_gpu::infer::{InferSettings, Inference, infer};
use hdp_gpu::params::Init;
use hdp_gpu::{Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{WAYS, Way, on_cpu};
use crate::gpu::place;
use crate::trial;

const SETTINGS: InferSettings = InferSettings { burn_in: 3, samples: 2, thin: 1, seed: 9 };

pub(crate) fn trials() -> Vec<Trial> {
    WAYS.into_iter().map(|way| trial(way.named("new_documents"), move || new_documents(way))).collect()
}

/// A model of the sample, and documents of it as new ones.
fn model_and_documents() -> (Model, Corpus) {
    let corpus = Arc::new(sample().corpus);
    let mut chain = on_cpu(&corpus, &Settings { init: Init::Random(30), ..Settings::paper() });
    chain.step().unwrap();
    let model = chain.state().model();
    let docs = 100;
    let w = corpus.w[..corpus.doc_start[docs]].to_vec();
    (model, Corpus::new(w, corpus.doc_start[..=docs].to_vec(), corpus.vocab.clone()).expect("a corpus"))
}

fn new_documents(way: Way) {
    let (model, documents) = model_and_documents();
    let on_gpu = |fault| -> Inference {
        let options = way.options().with_hooks(Hooks { fault, ..way.options().hooks });
        let place = place().with_options(options).with_cpu_in_reserve(true);
        infer(&model, &documents, SETTINGS, &place, &()).unwrap()
    };
    let expected = infer(&model, &documents, SETTINGS, &Place::cpu(), &()).unwrap();
    for fault in [None, Some((Fault::Lost, 2))] {
        let found = on_gpu(fault);
        assert!(found.docs == expected.docs && found.z == expected.z, "{fault:?}");
        assert_eq!(found.device_error.is_some(), fault.is_some());
    }
}
