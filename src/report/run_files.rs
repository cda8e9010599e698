//! A run as the page needs it: what is told of it, its rows, and its last state read back from its folder.

use super::card;
use super::data::{RankData, RunData, TimingData, TraceData};
use crate::corpus::{Corpus, Metadata, MetadataColumn};
use crate::error::{Error, Result};
use crate::files::cell::as_it_was;
use crate::model::trained::Model;
use crate::run::folder::{Folder, name};
use crate::run::logs::Rows;
use crate::run::record::damaged;
use crate::run::results::last_state::read_last_state;
use crate::run::results::model_file::read_model;
use crate::run::results::topics_by_group::TopicsByGroup;
use crate::run::{History, Reported, RunRecord, TraceRow};

/// Points of the plot of times.
const TIMING_POINTS: usize = 1_000;

/// Iterations whose tokens per topic are shown.
const RANKS: usize = 5;

/// What is told of a run, and its rows.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// The name of its folder.
    pub(super) name: String,
    /// Its folder, where it has one.
    folder: Option<Folder>,
    /// Whether it is a further chain of a run, which is told of already.
    is_further: bool,
    /// What run.json says of it.
    pub record: RunRecord,
    /// The rows of its logs.
    pub history: History,
}

impl RunFiles {
    /// Of a run that is called `name`, with what is told of it and its rows.
    pub fn new(name: String, record: RunRecord, history: History) -> Self {
        Self { name, folder: None, is_further: false, record, history }
    }

    /// Reads run.json and the logs.
    ///
    /// # Errors
    /// [`Error::Read`] or [`Error::Input`] when a file is missing or damaged.
    pub fn read(folder: &Folder) -> Result<Self> {
        let rows = Rows {
            trace: folder.read(name::TRACE)?,
            timing: folder.read(name::TIMING)?,
            tokens_per_topic: folder.read(name::TOKENS_PER_TOPIC)?,
        };
        let history = History::read(&rows).map_err(|(name, problem)| {
            damaged(&folder.file(name), format!("is no log of a run ({problem})"))
        })?;
        Ok(Self::of_folder(folder, RunRecord::read(folder)?, history))
    }

