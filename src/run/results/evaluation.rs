//! evaluation.json: what was measured of a run, and how.

use std::path::Path;

use serde::Serialize;

use crate::error::Result;
use crate::evaluate::evaluation::{Evaluation, Measures};
use crate::infer::InferSettings;
use crate::run::record::write_json;

/// Where the figures come from.
#[derive(Clone, Debug, Serialize)]
pub struct EvaluationInfo {
    program: &'static str,
    version: &'static str,
    command: Vec<String>,
    run: String,
    held_out: Option<String>,
    reference: Option<String>,
}

impl EvaluationInfo {
    /// Figures of `run` that `command` asked for, with other corpora than its own where they were given.
    pub fn new(command: Vec<String>, run: &Path, held_out: Option<&Path>, reference: Option<&Path>) -> Self {
        let shown = |path: &Path| path.display().to_string();
        Self {
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            command,
            run: shown(run),
            held_out: held_out.map(shown),
            reference: reference.map(shown),
        }
    }
}

/// Writes the figures to `path`.
///
/// # Errors
/// [`crate::Error::Write`].
pub fn write_evaluation(
    path: &Path,
    info: &EvaluationInfo,
    sampling: InferSettings,
    measures: Measures,
    evaluation: &Evaluation,
) -> Result<()> {
    #[derive(Serialize)]
    struct File<'a> {
        #[serde(flatten)]
        info: &'a EvaluationInfo,
        sampling: InferSettings,
        measures: Measures,
        #[serde(flatten)]
        evaluation: &'a Evaluation,
    }
    write_json(path, &File { info, sampling, measures, evaluation })
}
