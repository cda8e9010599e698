//! The stretch of a document's text that shows a topic best: some whole sentences, or a part of a long one.

use std::cmp::Reverse;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::corpus::PlacedWord;

/// How far around the best words sentences are looked for, in lengths of a passage.
const AROUND: usize = 4;

/// Characters of punctuation that stay with the word before or behind them.
const MOST_PUNCTUATION: usize = 4;

/// What stands for text that is left out inside a sentence.
const ELLIPSIS: char = '…';

/// A passage in parts, in their order: text, a marked word, text, a marked word, …, text.
pub(super) type Parts = Vec<String>;

/// The passage of `text` with most of the words for which `is_marked` holds, of at most `most` characters but for a longer word and the ellipses.
///
/// Sentences are Unicode's; a line that goes on in lower case goes on with its sentence. Of several stretches with as many marked words the
/// shortest is taken, and of these the first.
pub(super) fn passage(
    text: &str,
    words: &[PlacedWord],
    is_marked: impl Fn(usize) -> bool,
    most: usize,
) -> Option<Parts> {
    let words: Vec<Word> = words
        .iter()
        .map(|PlacedWord { span, token }| Word {
            span: span.clone(),
            is_marked: token.is_some_and(&is_marked),
        })
        .collect();
    let best = best_words(text, &words, most)?;
    let near = around(text, &words[best.clone()], most);
    let sentences = sentences(text, near.clone());
    let words_in = |span: &Range<usize>| {
        let start = words.partition_point(|word| word.span.start < span.start);
        &words[start..words.partition_point(|word| word.span.end <= span.end).max(start)]
    };
    let marked = |span: &Range<usize>| words_in(span).iter().filter(|word| word.is_marked).count();
    let whole = best_sentences(text, &sentences, marked, most);
    let part = with_punctuation(text, words[best.start].span.start..words[best.end - 1].span.end);
    // A part of a long sentence says more than whole sentences without most of the words.
    let span = whole.filter(|whole| 2 * marked(whole) >= marked(&part));
    let (span, is_whole) = span.map_or((part, false), |span| (span, true));
    let span = trimmed(text, span);
    let ends = if is_whole { [false; 2] } else { cut_ends(text, &span, &sentences) };
    Some(parts(text, span, &words, ends))
}

/// A word of the text.
struct Word {
    span: Range<usize>,
    is_marked: bool,
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The first of the stretches of neighbouring words that have at most `most` characters of which most are marked, with a marked word
/// at its start and words around it as far as there is room.
fn best_words(text: &str, words: &[Word], most: usize) -> Option<Range<usize>> {
    let marked: Vec<usize> = (0..words.len()).filter(|&i| words[i].is_marked).collect();
    let (mut end, mut length, mut best) = (0, 0, 0..0);
    for start in 0..marked.len() {
        if end <= start {
            (end, length) = (start + 1, chars(&text[words[marked[start]].span.clone()]));
        }
        while end < marked.len() {
            let more = chars(&text[words[marked[end - 1]].span.end..words[marked[end]].span.end]);
            if length + more > most {
                break;
            }
            length += more;
            end += 1;
        }
        if end - start > best.len() {
            best = start..end;
        }
        if start + 1 < end {
            let [this, next] = [start, start + 1].map(|at| words[marked[at]].span.start);
            length -= chars(&text[this..next]);
        }
    }
    if best.is_empty() {
        return None;
    }
    Some(with_neighbours(text, words, marked[best.start]..marked[best.end - 1] + 1, most))
}

/// The words with others before and behind them, by turns, as long as there is room.
fn with_neighbours(text: &str, words: &[Word], mut range: Range<usize>, most: usize) -> Range<usize> {
    let mut length = chars(&text[words[range.start].span.start..words[range.end - 1].span.end]);
    loop {
        let before =
            range.start.checked_sub(1).map(|at| chars(&text[words[at].span.start..words[at + 1].span.start]));
        let behind =
            words.get(range.end).map(|word| chars(&text[words[range.end - 1].span.end..word.span.end]));
        let room = most.saturating_sub(length);
        let before = before.filter(|&more| more <= room);
        if let Some(more) = before {
            range.start -= 1;
            length += more;
        }
        let room = most.saturating_sub(length);
        let behind = behind.filter(|&more| more <= room);
        if let Some(more) = behind {
            range.end += 1;
            length += more;
        }
        if before.is_none() && behind.is_none() {
            return range;
        }
    }
}

/// The text around some words in which sentences are looked for.
fn around(text: &str, words: &[Word], most: usize) -> Range<usize> {
    let (start, end) = (words[0].span.start, words[words.len() - 1].span.end);
    let before = text[..start].char_indices().rev().nth(AROUND * most);
    let behind = text[end..].char_indices().nth(AROUND * most);
    before.map_or(0, |(at, _)| at)..behind.map_or(text.len(), |(at, _)| end + at)
}

/// The whole sentences in `near`: what is cut off there is none.
fn sentences(text: &str, near: Range<usize>) -> Vec<Range<usize>> {
    let joined = with_lines_joined(&text[near.clone()]);
    let bounds = joined.split_sentence_bound_indices();
    let mut sentences: Vec<Range<usize>> =
        bounds.map(|(at, sentence)| near.start + at..near.start + at + sentence.len()).collect();
    // A blank line is one by itself.
    sentences.retain(|sentence| !text[sentence.clone()].trim().is_empty());
    if near.end < text.len() {
        sentences.pop();
    }
    if near.start > 0 && !sentences.is_empty() {
        sentences.remove(0);
    }
    sentences
}

/// As many bytes, with a blank in the place of each line end behind which a sentence goes on.
fn with_lines_joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let goes_on = line.trim_start_matches([' ', '\t', '>']).starts_with(char::is_lowercase);
        if goes_on && joined.ends_with('\n') {
            joined.pop();
            let is_two = joined.ends_with('\r');
            if is_two {
                joined.pop();
            }
            joined.push_str(if is_two { "  " } else { " " });
        }
        joined.push_str(line);
    }
    joined
}

