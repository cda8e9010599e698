//! What a self-test has found, as tables for a terminal of 80 columns.

use super::report::Compared;
use super::speed::{CorpusSize, MOST_SECONDS, Outcome, Speed, fastest};
use super::way::{On, Way};

/// The head of the comparisons: the ways.
pub(super) fn comparison_head(ways: &[Way]) -> String {
    let names: String = ways.iter().map(|way| format!(" {way:>9}")).collect();
    format!("{:<18}{names}\n", "case")
}

/// A case in every way, and below it what differs.
pub(super) fn comparison_row(compared: &[Compared]) -> String {
    let Some(first) = compared.first() else { return String::new() };
    let results = compared.iter().map(|compared| if compared.same { "same" } else { "DIFFERENT" });
    let results: String = results.map(|result| format!(" {result:>9}")).collect();
    let mut text = format!("{:<18}{results}\n", first.case);
    for Compared { way, difference, .. } in compared {
        if let Some(difference) = difference {
            text += &format!("  {way}: {difference}\n");
        }
    }
    text
}

/// The speeds: a line for every corpus, then a line for every way, a column for every corpus.
pub(super) fn speeds(speeds: &[Speed]) -> String {
    // Every corpus has the same ways, in the same order.
    let corpora: Vec<&[Speed]> = speeds.chunk_by(|a, b| a.size == b.size).collect();
    let Some(first) = corpora.first() else { return String::new() };
    let mut text =
        format!("{:<12} {:>10} {:>10} {:>8} {:>7}\n", "corpus", "tokens", "documents", "words", "topics");
    for size in corpora.iter().map(|speeds| &speeds[0].size) {
        let CorpusSize { corpus, tokens, documents, words, topics } = size;
        text += &format!("{corpus:<12} {tokens:>10} {documents:>10} {words:>8} {topics:>7}\n");
    }
    let row = |name: &str, cell: &dyn Fn(&[Speed]) -> String| {
        let cells: String = corpora.iter().map(|speeds| format!(" {:>10}", cell(speeds))).collect();
        format!("{name:<12}{cells}\n")
    };
    text += "\nz step, million tokens per second\n";
    text += &row("", &|speeds| speeds[0].size.corpus.to_owned());
    for (at, Speed { way, .. }) in first.iter().enumerate() {
        text += &row(&way.to_string(), &|speeds| millions(&speeds[at].outcome));
        if way.way == On::Hybrid {
            text += &row("  on the GPU", &|speeds| share(&speeds[at].outcome));
        }
    }
    text += &row("fastest", &|speeds| fastest(speeds).map_or_else(String::new, |way| way.to_string()));
    text + &notes(speeds)
}

/// Millions of tokens per second, with three digits or so.
fn millions(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured(figures) => {
            let millions = figures.tokens_per_second / 1e6;
            let digits = if millions < 10.0 { 2 } else { 1 };
            format!("{millions:.digits$}")
        }
        Outcome::LeftOut { .. } => "-".to_owned(),
        Outcome::Failed(_) => "failed".to_owned(),
    }
}

/// The part of the tokens that the GPU had beside the CPU.
fn share(outcome: &Outcome) -> String {
    let Some(figures) = outcome.figures() else { return String::new() };
    let mark = if figures.is_steady == Some(false) { "*" } else { "" };
    figures.gpu_share.map_or_else(String::new, |share| format!("{mark}{:.1} %", 100.0 * share))
}

/// What is not in the cells: what was left out, and why something failed.
fn notes(speeds: &[Speed]) -> String {
    let mut text = String::new();
    if speeds.iter().any(|speed| matches!(speed.outcome, Outcome::LeftOut { .. })) {
        text += &format!(
            "-: left out, as an iteration would take more than {MOST_SECONDS} s by what it took on the corpus before\n"
        );
    }
    if speeds
        .iter()
        .filter_map(|speed| speed.outcome.figures())
        .any(|figures| figures.is_steady == Some(false))
    {
        text += "*: measured while this was still moving; with more time hybrid may be faster\n";
    }
    for Speed { size, way, outcome } in speeds {
        if let Outcome::Failed(error) = outcome {
            text += &format!("{way} failed on the {} corpus: {error}\n", size.corpus);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selftest::Figures;

    #[test]
    fn a_division_that_still_moves_is_marked() {
        let size = CorpusSize { corpus: "small", tokens: 100, documents: 10, words: 10, topics: 3 };
        let told = |is_steady| {
            let figures = Figures {
                tokens_per_second: 1.234e6,
                seconds: 0.1,
                iteration_seconds: 0.2,
                repeats: 9,
                gpu_share: Some(0.1),
                is_steady: Some(is_steady),
                team_used: Some(8),
            };
            let outcome = Outcome::Measured(figures);
            speeds(&[Speed { size: size.clone(), way: Way::hybrid(&[]), outcome }])
        };
        let (steady, moving) = (told(true), told(false));
        assert!(steady.contains("\nhybrid             1.23\n  on the GPU     10.0 %\n"), "{steady}");
        assert!(!steady.contains('*'), "{steady}");
        assert!(
            moving.contains("\n  on the GPU    *10.0 %\n") && moving.contains("\n*: measured"),
            "{moving}"
        );
    }
}
