//! One opened GPU: its queue, its buffers, and whatever it complains about.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use wgpu::BufferUsages;

use super::adapter::GpuAdapter;
use crate::error::{Error, Result};

/// The longest that a submission may take before the device counts as lost.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The most of z that is fetched at once.
pub(super) const STAGING_BYTES: u64 = 16 << 20;

/// Bytes that one thread copies at once.
const COPIED: usize = 4 << 20;

/// How much larger than they must be buffers become that grow.
pub(super) const GROWTH: f64 = 1.25;

/// Work that the device was given.
#[derive(Debug)]
pub(super) struct Submission {
    index: wgpu::SubmissionIndex,
    start: Instant,
}

/// An opened GPU.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) name: String,
    pub(super) driver: String,
    pub(super) device: wgpu::Device,
    /// Bytes to the device.
    pub(super) bytes_down: u64,
    /// Bytes from the device.
    pub(super) bytes_up: u64,
    /// Submissions, and times that the host waited.
    pub(super) submits: u32,
    pub(super) waits: u32,
    queue: wgpu::Queue,
    /// Where z is fetched to, in parts.
    staging: wgpu::Buffer,
    /// The first thing that the device complained about.
    complaint: Arc<Mutex<Option<String>>>,
}

impl Context {
    /// Opens a GPU with all the limits it has.
    pub(super) fn open(adapter: &GpuAdapter) -> Result<Self> {
        let name = adapter.name().to_owned();
        let request = adapter.wgpu().request_device(&wgpu::DeviceDescriptor {
            label: Some("hdp-gpu"),
            required_features: adapter.features(),
            required_limits: adapter.wgpu().limits(),
            ..Default::default()
        });
        let (device, queue) =
            pollster::block_on(request).map_err(|error| Error::device(&name, &error.to_string()))?;
        let complaint = Arc::new(Mutex::new(None));
        let note = {
            let complaint = Arc::clone(&complaint);
            move |text: String| {
                complaint.lock().expect("nobody panics with it").get_or_insert(text);
            }
        };
        let note_error = note.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note_error(error.to_string())));
        device.set_device_lost_callback(move |_, message| {
            let why = if message.is_empty() { message } else { format!(": {message}") };
            note(format!("the device was lost{why}"));
        });
        let staging = staging_buffer(&device, STAGING_BYTES);
        let driver = adapter.driver();
        let (bytes_up, bytes_down, submits, waits) = (0, 0, 0, 0);
        Ok(Self { name, driver, device, queue, staging, complaint, bytes_up, bytes_down, submits, waits })
    }

    /// A buffer that the host reads, of at least `bytes` bytes.
    pub(super) fn staging(&self, bytes: u64) -> wgpu::Buffer {
        staging_buffer(&self.device, bytes.max(16).next_multiple_of(4))
    }

    /// A buffer for storage, filled with zeros.
    pub(super) fn buffer(&self, label: &str, bytes: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.max(16).next_multiple_of(4),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// Makes `buffer` at least `bytes` large, with room to grow; what it held is lost.
    pub(super) fn grow(&self, buffer: &mut wgpu::Buffer, label: &str, bytes: u64) {
        if buffer.size() < bytes {
            buffer.destroy();
            *buffer = self.buffer(label, (GROWTH * bytes as f64) as u64);
        }
    }

    /// Sends `data` to `buffer`, from its byte `offset` on; all threads copy.
    pub(super) fn upload<T: bytemuck::NoUninit>(&mut self, buffer: &wgpu::Buffer, offset: u64, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        self.bytes_down += bytes.len() as u64;
        let Self { queue, .. } = self;
        bytes.par_chunks(COPIED).enumerate().for_each(|(part, bytes)| {
            let size = NonZeroU64::new(bytes.len() as u64).expect("parts are not empty");
            // None when the device has complained, which is asked for later.
            let offset = offset + (part * COPIED) as u64;
            if let Some(mut view) = queue.write_buffer_with(buffer, offset, size) {
                view.slice(..).copy_from_slice(bytes);
            }
        });
    }

    /// Does something whose bytes, submissions and waits do not count.
    pub(super) fn uncounted<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let Self { bytes_down, bytes_up, submits, waits, .. } = *self;
        let done = work(self);
        (self.bytes_down, self.bytes_up, self.submits, self.waits) = (bytes_down, bytes_up, submits, waits);
        done
    }

    /// Submits, and does not wait.
    pub(super) fn submit(&mut self, encoder: wgpu::CommandEncoder) -> Submission {
        self.submits += 1;
        let start = Instant::now();
        Submission { index: self.queue.submit([encoder.finish()]), start }
    }

    /// Whether all that was submitted is done.
    pub(super) fn is_idle(&self) -> bool {
        self.device.poll(wgpu::PollType::Poll).is_ok_and(|status| status.is_queue_empty())
    }

    /// Waits until a submission is done; returns the time since it was made.
    pub(super) fn wait(&mut self, submission: &Submission) -> Result<Duration> {
        self.waits += 1;
        let submission_index = Some(submission.index.clone());
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(TIMEOUT) };
        if let Err(error) = self.device.poll(wait) {
            if matches!(error, wgpu::PollError::Timeout) {
                // Whoever drops the last handle of a queue waits until it is idle, and this one may never be.
                std::mem::forget((self.device.clone(), self.queue.clone()));
            }
            // What the device has to complain about, once asked, says more than that waiting for it failed.
            let _ = self.device.poll(wgpu::PollType::Poll);
            self.check()?;
            return Err(Error::device(&self.name, &error.to_string()));
        }
        self.check()?;
        Ok(submission.start.elapsed())
    }

    /// Asks for a buffer to be mapped; the wait for what was submitted before sees to it.
    pub(super) fn map(&self, buffer: &wgpu::Buffer, bytes: u64) {
        let complaint = Arc::clone(&self.complaint);
        buffer.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
            if let Err(error) = result {
                complaint.lock().expect("nobody panics with it").get_or_insert(error.to_string());
            }
        });
    }

    /// A number of a mapped buffer.
    pub(super) fn peek(&self, buffer: &wgpu::Buffer, at: usize) -> Result<u32> {
        let bytes = 4 * at as u64..4 * (at as u64 + 1);
        // A part of a mapped range begins at a multiple of 8 bytes.
        let view = buffer
            .slice(..bytes.end.next_multiple_of(8))
            .get_mapped_range()
            .map_err(|error| Error::device(&self.name, &error.to_string()))?;
        Ok(bytemuck::cast_slice::<u8, u32>(&view)[at])
    }

    /// Hands the numbers of a mapped buffer to `read`, and unmaps it.
    pub(super) fn read_mapped<R>(
        &mut self,
        buffer: &wgpu::Buffer,
        bytes: u64,
        read: impl FnOnce(&[u32]) -> R,
    ) -> Result<R> {
        let view = buffer
            .slice(..bytes)
            .get_mapped_range()
            .map_err(|error| Error::device(&self.name, &error.to_string()))?;
        let result = read(bytemuck::cast_slice(&view));
        drop(view);
        buffer.unmap();
        self.bytes_up += bytes;
        self.check()?;
        Ok(result)
    }

    /// Fetches numbers of `buffer` in parts, each handed to `read` with the place of its first one.
    pub(super) fn download(
        &mut self,
        buffer: &wgpu::Buffer,
        numbers: Range<usize>,
        mut read: impl FnMut(usize, &[u32]),
    ) -> Result<()> {
        let mut first = numbers.start;
        while first < numbers.end {
            let len = (numbers.end - first).min(STAGING_BYTES as usize / 4);
            let bytes = 4 * len as u64;
            let staging = self.staging.clone();
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(buffer, 4 * first as u64, &staging, 0, bytes);
            let submission = self.submit(encoder);
            self.map(&staging, bytes);
            self.wait(&submission)?;
            self.read_mapped(&staging, bytes, |part| read(first, part))?;
            first += len;
        }
        Ok(())
    }

    /// Fails if the device has complained.
    pub(super) fn check(&self) -> Result<()> {
        match self.complaint.lock().expect("nobody panics with it").as_ref() {
            None => Ok(()),
            Some(complaint) => Err(Error::device(&self.name, complaint)),
        }
    }
}

fn staging_buffer(device: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("staging"),
        size: bytes,
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
