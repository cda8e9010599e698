//! New documents: the same topics on both devices, with both kernels, and when the GPU fails.

use std::sync::Arc;

use hdp_gpu::Model;
use hdp_gpu::corpus::sample::sample;
use hdp_gpu::device::Device;
use hdp_gpu::device::gpu::{Fault, Gpu, GpuOptions, Kernel};
use hdp_gpu::infer::{InferSettings, Inference, Place, infer};
use hdp_gpu::params::Init;
use hdp_gpu::{Chain, Corpus, Settings};
use libtest_mimic::Trial;

use crate::agree::{KERNELS, on_cpu};
use crate::gpu::adapter;
use crate::trial;

const SETTINGS: InferSettings = InferSettings { burn_in: 3, samples: 2, thin: 1, seed: 9 };

pub(crate) fn trials() -> Vec<Trial> {
    let named = |kernel: Kernel| format!("new_documents_{}", kernel.name());
    KERNELS.into_iter().map(|kernel| trial(named(kernel), move || new_documents(kernel))).collect()
}

/// A model of the sample, and documents of it as new ones.
fn model_and_documents() -> (Model, Corpus) {
    let corpus = Arc::new(sample().corpus);
    let mut chain = on_cpu(&corpus, &Settings { init: Init::Random(30), ..Settings::paper() });
    chain.step().unwrap();
    let model = chain.model();
    let docs = 100;
    let w = corpus.w[..corpus.doc_start[docs]].to_vec();
    (model, Corpus::new(w, corpus.doc_start[..=docs].to_vec(), corpus.vocab.clone()).expect("a corpus"))
}

fn new_documents(kernel: Kernel) {
    let (model, documents) = model_and_documents();
    let on_gpu = |fault| -> Inference {
        let options = GpuOptions { kernel: Some(kernel), fault, ..GpuOptions::default() };
        let open = |corpus, params: &_, z| {
            Ok(Box::new(Gpu::new(adapter(), corpus, params, z, options)?) as Box<dyn Device>)
        };
        let place = Place { open: &open, cpu_in_reserve: true, ..Place::CPU };
        infer(&model, &documents, SETTINGS, &place).unwrap()
    };
    let expected = infer(&model, &documents, SETTINGS, &Place::CPU).unwrap();
    for fault in [None, Some((Fault::Lost, 2))] {
        let found = on_gpu(fault);
        assert!(found.docs == expected.docs && found.z == expected.z, "{fault:?}");
        assert_eq!(found.device_error.is_some(), fault.is_some());
    }
}
