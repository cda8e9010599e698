//! The input is the vocabulary, or gensim's dictionary, of small corpora.

#![no_main]

use hdp_gpu::corpus::{ReadOptions, VocabSource};
use hdp_gpu_fuzz::{Folder, check, prepared};
use libfuzzer_sys::fuzz_target;

const CORPORA: [&str; 5] = [
    "1\n3\n2\n1 1 2\n1 3 1\n",
    "2 0:2 2:1\n",
    "%%MatrixMarket matrix coordinate integer general\n1 3 2\n1 1 2\n1 3 1\n",
    "-1 1:2 3:1\n",
    "#doc source pos typeindex type topic\n0 NA 0 0 apple 0\n0 NA 1 2 bell 0\n",
];

fuzz_target!(|input: &[u8]| {
    let folder = Folder::new();
    let vocab = VocabSource::File(folder.write("vocab", input));
    for content in CORPORA {
        let options = ReadOptions { vocab: vocab.clone(), ..ReadOptions::default() };
        if let Some(loaded) = check::read(&folder.write("corpus", content.as_bytes()), &options) {
            prepared::round_trip(&loaded);
        }
    }
});
