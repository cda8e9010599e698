//! `hdp-gpu topics`: the topics of a run in words.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use console::{Term, measure_text_width};
use hdp_gpu::evaluate::listing::{Fold, ListedTopic, listed};
use hdp_gpu::evaluate::summary::{QUANTILE_MIN_TOKENS, TopicSummary, quantile_summary, summarise};
use hdp_gpu::run::folder::Folder;
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu::run::results::read_back::read_spread;
use hdp_gpu::{Error, Result};

use super::passages::Marks;
use super::topic_list::TopicList;
use super::wording::columns;
use super::{harmless, one_topic};

/// Words of a topic in the paper's quantile summary.
const QUANTILE_WORDS: usize = 8;

#[derive(Debug, Args)]
pub(super) struct TopicsArgs {
    /// The folder of a finished run
    run: PathBuf,

    /// The number of one topic, to show all there is to say of it: its words, size, nearest topics and documents
    #[arg(conflicts_with_all = ["quantiles", "limit", "by", "all", "fold_below"])]
    topic: Option<u16>,

    /// The paper's summary instead: the five topics closest to the 100, 75, 50, 25 and 5 % quantiles of
    /// tokens per topic, among topics with at least 100 tokens, with their top eight words
    #[arg(long, conflicts_with_all = ["words", "limit", "by", "all", "fold_below"])]
    quantiles: bool,

    /// Most probable words of each topic; those of its label are not repeated
    #[arg(long, default_value_t = 10)]
    words: usize,

    /// Show only this many topics
    #[arg(long)]
    limit: Option<usize>,

    /// What comes first [default: size]
    #[arg(long, value_enum)]
    by: Option<OrderArg>,

    /// Show small topics too, which are else one line
    #[arg(long, conflicts_with = "fold_below")]
    all: bool,

    /// Topics that count as small: those with fewer tokens, or with a smaller share of all tokens, such as 0.5%; auto are those below
    /// 0.1% as long as they have no more than 2% together [default: auto]
    #[arg(long, value_name = "TOKENS|SHARE%|auto")]
    fold_below: Option<Fold>,
}

/// `--by`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum OrderArg {
    /// The largest topics
    Size,
    /// Those that keep to documents of their own; background comes last
    Distinctiveness,
}

pub(super) fn run(args: &TopicsArgs) -> Result<()> {
    let folder = Folder::open_run(&args.run)?;
    let model = read_model(&folder)?;
    if args.quantiles {
        let topics = summarise(&model.n, QUANTILE_WORDS);
        return print_all(&fitted(&quantile_table(&topics, &model.vocab)));
    }
    let spread = read_spread(&folder)?;
    let tokens = model.n.topic_tokens.iter().sum();
    let list = TopicList { vocab: &model.vocab, tokens, spread: &spread };
    let topics = listed(&model.n, &model.vocab, model.beta, args.words);
    let Some(k) = args.topic else { return print_all(&fitted(&args.list(&list, topics))) };
    let page = one_topic::page(&folder, &model, &list, &topics, k, args.words)?;
    let documents = one_topic::documents(&folder, &model, k, width(), Marks::of_terminal())?;
    print_all(&fitted(&page))?;
    print_as_it_is(documents.as_bytes())
}

impl TopicsArgs {
    /// The topics that are not small, and a line for all others.
    fn list(&self, list: &TopicList<'_>, mut topics: Vec<ListedTopic>) -> String {
        let sizes = topics.iter().map(|topic| topic.summary.tokens);
        let below = if self.all { 0 } else { self.fold_below.unwrap_or_default().below(sizes) };
        let small = topics.split_off(topics.partition_point(|topic| topic.summary.tokens >= below));
        if matches!(self.by, Some(OrderArg::Distinctiveness)) {
            // What is not known comes last.
            let falling = |topic: &ListedTopic| -list.distinctiveness(topic).unwrap_or(-1.0);
            topics.sort_by(|a, b| falling(a).total_cmp(&falling(b)));
        }
        topics.truncate(self.limit.unwrap_or(topics.len()));
        let text = list.table(&topics);
        if small.is_empty() || self.limit.is_some() { text } else { text + &list.folded(&small, below) }
    }
}

fn quantile_table(topics: &[TopicSummary], vocab: &[String]) -> String {
    let quantiles = quantile_summary(topics);
    if quantiles.is_empty() {
        return format!("no topic has {QUANTILE_MIN_TOKENS} tokens or more\n");
    }
    let mut text = String::new();
    for (percent, topics) in quantiles {
        text += &format!("{percent} %\n");
        for topic in topics {
            text += &format!("{:>6} {:>12}  {}\n", topic.topic, topic.tokens, words(topic, vocab));
        }
    }
    text
}

/// The lines without the words that a terminal has no room for.
pub(super) fn fitted(text: &str) -> String {
    let width = width();
    text.lines().map(|line| fit(line, width) + "\n").collect()
}

/// The columns of standard output; no bound where it is no terminal.
fn width() -> usize {
    columns(&Term::stdout()).unwrap_or(usize::MAX)
}

/// As many whole words of a line as there is room for.
pub(super) fn fit(line: &str, width: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let mut ends = line.match_indices(' ').map(|(at, _)| at).rev();
    let end = ends.find(|&at| measure_text_width(&line[..at]) < width);
    format!("{}…", line[..end.unwrap_or(0)].trim_end())
}

/// The top words.
fn words(topic: &TopicSummary, vocab: &[String]) -> String {
    let words = topic.top_words.iter().map(|&word| vocab[word as usize].as_str());
    words.collect::<Vec<_>>().join(" ")
}

/// Prints to standard output what shall not steer the terminal.
pub(super) fn print_all(text: &str) -> Result<()> {
    print_as_it_is(harmless(text).as_bytes())
}

/// Prints what is the program's own to standard output; a reader that has gone away, as `head` does, is not an error.
pub(super) fn print_as_it_is(bytes: &[u8]) -> Result<()> {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::write("standard output".as_ref())(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_after_a_whole_word() {
        let line = "    17        12923   8.43%  ship sea captain";
        assert_eq!(fit(line, 80), line);
        assert_eq!(fit(line, 38), "    17        12923   8.43%  ship sea…");
        assert_eq!(fit(line, 36), "    17        12923   8.43%  ship…");
        // A Chinese word is two columns a character.
        assert_eq!(fit("1 船船船 海", 9), "1 船船船…");
        assert_eq!(fit("1 船船船 海", 8), "1…");
    }
}
