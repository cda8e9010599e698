//! Whether a run may go on as it is asked to: the same draws, and samples that have not been passed.

use std::fmt::Display;
use std::path::Path;

use super::Kept;
use crate::error::{Error, Result};
use crate::params::{Algorithm, GammaPrior, PhiLaw, Settings};
use crate::run::plan::{Plan, Sampling};
use crate::run::record::{CorpusRecord, RunRecord};
use crate::run::spec::Holdout;

impl Kept {
    /// Refuses settings with which it would be another run than that in `run`.
    ///
    /// # Errors
    /// [`Error::Setting`] names the first one with both values.
    pub fn check_settings(&self, run: &Path, asked: &Settings, holdout: Option<Holdout>) -> Result<()> {
        let of = |settings: &Settings, holdout: Option<Holdout>| {
            [
                ("alpha", concentration(settings.alpha, settings.learn.alpha)),
                ("beta", concentration(settings.beta, settings.learn.beta)),
                ("gamma", concentration(settings.gamma, settings.learn.gamma)),
                ("sampler", sampler(settings).to_owned()),
                ("phi", phi(settings).to_owned()),
                ("psi", settings.psi.name().to_owned()),
                ("discount", settings.discount.to_string()),
                ("init", settings.init.to_string()),
                ("max_topics", max_topics(settings)),
                ("anneal", settings.anneal.map_or("none".to_owned(), |anneal| anneal.to_string())),
                ("seed", settings.seed.to_string()),
                ("holdout", holdout.map_or("none".to_owned(), |holdout| holdout.share.to_string())),
                ("holdout_seed", holdout.map_or("none".to_owned(), |holdout| holdout.seed.to_string())),
            ]
        };
        let RunRecord { settings, holdout: held_out, .. } = &self.record;
        let held_out = held_out.as_ref().map(|held_out| held_out.asked);
        let pairs = of(&settings.model, held_out).into_iter().zip(of(asked, holdout));
        match pairs.into_iter().find(|(of_run, asked)| of_run != asked) {
            Some(((setting, of_run), (_, asked))) => Err(other_run(run, setting, &of_run, &asked)),
            None => Ok(()),
        }
    }

    /// Refuses a plan that the run in `run` cannot be part of.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub fn check_plan(&self, run: &Path, plan: &Plan) -> Result<()> {
        if plan.trace_every != self.record.settings.plan.trace_every {
            let [of_run, asked] = [self.record.settings.plan, *plan].map(|plan| plan.trace_every.to_string());
            return Err(other_run(run, "trace_every", &of_run, &asked));
        }
        let (run, at) = (run.display(), self.iteration());
        if plan.iterations < at {
            let problem = format!("{} are asked for, and the run in {run} has done {at}", plan.iterations);
            return Err(Error::setting("iterations", problem, format!("give a number from {at} on")));
        }
        self.check_samples(&run, plan)
    }

    /// Refuses samples of which the run has passed the first, and other samples in the place of those that it has had.
    fn check_samples(&self, run: &impl Display, plan: &Plan) -> Result<()> {
        let (at, Sampling { samples, thin, finish }) = (self.iteration(), plan.sampling);
        let of_run = self.course();
        let had = of_run.sampling.taken(at, of_run.iterations);
        if plan.iterations == of_run.iterations && plan.sampling != of_run.sampling && had > 0 {
            let Sampling { samples: of, thin: apart, finish: with } = of_run.sampling;
            if (samples, thin) == (of, apart) {
                let problem = format!(
                    "{finish} is asked for, and the run in {run} has had {had} of {of} samples with {with}"
                );
                return Err(Error::setting("finish", problem, "leave out `finish`, or raise `iterations`"));
            }
            return Err(Error::setting(
                "samples",
                format!("the run in {run} has had {had} of {of} samples, {apart} iterations apart"),
                "leave out `samples` and `thin`, or raise `iterations`",
            ));
        }
        match plan.sampling.first(plan.iterations) {
            Some(first) if *plan != of_run && first <= at => {
                let least = u64::from(at) + 1 + u64::from(samples - 1) * u64::from(thin);
                Err(Error::setting(
                    "iterations",
                    format!(
                        "the first of {samples} samples would be iteration {first}, and the run in {run} is at {at}"
                    ),
                    format!("give a number from {least} on, or lower `samples` or `thin`"),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Refuses another corpus than that of the run in `run`. `repeat` says how the run was begun.
    ///
    /// # Errors
    /// [`Error::Input`].
    pub fn check_corpus(&self, run: &Path, asked: &CorpusRecord, labels: &str, repeat: &str) -> Result<()> {
        let (source, of_run) = (Path::new(&asked.source), &self.record.corpus);
        let remedy = format!("give the corpus and its settings as in: {repeat}");
        if asked.digest != of_run.digest {
            let show = |corpus: &CorpusRecord| {
                let CorpusRecord { digest, documents, tokens, words, .. } = corpus;
                let digest: String = digest.chars().filter(char::is_ascii_hexdigit).take(12).collect();
                format!("{documents} documents, {tokens} tokens, {words} words, digest {digest}…")
            };
            let problem = format!(
                "is not the corpus of the run in {}, or was prepared otherwise: {}; the run's has {}",
                run.display(),
                show(asked),
                show(of_run)
            );
            return Err(Error::input(source, problem, remedy));
        }
        if labels != self.labels {
            let problem =
                format!("has other names or metadata of documents than the run in {}", run.display());
            return Err(Error::input(source, problem, remedy));
        }
        Ok(())
    }
}

fn other_run(run: &Path, setting: &'static str, of_run: &str, asked: &str) -> Error {
    Error::setting(
        setting,
        format!("{asked} is asked for, and the run in {} has {of_run}", run.display()),
        format!("leave out `{setting}` to go on with that run, or give another `out`"),
    )
}

fn concentration(value: f64, learn: Option<GammaPrior>) -> String {
    learn.map_or_else(|| value.to_string(), |prior| format!("{prior} from {value}"))
}

fn max_topics(settings: &Settings) -> String {
    let Settings { max_topics, grow, .. } = settings;
    if *grow { format!("auto from {max_topics}") } else { max_topics.to_string() }
}

fn sampler(settings: &Settings) -> &'static str {
    match settings.sampler {
        Algorithm::Ppu { .. } => "ppu",
        Algorithm::Direct => "direct",
    }
}

fn phi(settings: &Settings) -> &'static str {
    match settings.sampler {
        Algorithm::Ppu { phi: PhiLaw::Ppu } => "ppu",
        Algorithm::Ppu { phi: PhiLaw::Dirichlet } => "dirichlet",
        Algorithm::Direct => "none",
    }
}