/// The neighbouring sentences with most marked words.
fn best_sentences(
    text: &str,
    sentences: &[Range<usize>],
    marked: impl Fn(&Range<usize>) -> usize,
    most: usize,
) -> Option<Range<usize>> {
    let mut found = Vec::new();
    for (at, first) in sentences.iter().enumerate() {
        for last in &sentences[at..] {
            let span = trimmed(text, first.start..last.end);
            let length = chars(&text[span.clone()]);
            if length > most {
                break;
            }
            found.push((marked(&span), Reverse(length), span));
        }
    }
    let rank = |(marked, length, _): &(usize, Reverse<usize>, Range<usize>)| (*marked, *length);
    // Of equal ones the last, seen from the end.
    let best = found.into_iter().rev().max_by_key(rank);
    best.filter(|&(marked, ..)| marked > 0).map(|(_, _, span)| span)
}

/// Without white space at its ends.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let start = span.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

/// With what stands around it and is neither a letter nor white space, such as quotes and a full stop.
fn with_punctuation(text: &str, part: Range<usize>) -> Range<usize> {
    let belongs = |c: &char| !c.is_whitespace() && !c.is_alphanumeric();
    let before = text[..part.start].chars().rev().take_while(belongs).take(MOST_PUNCTUATION);
    let behind = text[part.end..].chars().take_while(belongs).take(MOST_PUNCTUATION);
    part.start - before.map(char::len_utf8).sum::<usize>()
        ..part.end + behind.map(char::len_utf8).sum::<usize>()
}

/// Whether a part begins, and ends, inside a sentence.
fn cut_ends(text: &str, part: &Range<usize>, sentences: &[Range<usize>]) -> [bool; 2] {
    let starts = sentences.iter().any(|sentence| trimmed(text, sentence.clone()).start == part.start);
    let ends = sentences.iter().any(|sentence| trimmed(text, sentence.clone()).end == part.end);
    [!starts && part.start > 0, !ends && part.end < text.len()]
}

fn parts(text: &str, span: Range<usize>, words: &[Word], cut: [bool; 2]) -> Parts {
    let mut parts = Vec::new();
    let mut plain = if cut[0] { format!("{ELLIPSIS} ") } else { String::new() };
    let mut at = span.start;
    let is_inside =
        |word: &&Word| word.is_marked && word.span.start >= span.start && word.span.end <= span.end;
    for word in words.iter().filter(is_inside) {
        add(&mut plain, &text[at..word.span.start]);
        parts.push(std::mem::take(&mut plain));
        let mut marked = String::new();
        add(&mut marked, &text[word.span.clone()]);
        parts.push(marked);
        at = word.span.end;
    }
    add(&mut plain, &text[at..span.end]);
    if cut[1] {
        plain.push_str(&format!(" {ELLIPSIS}"));
    }
    parts.push(plain);
    parts
}

