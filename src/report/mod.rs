//! report.html: one file that shows a run, with everything that it needs inside.
//!
//! The page is in `page/`: a template, a style and plain scripts. Data goes into it as JSON in which no `<` is left, and the
//! scripts put words and names into the page as text only: a corpus can contain anything.

mod card;
mod data;
mod documents;
mod groups;
mod matching;
mod own_text;
mod page;
mod passage;
mod run_files;
mod settled;
mod topics;

use std::path::Path;

use minijinja::{Environment, context};

use crate::corpus::Corpus;
use crate::error::Result;
use crate::evaluate::listing::Fold;
use crate::evaluate::summary::{quantile_summary, summarise};
use crate::files::whole::write_whole;
use crate::model::trained::Model;
use crate::run::folder::Folder;
use crate::run::{Finished, RunRecord};
use data::{QuantileData, ReportData};
use documents::Passages;
pub use own_text::{OwnText, Wanted};
pub use run_files::{RunFiles, read_run};

/// The most that a page's data may weigh, in bytes.
const MOST_BYTES: usize = 9 << 20;

/// Documents of each topic, tokens of each passage, or its characters where it is text, from the best to what fits when there are very many
/// topics.
const DETAIL: [(usize, usize, usize); 5] =
    [(10, 40, 320), (5, 30, 240), (3, 20, 160), (1, 12, 100), (0, 0, 0)];

/// A run's last state, which the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The documents with their names and metadata.
    pub corpus: &'a Corpus,
    /// The topics of its tokens.
    pub z: &'a [u16],
    /// The model.
    pub model: &'a Model,
    /// Whether the order of words in documents is known.
    pub is_text: bool,
    /// Whether passages of documents are shown.
    pub passages: bool,
    /// The documents' own text, of which passages are where there is any; elsewhere they are lists of words.
    pub own_text: Option<&'a OwnText>,
    /// The topics that are folded into one line.
    pub fold: Fold,
}

/// The page of `shown`, with the traces and topics of `runs`, the first of which is its own; `repeat` says how a run is repeated.
///
/// # Errors
/// When the model of another run cannot be read.
pub fn page(shown: Shown<'_>, runs: &[RunFiles], repeat: fn(&RunRecord) -> String) -> Result<String> {
    let mut data = report_data(shown, runs, repeat)?;
    let mut json = String::new();
    for (docs, tokens, chars) in DETAIL {
        Passages { docs, tokens, chars }.add(shown, &mut data)?;
        json = serde_json::to_string(&data).expect("numbers and strings are JSON");
        if json.len() <= MOST_BYTES {
            break;
        }
    }
    let title = data.runs.first().map_or("", |run| run.name.as_str());
    Ok(render(title, &json.replace('<', "\\u003c")))
}

/// Writes the page of `shown` to `path`, as [`page`] makes it.
///
/// # Errors
/// [`crate::Error::Write`], or as [`page`].
pub fn write_report(
    path: &Path,
    shown: Shown<'_>,
    runs: &[RunFiles],
    repeat: fn(&RunRecord) -> String,
) -> Result<()> {
    let page = page(shown, runs, repeat)?;
    write_whole(path, |out| std::io::Write::write_all(out, page.as_bytes()))
}

/// Writes the page of a run that has just ended to its folder: what a front end hands to a run.
///
/// # Errors
/// [`crate::Error::Write`], or as [`page`].
pub fn write_page(finished: &Finished<'_>, repeat: fn(&RunRecord) -> String) -> Result<()> {
    let Finished { corpus, z, model, runs } = *finished;
    let record = runs[0].record;
    let (is_text, passages) = (record.is_text(), !record.settings.no_text);
    let own_text = OwnText::of_run(runs[0].folder, record)?;
    let own_text = own_text.as_ref();
    let shown = Shown { corpus, z, model, is_text, passages, own_text, fold: Fold::default() };
    write_report(&report_path(runs[0].folder), shown, &RunFiles::of_chains(runs), repeat)
}

fn render(title: &str, data: &str) -> String {
    let mut environment = Environment::new();
    environment.add_template("page.html", page::TEMPLATE).expect("the template is well formed");
    let template = environment.get_template("page.html").expect("it has been added");
    let context = context! { title, style => page::STYLE, scripts => page::SCRIPTS.to_vec(), data };
    template.render(context).expect("the template uses nothing else")
}

fn report_data(shown: Shown<'_>, runs: &[RunFiles], repeat: fn(&RunRecord) -> String) -> Result<ReportData> {
    let Shown { corpus, model, .. } = shown;
    let topics::Topics { topics, words } = topics::topics(shown);
    let (settled, diagnostics) = settled::settled(runs, corpus.num_tokens());
    let order: Vec<u16> = topics.iter().map(|topic| topic.topic).collect();
    let groups = groups::Groups::new(shown, runs, &order)?;
    let quantiles = quantile_summary(&summarise(&model.n, 0))
        .into_iter()
        .map(|(percent, topics)| QuantileData {
            percent,
            topics: topics.into_iter().map(|topic| topic.topic).collect(),
        })
        .collect();
    Ok(ReportData {
        version: env!("CARGO_PKG_VERSION"),
        beta: model.beta,
        vocab_size: model.vocab.len(),
        num_tokens: corpus.num_tokens(),
        runs: runs.iter().map(|run| run.data(repeat)).collect(),
        settled,
        diagnostics,
        word_tokens: words.tokens,
        search: words.topics,
        words: words.names,
        documents: Vec::new(),
        metadata: corpus.metadata.columns.iter().map(|column| column.name.clone()).collect(),
        groups: groups.columns,
        no_groups: groups.others,
        has_samples: groups.has_samples,
        fold_below: shown.fold.below(topics.iter().map(|topic| topic.tokens)),
        matching: matching::matching(shown, runs)?,
        topics,
        quantiles,
        bag: !shown.is_text,
    })
}

/// The file of a run's page.
pub fn report_path(folder: &Folder) -> std::path::PathBuf {
    folder.file(crate::run::folder::name::REPORT)
}
