//! A function for each target, which takes an input of the fuzzer; tests give them stored ones.

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use flate2::Compression;
use flate2::bufread::GzEncoder;
use hdp_gpu::corpus::{
    Format, PrepareOptions, ReadOptions, TextOptions, VocabSource, read as read_corpus, with_files,
};
use hdp_gpu::device::Place;
use hdp_gpu::run::checkpoint::{Checkpoint, Opened, read as read_checkpoint};
use hdp_gpu::run::folder::{Folder as Run, name};
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu::{Corpus, chain};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zip::write::{SimpleFileOptions, ZipWriter};

use super::checkpoint::forged;
use super::{CORPUS, Folder, check, options, parts, prepared as prepared_files, read_every_way, read_plain};

/// A target.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const ALL: &[(&str, Target)] = &[
    ("checkpoint", checkpoint),
    ("compressed", compressed),
    ("csv", csv),
    ("docx", docx),
    ("encodings", encodings),
    ("folder", folder),
    ("html", html),
    ("json", json),
    ("jsonl", jsonl),
    ("ldac", ldac),
    ("mallet", mallet),
    ("mm", mm),
    ("model", model),
    ("npz", npz),
    ("preparation", preparation),
    ("prepared", prepared),
    ("state", state),
    ("svmlight", svmlight),
    ("text", text),
    ("tsv", tsv),
    ("uci", uci),
    ("vocabulary", vocabulary),
];

/// A file of this format, read in every way that it has options for.
pub fn csv(input: &[u8]) {
    read_every_way(Format::Csv, input);
}

/// A file of this format, read in every way that it has options for.
pub fn json(input: &[u8]) {
    read_every_way(Format::Json, input);
}

/// A file of this format, read in every way that it has options for.
pub fn jsonl(input: &[u8]) {
    read_every_way(Format::Jsonl, input);
}

/// A file of this format, read in every way that it has options for.
pub fn ldac(input: &[u8]) {
    read_every_way(Format::Ldac, input);
}

/// A file of this format, read in every way that it has options for.
pub fn mallet(input: &[u8]) {
    read_every_way(Format::Mallet, input);
}

/// A file of this format, read in every way that it has options for.
pub fn mm(input: &[u8]) {
    read_every_way(Format::Mm, input);
}

/// A file of this format, read in every way that it has options for.
pub fn npz(input: &[u8]) {
    read_every_way(Format::Npz, input);
}

/// A file of this format, read in every way that it has options for.
pub fn state(input: &[u8]) {
    read_every_way(Format::State, input);
}

/// A file of this format, read in every way that it has options for.
pub fn svmlight(input: &[u8]) {
    read_every_way(Format::Svmlight, input);
}

/// A file of this format, read in every way that it has options for.
pub fn text(input: &[u8]) {
    read_every_way(Format::Text, input);
}

/// A file of this format, read in every way that it has options for.
pub fn tsv(input: &[u8]) {
    read_every_way(Format::Tsv, input);
}

/// A file of this format, read in every way that it has options for.
pub fn uci(input: &[u8]) {
    read_every_way(Format::Uci, input);
}

/// The corpus that the seeds of checkpoints are of.
static OF_CHECKPOINTS: LazyLock<Arc<Corpus>> = LazyLock::new(|| {
    let [corpus, vocab] = ["memory/gensim.uci", "memory/gensim.uci.vocab"].map(Path::new);
    let content = include_bytes!("../../tests/fixtures/formats/gensim.uci");
    let words = include_bytes!("../../tests/fixtures/formats/gensim.uci.vocab");
    let options = ReadOptions { vocab: VocabSource::File(vocab.to_owned()), ..ReadOptions::default() };
    let loaded = with_files(&[(corpus, content), (vocab, words)], || read_corpus(corpus, &options));
    Arc::new(loaded.expect("a fixture").corpus)
});

/// A checkpoint, as it is and with sizes and checksum made right; a chain that can go on from it makes an iteration.
pub fn checkpoint(input: &[u8]) {
    for content in [input.to_vec(), forged(input)] {
        if let Ok(checkpoint) = read_checkpoint(&content) {
            go_on(checkpoint);
        }
    }
}

/// As a run goes on, when corpus and settings are the checkpoint's.
fn go_on(checkpoint: Checkpoint) -> Option<()> {
    /// A larger K* only takes longer.
    const MOST_TOPICS: u32 = 100;
    let run = Path::new("run");
    let (kept, plan) = (&checkpoint.kept, checkpoint.kept.record.settings.plan);
    let params = kept.record.settings.model.clone().check().ok()?;
    if params.settings().max_topics > MOST_TOPICS {
        return None;
    }
    kept.check_settings(run, params.settings(), None).ok()?;
    kept.check_plan(run, &plan).ok()?;
    let Opened { start, samples, .. } = checkpoint.open(&OF_CHECKPOINTS, &plan).ok()?;
    let mut chain = chain::open(Arc::clone(&OF_CHECKPOINTS), params, start, &Place::cpu()).ok()?;
    if chain.state().iteration() < plan.iterations {
        chain.step().expect("the CPU does not fail");
    }
    chain.state().check().expect("a sound state");
    let z = chain.z().expect("the CPU does not fail");
    if let Some(mut samples) = samples {
        samples.add(chain.state(), &z);
        samples.phi();
    }
    Some(())
}

