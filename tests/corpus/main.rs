//! The corpus readers, through the one function that everybody calls.

mod accepted;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod formats;
mod in_memory;
mod joined;
mod objects;
mod placed;
mod preparation;
mod prepared;
mod properties;
mod refused;
mod states;
mod tables;
mod texts;
mod words;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use hdp_gpu::corpus::{Format, Loaded, PrepareOptions, ReadOptions, VocabSource, read};
use hdp_gpu::{Error, Result};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tempfile::TempDir;

/// A folder that goes when the test ends.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("the folder itself")).expect("a folder for the test");
        fs::write(&path, content).expect("a file for the test");
        path
    }
}

fn gzip(content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_ref()).expect("gzip in memory");
    encoder.finish().expect("gzip in memory")
}

fn zstd(content: impl AsRef<[u8]>) -> Vec<u8> {
    compress_to_vec(content.as_ref(), CompressionLevel::Fastest)
}

/// Nothing is left out; of a prepared corpus nothing can be.
fn options(format: Option<Format>, vocab: VocabSource) -> ReadOptions {
    let is_prepared = format == Some(Format::Prepared);
    let prepare = if is_prepared { PrepareOptions::default() } else { PrepareOptions::keep_all() };
    ReadOptions { format, vocab, prepare, ..ReadOptions::default() }
}

/// Reads `content` from a file without a vocabulary beside it; the file's name is not told.
fn read_bytes(content: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Loaded> {
    let loaded = read(&Folder::new().write("corpus", content), options)?;
    Ok(Loaded { source: String::new(), ..loaded })
}

/// Reads a bag of words whose words are numbers.
fn numbered(content: impl AsRef<[u8]>) -> Loaded {
    read_bytes(content, &options(None, VocabSource::None)).expect("a good bag of words")
}

/// Reads all words of text.
fn text(content: impl AsRef<[u8]>) -> Loaded {
    read_bytes(content, &options(None, VocabSource::Beside)).expect("good text")
}

/// Line and problem of an input error.
fn input_error(result: Result<Loaded>) -> (Option<u64>, String) {
    match result {
        Err(error @ Error::Input { .. }) => {
            assert_eq!(error.exit_code(), 2);
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
            let Error::Input { line, problem, remedy, .. } = error else { unreachable!() };
            assert!(!remedy.is_empty());
            (line, problem)
        }
        other => panic!("not an input error: {other:?}"),
    }
}
