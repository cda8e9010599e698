//! `topics` of a good run: largest first, or the paper's quantiles.

use super::{Folder, KEEP_ALL, hdp_gpu, results::model, train, trained};

/// What `topics RUN` prints with `flags`, line by line.
fn topics(run: &Folder, flags: &str) -> Vec<String> {
    let mut command = hdp_gpu();
    command.arg("topics").arg(run.0.path()).args(flags.split_whitespace());
    let printed = command.assert().success().stderr("");
    let text = String::from_utf8(printed.get_output().stdout.clone()).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// The first two numbers of a line: topic and tokens.
fn topic_and_tokens(line: &str) -> (usize, u64) {
    let mut fields = line.split_whitespace();
    let mut field = || fields.next().expect("a field");
    (field().parse().expect("a topic"), field().parse().expect("tokens"))
}

#[test]
fn largest_first() {
    let run = trained("sample", "--iterations 10 --init-topics 50");
    let n_k = model(&run).n.topic_tokens;
    let mut expected: Vec<(usize, u64)> = n_k.into_iter().enumerate().filter(|&(_, n)| n > 0).collect();
    expected.sort_by_key(|&(k, tokens)| (std::cmp::Reverse(tokens), k));
    let lines = topics(&run, "");
    let found: Vec<(usize, u64)> = lines[1..].iter().map(|line| topic_and_tokens(line)).collect();
    assert_eq!(found, expected);
    // Topic, tokens, share and ten words.
    assert_eq!(lines[1].split_whitespace().count(), 13);

    let short = topics(&run, "--limit 3 --words 2");
    assert_eq!(short.len(), 4);
    for (short, long) in short[1..].iter().zip(&lines[1..]) {
        assert_eq!(short.split_whitespace().count(), 5);
        assert!(long.starts_with(short.as_str()), "{short}\n{long}");
    }
}

#[test]
fn quantiles() {
    let run = trained("sample", "--iterations 10 --init-topics 50");
    let lines = topics(&run, "--quantiles");
    let titles: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.ends_with('%')).collect();
    assert_eq!(titles, ["100 %", "75 %", "50 %", "25 %", "5 %"]);
    for group in lines.chunks(6) {
        let tokens: Vec<u64> = group[1..].iter().map(|line| topic_and_tokens(line).1).collect();
        assert_eq!(tokens.len(), 5);
        assert!(tokens.is_sorted_by(|a, b| a >= b) && tokens.iter().all(|&tokens| tokens >= 100));
        // Topic, tokens and eight words.
        assert!(group[1..].iter().all(|line| line.split_whitespace().count() == 10));
    }
    let largest = model(&run).n.topic_tokens.into_iter().max().expect("topics");
    assert_eq!(topic_and_tokens(&lines[1]).1, largest);
}

/// A vocabulary may hold anything but line ends.
#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let corpus = folder.write("corpus", "1\n3\n3\n1 1 200\n1 2 100\n1 3 50\n");
    let vocab = folder.write("words", "tab\ttree\n\u{1b}[31mash\nbirch\u{85}\u{7}x\n");
    let run = Folder::new();
    let mut command = train(&corpus, run.0.path(), "--iterations 1 --force --vocab");
    let ended = command.arg(vocab).assert().success().get_output().stdout.clone();
    let ended = String::from_utf8(ended).expect("UTF-8");
    for text in [ended, topics(&run, "").join("\n"), topics(&run, "--quantiles").join("\n")] {
        assert!(text.contains("tab\u{fffd}tree") && text.contains("\u{fffd}[31mash"), "{text:?}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn quantiles_of_small_topics() {
    let folder = Folder::new();
    let run = trained(folder.write("corpus", "ash birch cedar\n"), &format!("--iterations 1 {KEEP_ALL}"));
    assert_eq!(topics(&run, "--quantiles"), ["no topic has 100 tokens or more"]);
    assert_eq!(topics(&run, "").len(), 1 + model(&run).n.active_topics());
}
