//! NumPy's .npz: a zip of .npy files, an array of numbers each.

mod mute;
mod npy;
mod read;
mod write;

pub(crate) use npy::{Npy, Number};
pub(crate) use read::{Archive, NpzReader};
pub(crate) use write::{NpzWriter, Push};

/// How a zip file begins.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";
