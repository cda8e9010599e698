//! From what is asked for to a run that is ready: what is there already, what is meant beside it, and whether that can be.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::checkpoint::Kept;
use super::folder::{Folder, chain_path, is_below, last_chain};
use super::holdout::hold_out;
use super::journal::Every;
use super::needs::{Machine, Needs, Workload};
use super::observer::{Event, Observer};
use super::origin::{Mode, Origin};
use super::plan::{Plan, Until};
use super::record::{CorpusRecord, HoldoutRecord, RunRecord, Status};
use super::request::RunRequest;
use super::settled::{Traces, settled};
use super::spec::{Holdout, OnDeviceError, RunSpec};
use super::{FrontEnd, Run, together};
use crate::corpus::holdout::Split;
use crate::corpus::{Corpus, Labels, Loaded, Preparation, SpooledText, labels_digest};
use crate::device::choice::DeviceRequest;
use crate::device::{OpenOptions, Place};
use crate::error::{Error, Result};
use crate::params::{Algorithm, Concentrations, Init};
use crate::ranks::Ranks;

/// A run's folder, and what is there of a run that goes on.
pub struct Opening {
    out: PathBuf,
    mode: Mode,
    first: Origin,
}

impl Opening {
    /// Looks into `out`, and locks it if a run goes on there.
    ///
    /// # Errors
    /// When another process trains there, or what is there cannot be gone on with.
    pub fn new(out: &Path, mode: Mode, observer: &mut dyn Observer) -> Result<Self> {
        Ok(Self { first: Origin::find(out, mode, 1, observer)?, out: out.to_owned(), mode })
    }

    /// What is meant by `request` beside the run that goes on. All chains are looked at before hours are spent on the first.
    /// `inputs` are files that the run reads, which its folder must not hold.
    ///
    /// # Errors
    /// [`Error::Setting`] when it cannot be, or would be another run than the one that goes on.
    pub fn ask(self, request: &RunRequest, inputs: &[&Path], observer: &mut dyn Observer) -> Result<Asked> {
        let Self { out, mode, first } = self;
        let before = first.kept().map(|kept| &kept.record);
        let begins = before.is_none();
        let mut spec = request.spec(before, &out, last_chain(&out))?;
        let holdout = request.holdout(before)?;
        let alone = first.kept().and_then(|kept| end_alone(kept, &spec));
        (2..=spec.chains).try_for_each(|number| Folder::check_chain(&out, number))?;
        check_start(&spec, &out)?;
        let mut kept = Vec::from_iter(first.kept().cloned().map(|kept| (1, kept)));
        let mut origins = vec![first];
        for number in 2..=spec.chains {
            let origin = Origin::find(&out, mode, number, observer)?;
            kept.extend(origin.kept().cloned().map(|kept| (number, kept)));
            // Only chains that wait for each other stay.
            if spec.until == Until::Settled {
                origins.push(origin);
            }
        }
        if let Some((_, kept)) = kept.first().filter(|_| begins) {
            spec = request.on(spec, kept.record.size())?;
        }
        let end = if spec.until == Until::Settled { end_of(&origins, &spec) } else { alone };
        let (ranks, asked_of_ranks) = (Ranks::alone(), String::new());
        let begins = begins.then(|| request.clone());
        let asked = Asked { spec, begins, holdout, end, out, mode, origins, kept, ranks, asked_of_ranks };
        asked.kept.iter().try_for_each(|(number, kept)| asked.check_chain(*number, kept))?;
        asked.origins[0].check_out(&asked.out, mode, inputs)?;
        Ok(asked)
    }
}

/// The end of a further chain of a run whose chains have settled, if it is taken by itself.
fn end_alone(kept: &Kept, spec: &RunSpec) -> Option<u32> {
    let settings = &kept.record.settings;
    let is_same = (settings.until, spec.chains, settings.plan) == (spec.until, 1, spec.plan);
    kept.end.filter(|_| is_same && spec.until == Until::Iterations)
}

/// The last iteration of chains that go on from their checkpoints, if their traces say that they have settled.
fn end_of(origins: &[Origin], spec: &RunSpec) -> Option<u32> {
    let traces = |origin: &Origin| Some(spec.traces(origin.trace()?));
    let traces: Option<Vec<Traces>> = origins.iter().map(traces).collect();
    let at: Vec<_> = origins.iter().filter_map(|origin| origin.at(spec)).collect();
    spec.end_of(&traces?, &at)
}

