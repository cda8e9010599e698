//! The topics of all runs on the page, matched.

use super::Shown;
use super::data::{MatchedData, MatchingData};
use super::run_files::RunFiles;
use crate::error::Result;
use crate::evaluate::matching::{FoundTopic, Matcher};

/// Which topics of the run that is shown the others have found too, and which they have beside them; nothing if no other has a model yet.
/// Models are read one after the other.
///
/// # Errors
/// [`crate::Error::Read`] or [`crate::Error::Input`] when a model is damaged.
pub(super) fn matching(shown: Shown<'_>, runs: &[RunFiles]) -> Result<Option<MatchingData>> {
    let mut matcher = Matcher::new(shown.fold);
    let mut matched = vec![0];
    matcher.add(shown.model);
    for (place, run) in runs.iter().enumerate().skip(1) {
        if let Some(model) = run.model()? {
            matcher.add(&model);
            matched.push(place);
        }
    }
    if matched.len() < 2 {
        return Ok(None);
    }
    let data = |topic: FoundTopic| MatchedData {
        label: topic.label,
        found: topic.found.iter().map(|it| it.map(|it| (it.topic, it.share, it.cosine))).collect(),
    };
    let topics = matcher.into_topics().into_iter().map(data).collect();
    Ok(Some(MatchingData { runs: matched, topics }))
}
