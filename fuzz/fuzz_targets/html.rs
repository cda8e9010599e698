#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hdp_gpu_fuzz::targets::html(input));
