//! Four chains until they agree, stopped and gone on with, and a report, by the library alone:
//! `cargo run --release --no-default-features --example until_settled`.

use hdp_gpu::report::write_page;
use hdp_gpu::run::{self, Event, FrontEnd, Mode, Observer, RunRequest, Until};
use hdp_gpu::{Result, corpus, params::PsiLaw, params::SettingsRequest};

/// Prints looks, and stops after so many iterations.
struct Patience(u32);

impl Observer for Patience {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Iteration(_) => self.0 = self.0.saturating_sub(1),
            Event::Looked(found) => println!("{}: settled? {}", found.iteration, found.settled),
            _ => {}
        }
    }
    fn should_stop(&self) -> bool {
        self.0 == 0
    }
}

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the run");
    let kinds = ["ash birch cedar maple willow ", "bread cheese olives salt wine "];
    let texts: Vec<String> = (0..60).map(|d| kinds[d % 2].repeat(4)).collect();
    let loaded = corpus::from_texts(&texts, &corpus::DocumentOptions::default())?;
    let (psi, max_topics) = (Some(PsiLaw::Uniform), "2".parse().ok());
    let model = SettingsRequest { psi, max_topics, ..SettingsRequest::default() };
    let (until, iterations) = (Some(Until::Settled), Some(20_000));
    let request = RunRequest { model, until, iterations, ..RunRequest::default() };
    let front_end = FrontEnd { page: Some(write_page), ..FrontEnd::default() };
    for (mode, patience) in [(Mode::New, 900), (Mode::Resume, u32::MAX)] {
        let (out, watch) = (folder.path().join("run"), &mut Patience(patience));
        let ended = run::train(&out, mode, &request, loaded.clone(), front_end.clone(), watch)?;
        println!("{:?}", ended.chains[0].record.chains.as_ref().map(|chains| &chains.sentence));
    }
    Ok(())
}
