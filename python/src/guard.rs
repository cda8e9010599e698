//! A process that was forked from one which has used the library lacks its threads, and would wait for them without end.

use std::sync::OnceLock;

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;

/// The process that has used the library first.
static FIRST_USER: OnceLock<u32> = OnceLock::new();

/// Refuses a process that was forked after the first use. Every entry begins with this.
pub(crate) fn check() -> PyResult<()> {
    let own = std::process::id();
    if *FIRST_USER.get_or_init(|| own) == own {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "this process was forked from one that has used hdp_gpu before, and lacks its threads; start processes with \
         multiprocessing's method 'spawn', or with joblib's default backend 'loky'",
    ))
}
