//! JSON objects as documents: one field has the text, one may have the name, the others are metadata.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{Documents, RawDoc, TextOptions, columns};
use crate::corpus::LoadNotes;
use crate::error::{Error, Result, shown};

/// The text of an object, and where it begins.
pub(super) struct Source<'a> {
    pub(super) json: &'a str,
    pub(super) line: u64,
    /// Bytes before it on its line.
    pub(super) indent: usize,
}

/// Makes documents of objects.
pub(super) struct Objects<'a> {
    path: &'a Path,
    options: &'a TextOptions,
    /// What to do about something that is no object.
    remedy: &'static str,
    /// The field with the text, once there has been an object.
    text_field: Option<String>,
    columns: HashMap<String, usize>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(path: &'a Path, options: &'a TextOptions, remedy: &'static str) -> Self {
        Self { path, options, remedy, text_field: None, columns: HashMap::new() }
    }

    /// Adds a document. A field's value that is no string is kept as its JSON text.
    pub(super) fn push(&mut self, source: &Source<'_>, docs: &mut Documents<'_>) -> Result<()> {
        let (path, line) = (self.path, source.line);
        let Object(fields) =
            serde_json::from_str(source.json).map_err(|error| not_json(path, source, self.remedy, &error))?;
        if self.text_field.is_none() {
            let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
            self.text_field = Some(columns::with_text(&names, self.options).to_owned());
        }
        let text_field = self.text_field.as_deref().unwrap_or_default();
        let id_field = self.options.id_column.as_deref();
        let (mut name, mut text) = (None, None);
        for (field, value) in &fields {
            if field == text_field {
                text = Some(string(value).ok_or_else(|| not_a_string(path, line, field))?);
            } else if id_field == Some(field) {
                name = Some(plain(value));
            } else {
                let column = self.columns.get(field).copied();
                let column = column.unwrap_or_else(|| {
                    let column = docs.metadata.add_column(field);
                    self.columns.insert(field.clone(), column);
                    column
                });
                docs.metadata.set(column, plain(value).into_owned());
            }
        }
        let text = text.ok_or_else(|| self.missing(&fields, line, text_field, "text_column"))?;
        if let (Some(field), None) = (id_field, &name) {
            return Err(self.missing(&fields, line, field, "id_column"));
        }
        docs.push(&RawDoc { path, line: Some(line), name: name.as_deref(), text: &text })
    }

    /// What is to be said of them all.
    pub(super) fn notes(self) -> LoadNotes {
        let text_column = self.text_field.filter(|field| field != self.options.text_column());
        LoadNotes { text_column, ..LoadNotes::default() }
    }

    fn missing(&self, fields: &Fields<'_>, line: u64, field: &str, setting: &'static str) -> Error {
        let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
        let wanted = shown(field.as_bytes());
        let problem = format!("has no field called '{wanted}' (the fields: {})", columns::listed(&names));
        let offer = columns::offer(&names, field, setting, self.options);
        let remedy = offer.unwrap_or_else(|| format!("add it, or name another with `{setting}`"));
        Error::input_at(self.path, line, problem, remedy)
    }
}

/// What the parser has to complain about.
pub(super) fn not_json(path: &Path, source: &Source<'_>, remedy: &str, error: &serde_json::Error) -> Error {
    // The parser's message ends in " at line 1 column 7", of the text that it was given.
    let message = error.to_string();
    let problem = message.split(" at line ").next().unwrap_or_default();
    let below = error.line().saturating_sub(1);
    let column = error.column() + if below == 0 { source.indent } else { 0 };
    let problem = format!("is not a JSON object: {problem} at column {column}");
    Error::input_at(path, source.line + below as u64, problem, remedy)
}

/// The fields of the object in `json` in their order, as text.
pub(super) fn fields_of(json: &str) -> serde_json::Result<Vec<(String, String)>> {
    let Object(fields) = serde_json::from_str(json)?;
    Ok(fields.into_iter().map(|(name, value)| (name, plain(value).into_owned())).collect())
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

fn not_a_string(path: &Path, line: u64, field: &str) -> Error {
    let problem = format!("the field '{}' is not a string", shown(field.as_bytes()));
    Error::input_at(path, line, problem, "give text in quotation marks, or name its field with `text_column`")
}

/// Fields in their order, values unread.
type Fields<'a> = Vec<(String, &'a RawValue)>;

/// An object.
struct Object<'a>(Fields<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
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

        deserializer.deserialize_map(InOrder)
    }
}
