//! The ranks of a run before its work: who they are, and whether they are to do the same.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::processors;
use crate::chain::RankDevice;
use crate::device::{AutoChoice, Place};
use crate::error::Result;
use crate::ranks::Ranks;
use crate::run::checkpoint::FORMAT;
use crate::run::record::DeviceFailure;

/// A rank of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankRecord {
    /// The machine that it runs on.
    pub host: String,
    /// The device that it samples on; after a failure, the CPU.
    pub device: String,
    /// What a device that chooses for itself has chosen last, and by which figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<AutoChoice>,
    /// The failure after which the CPU took over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_error: Option<DeviceFailure>,
    /// Its threads.
    pub threads: usize,
    /// The processors that it may use.
    pub processors: usize,
    /// Those that its job has on this machine; without a launcher that says so, those of the machine or the container.
    pub cores: usize,
}

impl RankRecord {
    /// Puts in what a rank tells of its device; returns a failure that was not there.
    pub(in crate::run) fn hear(&mut self, told: &RankDevice) -> Option<DeviceFailure> {
        let RankDevice { name, choice, failure } = told.clone();
        let failure = failure.map(|(iteration, error)| DeviceFailure { iteration, error });
        let is_new = failure.is_some() && failure != self.device_error;
        self.device = name;
        self.chosen = choice.or_else(|| self.chosen.take());
        self.device_error = failure.or_else(|| self.device_error.take());
        self.device_error.clone().filter(|_| is_new)
    }
}

/// What a rank says of itself.
#[derive(Serialize, Deserialize)]
struct Card {
    /// Of the program, and of checkpoints, which is raised when draws change.
    version: String,
    /// A number made of the program's file, where it can be read: versions are the same between two releases.
    build: Option<u64>,
    asked: String,
    record: RankRecord,
}

/// Meets the other ranks; returns the own place, and all ranks in their order.
///
/// # Errors
/// [`Error::Rank`] when one of them cannot do its part, or is to do something else, the same on all.
pub(in crate::run) fn meet(
    ranks: &Ranks,
    place: Result<Place>,
    asked: &str,
) -> Result<(Place, Vec<RankRecord>)> {
    let place = ranks.agree(place)?;
    let own = Card {
        version: format!("{} with checkpoints of version {FORMAT}", env!("CARGO_PKG_VERSION")),
        build: build_of(std::env::current_exe()),
        asked: asked.to_owned(),
        record: RankRecord {
            host: ranks.host(),
            device: place.name(),
            chosen: None,
            device_error: None,
            threads: rayon::current_num_threads(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            cores: processors::of_job(),
        },
    };
    let said = ranks.gather(&serde_json::to_vec(&own).expect("texts and numbers are JSON"));
    let cards = said.iter().map(|said| serde_json::from_slice(said));
    let cards: Option<Vec<Card>> = cards.collect::<Result<_, _>>().ok();
    let compared = match cards.as_ref().and_then(|cards| cards.first()) {
        Some(first) => compare(first, &own).map_err(|problem| ranks.refusal(problem)),
        None => Err(ranks.refusal("it is of another version than some other rank")),
    };
    ranks.agree(compared)?;
    Ok((place, cards.unwrap_or_default().into_iter().map(|card| card.record).collect()))
}

/// A number made of a program's file.
fn build_of(program: io::Result<PathBuf>) -> Option<u64> {
    let mut file = File::open(program.ok()?).ok()?;
    let (mut build, mut part) = (DefaultHasher::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut part).ok()? {
            0 => return Some(build.finish()),
            length => build.write(&part[..length]),
        }
    }
}

/// Says what of this rank is not as on the first one.
fn compare(first: &Card, own: &Card) -> Result<(), String> {
    const REMEDY: &str = "start all ranks with the same program and the same settings";
    if own.version != first.version {
        return Err(format!("it is version {}, and rank 0 version {}; {REMEDY}", own.version, first.version));
    }
    if own.build.is_some() && first.build.is_some() && own.build != first.build {
        return Err(format!("it is another build of version {} than rank 0; {REMEDY}", own.version));
    }
    if own.asked != first.asked {
        return Err(format!("it is asked for {}, and rank 0 for {}; {REMEDY}", own.asked, first.asked));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_build_of_the_same_version_is_refused() {
        let card = |build| Card {
            version: "1.0.0".to_owned(),
            build,
            asked: String::new(),
            record: RankRecord {
                host: String::new(),
                device: String::new(),
                chosen: None,
                device_error: None,
                threads: 1,
                processors: 1,
                cores: 1,
            },
        };
        let compare = |first, own| compare(&card(first), &card(own));
        let problem = compare(Some(1), Some(2)).expect_err("another build");
        assert!(problem.starts_with("it is another build of version 1.0.0 than rank 0; start"), "{problem}");
        for (first, own) in [(Some(1), Some(1)), (None, Some(1)), (Some(1), None)] {
            assert_eq!(compare(first, own), Ok(()));
        }
    }

    #[test]
    fn a_build_is_that_of_the_whole_file() {
        let file = |content: &[u8]| {
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), content).expect("a file");
            build_of(Ok(file.path().to_owned()))
        };
        let mut content = vec![7; 100_000];
        let build = file(&content);
        assert!(build.is_some() && build == file(&content));
        content[99_999] = 8;
        assert_ne!(build, file(&content));
        assert_eq!(build_of(Err(io::ErrorKind::NotFound.into())), None);
    }
}
