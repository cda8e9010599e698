//! JSON Lines: an object a line. One field has the text, one may have the name, the others are metadata.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Documents, RawDoc, TextOptions};
use crate::corpus::open::Lines;
use crate::error::{Error, Result};

/// Reads a document from every line. A field's value that is no string is kept as its JSON text.
pub(super) fn read(path: &Path, options: &TextOptions, docs: &mut Documents<'_>) -> Result<()> {
    let mut columns: HashMap<String, usize> = HashMap::new();
    let mut lines = Lines::open_text(path, options.encoding())?;
    while let Some(line) = lines.next_filled("remove it")? {
        let at = line.number;
        let Object(fields) =
            serde_json::from_str(line.text(path)?).map_err(|error| not_json(path, at, &error))?;
        let (mut name, mut text) = (None, None);
        for (field, value) in fields {
            if field == options.text_column() {
                text = Some(string(value).ok_or_else(|| not_a_string(path, at, &field))?);
            } else if options.id_column.as_deref() == Some(&field) {
                name = Some(plain(value));
            } else {
                let column = columns.get(&field).copied();
                let column = column.unwrap_or_else(|| {
                    let column = docs.metadata.add_column(&field);
                    columns.insert(field, column);
                    column
                });
                docs.metadata.set(column, plain(value).into_owned());
            }
        }
        let text = text.ok_or_else(|| missing(path, at, options.text_column(), "text_column"))?;
        if let (Some(field), None) = (&options.id_column, &name) {
            return Err(missing(path, at, field, "id_column"));
        }
        docs.push(&RawDoc { path, line: Some(at), name: name.as_deref(), text: &text })?;
    }
    Ok(())
}

/// A string's content; nothing for null, which programs write for a missing text.
fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    if value.get() == "null" {
        return Some(Cow::Borrowed(""));
    }
    serde_json::from_str::<String>(value.get()).ok().map(Cow::Owned)
}

/// A string's content, or the JSON of anything else.
fn plain(value: &RawValue) -> Cow<'_, str> {
    string(value).unwrap_or(Cow::Borrowed(value.get()))
}

/// The fields of an object, in their order, values unread.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some((field, value)) = map.next_entry::<String, &RawValue>()? {
                    fields.push((field, value));
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

fn not_json(path: &Path, line: u64, error: &serde_json::Error) -> Error {
    // The parser's message ends in " at line 1 column 7", of the one line it was given.
    let message = error.to_string();
    let problem = message.split(" at line ").next().unwrap_or_default();
    let problem = format!("is not a JSON object: {problem} at column {}", error.column());
    Error::input_at(path, line, problem, "give an object on every line")
}

fn not_a_string(path: &Path, line: u64, field: &str) -> Error {
    let problem = format!("the field '{field}' is not a string");
    Error::input_at(path, line, problem, "give text in quotation marks, or name its field with `text_column`")
}

fn missing(path: &Path, line: u64, field: &str, setting: &str) -> Error {
    let problem = format!("has no field called '{field}'");
    Error::input_at(path, line, problem, format!("add it, or name another with `{setting}`"))
}
