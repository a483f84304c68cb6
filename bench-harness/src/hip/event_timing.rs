//! Event timing: samples of a kernel, measured by HIP events around its launches.
//!
//! Cold caches follow the protocol of [`timing`]. Before a sample, the device fills a buffer of
//! twice the last-level cache. The launches of a sample take turns among copies of the inputs.

use std::time::{Duration, Instant};

use configgen::Device as DeviceRow;

use super::api;
use super::child_protocol::ChildPhase;
use super::device::HipDevice;
use super::error::HipError;
use super::monitor::Monitor;
use crate::device::{Buffer, DeviceError, DeviceLaunch, KernelDevice};
use crate::timing::{self, Mode, Protocol, SampleError, Sampler, geometric_mean};

/// The alignment of input copies in bytes, equal to that of hipMalloc.
const ALIGNMENT: u64 = 256;

/// The maximum number of copies: the maximum number of launches in a sample.
const MAX_COPIES: u64 = 200;

/// Measures launches of one kernel, which share their buffers. Each sample is the geometric mean
/// over one sample of each launch.
pub(super) fn measure(
    device: &mut HipDevice,
    launches: &[DeviceLaunch<'_>],
) -> Result<timing::Measurement, DeviceError> {
    let Some(launch) = launches.first() else {
        return Err(DeviceError::Crash("there is nothing to time".to_owned()));
    };
    let functions = device.functions(launch)?;
    let is_exact = device.identity().is_exact();
    let mut buffers = Buffers::default();
    let made = match device.mode {
        Mode::Cold if !is_exact => buffers.make(device, launch),
        Mode::Cold | Mode::Warm => Ok(()),
    };
    let floor_us = device.floor_us;
    let state = |device: &HipDevice| device.monitor.as_ref().map(Monitor::state);
    let before = state(device);
    let mut timed = EventSampler {
        device,
        work: TimedCommand::Kernel {
            functions: &functions,
            launches,
            copies: &buffers.copies,
        },
        flush: buffers.flush,
        is_exact,
        began: Instant::now(),
    };
    let measured = made.and_then(|()| {
        let measured = timing::measure(&mut timed, &Protocol::SEARCH, floor_us);
        measured.map_err(device_error)
    });
    buffers.free(device);
    let states = before.into_iter().chain(state(device)).collect();
    Ok(timing::Measurement {
        states,
        ..measured?
    })
}

/// Measures the time of a nearly empty launch: the library's own kernel that fills four bytes. A
/// kernel of ours would need a compiler. Returns `None` for modelled times, as the device table
/// has the model's floor.
pub(super) fn floor_us(device: &mut HipDevice) -> Result<Option<f64>, DeviceError> {
    if device.identity().is_exact() {
        return Ok(None);
    }
    let small = device.allocate(4)?;
    let mut timed = EventSampler {
        device,
        work: TimedCommand::Fill(small),
        flush: None,
        is_exact: false,
        began: Instant::now(),
    };
    let floor = timing::floor_us(&mut timed).map_err(device_error);
    device.free(small);
    floor.map(Some)
}

fn device_error(error: SampleError<DeviceError>) -> DeviceError {
    match error {
        SampleError::Device(error) => error,
        SampleError::NotATime(_) => DeviceError::Crash(error.to_string()),
    }
}

/// Returns the size in bytes of the last cache before memory.
fn last_level_bytes(row: &'static DeviceRow) -> u64 {
    let l2 = || {
        let found = row.nearest(|row| row.l2_bytes);
        // The table has the L2 size per die.
        found.map_or(0, |(_, figure)| figure.value as u64 * u64::from(row.dies))
    };
    row.llc_bytes.map_or_else(l2, |figure| figure.value as u64)
}

/// The buffers that make caches cold.
#[derive(Default)]
struct Buffers {
    /// The buffer to fill before a sample, and its size in bytes.
    flush: Option<(Buffer, u64)>,
    /// The copies of each input, one after the other.
    copies: Vec<Copies>,
}

/// The copies of one of a launch's buffers.
struct Copies {
    /// The number of the buffer among those of the launch.
    position: usize,
    all: Buffer,
    stride: u64,
    count: u64,
}

impl Buffers {
    fn make(
        &mut self,
        device: &mut HipDevice,
        launch: &DeviceLaunch<'_>,
    ) -> Result<(), DeviceError> {
        let cache = last_level_bytes(device.identity().row);
        let flush = device.allocate(2 * cache)?;
        self.flush = Some((flush, 2 * cache));
        let kernel = launch.kernel;
        let written: Vec<usize> = kernel.results.iter().map(|slot| slot.buffer).collect();
        let inputs = std::iter::once(&kernel.input).chain(&kernel.operands);
        let mut read: Vec<usize> = inputs.map(|slot| slot.buffer).collect();
        read.sort_unstable();
        read.dedup();
        // A buffer that the kernel also writes has no copies: its results must stay in one place.
        read.retain(|position| !written.contains(position));
        let together: u64 = read.iter().map(|&position| kernel.buffers[position]).sum();
        let count = count(together, cache);
        for position in read {
            self.copy(device, launch, position, count, cache)?;
        }
        Ok(())
    }

    fn copy(
        &mut self,
        device: &mut HipDevice,
        launch: &DeviceLaunch<'_>,
        position: usize,
        count: u64,
        cache: u64,
    ) -> Result<(), DeviceError> {
        let bytes = launch.kernel.buffers[position];
        let stride = bytes.next_multiple_of(ALIGNMENT);
        let all = match device.allocate(stride * count) {
            Ok(all) => all,
            // An input that fills memory leaves nothing of itself in a cache.
            Err(DeviceError::Memory { .. }) if bytes > cache => return Ok(()),
            Err(error) => return Err(error),
        };
        self.copies.push(Copies {
            position,
            all,
            stride,
            count,
        });
        for number in 0..count {
            let to = all.0 + number * stride;
            device
                .hip
                .copy_within(to, launch.buffers[position].0, bytes)?;
        }
        Ok(())
    }

    fn free(self, device: &mut HipDevice) {
        let copies = self.copies.into_iter().map(|copies| copies.all);
        for buffer in copies.chain(self.flush.map(|(buffer, _)| buffer)) {
            device.free(buffer);
        }
    }
}

/// Returns the number of copies, so that all but one together exceed the cache. It is at most the
/// number of launches in a sample.
fn count(bytes: u64, cache: u64) -> u64 {
    (cache / bytes.max(1) + 2).min(MAX_COPIES)
}

/// The command to time.
enum TimedCommand<'a> {
    Kernel {
        /// The kernels of a launch and of those that follow it.
        functions: &'a [api::Handle],
        launches: &'a [DeviceLaunch<'a>],
        copies: &'a [Copies],
    },
    Fill(Buffer),
}

