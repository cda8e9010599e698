//! The text of HTML: without tags, comments, scripts and styles, with the characters that entities stand for.
//!
//! Whatever the input, it is gone through once. What is never closed goes on to the end of the file, as in browsers.

use encoding_rs::WINDOWS_1252;
use quick_xml::escape::resolve_html5_entity;

/// Elements that may stand within a word; all others end it.
const WITHIN_WORDS: [&str; 37] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
    "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "blink",
];

/// Elements whose content is no text.
const NO_TEXT: [&str; 2] = ["script", "style"];

/// The longest name of an entity has 31 letters.
const MAX_ENTITY: usize = 32;

/// Adds the text of `html` to `text`.
pub(super) fn add_text(html: &str, text: &mut String) {
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        let found = &rest[at..];
        rest = if found.starts_with('<') { after_markup(found, text) } else { after_entity(found, text) };
    }
    text.push_str(rest);
}

/// What comes after the `<` and all that belongs to it. Where words end, a line does.
fn after_markup<'a>(html: &'a str, text: &mut String) -> &'a str {
    let inner = &html[1..];
    if let Some(comment) = inner.strip_prefix("!--") {
        return after_comment(comment);
    }
    if inner.starts_with(['!', '?']) {
        return after(inner, ">");
    }
    let closing = inner.strip_prefix('/');
    let name = element(closing.unwrap_or(inner));
    if name.is_empty() {
        // Not a tag, but a sign.
        text.push('<');
        return inner;
    }
    let is = |list: &[&str]| list.iter().any(|other| other.eq_ignore_ascii_case(name));
    if !is(&WITHIN_WORDS) {
        text.push('\n');
    }
    let rest = after_tag(inner);
    if closing.is_none() && is(&NO_TEXT) { after_element(rest, name) } else { rest }
}

/// The name that a tag begins with; empty when it does not begin with a letter.
fn element(tag: &str) -> &str {
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return "";
    }
    let end = tag.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
    &tag[..end.unwrap_or(tag.len())]
}

/// What comes after the `>` of a tag: one in the quotation marks of a value does not end it.
fn after_tag(tag: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in tag.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            // Elsewhere they are letters, as the apostrophe in <a title=it's>.
            None if c == '"' || c == '\'' => quote = (before == '=').then_some(c),
            None if c == '>' => return &tag[at + 1..],
            None => {}
        }
        if !c.is_ascii_whitespace() {
            before = c;
        }
    }
    ""
}

/// What comes after a comment.
fn after_comment(comment: &str) -> &str {
    // As browsers have it, <!--> and <!---> are whole.
    let rest = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->"));
    rest.unwrap_or_else(|| after(comment, "-->"))
}

/// The end tag of the element `name`, in whose content nothing else is looked for, and what comes after it.
fn after_element<'a>(content: &'a str, name: &str) -> &'a str {
    let is_end = |at: &usize| {
        content[at + 2..].get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    content.match_indices("</").map(|(at, _)| at).find(is_end).map_or("", |at| &content[at..])
}

/// What comes after the first `end`.
fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or("", |(_, rest)| rest)
}

/// What comes after the entity that begins here; a `&` that begins none is a sign.
fn after_entity<'a>(html: &'a str, text: &mut String) -> &'a str {
    let inner = &html[1..];
    let end = inner.bytes().take(MAX_ENTITY).position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'#'));
    let end = end.unwrap_or(0);
    let (name, rest) = inner.split_at(end);
    let decoded = match name.strip_prefix('#') {
        Some(number) => push_number(number, text),
        None if rest.starts_with(';') => resolve_html5_entity(name).map(|found| text.push_str(found)),
        None => None,
    };
    match decoded {
        Some(()) => rest.strip_prefix(';').unwrap_or(rest),
        None => {
            text.push('&');
            inner
        }
    }
}

/// Adds the character with a number; those of Windows are taken for what their authors meant.
fn push_number(number: &str, text: &mut String) -> Option<()> {
    let hexadecimal = number.strip_prefix(['x', 'X']);
    let code = hexadecimal.map_or_else(|| number.parse(), |digits| u32::from_str_radix(digits, 16)).ok()?;
    match code {
        0x80..=0x9f => text.push_str(&WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0),
        0 => text.push(char::REPLACEMENT_CHARACTER),
        _ => text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
    Some(())
}

/// The encoding that the head of a file says it has: what comes after `charset=`.
pub(super) fn charset(start: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let (_, value) = start.split_once("charset")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start_matches([' ', '"', '\'']);
    let end = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '>' | ';' | '/'));
    Some(value[..end?].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(html: &str) -> String {
        let mut text = String::new();
        add_text(html, &mut text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn markup_goes_and_words_stay_whole() {
        for (html, expected) in [
            ("<!DOCTYPE html><p>One<p>two<br>three<td>four", "One two three four"),
            ("Sch<b>i</b>ff<!-- no\n--> und <a href='x>y' title=\"a>b\">Hafen</a>", "Schiff und Hafen"),
            ("a<SCRIPT type=x>if (a < b) '</p>'</SCRIPT >b<style>p {}</style>c", "a b c"),
            (
                "caf&eacute; &amp; th&#233; &#xE9;t&#XE9; it&#146;s &#8217;",
                "café & thé été it\u{2019}s \u{2019}",
            ),
            (
                "AT&T &unknown; & &; &#; &#x; &#99999999999; R&D",
                "AT&T &unknown; & &; &#; &#x; &#99999999999; R&D",
            ),
            ("1 < 2 <3 a<-b </> <!x> <?php echo ?>end", "1 < 2 <3 a<-b </> end"),
            ("<a title=it's>fine</a> <!--> here <!---> too", "fine here too"),
            ("x&nbsp;y&#0;z", "x y\u{fffd}z"),
        ] {
            assert_eq!(words(html), expected, "{html}");
        }
    }

    #[test]
    fn what_is_never_closed_ends_with_the_file() {
        for open in ["<!-- x", "<script>x", "<style>x", "<a href=\"x", "<p x", "<!x", "</p", "<"] {
            assert_eq!(words(&format!("a {open}")), if open == "<" { "a <" } else { "a" }, "{open}");
        }
    }

    #[test]
    fn time_is_linear_in_hostile_input() {
        for part in ["<", "<!--", "<a \"", "</", "<script>", "&", "&#", "<a='", "&amp", "<script></s"] {
            let mut text = String::new();
            add_text(&part.repeat(1 << 20), &mut text);
        }
    }

    #[test]
    fn a_page_says_its_encoding() {
        for (head, expected) in [
            (&b"<meta charset=\"ISO-8859-1\">"[..], Some("iso-8859-1")),
            (b"<META http-equiv=x content='text/html; Charset=windows-1252'>", Some("windows-1252")),
            (b"<meta charset = utf-8 />\xff", Some("utf-8")),
            (b"<p>no", None),
            (b"<meta charset=", None),
        ] {
            assert_eq!(charset(head).as_deref(), expected);
        }
    }
}
