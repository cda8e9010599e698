//! Passages of documents on a terminal: lines that fit, with the words of a topic marked.

use console::{Style, colors_enabled, measure_text_width};
use unicode_segmentation::UnicodeSegmentation;

use super::harmless;

/// Blanks before each line, which leave the shares of documents by themselves.
const INDENT: usize = 9;

/// The least that is left of a line, however narrow the terminal is.
const LEAST_WIDTH: usize = 20;

/// How marked words are told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marks {
    /// Bold and underlined, where the terminal can.
    Style,
    /// In brackets.
    Brackets,
}

impl Marks {
    /// As standard output can have them.
    pub(super) fn of_terminal() -> Self {
        if colors_enabled() { Self::Style } else { Self::Brackets }
    }
}

/// Text that is marked or not.
type Run = (String, bool);

/// A passage, whose every second part is marked, as lines of at most `width` columns; what it says does not steer the terminal.
pub(super) fn lines(parts: &[String], width: usize, marks: Marks) -> String {
    let room = width.saturating_sub(INDENT).max(LEAST_WIDTH);
    let mut lines = Lines { room, done: String::new(), line: Vec::new(), used: 0 };
    for word in words(parts, marks) {
        lines.add(&word);
    }
    lines.end();
    lines.done
}

/// What stands between blanks.
fn words(parts: &[String], marks: Marks) -> Vec<Vec<Run>> {
    let mut words: Vec<Vec<Run>> = vec![Vec::new()];
    for (at, part) in parts.iter().enumerate() {
        let text = harmless(part).replace('\n', " ");
        let text = match (at % 2 == 1, marks) {
            (true, Marks::Brackets) => format!("[{text}]"),
            _ => text,
        };
        let is_marked = at % 2 == 1 && marks == Marks::Style;
        for (number, piece) in text.split(' ').enumerate() {
            if number > 0 {
                words.push(Vec::new());
            }
            if let Some(word) = words.last_mut().filter(|_| !piece.is_empty()) {
                word.push((piece.to_owned(), is_marked));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Lines as far as they have come.
struct Lines {
    room: usize,
    done: String,
    line: Vec<Run>,
    used: usize,
}

impl Lines {
    /// Adds a word, on a line of its own if this one has no room; one that no line has room for, as text without blanks is, goes on from line
    /// to line.
    fn add(&mut self, word: &[Run]) {
        let width: usize = word.iter().map(|(text, _)| measure_text_width(text)).sum();
        let blank = usize::from(self.used > 0);
        if width <= self.room && self.used + blank + width > self.room {
            self.end();
        } else if blank > 0 {
            self.push(" ", false);
        }
        for (text, is_marked) in word {
            for grapheme in text.graphemes(true) {
                if self.used + measure_text_width(grapheme) > self.room {
                    self.end();
                }
                self.push(grapheme, *is_marked);
            }
        }
    }

    fn push(&mut self, text: &str, is_marked: bool) {
        self.used += measure_text_width(text);
        match self.line.last_mut() {
            Some((last, marked)) if *marked == is_marked => last.push_str(text),
            _ => self.line.push((text.to_owned(), is_marked)),
        }
    }

    fn end(&mut self) {
        if self.line.is_empty() {
            return;
        }
        self.done += &" ".repeat(INDENT);
        let mark = Style::new().bold().underlined();
        for (text, is_marked) in self.line.drain(..) {
            self.done += &if is_marked { mark.apply_to(text).to_string() } else { text };
        }
        self.done.truncate(self.done.trim_end_matches(' ').len());
        self.done.push('\n');
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn lines_fit_and_words_stay_whole() {
        let shown = lines(&parts("The |ship| sailed to the |sea|."), 30, Marks::Brackets);
        assert_eq!(shown, "         The [ship] sailed to\n         the [sea].\n");
        let whole = lines(&parts("The |ship| sailed."), usize::MAX, Marks::Brackets);
        assert_eq!(whole, "         The [ship] sailed.\n");
        // Two columns a character, and no blanks.
        let shown = lines(&parts("海上的|船|在风暴中沉没了"), 31, Marks::Brackets);
        assert_eq!(shown, "         海上的[船]在风暴中沉没\n         了\n");
    }

    #[test]
    fn text_does_not_steer_the_terminal() {
        let shown = lines(&parts("a \u{1b}[31mred |\u{202e}word\u{7}| end"), 80, Marks::Brackets);
        assert_eq!(shown, "         a \u{fffd}[31mred [\u{fffd}word\u{fffd}] end\n");
    }
}
