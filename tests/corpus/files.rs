//! Folders as people have them: texts, web pages, documents of Word, and much that is none of these.

use std::io::Write;
use std::path::Path;

use hdp_gpu::corpus::{Loaded, ReadOptions, TextOptions, VocabSource, read};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::{Folder, gzip, input_error, options};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const PDF: &[u8] = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n";

/// A zip of files.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let mut archive = ZipWriter::new(&mut out);
    for (name, content) in files {
        // That of the open formats is there to be seen.
        let packing =
            if *name == "mimetype" { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default().compression_method(packing);
        archive.start_file(*name, options).expect("a file in a zip");
        archive.write_all(content).expect("a file in a zip");
    }
    archive.finish().expect("a zip");
    out.into_inner()
}

/// A document of Word with this body.
fn docx(body: &str) -> Vec<u8> {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:document xmlns:w=\"w\" xmlns:mc=\"mc\"><w:body>";
    let xml = format!("{head}{body}</w:body></w:document>");
    zip(&[("[Content_Types].xml", b"<Types/>"), ("word/document.xml", xml.as_bytes())])
}

fn with_text(text: TextOptions) -> ReadOptions {
    ReadOptions { text, ..options(None, VocabSource::Beside) }
}

fn load(path: &Path) -> hdp_gpu::Result<Loaded> {
    read(path, &with_text(TextOptions::default()))
}

fn skip_bad() -> ReadOptions {
    with_text(TextOptions { skip_bad: true, ..TextOptions::default() })
}

/// The words of document `d`, in their order.
fn words(loaded: &Loaded, d: usize) -> String {
    let words = loaded.corpus.doc(d).map(|i| loaded.corpus.vocab[loaded.corpus.w[i] as usize].clone());
    words.collect::<Vec<_>>().join(" ")
}

/// A folder with a file of each form and some of kinds that are not read.
fn mixed() -> Folder {
    let folder = Folder::new();
    folder.write("in/a.txt", "plain ash");
    folder.write("in/b.md", "# marked *birch*");
    folder.write(
        "in/c.HTML",
        "<html><head><style>p {color: red}</style></head><body><p>web&nbsp;c&eacute;dar</p></body>",
    );
    folder.write("in/d.htm.gz", gzip("packed<script>var x</script><br>elm"));
    folder.write("in/e/f.docx", docx("<w:p><w:r><w:t>Word fir</w:t></w:r></w:p>"));
    for name in
        ["scan.pdf", "e/other.PDF", "table.xlsx", "e/picture.png", "letter.odt", "book.epub", "old.doc"]
    {
        folder.write(&format!("in/{name}"), PDF);
    }
    folder.write("in/~$f.docx", "somebody");
    folder.write("in/e/Thumbs.db", PNG);
    folder
}

#[test]
fn a_folder_of_many_kinds() {
    let folder = mixed();
    let loaded = load(&folder.path().join("in")).expect("a folder");
    let names = loaded.corpus.doc_names.clone().expect("names");
    assert_eq!(names, ["a.txt", "b.md", "c.HTML", "d.htm.gz", "e/f.docx"]);
    let found: Vec<String> = (0..names.len()).map(|d| words(&loaded, d)).collect();
    assert_eq!(found, ["plain ash", "marked birch", "web cédar", "packed elm", "word fir"]);
    assert_eq!(loaded.notes.hidden_files, 2);
    let warnings = loaded.notes.warnings();
    assert_eq!(warnings.len(), 6, "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning
        == "PDF files and scans: 2 (e/other.PDF and others); they were left out; to have them read: convert it to text, for \
            example with pdftotext, or by text recognition where pages are pictures"), "{warnings:?}");
    assert!(
        warnings.iter().any(|warning| warning.starts_with("images: 1 (e/picture.png); they were left out"))
    );
    let nothing = Folder::new();
    nothing.write("a.pdf", PDF);
    nothing.write("b.pdf", PDF);
    let (_, problem) = input_error(load(nothing.path()));
    assert_eq!(problem, "has no files that can be read (PDF files and scans: 2)");
}

