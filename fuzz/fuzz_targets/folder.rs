//! Each part of the input is a file of the folder.

#![no_main]

use hdp_gpu::corpus::{PrepareOptions, ReadOptions};
use hdp_gpu_fuzz::{Folder, check, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let folder = Folder::new();
    for (number, part) in parts(input).into_iter().enumerate() {
        folder.write(&number.to_string(), part);
    }
    let options = ReadOptions { prepare: PrepareOptions::keep_all(), ..ReadOptions::default() };
    check::read(folder.path(), &options);
});
