//! A run's folder as the page needs it: its settings and logs, and its last state read back.

use serde_json::Value;

use super::card;
use super::data::{RankData, RunData, TimingData, TraceData};
use crate::corpus::{Corpus, Metadata, MetadataColumn};
use crate::error::{Error, Result};
use crate::model::trained::Model;
use crate::run::folder::Folder;
use crate::run::folder::name;
use crate::run::record::{damaged, read_info};
use crate::run::results::last_state::read_last_state;
use crate::run::results::model_file::read_model;

/// Points of the plot of times.
const TIMING_POINTS: usize = 1_000;

/// Iterations whose tokens per topic are shown.
const RANKS: usize = 5;

/// Settings and logs of a run.
#[derive(Clone, Debug)]
pub struct RunFiles {
    pub(super) name: String,
    /// Whether it is a further chain of a run, which is told of already.
    is_further: bool,
    info: Value,
    pub(super) trace: TraceData,
    timing: TimingData,
    ranks: Vec<RankData>,
}

impl RunFiles {
    /// Reads run.json and the logs.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Input`] when a file is missing or damaged.
    pub fn read(folder: &Folder) -> Result<Self> {
        let (path, info) = read_info(folder)?;
        if !(info["settings"].is_object() && info["corpus"].is_object()) {
            return Err(damaged(&path, "does not say what the run was made of"));
        }
        let full = folder.path().canonicalize();
        let full = full.as_deref().unwrap_or(folder.path());
        Ok(Self {
            name: full.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            is_further: false,
            info,
            trace: read_trace(folder)?,
            timing: read_timing(folder)?,
            ranks: read_ranks(folder)?,
        })
    }

    /// Reads a run with its further chains, as far as they have begun, the run itself first.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_chains(folder: &Folder) -> Result<Vec<Self>> {
        let mut runs = vec![Self::read(folder)?];
        let count = runs[0].info["settings"]["chains"].as_u64().unwrap_or(1);
        let has_begun = |folder: &Folder| {
            [name::RUN, name::TRACE, name::TIMING, name::TOKENS_PER_TOPIC]
                .iter()
                .all(|name| folder.plain_file(name).is_ok())
        };
        let further = folder.further_chains().into_iter().filter(|(number, _)| u64::from(*number) <= count);
        for (number, chain) in further.filter(|(_, chain)| has_begun(chain)) {
            let chain = Self::read(&chain)?;
            let name = format!("{}, chain {number}", runs[0].name);
            runs.push(Self { name, is_further: true, ..chain });
        }
        Ok(runs)
    }

    /// What is said of its chains, if these are all that it has.
    pub(super) fn of_chains(&self, runs: &[Self]) -> Option<&str> {
        let chains = &self.info["chains"];
        chains["sentence"].as_str().filter(|_| chains["count"].as_u64() == Some(runs.len() as u64))
    }

    /// Whether passages of its documents may be shown.
    pub fn shows_text(&self) -> bool {
        self.info["settings"]["no_text"] != true
    }

    /// What its corpus is known by.
    pub fn corpus_digest(&self) -> Option<&str> {
        self.info["corpus"]["digest"].as_str()
    }

    /// Whether the run was trained on text, whose words are in their order.
    pub fn is_text(&self) -> bool {
        !self.info["corpus"]["preparation"]["settings"]["text"].is_null()
    }

    pub(super) fn data(&self) -> RunData {
        RunData {
            name: self.name.clone(),
            command: if self.is_further { String::new() } else { card::command(&self.info) },
            card: if self.is_further { card::of_chain(&self.info) } else { card::card(&self.info) },
            trace: self.trace.clone(),
            timing: self.timing.clone(),
            ranks: self.ranks.clone(),
        }
    }
}

/// Hands over the rows of a log: the numbers of its columns, not a number where there is none.
fn each_row(folder: &Folder, name: &str, mut each: impl FnMut(&[f64])) -> Result<()> {
    let path = folder.file(name);
    let mut reader = csv::Reader::from_reader(folder.open(name)?);
    let columns = reader.headers().map_err(|error| damaged(&path, error.to_string()))?.len();
    if columns < 3 {
        return Err(damaged(&path, "is no log of a run"));
    }
    for row in reader.records() {
        let row = row.map_err(|error| damaged(&path, error.to_string()))?;
        let numbers: Vec<f64> = row.iter().map(|field| field.parse().unwrap_or(f64::NAN)).collect();
        each(&numbers);
    }
    Ok(())
}