#[test]
fn the_body_of_a_word_document() {
    let body = "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t xml:space=\"preserve\">The Sch</w:t></w:r>\
                <w:r><w:rPr><w:b/></w:rPr><w:t>iff</w:t></w:r><w:r><w:tab/><w:t>R&amp;D caf&#233;</w:t><w:br/><w:t>next</w:t></w:r></w:p>\
                <w:p><w:r><w:t>para</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>\
                <w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r></w:p>\
                <mc:AlternateContent><mc:Choice><w:p><w:r><w:t>boxed</w:t></w:r></w:p></mc:Choice>\
                <mc:Fallback><w:p><w:r><w:t>boxed</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>\
                <w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>mate</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    let folder = Folder::new();
    let path = folder.write("a.docx", docx(body));
    let loaded = load(&path).expect("one document");
    assert_eq!(words(&loaded, 0), "the schiff r d café next para co-op boxed cell mate");
    assert_eq!(
        (&*loaded.format, loaded.corpus.doc_names.clone()),
        ("folder", Some(vec!["a.docx".to_owned()]))
    );
    assert!(loaded.notes.warnings()[0].starts_with("the corpus is one document"), "{:?}", loaded.notes);
    // Topics of one document under a model are asked for every day.
    let like = ReadOptions { like: Some(loaded.preparation), ..ReadOptions::default() };
    assert_eq!(read(&path, &like).expect("one document").notes.warnings(), [""; 0]);
}

#[test]
fn a_web_page_is_in_the_encoding_that_it_says() {
    let folder = Folder::new();
    let page =
        b"<html><head><meta charset=windows-1252><title>Caf\xe9</title></head><body>th\xe9&#146;tre".to_vec();
    let path = folder.write("a.html", &page);
    assert_eq!(words(&load(&path).expect("a page"), 0), "café thé'tre");
    let said =
        TextOptions { encoding: Some("koi8-r".parse().expect("an encoding")), ..TextOptions::default() };
    assert_eq!(words(&read(&path, &with_text(said)).expect("a page"), 0).chars().nth(3), Some('и'));
    // A table of pages, or a page by another name, is what it says it is.
    let loaded = load(&folder.write("page", "<b>bold</b>\n")).expect("text");
    assert_eq!(words(&loaded, 0), "b bold b");
}

#[test]
fn bad_files_are_told_of_at_once() {
    let folder = mixed();
    let texts = folder.path().join("in");
    folder.write("in/bad/latin.txt", b"caf\xe9\n");
    let (_, problem) = input_error(load(&texts));
    assert_eq!(problem, "byte 4 of the file (0xE9) is not UTF-8");

    folder.write("in/bad/broken.docx", &docx("<w:p/>")[..60]);
    folder.write("in/bad/xml.docx", docx("<w:p></w:q>"));
    folder.write("in/bad/no.docx", zip(&[("other.xml", b"<a/>")]));
    folder.write("in/bad/locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....");
    folder.write("in/bad/picture", PNG);
    folder.write("in/bad/zero.txt", "a\0b");
    let (line, problem) = input_error(load(&texts));
    assert!(
        line.is_none() && problem.starts_with("7 of its files cannot be read: bad/broken.docx is no Word"),
        "{problem}"
    );
    for part in [
        "; bad/latin.txt:1: byte 4 of the file (0xE9) is not UTF-8; ",
        "; bad/locked.docx is locked by a password",
        "; bad/no.docx its word/document.xml cannot be read",
        "; bad/picture:1: byte 1 of the file (0x89) is not UTF-8; ",
        "; bad/xml.docx is damaged: word/document.xml is no XML (",
        "; bad/zero.txt is not text: it has a byte of value 0",
    ] {
        assert!(problem.contains(part), "{part:?} is not in {problem}");
    }

    let loaded = read(&texts, &skip_bad()).expect("the other files");
    assert_eq!((loaded.corpus.num_docs(), loaded.notes.bad_files), (5, 7));
    let warnings = loaded.notes.warnings();
    let told = warnings
        .iter()
        .find(|warning| warning.starts_with("files that could not be read: 7; they were left out: "));
    assert!(told.is_some_and(|told| told.contains("bad/picture:1: ")), "{warnings:?}");
    // Then nothing may be left.
    let lines = folder.write("lines", "ash\n");
    let refused = read(&lines, &skip_bad()).expect_err("no folder");
    assert!(matches!(refused, hdp_gpu::Error::Setting { setting: "skip_bad", .. }), "{refused}");
    let bad = Folder::new();
    bad.write("a.txt", b"\xff");
    bad.write("b.txt", b"\xff");
    assert!(input_error(read(bad.path(), &skip_bad())).1.starts_with("2 of its files cannot be read: "));
}

#[test]
fn many_bad_files_are_counted() {
    let folder = Folder::new();
    folder.write("good.txt", "ash");
    for at in 0..50 {
        folder.write(&format!("{at:02}.txt"), b"\xff");
    }
    let (_, problem) = input_error(load(folder.path()));
    assert!(problem.starts_with("50 of its files cannot be read: 00.txt:1: "), "{problem}");
    assert!(
        problem.contains("; 19.txt:1: ") && !problem.contains("20.txt") && problem.ends_with("; and 30 more")
    );
}

