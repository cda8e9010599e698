//! Reads the words of a gensim dictionary, as Dictionary.save_as_text writes it: the number of documents on a line of its
//! own, then `number<TAB>word<TAB>documents` a line, in any order.

use std::path::Path;

use super::memory::Sizes;
use super::numbers::{number, unlike};
use super::open::{self, Lines};
use crate::error::{Error, Result};
use crate::machine::Memory;

/// How much of a file is looked at.
const START: usize = 1 << 12;

/// Whether `file` looks like a dictionary rather than a word a line.
pub(super) fn is_dict(file: &Path) -> Result<bool> {
    let start = open::start(file, START)?;
    let mut lines = start.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_number = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let is_count = lines.next().is_some_and(is_number);
    Ok(is_count
        && lines.next().is_some_and(|line| {
            let fields: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
            matches!(fields[..], [v, _, docs] if is_number(v) && is_number(docs))
        }))
}

/// The words, by number, which go from 0 on without a gap.
pub(super) fn read(file: &Path, memory: &Memory) -> Result<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut lines = Lines::open(file)?;
    lines.next()?;
    while let Some(line) = lines.next_filled("remove it")? {
        let mut fields = line.text(file)?.split('\t');
        let (Some(v), Some(word), Some(_), None) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            let remedy = "give the dictionary as Dictionary.save_as_text wrote it";
            return Err(unlike(&line, file, "'number<TAB>word<TAB>documents'", remedy));
        };
        let v = number(v.as_bytes(), "word number", file, line.number)?;
        let sizes = Sizes { docs: 0, words: v.saturating_add(1), tokens: 0 };
        memory.check(file, Some(line.number), sizes)?;
        let v = v as usize;
        if words.len() <= v {
            words.resize(v + 1, String::new());
        }
        let problem = match word.trim() {
            "" => "has only white space for a word".to_owned(),
            word if words[v].is_empty() => {
                word.clone_into(&mut words[v]);
                continue;
            }
            _ => format!("has the word number {v} again"),
        };
        return Err(Error::input_at(file, line.number, problem, "give every word a number of its own"));
    }
    match words.iter().position(String::is_empty) {
        None => Ok(words),
        Some(v) => Err(Error::input(
            file,
            format!("has no word number {v}"),
            "call the dictionary's compactify() before the corpus is made, and save both again",
        )),
    }
}
