//! topic-keys.txt, word-topic-counts.txt and state.gz in MALLET's layout, which many tools read.
//!
//! Numbers are written with `{:?}`: like MALLET, it gives small ones an exponent, and αΨ_k can have 300 zeros.

use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::corpus::Corpus;
pub(super) use crate::corpus::state::field;
use crate::error::Result;
use crate::evaluate::summary::summarise;
use crate::files::whole::write_whole;
use crate::model::trained::Model;
use crate::run::folder::{Folder, name};

/// Words of a topic in topic-keys.txt, as MALLET has by default.
const TOP_WORDS: usize = 20;

/// Writes topic-keys.txt: number, αΨ_k and top words of every topic that has tokens.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_topic_keys(folder: &Folder, model: &Model) -> Result<()> {
    let Model { alpha, psi, n, vocab, .. } = model;
    write_whole(&folder.file(name::TOPIC_KEYS), |out| {
        for topic in summarise(n, TOP_WORDS) {
            write!(out, "{}\t{:?}\t", topic.topic, alpha * psi[usize::from(topic.topic)])?;
            for (at, &word) in topic.top_words.iter().enumerate() {
                write!(out, "{}{}", if at == 0 { "" } else { " " }, field(&vocab[word as usize]))?;
            }
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Writes word-topic-counts.txt: number and name of every word, and its topics with their tokens, most first.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_word_topic_counts(folder: &Folder, model: &Model) -> Result<()> {
    write_whole(&folder.file(name::WORD_TOPIC_COUNTS), |out| {
        let mut line = Vec::new();
        for column in model.n.columns() {
            line.clear();
            push_number(&mut line, column.word as usize);
            line.push(b' ');
            line.extend_from_slice(field(&model.vocab[column.word as usize]).as_bytes());
            let mut topics: Vec<(u16, u32)> = column.iter().collect();
            topics.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            for (k, count) in topics {
                line.push(b' ');
                push_number(&mut line, usize::from(k));
                line.push(b':');
                push_number(&mut line, count as usize);
            }
            line.push(b'\n');
            out.write_all(&line)?;
        }
        Ok(())
    })
}

/// Writes the topic of every token to `path`, as state.gz has it; `alpha_psi` is αΨ_k for every topic up to K*.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_state(
    path: &Path,
    corpus: &Corpus,
    z: &[u16],
    alpha_psi: impl Iterator<Item = f64>,
    beta: f64,
) -> Result<()> {
    let words: Vec<Cow<'_, str>> = corpus.vocab.iter().map(|word| field(word)).collect();
    write_whole(path, |out| {
        // Given line by line, the same text takes the encoder four times as long.
        let mut out = BufWriter::with_capacity(1 << 16, GzEncoder::new(out, Compression::fast()));
        writeln!(out, "#doc source pos typeindex type topic")?;
        write!(out, "#alpha :")?;
        for alpha_psi in alpha_psi {
            write!(out, " {alpha_psi:?}")?;
        }
        writeln!(out, "\n#beta : {beta:?}")?;
        let mut line = Vec::new();
        for d in 0..corpus.num_docs() {
            line.clear();
            push_number(&mut line, d);
            line.push(b' ');
            line.extend_from_slice(field(&corpus.doc_name(d)).as_bytes());
            line.push(b' ');
            let prefix = line.len();
            for (pos, i) in corpus.doc(d).enumerate() {
                let v = corpus.w[i] as usize;
                line.truncate(prefix);
                push_number(&mut line, pos);
                line.push(b' ');
                push_number(&mut line, v);
                line.push(b' ');
                line.extend_from_slice(words[v].as_bytes());
                line.push(b' ');
                push_number(&mut line, usize::from(z[i]));
                line.push(b'\n');
                out.write_all(&line)?;
            }
        }
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()?;
        Ok(())
    })
}

fn push_number(line: &mut Vec<u8>, number: usize) {
    line.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
