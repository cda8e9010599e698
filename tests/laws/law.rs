//! How a law is put to samplers: what makes their chains, what the law finds, and who must pass and who must fail.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use hdp_gpu::chain::Start;
use hdp_gpu::params::{Algorithm, Init, PsiLaw};
use hdp_gpu::{Corpus, Params, Settings};

use crate::chains::{Assembled, Walk, as_it_is};
use crate::common::{P_VALUE_GATE, Z_GATE};
use crate::mutations::Mutation;

/// A way to make a chain that goes on from a state.
pub(crate) type Make<'a> = &'a (dyn Fn(&Arc<Corpus>, &Params, Start) -> Box<dyn Walk> + Sync);

/// The figures of a law that holds, or of one that is broken.
pub(crate) type Verdict = Result<String, String>;

/// Figures, one after the other, and whether all of them pass their gates.
#[derive(Default)]
pub(crate) struct Findings {
    figures: String,
    broken: bool,
}

impl Findings {
    pub(crate) fn p_value(&mut self, what: &str, p: f64) {
        self.add(&format!("{what}: p = {p:.2e}"), p > P_VALUE_GATE);
    }

    pub(crate) fn z_score(&mut self, what: &str, z: f64) {
        self.add(&format!("{what}: z = {z:.2}"), z.abs() < Z_GATE);
    }

    fn add(&mut self, figure: &str, passes: bool) {
        let mark = if passes { "" } else { " BROKEN" };
        writeln!(self.figures, "  {figure}{mark}").expect("a string takes it");
        self.broken |= !passes;
    }

    pub(crate) fn verdict(self) -> Verdict {
        if self.broken { Err(self.figures) } else { Ok(self.figures) }
    }
}

/// The law of Ψ of a sampler as its authors have it.
pub(crate) fn usual_psi(sampler: Algorithm) -> PsiLaw {
    if sampler == Algorithm::Direct { PsiLaw::Dp } else { PsiLaw::Sticks }
}

/// Parameters of a sampler without approximation.
pub(crate) fn params(sampler: Algorithm, alpha: f64, max_topics: u32) -> Params {
    let psi = usual_psi(sampler);
    let init = Init::Random(3);
    let settings = Settings { alpha, beta: 0.5, max_topics, init, sampler, psi, ..Settings::paper() };
    settings.check().expect("good settings")
}

/// The sampler that the parameters ask for, as it is, obeys the law.
pub(crate) fn assert_obeyed(params: Params, law: impl FnOnce(Make, &Params) -> Verdict + Send) {
    match on_one_thread(|| law(&as_it_is, &params)) {
        Ok(figures) => println!("{figures}"),
        Err(figures) => panic!("the law is broken:\n{figures}"),
    }
}

/// The sampler with `mutation` breaks the law.
pub(crate) fn assert_broken(
    mutation: Mutation,
    params: Params,
    law: impl FnOnce(Make, &Params) -> Verdict + Send,
) {
    let wrong: Make =
        &|corpus, params, start| Box::new(Assembled::new(corpus, params, start, Some(mutation)));
    match on_one_thread(|| law(wrong, &params)) {
        Ok(figures) => panic!("{mutation:?} goes unnoticed:\n{figures}"),
        Err(figures) => println!("{figures}"),
    }
}

/// Runs chains on a pool of one thread, where parallel calls are plain calls: the corpora are so small that handing
/// work to other threads would take most of the time.
pub(crate) fn on_one_thread<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(run)
}

/// Where pictures go: the folder that `HDP_GPU_PICTURES` names, or else one among cargo's files.
pub(crate) fn pictures_folder() -> PathBuf {
    let folder = std::env::var_os("HDP_GPU_PICTURES").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.into()
}
