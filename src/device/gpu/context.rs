//! One opened GPU: its queue, its buffers, and whatever it complains about.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use wgpu::BufferUsages;

use super::adapter::GpuAdapter;
use crate::error::{Error, Result};

/// The longest that a submission may take before the device counts as lost.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The most that is fetched at once.
pub(super) const STAGING_BYTES: u64 = 16 << 20;

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
    queue: wgpu::Queue,
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
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: STAGING_BYTES,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let driver = adapter.driver();
        Ok(Self { name, driver, device, queue, staging, complaint, bytes_up: 0, bytes_down: 0 })
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

    /// Sends `data` to `buffer`.
    pub(super) fn upload<T: bytemuck::NoUninit>(&mut self, buffer: &wgpu::Buffer, data: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        self.queue.write_buffer(buffer, 0, bytes);
        self.bytes_down += bytes.len() as u64;
    }

    /// Submits, and does not wait.
    pub(super) fn submit(&self, encoder: wgpu::CommandEncoder) -> Submission {
        let start = Instant::now();
        Submission { index: self.queue.submit([encoder.finish()]), start }
    }

    /// Whether all that was submitted is done.
    pub(super) fn is_idle(&self) -> bool {
        self.device.poll(wgpu::PollType::Poll).is_ok_and(|status| status.is_queue_empty())
    }

    /// Waits until a submission is done; returns the time since it was made.
    pub(super) fn wait(&self, submission: &Submission) -> Result<Duration> {
        let submission_index = Some(submission.index.clone());
        let wait = wgpu::PollType::Wait { submission_index, timeout: Some(TIMEOUT) };
        if let Err(error) = self.device.poll(wait) {
            // What the device has to complain about, once asked, says more than that waiting for it failed.
            let _ = self.device.poll(wgpu::PollType::Poll);
            self.check()?;
            return Err(Error::device(&self.name, &error.to_string()));
        }
        self.check()?;
        Ok(submission.start.elapsed())
    }

    /// Fetches `len` numbers of `buffer`, from number `first` on, into `out`.
    pub(super) fn download(
        &mut self,
        buffer: &wgpu::Buffer,
        first: usize,
        len: usize,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        out.clear();
        let end = 4 * (first + len) as u64;
        let mut from = 4 * first as u64;
        while from < end {
            let bytes = (end - from).min(STAGING_BYTES);
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(buffer, from, &self.staging, 0, bytes);
            self.wait(&self.submit(encoder))?;
            self.read_staging(bytes, out)?;
            from += bytes;
        }
        self.bytes_up += 4 * len as u64;
        Ok(())
    }

    /// Appends the first `bytes` of the staging buffer to `out`.
    fn read_staging(&self, bytes: u64, out: &mut Vec<u32>) -> Result<()> {
        let slice = self.staging.slice(..bytes);
        let (sender, receiver) = std::sync::mpsc::channel();
        slice.map_async(wgpu::MapMode::Read, move |result| {
            // The receiver is gone only when the wait has already failed.
            let _ = sender.send(result.map_err(|error| error.to_string()));
        });
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(TIMEOUT) };
        let mapped = self.device.poll(wait).map_err(|error| error.to_string()).and_then(|_| {
            receiver.recv_timeout(TIMEOUT).map_err(|error| error.to_string()).and_then(|result| result)
        });
        mapped.map_err(|error| Error::device(&self.name, &error))?;
        let view = slice.get_mapped_range().map_err(|error| Error::device(&self.name, &error.to_string()))?;
        out.extend_from_slice(bytemuck::cast_slice(&view));
        drop(view);
        self.staging.unmap();
        self.check()
    }

    /// Fails if the device has complained.
    pub(super) fn check(&self) -> Result<()> {
        match self.complaint.lock().expect("nobody panics with it").as_ref() {
            None => Ok(()),
            Some(complaint) => Err(Error::device(&self.name, complaint)),
        }
    }
}
