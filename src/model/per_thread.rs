//! One value for each thread of the pool: scratch memory that outlives an iteration.

use std::sync::{Mutex, MutexGuard};

use crossbeam_utils::CachePadded;
use rayon::prelude::*;

use crate::heap::Heap;

/// Values that worker threads borrow for the length of a task, none in the cache lines of another: a list that grows writes its
/// length.
///
/// A task must not start parallel work of its own while it holds the value.
#[derive(Debug)]
pub(crate) struct PerThread<T>(Vec<CachePadded<Mutex<T>>>);

impl<T> PerThread<T> {
    /// A value for each thread of the current rayon pool.
    pub(crate) fn new(make: impl Fn() -> T) -> Self {
        Self((0..rayon::current_num_threads()).map(|_| CachePadded::new(Mutex::new(make()))).collect())
    }

    /// What values take of which each has so many bytes.
    pub(crate) fn bytes(threads: f64, each: Heap) -> Heap {
        Heap::exact::<CachePadded<Mutex<T>>>(threads) + each * threads
    }

    #[cfg(test)]
    pub(crate) fn heap_bytes(&self, each: impl Fn(&T) -> Heap) -> Heap {
        crate::heap::held(&self.0) + self.0.iter().map(|value| each(&value.lock().unwrap())).sum::<Heap>()
    }

    /// The calling thread's value.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        let thread = rayon::current_thread_index().unwrap_or(0) % self.0.len();
        self.0[thread].lock().expect("a worker that panicked ends the run")
    }

    /// All values, in a fixed order.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|value| value.get_mut().expect("a worker that panicked ends the run"))
    }

    /// All values, in parallel.
    pub(crate) fn par_iter_mut(&mut self) -> impl ParallelIterator<Item = &mut T>
    where
        T: Send,
    {
        self.0.par_iter_mut().map(|value| value.get_mut().expect("a worker that panicked ends the run"))
    }
}
