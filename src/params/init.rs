//! How tokens get their first topics.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The state before the first iteration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Init {
    /// Each token in a uniform one of so many topics; with 1, the paper's start.
    Random(u32),
    /// Each document whole in a uniform one of so many topics.
    Documents(u32),
    /// One token after the other by the rule that predicts it from those before.
    Sequential,
    /// As the model of another run has them.
    Run(PathBuf),
}

impl Init {
    /// All tokens in one topic, as in the paper.
    pub const ONE: Self = Self::Random(1);

    /// The same with no more than `most` topics.
    pub fn at_most(self, most: u32) -> Self {
        match self {
            Self::Random(topics) => Self::Random(topics.min(most)),
            Self::Documents(topics) => Self::Documents(topics.min(most)),
            other => other,
        }
    }

    /// The number of topics that is asked for, if there is one.
    pub fn topics(&self) -> Option<u32> {
        match *self {
            Self::Random(topics) | Self::Documents(topics) => Some(topics),
            Self::Sequential | Self::Run(_) => None,
        }
    }
}

impl fmt::Display for Init {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random(1) => f.write_str("one"),
            Self::Random(topics) => write!(f, "random:{topics}"),
            Self::Documents(topics) => write!(f, "documents:{topics}"),
            Self::Sequential => f.write_str("sequential"),
            Self::Run(run) => write!(f, "run:{}", run.display()),
        }
    }
}

impl FromStr for Init {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let topics = |number: &str| {
            let topics = number.parse().ok().filter(|&topics| topics > 0);
            topics.ok_or_else(|| format!("{number} is not a number of topics from 1 on"))
        };
        match text.split_once(':') {
            None if text == "one" => Ok(Self::ONE),
            None if text == "sequential" => Ok(Self::Sequential),
            Some(("random", number)) => topics(number).map(Self::Random),
            Some(("documents", number)) => topics(number).map(Self::Documents),
            Some(("run", run)) if !run.is_empty() => Ok(Self::Run(run.into())),
            _ => Err("give one, random:K, documents:K, sequential or run:DIR".into()),
        }
    }
}

/// A start that is asked for: `auto`, or one by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitRequest {
    /// As many topics as the corpus bears.
    Auto,
    /// This one.
    Of(Init),
}

impl FromStr for InitRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text
                .parse()
                .map(Self::Of)
                .map_err(|remedy: String| remedy.replacen("give ", "give auto, ", 1)),
        }
    }
}

impl TryFrom<String> for Init {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Init> for String {
    fn from(init: Init) -> Self {
        init.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_are_read_as_they_are_written() {
        let run = Init::Run("a:b".into());
        for init in [Init::ONE, Init::Random(100), Init::Documents(7), Init::Sequential, run] {
            assert_eq!(init.to_string().parse(), Ok(init));
        }
        for wrong in ["", "two", "random", "random:", "random:0", "random:-1", "documents:x", "run:", "one:1"]
        {
            assert!(wrong.parse::<Init>().is_err(), "{wrong}");
        }
    }
}
