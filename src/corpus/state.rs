//! Reads a state as MALLET and this program write it: a token a line, `doc source pos typeindex type topic`. It gives
//! back the corpus with its tokens in their order, and their topics.

use std::borrow::Cow;
use std::path::Path;

use super::bag::check_length;
use super::memory::{STRING_BYTES, Sizes, reserve};
use super::numbers::{number, unlike};
use super::open::{Line, Lines};
use super::vocab::{self, Vocab, VocabSource};
use super::{Corpus, LoadNotes};
use crate::error::{Error, Result, shown};
use crate::machine::Memory;

/// How a state begins.
pub(super) const BANNER: &[u8] = b"#doc source pos typeindex type topic";

/// The source of a document that has none, as MALLET writes it.
const NO_SOURCE: &str = "NA";

/// The most bytes of a line; the longest that is written has α of 65,535 topics.
const MAX_LINE: usize = 1 << 22;

/// The most lines of comments at the top, of which MALLET and this program write three.
const MAX_COMMENTS: u64 = 1000;

/// The tokens and topics of a state that was written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedState {
    /// The corpus. Documents without tokens are not in a state: those between others are made up for, and any after
    /// the last are lost.
    pub corpus: Corpus,
    /// The topic of each token.
    pub z: Vec<u16>,
    /// What was noticed.
    pub notes: LoadNotes,
}

/// Reads the state in `path`, plain or compressed. A vocabulary beside it, as in a run's folder, gives the words
/// without tokens too; [`VocabSource::None`] takes the state's own words.
///
/// # Errors
/// [`Error::Read`] or [`Error::Input`].
pub fn read_state(path: &Path, vocab: &VocabSource) -> Result<SavedState> {
    read(path, vocab, &Memory::of_machine())
}

/// As [`read_state`], of a run whose sizes are known.
pub(crate) fn read_state_of(path: &Path, vocab: &VocabSource, most: Most) -> Result<SavedState> {
    read_most(path, vocab, &Memory::of_machine(), most)
}

/// As [`read_state`], within `memory`.
pub(super) fn read(path: &Path, source: &VocabSource, memory: &Memory) -> Result<SavedState> {
    read_most(path, source, memory, Most { tokens: u64::MAX, names: u64::MAX })
}

/// The most that is read of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// Tokens; the others are left unread.
    pub(crate) tokens: u64,
    /// Documents, and bytes of their names, together; more of them are refused.
    pub(crate) names: u64,
}

fn read_most(path: &Path, source: &VocabSource, memory: &Memory, most: Most) -> Result<SavedState> {
    let file = match source {
        VocabSource::Beside => vocab::beside(path),
        source => vocab::find(path, source)?,
    };
    let named = file.map(|file| vocab::read(&file, None, memory)).transpose()?;
    let mut reader = Reader::default();
    let mut lines = Lines::open_short(path, MAX_LINE)?;
    while let Some(line) = lines.next_filled("remove it")? {
        if reader.w.is_empty() && line.bytes.starts_with(b"#") && line.number <= MAX_COMMENTS {
            continue;
        }
        if reader.w.len() as u64 == most.tokens {
            break;
        }
        let token = Token::parse(&line, path)?;
        if let Some(vocab) = &named {
            check_number(&token, vocab, path)?;
        }
        reader.name(&token, path, most.names)?;
        reader.token(&token, path, memory)?;
    }
    reader.finish(named, path)
}

/// What we write into a field, where white space would end it.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_whitespace) {
        Cow::Owned(text.replace(char::is_whitespace, "_"))
    } else {
        Cow::Borrowed(text)
    }
}

/// A line.
struct Token<'a> {
    line: u64,
    d: u64,
    source: &'a str,
    pos: u64,
    v: u64,
    word: &'a str,
    topic: u16,
}

impl<'a> Token<'a> {
    fn parse(line: &'a Line<'_>, path: &Path) -> Result<Self> {
        let wrong = || {
            let remedy = "give the state as it was written";
            unlike(line, path, "'doc source pos typeindex type topic'", remedy)
        };
        let text = line.text(path)?.trim_end();
        // A source may have spaces in it: it is what the others leave.
        let mut fields = text.rsplitn(5, ' ');
        let [Some(topic), Some(word), Some(v), Some(pos), Some(rest)] =
            std::array::from_fn(|_| fields.next())
        else {
            return Err(wrong());
        };
        // A word is a line of vocab.txt, and would lose this there.
        if word.ends_with('\r') {
            return Err(wrong());
        }
        let (d, source) = rest.split_once(' ').ok_or_else(wrong)?;
        let at = line.number;
        let topic = number(topic.as_bytes(), "topic", path, at)?;
        Ok(Self {
            line: at,
            d: number(d.as_bytes(), "document number", path, at)?,
            source,
            pos: number(pos.as_bytes(), "position", path, at)?,
            v: number(v.as_bytes(), "word number", path, at)?,
            word,
            topic: u16::try_from(topic).map_err(|_| {
                let remedy = format!("topics are numbered up to {}", u16::MAX);
                Error::input_at(path, at, format!("the topic {topic} is too large"), remedy)
            })?,
        })
    }
}

/// The corpus as far as it has been read.
#[derive(Default)]
struct Reader {
    w: Vec<u32>,
    z: Vec<u16>,
    /// Where each document begins.
    starts: Vec<usize>,
    /// Their names; empty for those without tokens.
    sources: Vec<String>,
    /// Documents, and bytes of their names.
    names: u64,
    /// The words by number; empty for those not seen.
    words: Vec<String>,
    /// The line on which each word was first seen.
    first_lines: Vec<u64>,
}

