//! Values of settings by their names, as the command line takes them.

use std::fmt::Display;
use std::str::FromStr;

use pyo3::PyResult;

use crate::errors::refused;

/// What `text` says for the setting `name`.
pub(crate) fn parsed<T: FromStr>(name: &str, text: &str) -> PyResult<T>
where
    T::Err: Display,
{
    text.parse().map_err(|problem: T::Err| refused(name, text, &problem.to_string()))
}

/// The number that `text` is.
pub(crate) fn number<T: FromStr>(name: &str, text: &str) -> PyResult<T> {
    text.parse()
        .map_err(|_| refused(name, text, "give a number, and a whole one from 0 on where one is counted"))
}

/// Whether `text` is true, as Python writes it.
pub(crate) fn truth(name: &str, text: &str) -> PyResult<bool> {
    one_of(name, text, &[("True", true), ("False", false)])
}

/// The one of `values` that `text` names.
pub(crate) fn one_of<T: Copy>(name: &str, text: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(value, _)| *value == text);
    let names = || values.iter().map(|(value, _)| *value).collect::<Vec<_>>().join(", ");
    found.map(|(_, value)| *value).ok_or_else(|| refused(name, text, &format!("give one of {}", names())))
}
