//! Safetensors files, written so that the same content is always the same bytes.
//!
//! The safetensors crate keeps metadata in a hash map and so writes it in a random order; the header is
//! therefore put together here. Reading is the crate's.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::error::Result;
use crate::files::whole::write_whole;

/// A named array.
#[derive(Debug)]
pub(crate) struct Tensor {
    name: &'static str,
    dtype: &'static str,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    pub(crate) fn f64(name: &'static str, shape: &[usize], values: impl Iterator<Item = f64>) -> Self {
        let mut bytes = Vec::with_capacity(8 * shape.iter().product::<usize>());
        bytes.extend(values.flat_map(f64::to_le_bytes));
        debug_assert_eq!(bytes.len(), 8 * shape.iter().product::<usize>());
        Self { name, dtype: "F64", shape: shape.to_vec(), bytes }
    }

    pub(crate) fn u64(name: &'static str, values: &[u64]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { name, dtype: "U64", shape: vec![values.len()], bytes }
    }

    pub(crate) fn u32(name: &'static str, values: &[u32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { name, dtype: "U32", shape: vec![values.len()], bytes }
    }
}

/// Writes `path`. Tensors of larger elements come first, so that every one is aligned.
pub(crate) fn write_tensors(path: &Path, metadata: &[(&str, String)], tensors: &[Tensor]) -> Result<()> {
    let metadata: BTreeMap<_, _> = metadata.iter().cloned().collect();
    let mut header = Map::from_iter([("__metadata__".to_owned(), json!(metadata))]);
    let mut end = 0;
    for Tensor { name, dtype, shape, bytes } in tensors {
        let start = end;
        end += bytes.len();
        let entry = json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] });
        header.insert((*name).to_owned(), entry);
    }
    let mut header = Value::Object(header).to_string();
    while !header.len().is_multiple_of(8) {
        header.push(' ');
    }
    write_whole(path, |out| {
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(header.as_bytes())?;
        tensors.iter().try_for_each(|tensor| out.write_all(&tensor.bytes))
    })
}
