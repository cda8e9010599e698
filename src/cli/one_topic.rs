//! `hdp-gpu topics RUN TOPIC`: all that there is to say of one topic.

use hdp_gpu::corpus::state::SavedState;
use hdp_gpu::evaluate::listing::ListedTopic;
use hdp_gpu::evaluate::nearness::nearest;
use hdp_gpu::evaluate::topics::topic_words;
use hdp_gpu::model::trained::Model;
use hdp_gpu::report::{OwnText, Wanted};
use hdp_gpu::run::RunRecord;
use hdp_gpu::run::folder::{Folder, name};
use hdp_gpu::run::logs::topic_sizes;
use hdp_gpu::run::results::last_state::read_last_state;
use hdp_gpu::run::results::read_back::{TopicDocument, read_topic_documents};
use hdp_gpu::run::results::topics_by_group::read_trends;
use hdp_gpu::{Error, Result};

use super::harmless;
use super::passages::{Marks, lines};
use super::sparkline::whole_line;
use super::topic_list::TopicList;
use super::topics::fit;
use super::wording::counted;

/// Documents, and near topics, that are shown.
const DOCUMENTS: usize = 10;
const NEAREST: usize = 5;

/// The most characters of a passage.
const PASSAGE: usize = 320;

/// What comes before the documents on the page of topic `k`, with `words` words of each kind.
pub(super) fn page(
    folder: &Folder,
    model: &Model,
    list: &TopicList<'_>,
    topics: &[ListedTopic],
    k: u16,
    words: usize,
) -> Result<String> {
    let Some(topic) = topics.iter().find(|topic| topic.summary.topic == k) else {
        let problem = format!("no topic {k} has tokens");
        return Err(Error::input(folder.path(), problem, "name one that `hdp-gpu topics` lists"));
    };
    let mut text = head(list, topics, topic);
    text += &lines_of_words(model, list, k, words);
    text += &size(folder, k)?;
    text += &trends(folder, k)?;
    text += "nearest topics (cosine of words)\n";
    for (near, cosine) in nearest(model, k).into_iter().take(NEAREST) {
        if let Some(near) = topics.iter().find(|topic| topic.summary.topic == near) {
            let (rank, number) = (near.rank, near.summary.topic);
            text += &format!("  {cosine:.2}  topic {number:<5} rank {rank:<5} {}\n", list.named(&near.label));
        }
    }
    Ok(text)
}

/// Number, rank, label, size and spread.
fn head(list: &TopicList<'_>, topics: &[ListedTopic], topic: &ListedTopic) -> String {
    let summary = &topic.summary;
    let (rank, all, label) = (topic.rank, topics.len(), list.named(&topic.label));
    let mut text = format!("topic {}, rank {rank} of {all}: {label}\n", summary.topic);
    text += &format!("{}, {:.2}% of all", counted(summary.tokens, "token"), list.percent(summary.tokens));
    if let Some(spread) = list.spread.get(&summary.topic) {
        text += &format!(", in {}", counted(spread.documents, "document"));
    }
    if let Some(distinctiveness) = list.distinctiveness(topic) {
        text += &format!("; distinctiveness {distinctiveness:.2}");
    }
    text += if list.is_background(topic) { ", background\n" } else { "\n" };
    text
}

fn lines_of_words(model: &Model, list: &TopicList<'_>, k: u16, words: usize) -> String {
    let topics = topic_words(model, words, words);
    let Some(topic) = topics.iter().find(|topic| topic.topic == k) else { return String::new() };
    let [probable, relevant] = [&topic.by_probability, &topic.by_relevance].map(|words| list.named(words));
    format!("most probable   {probable}\nmost relevant   {relevant}\n")
}

/// The tokens of the topic as the run went on.
fn size(folder: &Folder, k: u16) -> Result<String> {
    if folder.file(name::TOKENS_PER_TOPIC).symlink_metadata().is_err() {
        return Ok(String::new());
    }
    let sizes = topic_sizes(folder, k)?;
    let (Some(&(first, _)), Some(&(last, _))) = (sizes.first(), sizes.last()) else {
        return Ok(String::new());
    };
    let largest = sizes.iter().map(|&(_, tokens)| tokens).max().unwrap_or(0);
    let line = whole_line(sizes.iter().map(|&(_, tokens)| tokens as f64));
    let largest = counted(largest, "token");
    Ok(format!("size            {line}  iterations {first} to {last}, at most {largest}\n"))
}

/// The shares of the topic over the columns of dates, a line for each.
fn trends(folder: &Folder, k: u16) -> Result<String> {
    let mut text = String::new();
    for trend in read_trends(folder, k)? {
        let (Some((first, from)), Some((last, to))) = (trend.shares.first(), trend.shares.last()) else {
            continue;
        };
        let line = whole_line(trend.shares.iter().map(|&(_, share)| share));
        let most = trend.shares.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let name: String = trend.column.chars().filter(|c| !c.is_control()).take(15).collect();
        let [from, to, most] = [from, to, &most].map(|share| format!("{:.1}%", 100.0 * share));
        text += &format!("{name:<15} {line}  {first}: {from}, {last}: {to}, at most {most}\n");
    }
    Ok(text)
}

/// The documents with most of topic `k`, with passages where the run has the documents' own text, on lines of `width` columns. Nothing in it
/// steers the terminal but marks.
pub(super) fn documents(
    folder: &Folder,
    model: &Model,
    k: u16,
    width: usize,
    marks: Marks,
) -> Result<String> {
    let mut documents = read_topic_documents(folder, k)?;
    documents.truncate(DOCUMENTS);
    if documents.is_empty() {
        return Ok(String::new());
    }
    let passages = passages_of(folder, model, k, &documents)?;
    let mut text = "documents with the largest shares of it\n".to_owned();
    for (at, document) in documents.iter().enumerate() {
        let line =
            harmless(&format!("{:>6.1}%  {}", 100.0 * document.share, document.name)).replace('\n', " ");
        text += &(fit(&line, width) + "\n");
        if let Some(Some(parts)) = passages.get(at) {
            text += &lines(parts, width, marks);
        }
    }
    Ok(text)
}

/// A passage of each document, as far as the run has kept its text.
fn passages_of(
    folder: &Folder,
    model: &Model,
    k: u16,
    documents: &[TopicDocument],
) -> Result<Vec<Option<Vec<String>>>> {
    // A model may have been passed on alone.
    let is_there = |name| folder.file(name).symlink_metadata().is_ok();
    if !is_there(name::RUN) || !is_there(name::STATE) {
        return Ok(Vec::new());
    }
    let Some(own) = OwnText::of_run(folder, &RunRecord::read(folder)?)? else { return Ok(Vec::new()) };
    let SavedState { corpus, z, .. } = read_last_state(folder, model)?;
    let numbers = documents.iter().map(|document| usize::try_from(document.document.saturating_sub(1)));
    let numbers = numbers.map(|number| number.ok().filter(|&number| number < corpus.num_docs()));
    let numbers: Vec<Option<usize>> = numbers.collect();
    let wanted: Vec<Wanted> =
        numbers.iter().flatten().map(|&document| Wanted { document, topic: k }).collect();
    let mut found = own.passages(&corpus, &z, &wanted, PASSAGE)?.into_iter();
    Ok(numbers.into_iter().map(|number| number.and_then(|_| found.next().flatten())).collect())
}