/// Compressed data in the format that the first byte chooses; what is plain is the same when it is compressed.
pub fn compressed(input: &[u8]) {
    let Some((&choice, content)) = input.split_first() else { return };
    // Past the last format, it is recognised.
    let format = Format::ALL.get(usize::from(choice) % (Format::ALL.len() + 1)).copied();
    let plain = read_plain(format, content);
    let is_compressed = matches!(
        content,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]
    );
    if !is_compressed {
        assert_eq!(read_plain(format, &gzip(content)), plain);
        assert_eq!(read_plain(format, &compress_to_vec(content, CompressionLevel::Fastest)), plain);
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(content, Compression::fast()).read_to_end(&mut packed).expect("gzip in memory");
    packed
}

/// Text, and a table of it, in the encoding that the first byte chooses.
pub fn encodings(input: &[u8]) {
    let Some((&choice, content)) = input.split_first() else { return };
    with_files(&[(Path::new(CORPUS), content)], || {
        for format in [Format::Text, Format::Csv] {
            let text = TextOptions { encoding: Some(options::encoding(choice)), ..TextOptions::default() };
            let prepare = PrepareOptions::keep_all();
            let options = ReadOptions { format: Some(format), text, prepare, ..ReadOptions::default() };
            check::read(Path::new(CORPUS), &options);
        }
    });
}

/// A document of Word: as it is, and as the body of one.
pub fn docx(input: &[u8]) {
    document("memory/document.docx", input);
    document("memory/document.docx", &packed(input));
}

fn packed(body: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", SimpleFileOptions::default()).expect("a file in a zip");
    archive.write_all(body).expect("a file in a zip");
    archive.finish().expect("a zip").into_inner()
}

/// A web page.
pub fn html(input: &[u8]) {
    document("memory/page.html", input);
}

/// A file that is one document, as its name says.
fn document(path: &str, content: &[u8]) {
    let options = ReadOptions { prepare: PrepareOptions::keep_all(), ..ReadOptions::default() };
    with_files(&[(Path::new(path), content)], || check::read(Path::new(path), &options));
}

/// Each part of the input is a file of the folder.
pub fn folder(input: &[u8]) {
    let folder = Folder::new();
    for (number, part) in parts(input).into_iter().enumerate() {
        folder.write(&number.to_string(), part);
    }
    let options = ReadOptions { prepare: PrepareOptions::keep_all(), ..ReadOptions::default() };
    check::read(folder.path(), &options);
}

/// A run's model: the first part of the input is vocab.txt, the second model.safetensors.
pub fn model(input: &[u8]) {
    let [words, content, ..] = parts(input)[..] else { return };
    let run = Run::unlocked(Path::new("memory/run"));
    let [vocab, model] = [name::VOCAB, name::MODEL].map(|name| run.file(name));
    with_files(&[(&vocab, words), (&model, content)], || {
        if let Some(model) = check::accepted(read_model(&run)) {
            check::model([model.alpha, model.beta, model.gamma], &model.psi, &model.n, model.vocab.len());
        }
    });
}

/// Text, prepared with the options that the first bytes choose. The second part of the input is a table of the same
/// options, the third the pattern of words, the fourth a list of stop words.
pub fn preparation(input: &[u8]) {
    let Some((&choice, input)) = input.split_first_chunk::<{ options::PREPARATION_BYTES }>() else { return };
    let mut parts = parts(input).into_iter();
    let [text, table] = [0; 2].map(|_| parts.next().unwrap_or_default());
    let pattern = parts.next().map(|pattern| String::from_utf8_lossy(pattern).into_owned());
    let words = parts.next();
    let paths = ["memory/text", "memory/table", "memory/stop words"].map(Path::new);
    let files = [(paths[0], text), (paths[1], table), (paths[2], words.unwrap_or_default())];
    let extra_stopwords: Vec<PathBuf> = words.map(|_| paths[2].to_owned()).into_iter().collect();
    let prepare = PrepareOptions { extra_stopwords, ..options::preparation(choice, pattern) };
    with_files(&files, || {
        for (path, format) in [(paths[0], Format::Text), (paths[1], Format::Csv)] {
            let options =
                ReadOptions { format: Some(format), prepare: prepare.clone(), ..ReadOptions::default() };
            if let Some(loaded) = check::read(path, &options) {
                prepared_files::round_trip(&loaded);
            }
        }
    });
}

/// A prepared corpus, as it is and with sizes and checksum made right; what is read is written and read again.
pub fn prepared(input: &[u8]) {
    for content in [input.to_vec(), prepared_files::forged(input)] {
        if let Some(loaded) = read_plain(Some(Format::Prepared), &content) {
            prepared_files::round_trip(&loaded);
        }
    }
}

/// The input is the vocabulary, or gensim's dictionary, of small corpora.
pub fn vocabulary(input: &[u8]) {
    const CORPORA: [&str; 5] = [
        "1\n3\n2\n1 1 2\n1 3 1\n",
        "2 0:2 2:1\n",
        "%%MatrixMarket matrix coordinate integer general\n1 3 2\n1 1 2\n1 3 1\n",
        "-1 1:2 3:1\n",
        "#doc source pos typeindex type topic\n0 NA 0 0 apple 0\n0 NA 1 2 bell 0\n",
    ];
    let [corpus, vocab] = [CORPUS, "memory/vocab"].map(Path::new);
    for content in CORPORA {
        let options = ReadOptions { vocab: VocabSource::File(vocab.to_owned()), ..ReadOptions::default() };
        with_files(&[(corpus, content.as_bytes()), (vocab, input)], || {
            if let Some(loaded) = check::read(corpus, &options) {
                prepared_files::round_trip(&loaded);
            }
        });
    }
}
