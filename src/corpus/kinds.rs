//! Kinds of files that are known and not read, and how their text is got out of them.

use std::path::Path;

/// Files of a kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// What one of them is.
    pub(super) one: &'static str,
    /// What several are.
    pub(super) many: &'static str,
    /// How their names end, in lower case.
    endings: &'static [&'static str],
    /// What makes text of them.
    pub(super) remedy: &'static str,
}

/// How files of Office 97 begin, and all that are locked by a password.
pub(super) const OLD_OFFICE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

const PDF: Kind = Kind {
    one: "a PDF or a scan",
    many: "PDF files and scans",
    endings: &["pdf", "djvu", "ps"],
    remedy: "convert it to text, for example with pdftotext, or by text recognition where pages are pictures",
};
const WRITING: Kind = Kind {
    one: "a word processor's document other than .docx",
    many: "word processors' documents other than .docx",
    endings: &["odt", "ott", "doc", "dot", "rtf", "pages", "wpd", "docm"],
    remedy: "save it as .docx or plain text, for example with LibreOffice",
};
const BOOK: Kind = Kind {
    one: "an e-book",
    many: "e-books",
    endings: &["epub", "mobi", "azw", "azw3", "fb2"],
    remedy: "convert it to text, for example with Calibre or pandoc",
};
const SHEET: Kind = Kind {
    one: "a spreadsheet",
    many: "spreadsheets",
    endings: &["xlsx", "xls", "xlsm", "xlsb", "ods", "numbers"],
    remedy: "save the sheet as CSV (UTF-8)",
};
const SLIDES: Kind = Kind {
    one: "a slide show",
    many: "slide shows",
    endings: &["pptx", "ppt", "odp"],
    remedy: "save its outline as plain text",
};
const OFFICE: Kind = Kind {
    one: "a document of Word, Excel, PowerPoint or a like program",
    many: "",
    endings: &[],
    remedy: "give its name the right ending, .docx for Word; save a sheet as CSV (UTF-8), all else as plain text",
};
const IMAGE: Kind = Kind {
    one: "an image",
    many: "images",
    endings: &["png", "jpg", "jpeg", "gif", "tif", "tiff", "bmp", "webp", "svg", "heic", "ico", "psd"],
    remedy: "read the text out of it first, for example with tesseract",
};
const SOUND: Kind = Kind {
    one: "sound or film",
    many: "sound and films",
    endings: &["mp3", "wav", "m4a", "ogg", "flac", "aac", "mp4", "mov", "avi", "mkv", "webm"],
    remedy: "write down first what is said in it",
};
const ARCHIVE: Kind = Kind {
    one: "an archive",
    many: "archives",
    endings: &["zip", "7z", "rar", "tar", "tgz", "bz2", "xz"],
    remedy: "unpack it into a folder, and give that",
};
const DATA: Kind = Kind {
    one: "a file of data or of a program",
    many: "files of data or of programs",
    endings: &[
        "parquet", "feather", "arrow", "sqlite", "sqlite3", "db", "mdb", "accdb", "pkl", "pickle", "rds",
        "rdata", "sav", "dta", "exe", "dll", "so", "dylib", "pyc", "class", "jar", "ttf", "otf", "woff",
        "woff2",
    ],
    remedy: "save the text in it as CSV (UTF-8)",
};

/// All that names tell.
const KINDS: [&Kind; 9] = [&PDF, &WRITING, &BOOK, &SHEET, &SLIDES, &IMAGE, &SOUND, &ARCHIVE, &DATA];

/// What the first bytes tell, without those of zip.
const MAGIC: [(&[u8], &Kind); 8] = [
    (b"%PDF-", &PDF),
    (b"{\\rtf", &WRITING),
    (OLD_OFFICE, &OFFICE),
    (b"\x89PNG\r\n\x1a\n", &IMAGE),
    (b"\xff\xd8\xff", &IMAGE),
    (b"GIF8", &IMAGE),
    (b"Rar!\x1a\x07", &ARCHIVE),
    (b"7z\xbc\xaf\x27\x1c", &ARCHIVE),
];

/// The ending of a file's name, in lower case and without that of its packing.
pub(super) fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let unpacked = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    Some(unpacked.rsplit_once('.')?.1.to_owned())
}

/// The kind that a name tells.
pub(super) fn by_name(path: &Path) -> Option<&'static Kind> {
    let ending = ending(path)?;
    KINDS.into_iter().find(|kind| kind.endings.contains(&&*ending))
}

/// The kind that the first bytes tell. A zip may also be of arrays, which are read.
pub(super) fn by_content(start: &[u8]) -> Option<&'static Kind> {
    let found = MAGIC.into_iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| kind);
    found.or_else(|| of_zip(start))
}

/// The kind of a zip, by the name of the first file in it; in open formats that is one with the name of the format.
fn of_zip(start: &[u8]) -> Option<&'static Kind> {
    let rest = start.strip_prefix(crate::files::npz::MAGIC)?;
    // The header has 30 bytes; the lengths of the name and of what comes after it are the last four.
    let (header, rest) = rest.split_at_checked(26)?;
    let length = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let (name, rest) = rest.split_at_checked(length(22))?;
    if name == b"mimetype" {
        let content = rest.get(length(24)..)?;
        return Some(if content.starts_with(b"application/epub") { &BOOK } else { &OFFICE });
    }
    let starts = [&b"[Content_Types].xml"[..], b"_rels/", b"docProps/", b"word/", b"xl/", b"ppt/"];
    starts.into_iter().any(|start| name.starts_with(start)).then_some(&OFFICE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_of_one_kind() {
        let mut all: Vec<&str> = KINDS.into_iter().flat_map(|kind| kind.endings).copied().collect();
        let many = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), many);
        assert!(!all.iter().any(|ending| ["npz", "txt", "docx", "csv", "html", "state"].contains(ending)));
    }

    #[test]
    fn names_tell_in_any_case_and_packed() {
        for (name, kind) in [("a.PDF", &PDF), ("b.tar.gz", &ARCHIVE), ("x/c.Xlsx.zst", &SHEET)] {
            assert_eq!(by_name(Path::new(name)), Some(kind));
        }
        for name in ["pdf", "a.txt", ".png/x", "a.gz", "a.npz"] {
            assert_eq!(by_name(Path::new(name)), None, "{name}");
        }
    }
}
