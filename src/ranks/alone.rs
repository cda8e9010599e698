//! A process by itself.

use super::Link;

/// The only rank.
#[derive(Debug)]
pub(super) struct Alone;

impl Link for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn host(&self) -> String {
        sysinfo::System::host_name().unwrap_or_default()
    }

    fn rank_on_host(&self) -> usize {
        0
    }

    fn sum(&self, _: &mut [u32]) {}

    fn broadcast(&self, _: &mut [u8]) {}

    fn gather(&self, bytes: &[u8], _: &[usize]) -> Vec<u8> {
        bytes.to_vec()
    }

    fn send(&self, _: usize, _: &[u8]) {}

    fn receive(&self, _: usize, _: &mut [u8]) {}

    fn abort(&self, code: u8) -> ! {
        std::process::exit(code.into())
    }
}
