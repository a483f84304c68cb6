//! Times: samples of a kernel by the events around its launches.
//!
//! Cold caches are made as [`timing`] asks for: before a sample a buffer of twice the last-level cache
//! is filled, and the launches of a sample take copies of the inputs in turn.

use std::time::{Duration, Instant};

use configgen::Device as DeviceRow;

use super::api;
use super::child_protocol::ChildPhase;
use super::device::HipDevice;
use super::error::HipError;
use super::monitor::Monitor;
use crate::device::{Buffer, DeviceError, DeviceLaunch, KernelDevice};
use crate::timing::{self, Mode, Protocol, SampleError, Sampler, geometric_mean};

/// Copies of the inputs begin at multiples of this many bytes, as what hipMalloc returns does.
const ALIGNMENT: u64 = 256;

/// Launches of one sample at most for which there are copies: as many as the protocol makes.
const MAX_COPIES: u64 = 200;

/// Measures launches of one kernel, which share their buffers. Each sample is the geometric mean of a sample of each.
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

/// The time of a launch that does next to nothing: the library's own kernel that fills four bytes. Ours would need a
/// compiler. None where times are modelled: the model's floor is the device table's.
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

/// Bytes of the cache before memory.
fn last_level_bytes(row: &'static DeviceRow) -> u64 {
    let l2 = || {
        let found = row.nearest(|row| row.l2_bytes);
        found.map_or(0, |(_, figure)| figure.value as u64 * u64::from(row.dies))
    };
    row.llc_bytes.map_or_else(l2, |figure| figure.value as u64)
}

/// What makes caches cold.
#[derive(Default)]
struct Buffers {
    /// What is filled before a sample, and its size.
    flush: Option<(Buffer, u64)>,
    /// The inputs, each several times, one copy behind the other.
    copies: Vec<Copies>,
}

/// Copies of one of a launch's buffers.
struct Copies {
    /// Its number among the launch's.
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

/// Copies of which all but one are together larger than the cache; no more than launches that follow each other.
fn count(bytes: u64, cache: u64) -> u64 {
    (cache / bytes.max(1) + 2).min(MAX_COPIES)
}

/// What is timed.
enum TimedCommand<'a> {
    Kernel {
        /// Of a launch and of those that follow it.
        functions: &'a [api::Handle],
        launches: &'a [DeviceLaunch<'a>],
        copies: &'a [Copies],
    },
    Fill(Buffer),
}

/// Something to be launched again and again.
struct EventSampler<'a> {
    device: &'a mut HipDevice,
    work: TimedCommand<'a>,
    flush: Option<(Buffer, u64)>,
    is_exact: bool,
    began: Instant,
}

impl EventSampler<'_> {
    /// How many launches there are of which each has samples of its own.
    fn ways(&self) -> usize {
        match &self.work {
            TimedCommand::Kernel { launches, .. } => launches.len(),
            TimedCommand::Fill(_) => 1,
        }
    }

    /// Puts launch number `number` of a sample of way `way` into the stream.
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
                // SAFETY: it has four bytes.
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
        // The Infinity Cache, not the L2 of 4 MiB a die.
        check("mi300x", 64 << 20, 256, 6);
        check("mi300x", 1 << 30, 256, 2);
        check("mi300x", 4096, 256, 200);
        check("mi250x", 1 << 20, 8, 10);
    }
}
