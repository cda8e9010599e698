//! A file in one format, read in every way that the format has options for.

use std::path::Path;

use hdp_gpu::corpus::{Format, Loaded, PrepareOptions, ReadOptions, TextOptions, VocabSource, with_files};

use super::{CORPUS, check};

/// Reads `input` as `format` with each of its options, and as whatever it looks like.
pub fn read_every_way(format: Format, input: &[u8]) {
    with_files(&[(Path::new(CORPUS), input)], || {
        for options in every_way(format) {
            check::read(Path::new(CORPUS), &options);
        }
    });
}

/// Reads `input` with the plainest options.
pub fn read_plain(format: Option<Format>, input: &[u8]) -> Option<Loaded> {
    with_files(&[(Path::new(CORPUS), input)], || check::read(Path::new(CORPUS), &plain(format)))
}

/// Nothing is left out, of a prepared corpus nothing can be; words of counts are named by their number.
pub(crate) fn plain(format: Option<Format>) -> ReadOptions {
    let has_own_vocab = format.is_some_and(|format| format.is_text() || format == Format::Prepared);
    let vocab = if has_own_vocab { VocabSource::Beside } else { VocabSource::None };
    let is_prepared = format == Some(Format::Prepared);
    let prepare = if is_prepared { PrepareOptions::default() } else { PrepareOptions::keep_all() };
    ReadOptions { format, vocab, prepare, ..ReadOptions::default() }
}

fn every_way(format: Format) -> Vec<ReadOptions> {
    let given = plain(Some(format));
    let recognised = ReadOptions { format: None, ..given.clone() };
    let mut ways = vec![given.clone(), recognised];
    match format {
        Format::Mm | Format::Npz => ways.push(ReadOptions { transpose: true, ..given }),
        Format::Svmlight => {
            let base = |base| ReadOptions { index_base: Some(base), ..given.clone() };
            ways.extend([base(0), base(1)]);
        }
        Format::Csv | Format::Tsv | Format::Jsonl | Format::Json => {
            let text = TextOptions { id_column: Some("id".into()), ..TextOptions::default() };
            ways.push(ReadOptions { text, ..given });
        }
        _ => {}
    }
    ways
}
