//! A run's model: the first part of the input is vocab.txt, the second model.safetensors.

#![no_main]

use hdp_gpu::run::folder::Folder as Run;
use hdp_gpu::run::folder::name;
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu_fuzz::{Folder, check, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [vocab, model, ..] = parts(input)[..] else { return };
    let folder = Folder::new();
    folder.write(name::VOCAB, vocab);
    folder.write(name::MODEL, model);
    let run = Run::open_run(folder.path()).expect("it has a model");
    if let Some(model) = check::accepted(read_model(&run)) {
        check::model([model.alpha, model.beta, model.gamma], &model.psi, &model.n, model.vocab.len());
    }
});
