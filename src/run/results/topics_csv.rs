//! topics.csv: the topics of the last state, their words and measures of them, a row each.

use std::borrow::Cow;

use rayon::prelude::*;

use super::Results;
use super::mallet::field;
use super::table::{Cell, Kind, Table, columns, write_table};
use crate::error::Result;
use crate::estimate::DocTopics;
use crate::evaluate::coherence::{Occurrences, Window};
use crate::evaluate::listing::labels;
use crate::evaluate::spread::{distinctiveness, is_background};
use crate::evaluate::topics::{TopicWords, first, topic_words};
use crate::run::folder::{Folder, name};

/// Words in each list, as in topic-keys.txt.
const WORDS: usize = 20;

/// Top words that measures look at.
const MEASURED_WORDS: usize = 10;

/// Writes topics.csv, the largest topic first, and with the feature `parquet` topics.parquet.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_topics(folder: &Folder, results: &Results<'_>) -> Result<()> {
    write_table(&folder.file(name::TOPICS), &topics_table(results))
}

/// The table in topics.csv.
fn topics_table<'a>(results: &'a Results<'a>) -> Table<'a> {
    let Results { corpus, model, .. } = results;
    let mut topics = topic_words(model, WORDS, MEASURED_WORDS);
    topics.sort_by_key(|topic| (std::cmp::Reverse(topic.tokens), topic.topic));
    let tops = topics.iter().flat_map(|topic| first(&topic.by_probability, MEASURED_WORDS).iter().copied());
    let occurrences = Occurrences::new(corpus, Window::Document, tops);
    let measures = |topic: &TopicWords| {
        let measured = first(&topic.by_probability, MEASURED_WORDS);
        (occurrences.npmi(measured), occurrences.umass(measured))
    };
    let coherence: Vec<(f64, f64)> = topics.par_iter().map(measures).collect();
    let docs = DocTopics::of_state(model, &corpus.doc_start, results.z);
    let documents = docs.documents_of_topics();
    let distinctiveness = distinctiveness(&docs, &model.n.topic_tokens);
    let labels = labels(&model.n, &model.vocab, model.beta);
    let joined = |words: &[u32]| {
        let words: Vec<Cow<'_, str>> = words.iter().map(|&v| field(&model.vocab[v as usize])).collect();
        words.join(" ")
    };
    let header = columns(&[
        ("topic", Kind::Int),
        ("tokens", Kind::Int),
        ("documents", Kind::Int),
        ("share", Kind::Real),
        ("psi", Kind::Real),
        ("words", Kind::Text),
        ("relevant_words", Kind::Text),
        ("npmi", Kind::Real),
        ("umass", Kind::Real),
        ("exclusivity", Kind::Real),
        ("rank", Kind::Int),
        ("label", Kind::Text),
        ("distinctiveness", Kind::Real),
        ("background", Kind::Int),
    ]);
    Table::new(header, move |sink| {
        for ((topic, &(npmi, umass)), rank) in topics.iter().zip(&coherence).zip(1..) {
            let k = usize::from(topic.topic);
            let distinctiveness = distinctiveness[k];
            sink(&[
                Cell::Int(i64::from(topic.topic)),
                Cell::Int(topic.tokens as i64),
                Cell::Int(documents[k] as i64),
                Cell::Real(topic.tokens as f64 / corpus.num_tokens() as f64),
                Cell::Real(model.psi[k]),
                Cell::Text(&joined(&topic.by_probability)),
                Cell::Text(&joined(&topic.by_relevance)),
                Cell::Real(npmi),
                Cell::Real(umass),
                Cell::Real(topic.exclusivity),
                Cell::Int(rank),
                Cell::Text(&joined(&labels[k])),
                Cell::Real(distinctiveness.unwrap_or(f64::NAN)),
                Cell::Int(i64::from(is_background(distinctiveness, topic.tokens))),
            ])?;
        }
        Ok(())
    })
}
