//! What somebody asks of a run: what is left out is as in the preset, or as in the run that goes on.

use std::path::Path;

use super::finish::Finish;
use super::plan::{Plan, Sampling, Until};
use super::record::RunRecord;
use super::spec::{Holdout, OnDeviceError, RunSpec};
use crate::device::Kernel;
use crate::device::choice::DeviceRequest;
use crate::error::{Error, Result};
use crate::params::{Algorithm, Preset, SettingsRequest, Size};

/// Chains that are waited for to settle when nothing else is said.
const SETTLED_CHAINS: u32 = 4;

/// What is asked of a run.
///
/// ```
/// use hdp_gpu::run::{RunRequest, Until};
///
/// let request = RunRequest { until: Some(Until::Settled), iterations: Some(20_000), ..RunRequest::default() };
/// # drop(request);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRequest {
    /// Priors, truncation, start, seed and sampler.
    pub model: SettingsRequest,
    /// Iterations, at most.
    pub iterations: Option<u32>,
    /// Iterations between rows of the trace.
    pub trace_every: Option<u32>,
    /// States at the end that θ and Φ are a mean of.
    pub samples: Option<u32>,
    /// Iterations from one of them to the next.
    pub thin: Option<u32>,
    /// Sweeps of direct assignment on copies of the states that results are made of.
    pub finish: Option<Finish>,
    /// Chains.
    pub chains: Option<u32>,
    /// What they go on until.
    pub until: Option<Until>,
    /// The share of documents to hold out.
    pub holdout: Option<f64>,
    /// The seed that chooses them.
    pub holdout_seed: Option<u64>,
    /// Keep passages of documents out of the report.
    pub no_text: bool,
    /// The device.
    pub device: DeviceRequest,
    /// The kernel of a GPU.
    pub kernel: Option<Kernel>,
    /// The team size of a GPU, lanes per document.
    pub team: Option<u32>,
    /// What happens when the device fails.
    pub on_device_error: OnDeviceError,
}

impl RunRequest {
    /// What is meant beside the run in `out` that goes on, of which `begun` chains have begun.
    ///
    /// # Errors
    /// [`Error::Setting`] names what cannot be.
    pub(super) fn spec(&self, before: Option<&RunRecord>, out: &Path, begun: u32) -> Result<RunSpec> {
        self.model.check()?;
        let run = before.map(|before| &before.settings);
        let size = before.map(RunRecord::size);
        let (chains, until) = self.chains(run, out, begun)?;
        let plan = self.plan(run.map(|run| run.plan));
        let model = self.model.settings(run.map(|run| &run.model), size).check()?.settings().clone();
        self.check_direct(model.sampler, plan.sampling.finish)?;
        let spec = RunSpec {
            preset: self.preset(run, size),
            model,
            plan,
            chains,
            until,
            no_text: self.no_text || run.is_some_and(|run| run.no_text),
            device: self.device.to_string(),
            kernel: self.kernel,
            team: self.team,
            on_device_error: self.on_device_error,
        };
        spec.check()?;
        Ok(spec)
    }

    /// The name of the preset, or of that of the run that goes on.
    fn preset(&self, run: Option<&RunSpec>, size: Option<Size>) -> String {
        let of_run = run.filter(|_| self.model.preset.is_none()).map(|run| run.preset.clone());
        of_run.unwrap_or_else(|| self.model.preset_of(size).name().to_owned())
    }

    /// `spec`, of a run that begins, on a corpus of this size.
    ///
    /// # Errors
    /// As for [`RunRequest::spec`].
    pub(super) fn on(&self, spec: RunSpec, size: Size) -> Result<RunSpec> {
        let model = self.model.settings(None, Some(size)).check()?.settings().clone();
        Ok(RunSpec { preset: self.preset(None, Some(size)), model, ..spec })
    }

    /// How many chains there are, and what they go on until. Those that have begun go on.
    fn chains(&self, run: Option<&RunSpec>, out: &Path, begun: u32) -> Result<(u32, Until)> {
        let until = self.until.or(run.map(|run| run.until)).unwrap_or_default();
        let of_run = run.map_or(1, |run| run.chains);
        let default = if of_run == 1 && until == Until::Settled { SETTLED_CHAINS } else { of_run };
        let chains = self.chains.unwrap_or(default);
        let least = run.map_or(1, |run| run.chains.min(begun));
        if chains < least {
            return Err(Error::setting(
                "chains",
                format!("{chains} are asked for, and the run in {} has {least}", out.display()),
                "leave out `chains` to go on with that run, or give another `out`",
            ));
        }
        Ok((chains, until))
    }

    fn plan(&self, run: Option<Plan>) -> Plan {
        let Plan { iterations, trace_every, sampling } = run.unwrap_or_default();
        let of_preset = self.model.preset.or(run.is_none().then(Preset::default)).map(Finish::of_preset);
        Plan {
            iterations: self.iterations.unwrap_or(iterations),
            trace_every: self.trace_every.unwrap_or(trace_every),
            sampling: Sampling {
                samples: self.samples.unwrap_or(sampling.samples),
                thin: self.thin.unwrap_or(sampling.thin),
                finish: self.finish.or(of_preset).unwrap_or(sampling.finish),
            },
        }
    }

    /// The documents to hold out.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub(super) fn holdout(&self, before: Option<&RunRecord>) -> Result<Option<Holdout>> {
        let run = before.and_then(|before| before.holdout.as_ref());
        let share = self.holdout.or(run.map(|run| run.asked.share));
        let seed = self.holdout_seed.or(run.map(|run| run.asked.seed));
        match (share, seed) {
            (Some(share), _) if !(share > 0.0 && share < 1.0) => {
                let problem = format!("{share} is not a share of the documents");
                Err(Error::setting("holdout", problem, "give a number between 0 and 1, for example 0.1"))
            }
            (Some(share), seed) => Ok(Some(Holdout { share, seed: seed.unwrap_or(0) })),
            (None, Some(_)) => {
                Err(Error::setting("holdout_seed", "no documents are held out", "give `holdout` too"))
            }
            (None, None) => Ok(None),
        }
    }

    /// Direct assignment has no choice of a device, draws no Φ, and is what a finish is made of.
    fn check_direct(&self, sampler: Algorithm, finish: Finish) -> Result<()> {
        if sampler != Algorithm::Direct {
            return Ok(());
        }
        let is_gpu = !matches!(self.device, DeviceRequest::Auto | DeviceRequest::Cpu);
        let has_finish = !matches!(finish, Finish::Auto | Finish::NONE);
        let settings = [
            ("finish", has_finish, "direct assignment is what a finish is made of"),
            ("device", is_gpu, "direct assignment runs on the CPU"),
            ("kernel", self.kernel.is_some(), "direct assignment runs on the CPU"),
            ("team", self.team.is_some(), "direct assignment runs on the CPU"),
            ("phi", self.model.phi.is_some(), "direct assignment draws no Φ: it is integrated out"),
        ];
        match settings.into_iter().find(|&(_, is_given, _)| is_given) {
            Some((setting, _, problem)) => {
                Err(Error::setting(setting, problem, format!("leave out `{setting}` or `sampler` direct")))
            }
            None => Ok(()),
        }
    }
}
