//! `hdp-gpu topics RUN TOPIC`: all that there is to say of one topic.

use hdp_gpu::evaluate::listing::ListedTopic;
use hdp_gpu::evaluate::nearness::nearest;
use hdp_gpu::evaluate::topics::topic_words;
use hdp_gpu::model::trained::Model;
use hdp_gpu::run::folder::{Folder, name};
use hdp_gpu::run::logs::topic_sizes;
use hdp_gpu::run::results::read_back::read_topic_documents;
use hdp_gpu::run::results::topics_by_group::read_trends;
use hdp_gpu::{Error, Result};

use super::sparkline::whole_line;
use super::topic_list::TopicList;
use super::wording::counted;

/// Documents, and near topics, that are shown.
const DOCUMENTS: usize = 10;
const NEAREST: usize = 5;

/// The page of topic `k`, with `words` words of each kind.
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
    text += &documents(folder, k)?;
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

fn documents(folder: &Folder, k: u16) -> Result<String> {
    let documents = read_topic_documents(folder, k)?;
    if documents.is_empty() {
        return Ok(String::new());
    }
    let lines = documents.iter().take(DOCUMENTS);
    let lines = lines.map(|document| format!("{:>6.1}%  {}\n", 100.0 * document.share, document.name));
    Ok(format!("documents with the largest shares of it\n{}", lines.collect::<String>()))
}
