//! A hint to the processor that memory will be read soon.

/// Has the cache line of `items[at]` fetched, if there is such an item and the processor takes hints.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = items.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "a hint reads nothing, and every x86-64 has it")]
        // SAFETY: the address is that of an item, and prefetching has no effect that a program can see.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, at);
}
