//! Text, and a table of it, in the encoding that the first byte chooses.

#![no_main]

use hdp_gpu::corpus::{Format, PrepareOptions, ReadOptions, TextOptions};
use hdp_gpu_fuzz::{Folder, check, options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, content)) = input.split_first() else { return };
    let folder = Folder::new();
    let path = folder.write("corpus", content);
    for format in [Format::Text, Format::Csv] {
        let text = TextOptions { encoding: Some(options::encoding(choice)), ..TextOptions::default() };
        let prepare = PrepareOptions::keep_all();
        check::read(&path, &ReadOptions { format: Some(format), text, prepare, ..ReadOptions::default() });
    }
});
