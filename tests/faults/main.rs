//! Faults of the system at every call of a short training: what it leaves is gone on with to the bytes of an undisturbed run.
//!
//! `seam.c` stands between the program and the system. A seeded tenth of all cases is tried, or with `HDP_GPU_FAULTS=all` every one.

#![cfg(target_os = "linux")]

mod histories;
mod history;
mod injection;
#[path = "../common/seam.rs"]
mod library;
mod memory;
mod power;
mod run_files;
mod seam;
mod training;
