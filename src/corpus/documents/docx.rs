//! The text of a Word document (.docx): a zip with the body in word/document.xml, whose paragraphs, line breaks and tabs are kept.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;

use crate::corpus::kinds;
use crate::corpus::open::{MAX_LINE, UNPACKED, check_regular};
use crate::error::{Error, Result};
use crate::files::source::Source;

/// Where the body is.
const BODY: &str = "word/document.xml";

/// The body may unpack to so many times the size of the file, or to what any file may: XML packs to a tenth or a thirtieth.
const MAX_RATIO: u64 = 100;

const REMEDY: &str = "open it in a word processor and save it again as .docx or as plain text";

/// Adds the text of the document in `path` to `text`.
pub(super) fn add_text(path: &Path, text: &mut String) -> Result<()> {
    let wrong = |problem: String| Error::input(path, problem, REMEDY);
    let size = check_regular(path)?.length;
    let mut archive = open(path)?;
    let body = archive
        .by_name(BODY)
        .map_err(|error| wrong(format!("its {BODY} cannot be read ({})", brief(error))))?;
    // Tags and text, of which there may be as much as in any document.
    let most = UNPACKED.max(size.saturating_mul(MAX_RATIO)).min(2 * MAX_LINE as u64);
    let mut xml = BufReader::new(body).take(most + 1);
    let read = add_body(&mut xml, text);
    if xml.limit() == 0 {
        return Err(wrong(format!("unpacks to more than {} MB", most >> 20)));
    }
    read.map_err(|problem| wrong(format!("is damaged: {BODY} {problem}")))?;
    if text.len() > MAX_LINE {
        return Err(Error::input(path, format!("has more than {MAX_LINE} bytes of text"), "split it"));
    }
    Ok(())
}

fn open(path: &Path) -> Result<ZipArchive<BufReader<Source>>> {
    let file = BufReader::new(Source::open(path).map_err(Error::read(path))?);
    ZipArchive::new(file).map_err(|error| {
        let start = crate::corpus::open::start(path, 8).unwrap_or_default();
        let problem = if start.starts_with(kinds::OLD_OFFICE) {
            "is locked by a password, or has the format of Word 97".to_owned()
        } else {
            format!("is no Word document, or a damaged one ({})", brief(error))
        };
        Error::input(path, problem, REMEDY)
    })
}

/// What a parser says, which may have any part of the file in it.
fn brief(error: impl ToString) -> String {
    const MOST: usize = 100;
    error.to_string().replace(char::is_control, "\u{fffd}").chars().take(MOST).collect()
}

/// Adds what a reader of the document sees; says what is wrong with the XML.
fn add_body(xml: &mut impl BufRead, text: &mut String) -> Result<(), String> {
    let mut reader = Reader::from_reader(xml);
    let mut buffer = Vec::new();
    // Within a text, and within what stands there for older programs once more.
    let (mut in_text, mut in_fallback) = (false, 0_u64);
    loop {
        match reader.read_event_into(&mut buffer).map_err(|error| format!("is no XML ({})", brief(error)))? {
            Event::Start(tag) if tag.local_name().as_ref() == "Fallback" => in_fallback += 1,
            Event::End(tag) if tag.local_name().as_ref() == "Fallback" => {
                in_fallback = in_fallback.saturating_sub(1);
            }
            Event::Eof => return Ok(()),
            _ if in_fallback > 0 => {}
            Event::Start(tag) if tag.local_name().as_ref() == "t" => in_text = true,
            Event::End(tag) if tag.local_name().as_ref() == "t" => in_text = false,
            Event::Start(tag) | Event::Empty(tag) => text.push_str(stands_for(&tag)),
            Event::End(tag) if tag.local_name().as_ref() == "p" => text.push('\n'),
            Event::Text(part) if in_text => text.push_str(&part),
            Event::CData(part) if in_text => text.push_str(&part),
            Event::GeneralRef(entity) if in_text => add_entity(&entity, text),
            _ => {}
        }
        buffer.clear();
        if text.len() > MAX_LINE {
            return Ok(());
        }
    }
}

/// What a tag puts between words, or within one.
fn stands_for(tag: &BytesStart<'_>) -> &'static str {
    match tag.local_name().as_ref() {
        "tab" | "ptab" => "\t",
        "br" | "cr" => "\n",
        "noBreakHyphen" => "-",
        _ => "",
    }
}

/// Adds the character that an entity stands for; XML knows five by name.
fn add_entity(entity: &BytesRef<'_>, text: &mut String) {
    match entity.resolve_char_ref() {
        Ok(Some(character)) => text.push(character),
        _ => text.push_str(resolve_xml_entity(entity).unwrap_or_default()),
    }
}