impl RunSpec {
    /// The traces of a chain.
    pub(super) fn traces(&self, rows: &[super::trace::TraceRow]) -> Traces {
        Traces::of(rows, &self.model, self.plan.trace_every)
    }

    /// The last iteration of chains with these traces, if they have settled; `at` as [`Plan::end_of_chains`] has it.
    pub(super) fn end_of(&self, traces: &[Traces], at: &[(u32, Option<u32>)]) -> Option<u32> {
        let settled = settled(traces, &self.plan, self.model.anneal)?;
        Some(self.plan.end_of_chains(settled.iteration, at))
    }
}

/// Refuses to start several chains from a model that the first of them replaces.
fn check_start(spec: &RunSpec, out: &Path) -> Result<()> {
    match &spec.model.init {
        Init::Run(run) if spec.chains > 1 && is_below(run, out) => Err(Error::setting(
            "init",
            format!("the run in {} is in `out`, and replaced before all chains have started", run.display()),
            "give another `out`",
        )),
        _ => Ok(()),
    }
}

/// A run that can be, as far as that is known without its corpus.
pub struct Asked {
    pub(super) spec: RunSpec,
    /// What is asked of a run that begins, whose settings depend on its corpus.
    begins: Option<RunRequest>,
    pub(super) holdout: Option<Holdout>,
    /// The last iteration, if the chains have settled before.
    pub(super) end: Option<u32>,
    pub(super) out: PathBuf,
    pub(super) mode: Mode,
    /// The first chain, and those that wait for each other.
    pub(super) origins: Vec<Origin>,
    /// What chains that go on were, by number.
    kept: Vec<(u32, Kept)>,
    /// Who trains, and what all of them are asked for.
    ranks: Ranks,
    asked_of_ranks: String,
}

impl Asked {
    /// What is meant.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// How the corpus of the run that goes on was prepared.
    pub fn preparation(&self) -> Option<&Preparation> {
        self.kept.first().map(|(_, kept)| &kept.record.corpus.preparation.settings)
    }

    /// Whether the documents' own text is kept with the run: it begins now, and passages are not refused.
    pub fn keeps_text(&self) -> bool {
        self.origins[0].kept().is_none() && !self.spec.no_text
    }

    /// The same with these ranks, of which this is the first; the others [serve](together::serve). `asked` is what all of them are
    /// asked for, which is compared.
    #[must_use]
    pub fn among(self, ranks: &Ranks, asked: String) -> Self {
        Self { ranks: ranks.clone(), asked_of_ranks: asked, ..self }
    }