    /// Reads a run with its further chains, as far as they have begun, the run itself first.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_chains(folder: &Folder) -> Result<Vec<Self>> {
        let mut runs = vec![Self::read(folder)?];
        let count = runs[0].record.settings.chains;
        let has_begun = |folder: &Folder| {
            [name::RUN, name::TRACE, name::TIMING, name::TOKENS_PER_TOPIC]
                .iter()
                .all(|name| folder.plain_file(name).is_ok())
        };
        let further = folder.further_chains().into_iter().filter(|(number, _)| *number <= count);
        for (number, chain) in further.filter(|(_, chain)| has_begun(chain)) {
            let chain = Self::read(&chain)?;
            runs.push(chain.into_further(&runs[0].name, number));
        }
        Ok(runs)
    }

    /// The chains of a run that has just ended.
    pub(super) fn of_chains(runs: &[Reported<'_>]) -> Vec<Self> {
        let of = |run: &Reported<'_>| Self::of_folder(run.folder, run.record.clone(), run.history.clone());
        let mut chains: Vec<Self> = runs.iter().map(of).collect();
        for (number, at) in (2..).zip(1..chains.len()) {
            chains[at] = chains[at].clone().into_further(&chains[0].name, number);
        }
        chains
    }

    fn of_folder(folder: &Folder, record: RunRecord, history: History) -> Self {
        Self { folder: Some(folder.clone()), ..Self::new(folder_name(folder), record, history) }
    }

    /// Reads its model, if it has come to one.
    pub(super) fn model(&self) -> Result<Option<Model>> {
        let has_model = |folder: &&Folder| folder.file(name::MODEL).symlink_metadata().is_ok();
        self.folder.as_ref().filter(has_model).map(read_model).transpose()
    }

    /// Reads the topics of groups from its folder, if they are means over samples.
    pub(super) fn samples_of_groups(&self) -> Result<Option<TopicsByGroup>> {
        let has_samples = self.record.settings.plan.sampling.samples > 1;
        self.folder.as_ref().filter(|_| has_samples).map_or(Ok(None), TopicsByGroup::read)
    }

    fn into_further(self, first: &str, number: u32) -> Self {
        Self { name: format!("{first}, chain {number}"), is_further: true, ..self }
    }

    /// What is said of its chains, if these are all that it has.
    pub(super) fn sentence_of_chains(&self, runs: &[Self]) -> Option<&str> {
        let chains = self.record.chains.as_ref().filter(|chains| chains.count == runs.len());
        chains.map(|chains| chains.sentence.as_str())
    }

    pub(super) fn data(&self, repeat: fn(&RunRecord) -> String) -> RunData {
        RunData {
            name: self.name.clone(),
            command: if self.is_further { String::new() } else { repeat(&self.record) },
            card: if self.is_further { card::of_chain(&self.record) } else { card::card(&self.record) },
            trace: trace_data(&self.history.trace),
            timing: self.timing(),
            ranks: self.ranks(),
        }
    }

    /// Means over stretches of a long run.
    fn timing(&self) -> TimingData {
        let rows = &self.history.timing;
        let mut timing = TimingData::default();
        for rows in rows.chunks(rows.len().div_ceil(TIMING_POINTS).max(1)) {
            let count = rows.len() as f64;
            timing.iteration.push(rows.iter().map(|row| f64::from(row.iteration)).sum::<f64>() / count);
            timing.seconds.push(rows.iter().map(|row| row.seconds).sum::<f64>() / count);
        }
        timing
    }

    /// Tokens per topic at iterations that are about evenly spread, the last one among them.
    fn ranks(&self) -> Vec<RankData> {
        let all = &self.history.topic_tokens;
        let last = all.len().saturating_sub(1);
        let mut shown: Vec<usize> = (1..=RANKS).map(|part| part * last / RANKS).collect();
        shown.dedup();
        let rank = |at: usize| {
            let row = all.get(at)?;
            let mut tokens: Vec<u64> = row.tokens.iter().map(|&(_, tokens)| tokens).collect();
            tokens.sort_unstable_by(|a, b| b.cmp(a));
            Some(RankData { iteration: row.iteration, tokens })
        };
        shown.into_iter().filter_map(rank).collect()
    }
}

fn trace_data(rows: &[TraceRow]) -> TraceData {
    let mut trace = TraceData::default();
    for row in rows {
        trace.iteration.push(row.iteration);
        trace.log_likelihood.push(row.log_likelihood);
        trace.log_likelihood_lda.push(row.log_likelihood_lda);
        trace.active_topics.push(row.active_topics as f64);
        trace.alpha.push(row.alpha);
        trace.beta.push(row.beta);
        trace.gamma.push(row.gamma);
        trace.max_topics.push(f64::from(row.max_topics));
    }
    trace
}

/// The name of a folder, wherever it was called from.
fn folder_name(folder: &Folder) -> String {
    let full = folder.path().canonicalize();
    let full = full.as_deref().unwrap_or(folder.path());
    full.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
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
    let names = &files.record.corpus.metadata;
    for (column, name) in corpus.metadata.columns.iter_mut().zip(names) {
        column.name.clone_from(name);
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
        .map(|at| MetadataColumn {
            name: as_it_was(&header[at]).to_owned(),
            values: vec![String::new(); docs],
        })
        .collect();
    for row in reader.records() {
        let row = row.map_err(|error| damaged(&path, error.to_string()))?;
        let Some(d) =
            row[0].parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|&d| d < docs)
        else {
            continue;
        };
        if names[d].is_empty() {
            as_it_was(&row[1]).clone_into(&mut names[d]);
            let columns = columns.iter_mut().zip(3..);
            columns.for_each(|(column, at)| as_it_was(&row[at]).clone_into(&mut column.values[d]));
        }
    }
    corpus.doc_names = Some(names);
    corpus.metadata = Metadata { columns };
    Ok(())
}
