//! A prepared corpus, as it is and with sizes and checksum made right; what is read is written and read again.

#![no_main]

use hdp_gpu::corpus::Format;
use hdp_gpu_fuzz::{prepared, read_plain};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for content in [input.to_vec(), prepared::forged(input)] {
        if let Some(loaded) = read_plain(Some(Format::Prepared), &content) {
            prepared::round_trip(&loaded);
        }
    }
});
