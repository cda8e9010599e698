//! ldavis.json: what pyLDAvis shows, as its `prepare` makes it from Φ, θ and the documents' lengths.
//!
//! LDAvis numbers topics by their size, from 1. `topic.order` has, for each of its topics, the place among the topics that have
//! tokens, from 1, and `topics`, which its viewer does not look at, the topic's own number.

mod prepare;

use serde::Serialize;

use super::Results;
use crate::error::Result;
use crate::files::whole::write_whole;
use crate::run::folder::{Folder, name};
use prepare::{Prepared, TermInfo};

/// Terms in a bar chart.
const TERMS: usize = 30;

/// More topics are not shown: a browser cannot draw them, and all their pairs take minutes.
const MOST_TOPICS: usize = 2000;

/// The steps of λ from 0 to 1.
const LAMBDA_STEPS: u32 = 100;

#[derive(Serialize)]
struct LdaVis<'a> {
    #[serde(rename = "mdsDat")]
    map: Map,
    #[serde(rename = "tinfo")]
    terms: Terms<'a>,
    #[serde(rename = "token.table")]
    tokens: Tokens<'a>,
    #[serde(rename = "R")]
    bars: usize,
    #[serde(rename = "lambda.step")]
    lambda_step: f64,
    #[serde(rename = "plot.opts")]
    axes: Axes,
    #[serde(rename = "topic.order")]
    order: Vec<usize>,
    topics: Vec<u16>,
}

/// The topics in the plane, and their sizes in percent.
#[derive(Serialize)]
struct Map {
    x: Vec<f64>,
    y: Vec<f64>,
    topics: Vec<usize>,
    cluster: Vec<u8>,
    #[serde(rename = "Freq")]
    percent: Vec<f64>,
}

/// The terms of the bar charts.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Terms<'a> {
    term: Vec<&'a str>,
    freq: Vec<f64>,
    total: Vec<f64>,
    category: Vec<String>,
    #[serde(rename = "logprob")]
    ln_phi: Vec<f64>,
    #[serde(rename = "loglift")]
    ln_lift: Vec<f64>,
}

/// How the tokens of each of these terms are spread over topics.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tokens<'a> {
    topic: Vec<usize>,
    freq: Vec<f64>,
    term: Vec<&'a str>,
}

#[derive(Serialize)]
struct Axes {
    xlab: &'static str,
    ylab: &'static str,
}

/// Writes ldavis.json, unless there are more than 2,000 topics.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_ldavis(folder: &Folder, results: &Results<'_>) -> Result<()> {
    if results.docs.shares().active().len() > MOST_TOPICS {
        return Ok(());
    }
    let prepared = Prepared::new(&results.phi, &results.docs, TERMS);
    let vocab = &results.corpus.vocab;
    let (salient, relevant) = (prepared.salient(), prepared.relevant());
    let shown = salient.iter().chain(relevant.iter().flatten()).map(|info| info.word);
    let content = LdaVis {
        map: map(&prepared),
        tokens: tokens(&prepared, shown.collect(), vocab),
        terms: terms(&salient, &relevant, vocab),
        bars: prepared.bars,
        lambda_step: f64::from(LAMBDA_STEPS).recip(),
        axes: Axes { xlab: "PC1", ylab: "PC2" },
        order: prepared.topics.iter().map(|topic| topic.place + 1).collect(),
        topics: prepared.topics.iter().map(|topic| topic.topic).collect(),
    };
    write_whole(&folder.file(name::LDAVIS), |out| Ok(serde_json::to_writer(out, &content)?))
}

fn map(prepared: &Prepared<'_>) -> Map {
    let points = prepared.map();
    Map {
        x: points.iter().map(|point| point[0]).collect(),
        y: points.iter().map(|point| point[1]).collect(),
        topics: (1..=points.len()).collect(),
        cluster: vec![1; points.len()],
        percent: prepared.topics.iter().map(|topic| 100.0 * topic.share).collect(),
    }
}

fn terms<'a>(salient: &[TermInfo], relevant: &[Vec<TermInfo>], vocab: &'a [String]) -> Terms<'a> {
    let mut terms = Terms::default();
    let mut push = |category: String, info: &TermInfo| {
        terms.term.push(&vocab[info.word as usize]);
        terms.freq.push(info.tokens);
        terms.total.push(info.total);
        terms.category.push(category);
        terms.ln_phi.push(info.ln_phi);
        terms.ln_lift.push(info.ln_lift);
    };
    salient.iter().for_each(|info| push("Default".to_owned(), info));
    for (rank, infos) in relevant.iter().enumerate() {
        infos.iter().for_each(|info| push(format!("Topic{}", rank + 1), info));
    }
    terms
}

fn tokens<'a>(prepared: &Prepared<'_>, shown: Vec<u32>, vocab: &'a [String]) -> Tokens<'a> {
    let mut tokens = Tokens::default();
    for (word, rank, share) in prepared.token_table(shown, vocab) {
        tokens.topic.push(rank + 1);
        tokens.freq.push(share);
        tokens.term.push(&vocab[word as usize]);
    }
    tokens
}
