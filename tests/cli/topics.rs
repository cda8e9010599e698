//! `topics` of a good run: largest first, folded, marked, one alone, or the paper's quantiles.

use predicates::str::contains;

use super::{Folder, KEEP_ALL, csv_rows, hdp_gpu, results::model, train, trained};

/// What `topics RUN` prints with `flags`, line by line.
fn topics(run: &Folder, flags: &str) -> Vec<String> {
    let mut command = hdp_gpu();
    command.arg("topics").arg(run.0.path()).args(flags.split_whitespace());
    let printed = command.assert().success().stderr("");
    let text = String::from_utf8(printed.get_output().stdout.clone()).expect("UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// The lines of topics: the others say what they are.
fn lines_of_topics(lines: &[String]) -> Vec<&String> {
    let is_topic =
        |line: &&String| line.split_whitespace().nth(2).is_some_and(|field| field.parse::<u64>().is_ok());
    lines.iter().filter(is_topic).collect()
}

/// Rank, topic and tokens of a line.
fn numbers(line: &str) -> (usize, usize, u64) {
    let mut fields = line.split_whitespace();
    let mut field = || fields.next().expect("a field");
    let [rank, topic] = [field(), field()].map(|field| field.parse().expect("a number"));
    (rank, topic, field().parse().expect("tokens"))
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
    let expected: Vec<_> = (1..).zip(expected).map(|(rank, (k, tokens))| (rank, k, tokens)).collect();
    let lines = topics(&run, "--all");
    let found: Vec<_> = lines_of_topics(&lines).into_iter().map(|line| numbers(line)).collect();
    assert_eq!(found, expected);
    assert!(lines[0].ends_with("label · words"), "{lines:?}");
    // A label of three words, and those of ten that are not in it.
    let (label, words) = lines[1].split_once(" · ").expect("a label and words");
    assert_eq!(label.split_whitespace().skip_while(|field| !field.contains('%')).count(), 4, "{label}");
    assert!((7..=10).contains(&words.split_whitespace().count()), "{words}");

    let short = topics(&run, "--limit 3 --words 4");
    let short = lines_of_topics(&short);
    assert_eq!(short.len(), 3);
    for (short, long) in short.into_iter().zip(lines_of_topics(&lines)) {
        assert!(long.starts_with(short.as_str()), "{short}\n{long}");
    }
}

/// Of many random starting topics a few iterations leave crumbs.
#[test]
fn small_topics_are_one_line_that_opens() {
    let run = trained("sample", "--iterations 30 --init-topics 200 --finish 0");
    let all = lines_of_topics(&topics(&run, "--all")).len();
    let folded = topics(&run, "");
    let shown = lines_of_topics(&folded).len();
    let last = folded.last().expect("lines");
    let count: usize = last.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!(shown < all && count == all - shown, "{shown} of {all}: {last}");
    assert!(last.contains(" tokens each, ") && last.ends_with("% of all: --all shows them"), "{last}");

    let by_share = topics(&run, "--fold-below 2%");
    let least = 153_215_u64.div_ceil(50);
    assert!(lines_of_topics(&by_share).iter().all(|line| numbers(line).2 >= least));
    assert!(by_share.last().is_some_and(|line| line.contains(&format!("fewer than {least} tokens"))));
    assert_eq!(lines_of_topics(&topics(&run, "--fold-below 0")).len(), all);
    let refused = hdp_gpu().arg("topics").arg(run.0.path()).args(["--fold-below", "x"]).assert().code(2);
    refused.stderr(contains("give auto, a number of tokens, or a share such as 0.5%"));
}

/// The sample was drawn with a topic of function words in every document.
#[test]
fn what_is_everywhere_is_background() {
    let run = trained("sample", "--iterations 150");
    let rows = csv_rows(run.path("topics.csv"));
    let at = |name: &str| rows[0].iter().position(|column| column == name).expect("a column");
    let [topic, words, distinct, mark] = ["topic", "words", "distinctiveness", "background"].map(at);
    let marked = rows[1..].iter().filter(|row| row[mark] == "1").map(|row| row[topic].clone());
    let marked: Vec<String> = marked.collect();
    for row in &rows[1..] {
        let has = |word: &str| row[words].split(' ').take(5).any(|other| other == word);
        let tokens: u64 = row[at("tokens")].parse().expect("tokens");
        let is_function = ["the", "of", "and"].iter().filter(|word| has(word)).count() >= 2;
        assert!(tokens < 3000 || is_function == (row[mark] == "1"), "{row:?}");
        assert!(row[distinct].parse::<f64>().is_ok_and(|distinct| (0.0..=1.0).contains(&distinct)));
    }
    assert!(!marked.is_empty());
    let lines = topics(&run, "--all");
    let stars = lines_of_topics(&lines).into_iter().filter(|line| line.contains("%*"));
    assert_eq!(stars.map(|line| numbers(line).1.to_string()).collect::<Vec<_>>(), marked);
    assert!(lines.iter().any(|line| line.starts_with("* background: ")));
    let by = topics(&run, "--by distinctiveness --fold-below 2000");
    let by = lines_of_topics(&by);
    assert!(!by[0].contains("%*") && by.last().is_some_and(|line| line.contains("%*")), "{by:?}");

    // A model alone, without the run's tables, has no marks, and is no error.
    std::fs::remove_file(run.path("topics.csv")).expect("a file of the run");
    assert!(!topics(&run, "").iter().any(|line| line.contains("%*")));
    hdp_gpu().arg("topics").arg(run.0.path()).arg(&marked[0]).assert().success();
}

#[test]
fn one_topic_is_told_of() {
    let run = trained("sample", "--iterations 60");
    let listed = topics(&run, "--all");
    let (rank, topic, tokens) = numbers(lines_of_topics(&listed)[1]);
    let lines = topics(&run, &topic.to_string());
    let starts = [
        format!("topic {topic}, rank {rank} of "),
        format!("{tokens} tokens, "),
        "most probable   ".to_owned(),
        "most relevant   ".to_owned(),
        "size            ".to_owned(),
        "nearest topics (cosine of words)".to_owned(),
    ];
    for (line, start) in lines.iter().zip(&starts) {
        assert!(line.starts_with(start.as_str()), "{line} should start with {start}");
    }
    let label = lines[0].rsplit(": ").next().expect("a label");
    assert!(lines_of_topics(&listed)[1].contains(&format!(" {label} · ")), "{label}");
    assert!(lines[4].contains("  iterations 0 to 60, at most ") && lines[4].contains('█'), "{}", lines[4]);
    let near: Vec<f64> = lines[6..11].iter().map(|line| line[2..6].parse().expect("a cosine")).collect();
    assert!(
        near.is_sorted_by(|a, b| a >= b) && near.iter().all(|near| (0.0..1.0).contains(near)),
        "{near:?}"
    );
    assert_eq!(lines[11], "documents with the largest shares of it");
    let best = csv_rows(run.path("topic-docs.csv"));
    let best = best.iter().filter(|row| row[0] == topic.to_string()).map(|row| row[3].clone());
    let named: Vec<&str> = lines[12..].iter().map(|line| line.rsplit(' ').next().expect("a name")).collect();
    assert_eq!(named, best.take(10).collect::<Vec<_>>());

    let ask = |topic: &str, flags: &[&str]| {
        hdp_gpu().arg("topics").arg(run.0.path()).arg(topic).args(flags).assert().code(2)
    };
    ask("9999", &[]).stderr(contains("no topic 9999 has tokens; name one that `hdp-gpu topics` lists"));
    ask("1", &["--quantiles"]).stderr(contains("cannot be used with"));
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
    let topic = model(&run).active_topics()[0].to_string();
    let shown = ["", "--quantiles", &topic].map(|flags| topics(&run, flags).join("\n"));
    for text in shown.into_iter().chain([ended]) {
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
