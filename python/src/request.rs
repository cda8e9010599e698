//! The estimator's settings as the library takes them, and the defaults that it has for them.

use hdp_gpu::infer::InferSettings;
use hdp_gpu::params::{
    Algorithm, GammaPrior, Init, PhiLaw, Preset, PsiLaw, SamplerKind, Settings, SettingsRequest,
};
use hdp_gpu::run::{Finish, Plan, RunRequest, Until};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::named::{number, one_of, parsed};

pub(crate) const PRESETS: [(&str, Preset); 4] = [
    ("auto", Preset::Auto),
    ("default", Preset::Default),
    ("small", Preset::Small),
    ("paper", Preset::Paper),
];
const SAMPLERS: [(&str, SamplerKind); 2] = [("ppu", SamplerKind::Ppu), ("direct", SamplerKind::Direct)];
const PHI_LAWS: [(&str, PhiLaw); 2] = [("ppu", PhiLaw::Ppu), ("dirichlet", PhiLaw::Dirichlet)];
const PSI_LAWS: [(&str, PsiLaw); 3] =
    [("sticks", PsiLaw::Sticks), ("dp", PsiLaw::Dp), ("uniform", PsiLaw::Uniform)];
const UNTIL: [(&str, Until); 2] = [("iterations", Until::Iterations), ("settled", Until::Settled)];

/// Settings by name, each as its text; what is left out has its default.
pub(crate) type Texts = Vec<(String, String)>;

/// What `settings` ask for.
pub(crate) fn request(settings: &Texts) -> PyResult<RunRequest> {
    let mut request = RunRequest::default();
    for (name, text) in settings {
        if !set_plan(&mut request, name, text)? && !set_model(&mut request.model, name, text)? {
            return Err(PyTypeError::new_err(format!("there is no setting `{name}`")));
        }
    }
    Ok(request)
}

/// Sets `name` if it says how long to train, and where.
fn set_plan(request: &mut RunRequest, name: &str, text: &str) -> PyResult<bool> {
    match name {
        "n_iter" => request.iterations = Some(counted(name, text)?),
        "trace_every" => request.trace_every = Some(counted(name, text)?),
        "samples" => request.samples = Some(counted(name, text)?),
        "thin" => request.thin = Some(counted(name, text)?),
        "finish" => request.finish = Some(parsed(name, text)?),
        "chains" => request.chains = Some(counted(name, text)?),
        "until" => request.until = Some(one_of(name, text, &UNTIL)?),
        "device" => request.device = parsed(name, text)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Sets `name` if it is a setting of the model.
fn set_model(model: &mut SettingsRequest, name: &str, text: &str) -> PyResult<bool> {
    match name {
        "preset" => model.preset = Some(one_of(name, text, &PRESETS)?),
        "random_state" => model.seed = Some(number(name, text)?),
        "alpha" => model.alpha = Some(parsed(name, text)?),
        "beta" => model.beta = Some(parsed(name, text)?),
        "gamma" => model.gamma = Some(parsed(name, text)?),
        "psi" => model.psi = Some(one_of(name, text, &PSI_LAWS)?),
        "discount" => model.discount = Some(number(name, text)?),
        "max_topics" => model.max_topics = Some(parsed(name, text)?),
        "init" => model.init = Some(parsed(name, text)?),
        "anneal" => model.anneal = Some(parsed(name, text)?),
        "sampler" => model.sampler = Some(one_of(name, text, &SAMPLERS)?),
        "phi" => model.phi = Some(one_of(name, text, &PHI_LAWS)?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// A number from 1 on.
fn counted(name: &str, text: &str) -> PyResult<u32> {
    let counted = text.parse().ok().filter(|&counted: &u32| counted > 0);
    counted.ok_or_else(|| crate::errors::refused(name, text, "give a whole number from 1 on"))
}

/// The defaults of a preset, each as its text.
#[pyfunction]
pub(crate) fn defaults(preset: &str) -> PyResult<Texts> {
    let settings = one_of("preset", preset, &PRESETS)?.settings(None);
    let plan = Plan::default();
    let mut defaults = model_defaults(&settings);
    defaults.extend([
        ("n_iter", plan.iterations.to_string()),
        ("trace_every", plan.trace_every.to_string()),
        ("samples", plan.sampling.samples.to_string()),
        ("thin", plan.sampling.thin.to_string()),
        ("finish", Finish::of_preset(one_of("preset", preset, &PRESETS)?).to_string()),
        ("chains", "1".into()),
        ("until", Until::default().name().into()),
        ("device", RunRequest::default().device.to_string()),
    ]);
    let InferSettings { burn_in, samples, thin, seed: _ } = InferSettings::default();
    let inference = [("infer_burn_in", burn_in), ("infer_samples", samples), ("infer_thin", thin)];
    defaults.extend(inference.map(|(name, value)| (name, value.to_string())));
    Ok(defaults.into_iter().map(|(name, text)| (name.to_owned(), text)).collect())
}

fn model_defaults(settings: &Settings) -> Vec<(&'static str, String)> {
    let learn = settings.learn;
    let concentration =
        |value: f64, prior: Option<GammaPrior>| prior.map_or(value.to_string(), |_| "learn".into());
    let (sampler, phi) = match settings.sampler {
        Algorithm::Direct => (SamplerKind::Direct, PhiLaw::Ppu),
        Algorithm::Ppu { phi } => (SamplerKind::Ppu, phi),
    };
    vec![
        ("random_state", settings.seed.to_string()),
        ("alpha", concentration(settings.alpha, learn.alpha)),
        ("beta", concentration(settings.beta, learn.beta)),
        ("gamma", concentration(settings.gamma, learn.gamma)),
        ("psi", settings.psi.name().into()),
        ("discount", settings.discount.to_string()),
        ("max_topics", if settings.grow { "auto".into() } else { settings.max_topics.to_string() }),
        // By the corpus, but for the paper's.
        ("init", if settings.init == Init::ONE { settings.init.to_string() } else { "auto".into() }),
        ("anneal", settings.anneal.map_or("none".into(), |anneal| anneal.to_string())),
        ("sampler", name_of(sampler, &SAMPLERS)),
        ("phi", name_of(phi, &PHI_LAWS)),
    ]
}

fn name_of<T: Copy + PartialEq>(value: T, names: &[(&str, T)]) -> String {
    names.iter().find(|(_, named)| *named == value).map_or_else(String::new, |(name, _)| (*name).to_owned())
}
