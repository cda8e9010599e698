//! Text, prepared with the options that the first bytes choose. The second part of the input is a table of the same
//! options, the third the pattern of words, the fourth a list of stop words.

#![no_main]

use hdp_gpu::corpus::{Format, PrepareOptions, ReadOptions};
use hdp_gpu_fuzz::{Folder, check, options, parts, prepared};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, input)) = input.split_first_chunk::<{ options::PREPARATION_BYTES }>() else { return };
    let mut parts = parts(input).into_iter();
    let folder = Folder::new();
    let text = folder.write("text", parts.next().unwrap_or_default());
    let table = folder.write("table", parts.next().unwrap_or_default());
    let pattern = parts.next().map(|pattern| String::from_utf8_lossy(pattern).into_owned());
    let extra_stopwords = parts.next().map(|words| folder.write("stop words", words)).into_iter().collect();
    let prepare = PrepareOptions { extra_stopwords, ..options::preparation(choice, pattern) };
    for (path, format) in [(text, Format::Text), (table, Format::Csv)] {
        let options =
            ReadOptions { format: Some(format), prepare: prepare.clone(), ..ReadOptions::default() };
        if let Some(loaded) = check::read(&path, &options) {
            prepared::round_trip(&loaded);
        }
    }
});