#[cfg(unix)]
#[test]
fn what_must_not_be_opened_is_a_bad_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("good.txt", "ash");
    let closed = folder.write("closed/x.txt", "ash").parent().expect("a folder").to_owned();
    let mode =
        |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).expect("permissions");
    // A pipe that nobody writes to would keep a reader for ever.
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.docx")).status();
    assert!(made.is_ok_and(|status| status.success()));
    mode(0o000);
    // For root every folder is open.
    let is_closed = std::fs::read_dir(&closed).is_err();
    let found = load(folder.path());
    let left = read(folder.path(), &skip_bad());
    mode(0o755);
    let (_, problem) = input_error(found);
    assert!(problem.contains("is not a regular file"), "{problem}");
    assert_eq!(problem.contains("closed cannot be read: "), is_closed, "{problem}");
    assert_eq!(left.expect("the good file").notes.bad_files, 1 + u64::from(is_closed));
}

#[test]
fn kinds_that_are_not_read_are_refused_by_name_or_content() {
    let folder = Folder::new();
    let office = zip(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")]);
    let open = zip(&[("mimetype", b"application/vnd.oasis.opendocument.text"), ("content.xml", b"<a/>")]);
    let book = zip(&[("mimetype", b"application/epub+zip"), ("a.xhtml", b"<a/>")]);
    for (name, content, problem) in [
        ("book.pdf", PDF, "is a PDF or a scan"),
        ("book", PDF, "is a PDF or a scan"),
        ("book.pdf.gz", &gzip(PDF), "is a PDF or a scan"),
        ("table.xlsx", &office, "is a spreadsheet"),
        ("table", &office, "is a document of Word, Excel, PowerPoint or a like program"),
        ("table.csv", &office, "is a document of Word, Excel, PowerPoint or a like program"),
        ("letter.odt", &open, "is a word processor's document other than .docx"),
        ("letter", &open, "is a document of Word, Excel, PowerPoint or a like program"),
        ("novel.epub", &book, "is an e-book"),
        ("novel", &book, "is an e-book"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a word processor's document other than .docx"),
        ("letter.rtf", b"{\\rtf1 ash}", "is a word processor's document other than .docx"),
        ("letter", b"{\\rtf1 ash}", "is a word processor's document other than .docx"),
        ("picture.jpeg", b"\xff\xd8\xff\xe0", "is an image"),
        ("picture", PNG, "is an image"),
        ("texts.tar.gz", &gzip("ash"), "is an archive"),
    ] {
        assert_eq!(input_error(load(&folder.write(name, content))), (None, problem.to_owned()), "{name}");
    }
    // Names may deceive; who knows better says so.
    let path = folder.write("notes.doc", "ash birch\n");
    let error = load(&path).expect_err("a name").to_string();
    assert!(error.ends_with("; if it is text for all its name, give `format` text"), "{error}");
    let as_text =
        ReadOptions { format: Some(hdp_gpu::corpus::Format::Text), ..with_text(TextOptions::default()) };
    assert_eq!(read(&path, &as_text).expect("text").corpus.vocab, ["ash", "birch"]);
    // A damaged matrix is one still.
    let matrix = input_error(load(&folder.write("m.npz", b"PK\x03\x04\0\0"))).1;
    assert!(matrix.starts_with("the zip archive is damaged"), "{matrix}");
}

#[test]
fn a_document_that_unpacks_beyond_measure_is_refused() {
    let folder = Folder::new();
    let bomb = |part: &str| docx(&part.repeat((32 << 20) / part.len()));
    for (at, part) in ["<w:p><w:r><w:t>ash</w:t></w:r></w:p>", " ", "<a>"].into_iter().enumerate() {
        let path = folder.write(&format!("in/{at}.docx"), bomb(part));
        let problem = input_error(load(&path)).1;
        assert!(
            problem.starts_with("unpacks to more than ") && problem.ends_with(" MB"),
            "{part}: {problem}"
        );
    }
    folder.write("in/good.txt", "ash");
    let loaded = read(&folder.path().join("in"), &skip_bad()).expect("the good file");
    assert_eq!(loaded.notes.bad_files, 3);
}

#[test]
fn names_that_repeat_are_reported() {
    let folder = Folder::new();
    let path = folder.write("a.csv", "id,text\na,x\nb,x\nc,x\nb,x\na,x\nb,x\n");
    let text = TextOptions { id_column: Some("id".into()), ..TextOptions::default() };
    let loaded = read(&path, &with_text(text.clone())).expect("a table");
    let told = [
        "documents with a name that an earlier one has: 3; the first is 'b'; the results have several rows of that name",
    ];
    assert_eq!(loaded.notes.warnings(), told);
    let like = ReadOptions { like: Some(loaded.preparation), ..with_text(text) };
    assert_eq!(read(&path, &like).expect("a table").notes.warnings(), told);
}
