//! Compressed data in the format that the first byte chooses; what is plain is the same when it is compressed.

#![no_main]

use std::io::Read;

use flate2::Compression;
use flate2::bufread::GzEncoder;
use hdp_gpu::corpus::Format;
use hdp_gpu_fuzz::read_plain;
use libfuzzer_sys::fuzz_target;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

fuzz_target!(|input: &[u8]| {
    let Some((&choice, content)) = input.split_first() else { return };
    // Past the last format, it is recognised.
    let format = Format::ALL.get(usize::from(choice) % (Format::ALL.len() + 1)).copied();
    let plain = read_plain(format, content);
    if !is_compressed(content) {
        assert_eq!(read_plain(format, &gzip(content)), plain);
        assert_eq!(read_plain(format, &compress_to_vec(content, CompressionLevel::Fastest)), plain);
    }
});

fn is_compressed(content: &[u8]) -> bool {
    matches!(content, [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    GzEncoder::new(content, Compression::fast()).read_to_end(&mut packed).expect("gzip in memory");
    packed
}