/// Adds text with each run of white space as one blank.
fn add(parts: &mut String, text: &str) {
    for c in text.chars() {
        match c.is_whitespace() {
            false => parts.push(c),
            true if parts.ends_with(' ') => {}
            true => parts.push(' '),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The passage of `text` for the words in `topic`, with these in brackets.
    fn shown(text: &str, topic: &[&str], most: usize) -> Option<String> {
        let words: Vec<PlacedWord> = text
            .unicode_word_indices()
            .zip(0..)
            .map(|((at, word), i)| PlacedWord { span: at..at + word.len(), token: Some(i) })
            .collect();
        let is_marked = |i: usize| topic.contains(&&text[words[i].span.clone()]);
        let parts = passage(text, &words, is_marked, most)?;
        let bracketed =
            |(at, part): (usize, &String)| if at % 2 == 1 { format!("[{part}]") } else { part.clone() };
        Some(parts.iter().enumerate().map(bracketed).collect())
    }

    const TEXT: &str = "Dr. Gray came late. “The ship is lost,” he said; the ship and its crew. Nobody spoke.\n\nThe ship came back.";

    #[test]
    fn whole_sentences_with_most_of_the_topic() {
        let found = shown(TEXT, &["ship", "crew"], 60).expect("a passage");
        assert_eq!(found, "“The [ship] is lost,” he said; the [ship] and its [crew].");
        let found = shown(TEXT, &["ship", "crew"], 200).expect("a passage");
        assert_eq!(
            found,
            "“The [ship] is lost,” he said; the [ship] and its [crew]. Nobody spoke. The [ship] came back."
        );
        assert_eq!(shown(TEXT, &["spoke"], 200).expect("a passage"), "Nobody [spoke].");
        assert_eq!(shown(TEXT, &["whale"], 200), None);
        assert_eq!(shown("", &["whale"], 200), None);
        // Of two as good ones the shorter, of two as long ones the first.
        assert_eq!(
            shown("A long ship sank. A ship sank. A ship swam.", &["ship"], 17).expect("a passage"),
            "A [ship] sank."
        );
    }

    #[test]
    fn part_of_a_long_sentence() {
        let long = format!("{} ship and sea and crew, {} end.", "word ".repeat(40), "other ".repeat(40));
        let found = shown(&long, &["ship", "sea", "crew"], 50).expect("a passage");
        assert!(found.starts_with("… word ") && found.ends_with(" other …"), "{found}");
        assert!(found.contains("[ship] and [sea] and [crew],"), "{found}");
        assert!(found.replace(['[', ']'], "").chars().count() <= 50 + MOST_PUNCTUATION + 4, "{found}");
        // A word is never cut, however long it is.
        let word = "x".repeat(100);
        assert_eq!(shown(&format!("a {word} b"), &[&word], 10).expect("a passage"), format!("… [{word}] …"));
    }

    #[test]
    fn lines_that_go_on_are_no_ends_of_sentences() {
        let text = "Subject: The Sea\n\nIt was the first time that the\r\nship had been\n> seen by the crew.\nThe end";
        let found = shown(text, &["ship", "crew"], 200).expect("a passage");
        assert_eq!(found, "It was the first time that the [ship] had been > seen by the [crew].");
        assert_eq!(shown(text, &["Sea"], 200).expect("a passage"), "Subject: The [Sea]");
    }

    #[test]
    fn text_without_blanks() {
        let text = "风暴来了。船长站在甲板上，望着大海。船员们很害怕！";
        assert_eq!(shown(text, &["船", "海"], 17).expect("a passage"), "[船]长站在甲板上，望着大[海]。");
        let long = "海上的风暴".repeat(100) + "船" + &"海上的风暴".repeat(100) + "。";
        let found = shown(&long, &["船"], 21).expect("a passage");
        assert_eq!(found, "… 海上的风暴海上的风暴[船]海上的风暴海上的风暴 …");
    }

    #[test]
    fn what_takes_no_longer_per_byte_for_hostile_text() {
        for text in [
            "\n".repeat(1 << 20) + "ship",
            "a. ".repeat(1 << 18) + "ship",
            "ship ".repeat(1 << 18),
            "!".repeat(1 << 20) + "ship",
        ] {
            let found = shown(&text, &["ship"], 320).expect("a passage");
            assert!(found.contains("[ship]") && found.chars().count() < 600, "{}", found.len());
        }
    }
}