/// A sampler of a command.
struct EventSampler<'a> {
    device: &'a mut HipDevice,
    work: TimedCommand<'a>,
    flush: Option<(Buffer, u64)>,
    is_exact: bool,
    began: Instant,
}

impl EventSampler<'_> {
    /// Returns the number of different launches, each with its own samples.
    fn ways(&self) -> usize {
        match &self.work {
            TimedCommand::Kernel { launches, .. } => launches.len(),
            TimedCommand::Fill(_) => 1,
        }
    }

    /// Enqueues launch number `number` of a sample of the launch `way`.
    fn enqueue(&self, way: usize, number: u64) -> Result<(), HipError> {
        match &self.work {
            TimedCommand::Kernel {
                functions,
                launches,
                copies,
            } => {
                let mut buffers = launches[way].buffers.to_vec();
                for Copies {
                    position,
                    all,
                    stride,
                    count,
                } in *copies
                {
                    buffers[*position] = Buffer(all.0 + number % count * stride);
                }
                for (function, launch) in functions.iter().zip(launches[way].each()) {
                    let launch = DeviceLaunch {
                        buffers: &buffers,
                        ..*launch
                    };
                    self.device.enqueue(*function, &launch)?;
                }
                Ok(())
            }
            TimedCommand::Fill(buffer) => {
                let api = &self.device.hip.api;
                // SAFETY: the buffer has four bytes.
                let filled = unsafe {
                    (api.hipMemsetAsync)(buffer.0 as api::Pointer, 0, 4, std::ptr::null_mut())
                };
                self.device.hip.check("hipMemsetAsync", filled)
            }
        }
    }

    fn record(&self, event: usize) -> Result<(), HipError> {
        let (hip, event) = (&self.device.hip, self.device.events[event]);
        // SAFETY: the event was created, the stream is the default one.
        let recorded = unsafe { (hip.api.hipEventRecord)(event, std::ptr::null_mut()) };
        hip.check("hipEventRecord", recorded)
    }

    fn elapsed_us(&self) -> Result<f64, HipError> {
        let (hip, [start, end]) = (&self.device.hip, self.device.events);
        let mut milliseconds = 0f32;
        // SAFETY: both events were recorded, the second has happened; writes a number.
        let elapsed = unsafe { (hip.api.hipEventElapsedTime)(&mut milliseconds, start, end) };
        hip.check("hipEventElapsedTime", elapsed)?;
        Ok(f64::from(milliseconds) * 1e3)
    }
}

impl Sampler for EventSampler<'_> {
    type Error = DeviceError;

    fn mode(&self) -> Mode {
        self.device.mode
    }

    fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn sample(&mut self, launches: u32) -> Result<f64, DeviceError> {
        let times = (0..self.ways()).map(|way| self.sample_of(way, launches));
        let times: Vec<f64> = times.collect::<Result<_, _>>()?;
        Ok(geometric_mean(&times))
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }
}

impl EventSampler<'_> {
    fn sample_of(&mut self, way: usize, launches: u32) -> Result<f64, DeviceError> {
        // The fill must end before the first event, or its time would be part of the sample.
        if let Some((buffer, bytes)) = self.flush {
            self.device.hip.fill(buffer.0..buffer.0 + bytes, 0)?;
            self.device.finish()?;
        }
        let limit = match &self.work {
            TimedCommand::Kernel { launches, .. } => launches[way].time_limit,
            TimedCommand::Fill(_) => Duration::from_secs(1),
        };
        (self.device.watch)(ChildPhase::Kernel(limit.saturating_mul(launches)));
        self.record(0)?;
        for number in 0..launches {
            self.enqueue(way, number.into())?;
        }
        self.record(1)?;
        self.device.finish()?;
        (self.device.watch)(ChildPhase::Host);
        Ok(self.elapsed_us()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(device: &str, bytes: u64, cache_mib: u64, copies: u64) {
        let cache = last_level_bytes(DeviceRow::named(device).unwrap());
        assert_eq!(cache, cache_mib << 20);
        assert_eq!(count(bytes, cache), copies);
    }

    #[test]
    fn copies_exceed_the_last_level_cache() {
        // The cache is the Infinity Cache, not the L2 with 4 MiB per die.
        check("mi300x", 64 << 20, 256, 6);
        check("mi300x", 1 << 30, 256, 2);
        check("mi300x", 4096, 256, 200);
        check("mi250x", 1 << 20, 8, 10);
    }
}