    /// The device to train on, among those of this machine; direct assignment has no choice.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn place(&self, request: &RunRequest) -> Result<Place> {
        let device = match self.spec.model.sampler {
            Algorithm::Direct => &DeviceRequest::Cpu,
            Algorithm::Ppu { .. } => &request.device,
        };
        let options = OpenOptions::new(self.spec.kernel).with_team(self.spec.team);
        let place = Place::choose(device, options)?;
        Ok(place.with_cpu_in_reserve(self.spec.on_device_error == OnDeviceError::Cpu))
    }

    /// The plan as far as it is carried out.
    pub(super) fn course(&self) -> Plan {
        self.spec.plan.ending(self.end)
    }

    /// Refuses to go on with what would be another run than chain `number` of what is asked for.
    pub(super) fn check_chain(&self, number: u32, kept: &Kept) -> Result<()> {
        let out = &chain_path(&self.out, number);
        kept.check_settings(out, self.spec.params_of(number)?.settings(), self.holdout)?;
        kept.check_plan(out, &self.course())
    }

    /// The run on a corpus, a device and the threads of the current pool.
    ///
    /// # Errors
    /// When the corpus is not that of the run which goes on, or the machine has no room for the run.
    pub fn on(
        mut self,
        loaded: Loaded,
        place: Place,
        every: Every,
        front_end: FrontEnd,
        observer: &mut dyn Observer,
    ) -> Result<Run> {
        let start = Instant::now();
        let (place, ranks) = together::meet(&self.ranks, place, &self.asked_of_ranks)?;
        let labels = labels_digest(&loaded.corpus);
        let Loaded { source, format, corpus, preparation, notes, kept_text } = loaded;
        let text = kept_text.filter(|_| self.keeps_text());
        let corpus_record = CorpusRecord::of(&corpus, source, format, preparation, notes);
        for (number, kept) in &self.kept {
            let repeat = (front_end.repeat)(&kept.record);
            kept.check_corpus(&chain_path(&self.out, *number), &corpus_record, &labels, &repeat)?;
        }
        let split = self.holdout.map(|holdout| hold_out(&corpus, holdout)).transpose()?;
        let holdout = split.as_ref().zip(self.holdout).map(|(split, asked)| HoldoutRecord::new(split, asked));
        if let Some(request) = &self.begins {
            self.spec = request.on(self.spec, corpus_record.size(holdout.as_ref()))?;
        }
        let (corpus, split) = self.to_train_on(corpus, split)?;
        let portion = together::divide(&corpus, &self.ranks)?;
        let text_bytes = text.as_ref().map_or(0, SpooledText::bytes);
        self.check_needs(&corpus, &portion.corpus, split.as_ref(), text_bytes, &place, observer)?;
        let record = RunRecord { ranks, ..self.record(corpus_record, holdout, &front_end) };
        let kept = Kept { record, labels, end: self.end, most_flag_topic_tokens: 0, stuck_tokens: 0 };
        let (corpus, split, labels) = self.put_labels_away(corpus, split)?;
        let text = Mutex::new(text);
        Ok(Run { asked: self, corpus, labels, portion, split, text, place, every, front_end, kept, start })
    }

    /// What is trained on, and what is scored. The first of several ranks has no memory for the words of all documents.
    fn to_train_on(&self, corpus: Corpus, split: Option<Split>) -> Result<(Arc<Corpus>, Option<Split>)> {
        let puts_away = self.ranks.are_several();
        let split = if puts_away { split.map(Split::put_away).transpose()? } else { split };
        let corpus = match &split {
            Some(split) => Arc::clone(&split.train),
            None if puts_away => Arc::new(corpus.put_away()?),
            None => Arc::new(corpus),
        };
        Ok((corpus, split))
    }

    /// The first of several ranks has none for what all documents are called either.
    fn put_labels_away(
        &self,
        corpus: Arc<Corpus>,
        split: Option<Split>,
    ) -> Result<(Arc<Corpus>, Option<Split>, Option<Labels>)> {
        if !self.ranks.are_several() {
            return Ok((corpus, split, None));
        }
        let labels = Labels::put_away(&corpus)?;
        let corpus = Arc::new(corpus.without_labels());
        let split = split.map(|Split { held_out, docs, .. }| {
            let (train, held_out) = (Arc::clone(&corpus), held_out.without_labels());
            Split { train, held_out, docs }
        });
        Ok((corpus, split, Some(labels)))
    }

    fn check_needs(
        &self,
        corpus: &Corpus,
        own: &Corpus,
        split: Option<&Split>,
        text_bytes: u64,
        place: &Place,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let held_out = split.map(|split| &split.held_out);
        let params = self.spec.params_of(1)?;
        let workload = |corpus| {
            Workload::new(corpus, held_out, &params, self.spec.plan, place.is_gpu())
                .shared_with_cpu(place.is_shared())
                .in_chains(self.spec.chains, self.spec.until)
                .with_text(text_bytes)
        };
        let own = workload(own).of_all(corpus);
        let (mut needs, machine) = (Needs::of(&own), Machine::now(&self.out));
        if self.ranks.are_several() {
            // The files are those of all documents.
            needs.disk = Needs::of(&workload(corpus)).disk;
        }
        needs.check(&own, &machine)?;
        let least = needs.memory.least.saturating_add(own.corpus_bytes as u64);
        together::check_memory(&self.ranks, &params, least)?;
        observer.event(&Event::Needs { needs: &needs, machine: &machine });
        Ok(())
    }

    /// run.json as it is before the first iteration.
    fn record(
        &self,
        corpus: CorpusRecord,
        holdout: Option<HoldoutRecord>,
        front_end: &FrontEnd,
    ) -> RunRecord {
        let model = &self.spec.model;
        RunRecord {
            program: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            status: Status::Running,
            command: front_end.command.clone(),
            settings: self.spec.clone(),
            corpus,
            holdout,
            device: String::new(),
            driver: None,
            kernel: None,
            chosen: None,
            device_error: None,
            threads: rayon::current_num_threads(),
            ranks: Vec::new(),
            iterations_done: 0,
            concentrations: Concentrations { alpha: model.alpha, beta: model.beta, gamma: model.gamma },
            max_topics: model.max_topics,
            finished: None,
            chains: None,
            resumed: Vec::new(),
            wall_seconds: 0.0,
        }
    }
}
