//! Numbers in words, and lines that fit.

use console::{Term, measure_text_width};

/// What is left of a terminal's line for a message beside a bar of this many iterations: the bar has some columns, and so has the time.
const BAR: usize = 6;
const TIME_LEFT: usize = ", 59m left".len();

/// Tokens per second with a unit that leaves digits to read.
pub(super) fn speed(tokens_per_second: f64) -> String {
    match tokens_per_second {
        speed if speed >= 1e5 => format!("{:.1} M tokens/s", speed / 1e6),
        speed if speed >= 1e3 => format!("{:.0} k tokens/s", speed / 1e3),
        speed => format!("{speed:.0} tokens/s"),
    }
}

/// A count with what it counts.
pub(super) fn counted(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The columns of the terminal that `term` is, if it is one.
pub(super) fn columns(term: &Term) -> Option<usize> {
    term.size_checked().map(|(_, columns)| usize::from(columns))
}

/// The first of the messages, which get shorter, for which a line of `columns` has room beside a bar of `iterations`.
pub(super) fn beside_bar(messages: Vec<String>, iterations: u64, columns: usize) -> String {
    let taken = BAR + 2 * (iterations.to_string().len() + 2) + TIME_LEFT;
    let room = columns.saturating_sub(taken);
    messages.into_iter().find(|message| measure_text_width(message) <= room).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_digits() {
        let speeds = [28_430_000.0, 150_000.0, 40_000.0, 1_000.0, 37.2].map(speed);
        let expected = ["28.4 M tokens/s", "0.1 M tokens/s", "40 k tokens/s", "1 k tokens/s", "37 tokens/s"];
        assert_eq!(speeds, expected);
        assert_eq!([counted(1u64, "topic"), counted(0u64, "topic")], ["1 topic", "0 topics"]);
    }

    #[test]
    fn the_longest_message_that_fits() {
        let messages = || vec!["a".repeat(40), "b".repeat(20), "c".repeat(10)];
        assert!(beside_bar(messages(), 1000, 80).starts_with('a'));
        assert!(beside_bar(messages(), 1000, 60).starts_with('b'));
        assert!(beside_bar(messages(), 1000, 40).starts_with('c'));
        assert_eq!(beside_bar(messages(), 1000, 30), "");
    }
}
