//! Four chains until they agree, stopped and gone on with, and a report, by the library alone:
//! `cargo run --release --no-default-features --example until_settled`.

use hdp_gpu::corpus::{self, DocumentOptions};
use hdp_gpu::params::{Concentration, SettingsRequest};
use hdp_gpu::report::write_page;
use hdp_gpu::run::{self, Event, FrontEnd, Mode, Observer, RunRequest, Until};

/// Tells of looks, and stops after so many iterations.
struct Patience(u32);

impl Observer for Patience {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Iteration(_) => self.0 = self.0.saturating_sub(1),
            Event::Looked(found) => println!("iteration {}: settled? {}", found.iteration, found.settled),
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.0 == 0
    }
}

fn main() -> hdp_gpu::Result<()> {
    let folder = tempfile::tempdir().expect("a folder for the run");
    let kinds = ["ash birch cedar maple willow ", "bread cheese olives salt wine "];
    let texts: Vec<String> = (0..60).map(|d| kinds[d % 2].repeat(4)).collect();
    let loaded = corpus::from_texts("two kinds", &texts, &DocumentOptions::default())?;
    let model = SettingsRequest { beta: Some(Concentration::Fixed(0.5)), ..SettingsRequest::default() };
    let until = Some(Until::Settled);
    let request = RunRequest { model, until, iterations: Some(9000), trace_every: Some(2), ..RunRequest::default() };
    let front_end = FrontEnd { page: Some(write_page), ..FrontEnd::default() };
    for (mode, patience) in [(Mode::New, 500), (Mode::Resume, u32::MAX)] {
        let (out, watch) = (folder.path().join("run"), &mut Patience(patience));
        let ended = run::train(&out, mode, &request, loaded.clone(), front_end.clone(), watch)?;
        let chains = ended.chains[0].record.chains.as_ref().expect("there are four");
        println!("{} {} has {} bytes", chains.sentence, "report.html", out.join("report.html").metadata().unwrap().len());
    }
    Ok(())
}
