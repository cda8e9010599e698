//! What was chosen by measurement, with its figures, for people and for run.json.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What was chosen by measurement, and by which figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoChoice {
    /// The iteration after which it was chosen.
    pub iteration: u32,
    /// The device, or both, as a person would name them.
    pub device: String,
    /// The part of the tokens that the GPU has.
    pub gpu_share: f64,
    /// The GPU's team size, when it has a choice.
    pub team: Option<u32>,
    /// Seconds of a z step on the CPU alone.
    pub cpu_seconds: Option<f64>,
    /// Seconds of a z step on both, where that was tried.
    pub hybrid_seconds: Option<f64>,
    /// Seconds of a z step on the GPU alone, where that was tried.
    pub gpu_seconds: Option<f64>,
}

impl fmt::Display for AutoChoice {
    /// Such as `a GPU with cpu (2 threads), 61.0 % of the tokens on the GPU, team size 16: a z step takes 5.2 ms on the CPU alone,
    /// 2.1 ms on both`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.device)?;
        if self.gpu_share > 0.0 && self.gpu_share < 1.0 {
            write!(f, ", {:.1} % of the tokens on the GPU", 100.0 * self.gpu_share)?;
        }
        if let Some(team) = self.team {
            write!(f, ", team size {team}")?;
        }
        let figures = [
            (self.cpu_seconds, "on the CPU alone"),
            (self.hybrid_seconds, "on both"),
            (self.gpu_seconds, "on the GPU alone"),
        ];
        let figures =
            figures.iter().filter_map(|(seconds, on)| Some(format!("{:.3} ms {on}", 1e3 * (*seconds)?)));
        write!(f, ": a z step takes {}", figures.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_in_words() {
        let mut choice = AutoChoice {
            iteration: 12,
            device: "a GPU with cpu (2 threads)".into(),
            gpu_share: 0.61,
            team: Some(16),
            cpu_seconds: Some(0.0052),
            hybrid_seconds: Some(0.0021),
            gpu_seconds: None,
        };
        assert_eq!(
            choice.to_string(),
            "a GPU with cpu (2 threads), 61.0 % of the tokens on the GPU, team size 16: a z step takes 5.200 ms on \
             the CPU alone, 2.100 ms on both"
        );
        (choice.device, choice.gpu_share, choice.team) = ("cpu (2 threads)".into(), 0.0, None);
        choice.hybrid_seconds = None;
        assert_eq!(choice.to_string(), "cpu (2 threads): a z step takes 5.200 ms on the CPU alone");
    }
}
