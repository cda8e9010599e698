#![no_main]

use hdp_gpu::corpus::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| hdp_gpu_fuzz::read_every_way(Format::Uci, input));