fn read_trace(folder: &Folder) -> Result<TraceData> {
    let mut trace = TraceData::default();
    each_row(folder, name::TRACE, |row| {
        trace.iteration.push(row[0] as u32);
        trace.log_likelihood.push(row[1]);
        trace.log_likelihood_lda.push(row[2]);
        let column = |at: usize| row.get(at).copied().unwrap_or(f64::NAN);
        trace.active_topics.push(column(3));
        trace.alpha.push(column(6));
        trace.beta.push(column(7));
        trace.gamma.push(column(8));
        trace.max_topics.push(column(9));
    })?;
    Ok(trace)
}

fn read_timing(folder: &Folder) -> Result<TimingData> {
    let mut rows = Vec::new();
    each_row(folder, name::TIMING, |row| rows.push((row[0], row[1])))?;
    let stretch = rows.len().div_ceil(TIMING_POINTS).max(1);
    let mut timing = TimingData::default();
    for rows in rows.chunks(stretch) {
        let count = rows.len() as f64;
        timing.iteration.push(rows.iter().map(|row| row.0).sum::<f64>() / count);
        timing.seconds.push(rows.iter().map(|row| row.1).sum::<f64>() / count);
    }
    Ok(timing)
}

/// Tokens per topic at iterations that are about evenly spread, the last one among them.
fn read_ranks(folder: &Folder) -> Result<Vec<RankData>> {
    let mut all: Vec<RankData> = Vec::new();
    each_row(folder, name::TOKENS_PER_TOPIC, |row| {
        let (iteration, tokens) = (row[0] as u32, row[2] as u64);
        match all.last_mut() {
            Some(rank) if rank.iteration == iteration => rank.tokens.push(tokens),
            _ => all.push(RankData { iteration, tokens: vec![tokens] }),
        }
    })?;
    let last = all.len().saturating_sub(1);
    let shown: Vec<usize> = (1..=RANKS).map(|part| part * last / RANKS).collect();
    let mut at = 0;
    all.retain_mut(|rank| {
        rank.tokens.sort_unstable_by(|a, b| b.cmp(a));
        at += 1;
        shown.contains(&(at - 1))
    });
    Ok(all)
}

/// Reads a run's last state: its corpus with names and metadata, the topics of its tokens, and the model.
///
/// # Errors
/// [`Error::Read`] or [`Error::Input`] when a file is missing or damaged.
pub fn read_run(folder: &Folder, files: &RunFiles) -> Result<(Corpus, Vec<u16>, Model)> {
    let model = read_model(folder)?;
    let state = read_last_state(folder, &model)?;
    let mut corpus = state.corpus;
    add_names(folder, &mut corpus)?;
    // doc-topics.csv may have had to rename a column.
    let names = files.info["corpus"]["metadata"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for (column, name) in corpus.metadata.columns.iter_mut().zip(names) {
        column.name = name.to_owned();
    }
    Ok((corpus, state.z, model))
}

/// Takes names and metadata from doc-topics.csv, which has them as they were.
fn add_names(folder: &Folder, corpus: &mut Corpus) -> Result<()> {
    let path = folder.file(name::DOC_TOPICS_CSV);
    let file = folder.open(name::DOC_TOPICS_CSV)?;
    let bytes = file.metadata().map_err(Error::read(&path))?.len();
    let mut reader = csv::Reader::from_reader(file);
    let header = reader.headers().map_err(|error| damaged(&path, error.to_string()))?.clone();
    // document, name, tokens, metadata …, topic, share and perhaps sd.
    let end = header.iter().position(|column| column == "topic").filter(|&end| end >= 3);
    let end = end.ok_or_else(|| damaged(&path, "has no column topic after document, name and tokens"))?;
    let docs = corpus.num_docs();
    // Every value takes a byte or more, so what follows is in proportion to the file.
    if (docs as u64).saturating_mul(end as u64) > bytes {
        return Err(damaged(&path, "has no rows for all documents"));
    }
    let mut names = vec![String::new(); docs];
    let mut columns: Vec<MetadataColumn> = (3..end)
        .map(|at| MetadataColumn { name: header[at].to_owned(), values: vec![String::new(); docs] })
        .collect();
    for row in reader.records() {
        let row = row.map_err(|error| damaged(&path, error.to_string()))?;
        let Some(d) =
            row[0].parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|&d| d < docs)
        else {
            continue;
        };
        if names[d].is_empty() {
            names[d] = row[1].to_owned();
            columns.iter_mut().zip(3..).for_each(|(column, at)| column.values[d] = row[at].to_owned());
        }
    }
    corpus.doc_names = Some(names);
    corpus.metadata = Metadata { columns };
    Ok(())
}
