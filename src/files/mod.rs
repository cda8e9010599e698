//! Files as such, whatever they hold: written whole, ended by a checksum, made of NumPy's arrays, or cells that a spreadsheet would run.

pub(crate) mod cell;
pub(crate) mod checked_file;
pub(crate) mod npz;
pub(crate) mod source;
pub(crate) mod temporary;
pub(crate) mod whole;
