//! Cells of CSV files that a spreadsheet would run as a formula: an apostrophe before them makes them text, and is taken away again.

use std::borrow::Cow;

/// What a spreadsheet takes for the beginning of a formula.
const BEGINS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// What makes a cell text.
const APOSTROPHE: char = '\'';

/// `text` as it is written into a cell: with an apostrophe before it if it begins, after any apostrophes, as a formula does. A plain number
/// is none.
pub(crate) fn defused(text: &str) -> Cow<'_, str> {
    if is_formula(text) && !is_number(text) {
        Cow::Owned(format!("{APOSTROPHE}{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// What [`defused`] made `cell` of.
pub(crate) fn as_it_was(cell: &str) -> &str {
    cell.strip_prefix(APOSTROPHE).filter(|_| is_formula(cell)).unwrap_or(cell)
}

/// Whether a formula begins after any apostrophes.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches(APOSTROPHE).starts_with(BEGINS)
}

/// Whether it is a number in digits, which does nothing.
fn is_number(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_comes_back_and_none_begins_as_a_formula() {
        let parts = ["=", "+", "-", "@", "\t", "\r", "'", "", "1", "a", ".5", "e3", " ", "inf", "NaN", "é"];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = format!("{first}{second}{third}");
                    let cell = defused(&text);
                    assert_eq!(as_it_was(&cell), text);
                    assert!(!cell.starts_with(BEGINS) || is_number(&cell), "{text:?}");
                }
            }
        }
        for (text, cell) in [("=1+1", "'=1+1"), ("'=1", "''=1"), ("'tis", "'tis"), ("-inf", "'-inf")] {
            assert_eq!(defused(text), cell);
        }
        assert_eq!(
            ["-1", "+2.5", "-3e-4"].map(|number| defused(number).into_owned()),
            ["-1", "+2.5", "-3e-4"]
        );
    }
}
