//! A command of the device.

use serde::{Deserialize, Serialize};

/// A command of a call, with its modelled time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceCommand {
    /// The kind, with its details.
    pub kind: CommandKind,
    /// The time in microseconds, if it is known.
    pub time_us: Result<f64, UnknownTime>,
    /// The distinct bytes that it reads. `None` if they are unknown.
    pub read_bytes: Option<u64>,
    /// The distinct bytes that it writes. `None` if they are unknown.
    pub written_bytes: Option<u64>,
    /// The least modelled time of any kernel with these bytes, in microseconds.
    pub bound_us: Option<f64>,
}

/// An unknown time, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnknownTime {
    /// The reason.
    pub reason: String,
    /// A lower bound of the time in microseconds: a part of the kernel's own work. It exceeds the
    /// bound of the kernel's bytes. `None` if there is none.
    pub least_us: Option<f64>,
}

/// The kind of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CommandKind {
    /// The launch of a kernel.
    Kernel(KernelLaunch),
    /// A copy within the device.
    Copy,
    /// A fill with a value.
    Fill,
}

/// The launch of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelLaunch {
    /// The name of the kernel.
    pub name: String,
    /// The hash of its machine code.
    pub code: String,
    /// The number of workgroups in each dimension.
    pub workgroups: [u32; 3],
    /// The size of a workgroup in each dimension.
    pub workgroup_size: [u32; 3],
    /// The arguments that are no buffers, in words of four bytes.
    pub scalars: Vec<u32>,
    /// The operations of the module that it computes, in order.
    pub operations: Vec<String>,
    /// The largest part of the time, by its name in the time model.
    pub bottleneck: Option<String>,
    /// The waves that a SIMD holds at a time.
    pub waves_per_simd: Option<u32>,
    /// The limit of that number, by its name in the time model.
    pub limited_by: Option<String>,
}

/// The identity of a command. Commands with equal identities take the same time, also in two
/// modules.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CommandIdentity<'a> {
    Kernel {
        code: &'a str,
        workgroups: [u32; 3],
        workgroup_size: [u32; 3],
        scalars: &'a [u32],
        bytes: [Option<u64>; 2],
    },
    Copy(Option<u64>),
    Fill(Option<u64>),
}

impl DeviceCommand {
    /// Returns the identity. Names are not part of it, because iree-compile numbers dispatches.
    pub(crate) fn identity(&self) -> CommandIdentity<'_> {
        match &self.kind {
            CommandKind::Kernel(kernel) => CommandIdentity::Kernel {
                code: &kernel.code,
                workgroups: kernel.workgroups,
                workgroup_size: kernel.workgroup_size,
                scalars: &kernel.scalars,
                // Equal code may run on buffers of other sizes.
                bytes: [self.read_bytes, self.written_bytes],
            },
            CommandKind::Copy => CommandIdentity::Copy(self.read_bytes),
            CommandKind::Fill => CommandIdentity::Fill(self.written_bytes),
        }
    }

    /// Returns the time, or the lower bound of an unknown time.
    pub fn counted_us(&self) -> Option<f64> {
        self.time_us.as_ref().ok().copied().or(self.least_us())
    }

    /// Returns the lower bound of an unknown time.
    pub fn least_us(&self) -> Option<f64> {
        self.time_us.as_ref().err()?.least_us
    }

    /// Returns true if the command counts with the lower bound of its time.
    pub fn is_bounded(&self) -> bool {
        self.least_us().is_some()
    }

    /// Returns the launch, unless the command is a copy or a fill.
    pub fn kernel(&self) -> Option<&KernelLaunch> {
        match &self.kind {
            CommandKind::Kernel(kernel) => Some(kernel),
            CommandKind::Copy | CommandKind::Fill => None,
        }
    }

    /// Returns the kernel's name, or `copy` or `fill`.
    pub fn name(&self) -> &str {
        match &self.kind {
            CommandKind::Kernel(kernel) => &kernel.name,
            CommandKind::Copy => "copy",
            CommandKind::Fill => "fill",
        }
    }
}

#[cfg(test)]
impl DeviceCommand {
    /// Parses the notation of tests: `a:4` is a kernel of 4 us, and `a:?4` one with a bound of 4 us
    /// and no time. `a:>4` takes more than 4 us, and its bytes 1 us. `copy:4` and `fill:4` are no
    /// kernels. A kernel's name is also its code, up to an apostrophe its operation.
    pub(crate) fn sample(text: &str) -> DeviceCommand {
        let (name, time) = text.split_once(':').expect("a name and a time");
        let us = |text: &str| text.parse::<f64>().expect("microseconds");
        let unknown = |reason: &str, least_us| {
            let reason = reason.to_owned();
            Err(UnknownTime { reason, least_us })
        };
        let (time_us, bound) = match (time.strip_prefix('?'), time.strip_prefix('>')) {
            (Some(bound), _) => (unknown("not emulated", None), us(bound)),
            (_, Some(least)) => (unknown("it did not end", Some(us(least))), 1.0),
            _ => (Ok(us(time)), us(time)),
        };
        let kernel = || KernelLaunch {
            name: name.to_owned(),
            code: name.to_owned(),
            workgroups: [1, 1, 1],
            workgroup_size: [64, 1, 1],
            scalars: Vec::new(),
            operations: vec![name.split('\'').next().unwrap_or_default().to_owned()],
            bottleneck: None,
            waves_per_simd: None,
            limited_by: None,
        };
        DeviceCommand {
            kind: match name {
                "copy" => CommandKind::Copy,
                "fill" => CommandKind::Fill,
                _ => CommandKind::Kernel(kernel()),
            },
            time_us,
            read_bytes: Some((bound * 1000.0) as u64),
            written_bytes: Some((bound * 1000.0) as u64),
            bound_us: Some(bound),
        }
    }
}
