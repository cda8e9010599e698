//! The GPU to test, for test programs that need one.

use std::sync::LazyLock;

use hdp_gpu::device::choice::DeviceRequest;
use hdp_gpu::device::{OpenOptions, Place};

static PLACE: LazyLock<Option<Place>> = LazyLock::new(|| {
    let named = std::env::var("HDP_GPU_TEST_DEVICE").unwrap_or_default();
    Place::choose(&DeviceRequest::Named(named), OpenOptions::default()).ok()
});

/// The first GPU, or the one that `HDP_GPU_TEST_DEVICE` names by a part of its name.
pub(crate) fn place() -> Place {
    PLACE.clone().expect(
        "no GPU to test: install a Vulkan driver (Debian and Ubuntu: mesa-vulkan-drivers, which works without \
         a GPU), check HDP_GPU_TEST_DEVICE, or set HDP_GPU_SKIP_GPU_TESTS=1",
    )
}

/// Whether tests that need a GPU are left out.
pub(crate) fn left_out() -> bool {
    std::env::var("HDP_GPU_SKIP_GPU_TESTS").is_ok_and(|value| value == "1")
}
