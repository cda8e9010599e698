//! Where a chain samples z: one device of this machine, how it is opened, and whether the CPU is in reserve.

use std::sync::Arc;

use super::auto::Memory;
use super::choice::{CPU_INDEX, Choice, CpuPart, DeviceRequest, GpuInfo};
use super::hybrid::both_names;
use super::list::Devices;
use super::options::OpenOptions;
use super::{Device, cpu};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::params::Params;

/// A device that can be opened any number of times, from any thread; copies share the list that it is from, and what is learnt of it.
#[derive(Clone, Debug)]
pub struct Place {
    devices: Arc<Devices>,
    choice: Choice,
    options: OpenOptions,
    cpu_in_reserve: bool,
    /// What was learnt when it was open before.
    memory: Memory,
}

impl Place {
    /// The CPU.
    pub fn cpu() -> Self {
        Self::of(Devices::find(&DeviceRequest::Cpu), Choice::alone(CPU_INDEX), OpenOptions::default())
    }

    /// The device to train on, among those of this machine.
    ///
    /// # Errors
    /// As [`Choice::for_training`].
    pub fn choose(request: &DeviceRequest, options: OpenOptions) -> Result<Self> {
        Self::choose_for_rank(0, request, options)
    }

    /// The same for one of several processes on this machine, numbered from 0: they take its GPUs in turn.
    ///
    /// # Errors
    /// As [`Choice::for_training`].
    pub fn choose_for_rank(
        rank_on_host: usize,
        request: &DeviceRequest,
        options: OpenOptions,
    ) -> Result<Self> {
        let devices = Devices::find(request);
        let choice = Choice::for_rank(rank_on_host, request, devices.gpus())?;
        Ok(Self::of(devices, choice, options))
    }

    /// A place with what stands in for a GPU, by itself or with the CPU.
    #[cfg(feature = "testing")]
    pub fn with_stand_in(cpu: CpuPart, hooks: super::Hooks) -> Self {
        let choice = Choice { cpu, ..Choice::alone(1) };
        Self::of(Devices::stand_in(), choice, OpenOptions::default().with_hooks(hooks))
    }

    /// The GPU to compare with the CPU.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) when there is no such device, or it cannot be used.
    pub fn choose_for_selftest(request: &DeviceRequest) -> Result<Self> {
        let devices = Devices::find(request);
        let choice = Choice::for_selftest(request, devices.gpus())?;
        Ok(Self::of(devices, choice, OpenOptions::default()))
    }

    fn of(devices: Devices, choice: Choice, options: OpenOptions) -> Self {
        let (devices, memory) = (Arc::new(devices), Memory::default());
        Self { devices, choice, options, cpu_in_reserve: false, memory }
    }

    /// The same device, opened otherwise.
    #[must_use]
    pub fn with_options(self, options: OpenOptions) -> Self {
        Self { options, memory: Memory::default(), ..self }
    }

    /// How it is opened.
    pub fn options(&self) -> OpenOptions {
        self.options
    }

    /// The same device, with the CPU beside it in another way.
    #[must_use]
    pub fn with_cpu(mut self, cpu: CpuPart) -> Self {
        self.choice.cpu = cpu;
        self.memory = Memory::default();
        self
    }

    /// The same device, with the CPU to take over from it when it fails, or not.
    #[must_use]
    pub fn with_cpu_in_reserve(self, cpu_in_reserve: bool) -> Self {
        Self { cpu_in_reserve, ..self }
    }

    /// The device as a person would name it.
    pub fn name(&self) -> String {
        match (self.gpu(), self.choice.cpu) {
            (None, _) => cpu::name(),
            (Some(gpu), CpuPart::None) => gpu.name.clone(),
            (Some(gpu), CpuPart::Shares) => both_names(&gpu.name),
            (Some(gpu), CpuPart::Measured) => format!("{} or {}", gpu.name, cpu::name()),
        }
    }

    /// Whether the CPU has, or may have, a share of the documents beside a GPU.
    pub fn is_shared(&self) -> bool {
        self.choice.cpu != CpuPart::None
    }

    /// What there is to know about the device, if it is a GPU.
    pub fn gpu(&self) -> Option<&GpuInfo> {
        self.devices.gpu(self.choice.index)
    }

    /// Whether it is a GPU.
    pub fn is_gpu(&self) -> bool {
        self.gpu().is_some()
    }

    /// Why this one was taken, unless it was asked for.
    pub fn reason(&self) -> Option<&str> {
        self.choice.reason.as_deref()
    }

    /// Whether the CPU takes over when the device fails. Only a GPU can be lost, and the way back takes a copy of z.
    pub fn cpu_in_reserve(&self) -> bool {
        self.cpu_in_reserve && self.is_gpu()
    }

    /// Opens the device, which takes over `z`, the topics of the corpus's tokens.
    ///
    /// # Errors
    /// When a GPU cannot be opened or has no room.
    pub fn open(&self, corpus: Arc<Corpus>, params: &Params, z: Vec<u16>) -> Result<Box<dyn Device>> {
        self.devices.open(&self.choice, self.options, &self.memory, corpus, params, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_to_other_threads() {
        fn shared<T: Send + Sync + Clone>() {}
        fn sent<T: Send + ?Sized>() {}
        shared::<Place>();
        sent::<Box<dyn Device>>();
    }

    #[test]
    fn the_cpu_needs_no_reserve() {
        let place = Place::cpu().with_cpu_in_reserve(true);
        assert!(!place.is_gpu() && !place.cpu_in_reserve() && place.reason().is_none());
        assert_eq!(place.name(), cpu::name());
    }
}
