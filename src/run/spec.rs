//! What a run is: what was asked for, with everything that was left out filled in.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::plan::{Plan, Until};
use super::settled::looks;
use crate::device::Kernel;
use crate::error::{Error, Result};
use crate::params::{Params, Settings};

/// Everything that a run was told. Which documents are held out is beside it in a [`RunRecord`], with what came of them.
///
/// [`RunRecord`]: super::RunRecord
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The preset that the other settings started from.
    pub preset: String,
    /// Priors, truncation, start, seed and sampler.
    #[serde(flatten)]
    pub model: Settings,
    /// How long to train, and what to keep.
    #[serde(flatten)]
    pub plan: Plan,
    /// Chains, with seeds one after the other.
    pub chains: u32,
    /// What they go on until.
    pub until: Until,
    /// Whether passages of documents are kept out of the report.
    pub no_text: bool,
    /// The device asked for.
    pub device: String,
    /// The kernel asked for, if one was.
    #[serde(serialize_with = "kernel_name", deserialize_with = "kernel")]
    pub kernel: Option<Kernel>,
    /// The team size of a GPU asked for, if one was.
    pub team: Option<u32>,
    /// What happens when the device fails.
    pub on_device_error: OnDeviceError,
}

/// What happens when a device fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnDeviceError {
    /// The CPU takes over, with the same result.
    #[default]
    Cpu,
    /// The run ends.
    Fail,
}

/// Which documents are held out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holdout {
    /// The share of documents with tokens.
    pub share: f64,
    /// The seed that chooses them.
    pub seed: u64,
}

/// A kernel's name, or `auto`.
fn kernel_name<S: Serializer>(kernel: &Option<Kernel>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kernel.map_or("auto", Kernel::name))
}

fn kernel<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Kernel>, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(Kernel::ALL.into_iter().find(|kernel| kernel.name() == name))
}

impl RunSpec {
    /// Refuses chains that cannot be, or could not be seen to settle, and samples that do not fit.
    ///
    /// # Errors
    /// [`Error::Setting`].
    pub(super) fn check(&self) -> Result<()> {
        let Plan { iterations, trace_every, sampling } = self.plan;
        if u64::from(sampling.samples - 1) * u64::from(sampling.thin) >= u64::from(iterations) {
            return Err(Error::setting(
                "samples",
                format!(
                    "{} states, {} iterations apart, do not fit in `iterations` {iterations}",
                    sampling.samples, sampling.thin
                ),
                "lower `samples` or `thin`, or raise `iterations`",
            ));
        }
        if self.until == Until::Settled {
            self.check_settling(iterations, trace_every)?;
        }
        self.params_of(self.chains).map(drop)
    }

    fn check_settling(&self, iterations: u32, trace_every: u32) -> Result<()> {
        if self.chains == 1 {
            let problem = "one chain has no other to agree with";
            return Err(Error::setting("chains", problem, "give 2 or more, or leave out `until` settled"));
        }
        let first = looks(trace_every).next();
        if first.is_some_and(|first| first <= iterations) {
            return Ok(());
        }
        let first = first.map_or_else(|| "never".into(), |first| format!("after iteration {first}"));
        Err(Error::setting(
            "until",
            format!(
                "chains with a row every {trace_every} iterations are first looked at {first}, and `iterations` is {iterations}"
            ),
            "raise `iterations`, or lower `trace_every`",
        ))
    }

    /// The parameters of a chain, numbered from 1.
    ///
    /// # Errors
    /// [`Error::Setting`] when there are no seeds for so many chains, or a setting cannot be used.
    pub(super) fn params_of(&self, number: u32) -> Result<Params> {
        let mut settings = self.model.clone();
        let seed = settings.seed.checked_add(u64::from(number - 1));
        settings.seed = seed.ok_or_else(|| {
            let problem = format!("there are no {} seeds from {} on", self.chains, settings.seed);
            Error::setting("chains", problem, "give a smaller `seed`")
        })?;
        settings.check()
    }

    /// The spec of a chain's own folder: that of a run of its own, but for the first.
    pub(super) fn of_chain(&self, number: u32) -> Result<Self> {
        let model = self.params_of(number)?.settings().clone();
        let (chains, until) = if number == 1 { (self.chains, self.until) } else { (1, Until::Iterations) };
        Ok(Self { model, chains, until, ..self.clone() })
    }
}
