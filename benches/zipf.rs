//! The corpora that are measured.

pub(crate) use hdp_gpu::synth::zipf::zipf_corpus;
