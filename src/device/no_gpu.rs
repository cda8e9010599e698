//! What stands in for `gpu` in a build without it: there is never any.

use std::sync::Arc;

use super::choice::GpuInfo;
use super::{Device, OpenOptions};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::heap::{Heap, Sizes};
use crate::params::Params;

/// A GPU, of which none can exist.
#[derive(Clone, Debug)]
pub(super) enum GpuAdapter {}

impl GpuAdapter {
    pub(super) fn all() -> Vec<Self> {
        Vec::new()
    }

    pub(super) fn info(&self) -> GpuInfo {
        match *self {}
    }

    pub(super) fn open(
        &self,
        _: OpenOptions,
        _: Arc<Corpus>,
        _: &Params,
        _: Vec<u16>,
    ) -> Result<Box<dyn Device>> {
        match *self {}
    }
}

/// No memory of a GPU.
pub(crate) fn device_bytes(_: &Sizes) -> Heap {
    Heap::default()
}

/// No memory of the host for one.
pub(crate) fn host_bytes(_: &Sizes) -> Heap {
    Heap::default()
}
