//! Files as such, whatever they hold: written whole, ended by a checksum, or made of NumPy's arrays.

pub(crate) mod checked_file;
pub(crate) mod npz;
pub(crate) mod whole;
