//! `hdp-gpu topics`: the topics of a run in words.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use console::{Term, measure_text_width};
use hdp_gpu::evaluate::summary::{QUANTILE_MIN_TOKENS, TopicSummary, quantile_summary, rank, summarise};
use hdp_gpu::run::folder::Folder;
use hdp_gpu::run::results::model_file::read_model;
use hdp_gpu::{Error, Result};

/// Words a topic in the paper's quantile summary.
const QUANTILE_WORDS: usize = 8;

#[derive(Debug, Args)]
pub(super) struct TopicsArgs {
    /// The folder of a finished run
    run: PathBuf,

    /// The paper's summary instead: the five topics closest to the 100, 75, 50, 25 and 5 % quantiles of
    /// tokens per topic, among topics with at least 100 tokens, with their top eight words
    #[arg(long, conflicts_with_all = ["words", "limit"])]
    quantiles: bool,

    /// Words shown for each topic
    #[arg(long, default_value_t = 10)]
    words: usize,

    /// Show only this many topics
    #[arg(long)]
    limit: Option<usize>,
}

pub(super) fn run(args: &TopicsArgs) -> Result<()> {
    let folder = Folder::open_run(&args.run)?;
    let model = read_model(&folder)?;
    let words = if args.quantiles { QUANTILE_WORDS } else { args.words };
    let mut topics = summarise(&model.n, words);
    rank(&mut topics);
    let text = if args.quantiles {
        quantile_table(&topics, &model.vocab)
    } else {
        topics.truncate(args.limit.unwrap_or(topics.len()));
        table(&topics, model.n.topic_tokens.iter().sum(), &model.vocab)
    };
    print_all(&fitted(&text))
}

/// Topics as lines: number, tokens, share of all tokens, words.
pub(super) fn table(topics: &[TopicSummary], num_tokens: u64, vocab: &[String]) -> String {
    let mut text = format!("{:>6} {:>12} {:>7}  words\n", "topic", "tokens", "share");
    for topic in topics {
        let share = 100.0 * topic.tokens as f64 / num_tokens as f64;
        let words = words(topic, vocab);
        text += &format!("{:>6} {:>12} {share:>6.2}%  {words}\n", topic.topic, topic.tokens);
    }
    text
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
    let width = Term::stdout().size_checked().map_or(usize::MAX, |(_, columns)| usize::from(columns));
    text.lines().map(|line| fit(line, width) + "\n").collect()
}

/// As many whole words of a line as there is room for.
fn fit(line: &str, width: usize) -> String {
    if measure_text_width(line) <= width {
        return line.to_owned();
    }
    let mut ends = line.match_indices(' ').map(|(at, _)| at).rev();
    let end = ends.find(|&at| measure_text_width(&line[..at]) < width);
    format!("{}…", line[..end.unwrap_or(0)].trim_end())
}

/// The top words; what is in a vocabulary must not steer the terminal.
fn words(topic: &TopicSummary, vocab: &[String]) -> String {
    let words = topic.top_words.iter().map(|&word| vocab[word as usize].as_str());
    words.collect::<Vec<_>>().join(" ").replace(char::is_control, "\u{fffd}")
}

/// Prints to standard output; a reader that has gone away, as `head` does, is not an error.
pub(super) fn print_all(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
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
