//! Files that appear whole or not at all.

pub(crate) mod file;
pub(crate) mod npz;
pub mod prepared;
