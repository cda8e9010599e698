//! Reads a prepared corpus: its checksum first, then every number, so that no file can mislead what follows.

use std::path::Path;
use std::sync::Arc;

use super::{HEADER, Header, Info, MAGIC, Places, VERSION};
use crate::corpus::map::MappedFile;
use crate::corpus::memory;
use crate::corpus::{Corpus, LoadNotes, Metadata, MetadataColumn, Preparation, Words, open};
use crate::error::{Error, Result};
use crate::files::checked_file::checked;
use crate::machine::Memory;

const REMEDY: &str = "copy the file again, or prepare the corpus again";

/// Reads `path`; its tokens stay in the file, unless that is compressed.
pub(in crate::corpus) fn read(path: &Path, memory: &Memory) -> Result<(Corpus, LoadNotes, Preparation)> {
    if let Some(bytes) = open::unpacked(path, MAGIC, memory)? {
        let file = Prepared::check(&bytes, path, memory, memory::TOKEN_BYTES)?;
        let w = Words::copied(&bytes[file.w()]);
        return file.corpus(w).map_err(|problem| damaged(path, &problem));
    }
    let map = Arc::new(MappedFile::open(path)?);
    let file = Prepared::check(&map, path, memory, memory::MAPPED_TOKEN_BYTES)?;
    let w = Words::mapped(&map, file.w());
    let read = file.corpus(w).map_err(|problem| damaged(path, &problem));
    map.check_stamp().and(read)
}

fn damaged(path: &Path, problem: &str) -> Error {
    Error::input(path, format!("the prepared corpus is damaged: {problem}"), REMEDY)
}

/// A whole file whose length and checksum are right.
struct Prepared<'a> {
    bytes: &'a [u8],
    header: Header,
    places: Places,
}

impl<'a> Prepared<'a> {
    fn check(bytes: &'a [u8], path: &Path, memory: &Memory, token_bytes: u64) -> Result<Self> {
        let (numbers, _) = bytes.get(MAGIC.len()..HEADER).unwrap_or_default().as_chunks();
        let [version, docs, words, tokens, strings, info] = *numbers else {
            return Err(damaged(path, "it ends in its header"));
        };
        if !bytes.starts_with(MAGIC) {
            return Err(Error::input(path, "is not a prepared corpus", "leave out `format` prepared"));
        }
        let version = u64::from_le_bytes(version);
        if version != VERSION {
            let problem =
                format!("has version {version} of the format, and this program reads version {VERSION}");
            let remedy = "prepare the corpus again, or use the version of the program that wrote it";
            return Err(Error::input(path, problem, remedy));
        }
        let [docs, words, tokens, strings, info] =
            [docs, words, tokens, strings, info].map(u64::from_le_bytes);
        let header = Header { docs, words, tokens, strings, info };
        let places = header.places().filter(|places| places.length == bytes.len()).ok_or_else(|| {
            damaged(path, &format!("its {} bytes are not what its header says", bytes.len()))
        })?;
        memory.check_tokens(path, memory::Sizes { docs, words, tokens }, token_bytes)?;
        checked(bytes).ok_or_else(|| damaged(path, "its checksum is wrong"))?;
        Ok(Self { bytes, header, places })
    }

    /// The bytes of w.
    fn w(&self) -> std::ops::Range<usize> {
        HEADER..HEADER + 4 * self.header.tokens as usize
    }

    /// The content, with `w`; `Err` says what does not fit together.
    fn corpus(&self, w: Words) -> Result<(Corpus, LoadNotes, Preparation), String> {
        let Self { bytes, header, places } = self;
        if w.is_empty() {
            return Err("it has no tokens".into());
        }
        let doc_start = doc_start(&bytes[places.doc_start..places.strings]);
        // A copy, because a map may change between a check and a use.
        let info = bytes[places.info..places.checksum].to_vec();
        let info: Info = serde_json::from_slice(&info).map_err(|error| error.to_string())?;
        let mut strings = Strings(&bytes[places.strings..places.info]);
        let docs = header.docs as usize;
        let vocab = strings.list(header.words as usize)?;
        // vocab.txt has a word a line.
        if vocab.iter().any(|word| word.is_empty() || word.contains('\n') || word.ends_with('\r')) {
            return Err("a word is empty or has a line end in it".into());
        }
        let doc_names = if info.named { Some(strings.list(docs)?) } else { None };
        let column = |name| Ok(MetadataColumn { name, values: strings.list(docs)? });
        let columns = info.metadata.into_iter().map(column).collect::<Result<_, String>>()?;
        if !strings.0.is_empty() {
            return Err("it has more names than it needs".into());
        }
        if info.notes.dropped.documents.iter().any(|document| !(1..=header.docs).contains(&document.number)) {
            return Err("a document that it has dropped is none of its own".into());
        }
        let corpus =
            Corpus { w, doc_start, vocab, doc_names, metadata: Metadata { columns }, stream_index: None };
        let whole = corpus.check_parts().and_then(|()| corpus.check_word_tokens());
        whole.map_err(|flaw| flaw.problem)?;
        Ok((corpus, info.notes, info.preparation))
    }
}

/// `doc_start` as it is written.
fn doc_start(bytes: &[u8]) -> Vec<usize> {
    let (starts, _) = bytes.as_chunks();
    // What does not fit is no number of tokens, which the corpus is checked for.
    starts.iter().map(|&start| usize::try_from(u64::from_le_bytes(start)).unwrap_or(usize::MAX)).collect()
}

/// What is left of the strings.
struct Strings<'a>(&'a [u8]);

impl Strings<'_> {
    /// The next list, of `count` strings.
    fn list(&mut self, count: usize) -> Result<Vec<String>, String> {
        const SHORT: &str = "its names end early";
        let lengths_end = count.checked_mul(4).ok_or(SHORT)?;
        let (lengths, mut rest) = self.0.split_at_checked(lengths_end).ok_or(SHORT)?;
        let (lengths, _) = lengths.as_chunks();
        let mut string = |&length: &[u8; 4]| {
            let (string, after) = rest.split_at_checked(u32::from_le_bytes(length) as usize).ok_or(SHORT)?;
            rest = after;
            String::from_utf8(string.to_vec()).map_err(|_| "a name is not UTF-8".to_owned())
        };
        let list = lengths.iter().map(&mut string).collect();
        self.0 = rest;
        list
    }
}