impl Reader {
    /// Counts the documents up to that of `token`, and its name when it is a new one: at most `most` together.
    fn name(&mut self, token: &Token<'_>, path: &Path, most: u64) -> Result<()> {
        let new = token.d.saturating_add(1).saturating_sub(self.starts.len() as u64);
        if new > 0 {
            self.names = self.names.saturating_add(new).saturating_add(token.source.len() as u64);
        }
        if self.names <= most {
            return Ok(());
        }
        let problem = "has more documents, or longer names, than the files of its run have room for";
        Err(Error::input_at(path, token.line, problem, "copy the whole run folder again, or train again"))
    }

    fn token(&mut self, token: &Token<'_>, path: &Path, memory: &Memory) -> Result<()> {
        let Self { w, z, starts, sources, .. } = self;
        let docs = token.d.saturating_add(1).max(starts.len() as u64);
        let words = token.v.saturating_add(1).max(self.words.len() as u64);
        let sizes = Sizes { docs, words, tokens: w.len() as u64 + 1 };
        // Documents that were passed over are named as well.
        memory.check_with(path, Some(token.line), sizes, docs.saturating_mul(STRING_BYTES))?;
        if starts.len() as u64 <= token.d {
            let more = docs as usize - starts.len();
            reserve(starts, more, path)?;
            reserve(sources, more, path)?;
            starts.resize(docs as usize, w.len());
            sources.resize(docs as usize, String::new());
            sources[token.d as usize] = token.source.to_owned();
        }
        let d = starts.len() - 1;
        let pos = w.len() - starts[d];
        if (d as u64, pos as u64) != (token.d, token.pos) || sources[d] != token.source {
            let problem = format!("is not token {pos} of document {d} ({})", shown(sources[d].as_bytes()));
            let remedy =
                "give the state as it was written: documents in order, their tokens from position 0 on";
            return Err(Error::input_at(path, token.line, problem, remedy));
        }
        check_length(path, token.line, d, pos, 1)?;
        reserve(w, 1, path)?;
        reserve(z, 1, path)?;
        w.push(token.v as u32);
        z.push(token.topic);
        self.word(token, path)
    }

    /// Takes in the word of a number, which must be the same every time.
    fn word(&mut self, token: &Token<'_>, path: &Path) -> Result<()> {
        let v = token.v as usize;
        if self.words.len() <= v {
            let more = v + 1 - self.words.len();
            reserve(&mut self.words, more, path)?;
            self.words.resize(v + 1, String::new());
            self.first_lines.resize(v + 1, 0);
        }
        let word = &mut self.words[v];
        if word.is_empty() {
            token.word.clone_into(word);
            self.first_lines[v] = token.line;
        }
        if word == token.word && !token.word.is_empty() {
            return Ok(());
        }
        let problem = format!(
            "has '{}' for word number {v}, which is '{}' above",
            shown(token.word.as_bytes()),
            shown(word.as_bytes())
        );
        Err(Error::input_at(path, token.line, problem, "give the state as it was written"))
    }

    fn finish(self, named: Option<Vocab>, path: &Path) -> Result<SavedState> {
        let Self { w, z, starts: mut doc_start, sources, words, first_lines, .. } = self;
        doc_start.push(w.len());
        if let Some(vocab) = &named {
            check_words(&words, &first_lines, vocab, path)?;
        }
        let (vocab, notes) = match named {
            Some(named) => vocab::words_and_notes(Some(named), 0, 0),
            None => (numbered(words, 0), LoadNotes::default()),
        };
        let doc_names = doc_names(sources);
        Ok(SavedState { corpus: Corpus { doc_names, ..Corpus::from_checked(w, doc_start, vocab) }, z, notes })
    }
}

const OTHER_VOCABULARY: &str =
    "give the right vocabulary with `vocab` FILE, or `vocab` none to take the words of the state";

/// Refuses a word that the vocabulary does not have, before there is room made for all up to its number.
fn check_number(token: &Token<'_>, vocab: &Vocab, path: &Path) -> Result<()> {
    if token.v < vocab.size() {
        return Ok(());
    }
    let problem =
        format!("has the word number {}, and {} has {} words", token.v, vocab.file.display(), vocab.size());
    Err(Error::input_at(path, token.line, problem, OTHER_VOCABULARY))
}

/// Refuses a vocabulary that has other words.
fn check_words(words: &[String], first_lines: &[u64], vocab: &Vocab, path: &Path) -> Result<()> {
    let mut seen = words.iter().zip(first_lines).enumerate().filter(|(_, (word, _))| !word.is_empty());
    let named = |v: usize| vocab.word(v).unwrap_or_default();
    let Some((v, (word, &line))) = seen.find(|(v, (word, _))| field(named(*v)) != **word) else {
        return Ok(());
    };
    let (file, word, named) = (vocab.file.display(), shown(word.as_bytes()), shown(named(v).as_bytes()));
    let problem = format!("has '{word}' for word number {v}, which is '{named}' in {file}");
    Err(Error::input_at(path, line, problem, OTHER_VOCABULARY))
}

/// Names that are not empty as they are; the others are numbers from `first`.
fn numbered(mut names: Vec<String>, first: usize) -> Vec<String> {
    for (number, name) in (first..).zip(&mut names) {
        if name.is_empty() {
            *name = number.to_string();
        }
    }
    names
}

/// The documents' names, unless there are none but their numbers.
fn doc_names(sources: Vec<String>) -> Option<Vec<String>> {
    let unnamed = sources.iter().all(|source| source.is_empty() || source == NO_SOURCE);
    let names = numbered(sources, 1);
    let numbers_only = names.iter().zip(1u64..).all(|(name, d)| *name == d.to_string());
    (!unnamed && !numbers_only).then_some(names)
}
