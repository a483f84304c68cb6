//! The profile of one call.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::command::DeviceCommand;

/// The commands of one call of a function, in the order of their launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionProfile {
    /// The function's name.
    pub function: String,
    /// The inputs of the call, in the notation of `iree-run-module --input`.
    pub inputs: Vec<String>,
    /// The commands.
    pub commands: Vec<DeviceCommand>,
    /// The kernels that run once when the module is loaded, such as the computation of constants.
    pub at_load: Vec<DeviceCommand>,
}

impl FunctionProfile {
    /// Returns the sum of all known times and of the lower bounds of unknown times, in
    /// microseconds. It is a lower bound itself if `bounded` commands have one.
    pub fn time_us(&self) -> f64 {
        let counted = self.commands.iter().filter_map(DeviceCommand::counted_us);
        // The sum of nothing would be -0, which prints with a sign.
        // A command without a time is counted by `untimed`.
        counted.fold(0.0, |sum, time| sum + time)
    }

    /// Returns the number of commands that count with the lower bound of their time.
    pub fn bounded(&self) -> usize {
        let commands = self.commands.iter();
        commands.filter(|it| it.is_bounded()).count()
    }

    /// Returns the sum of the bounds of all commands, in microseconds. `None` if one is unknown.
    pub fn bound_us(&self) -> Option<f64> {
        let bounds = self.commands.iter().map(|it| it.bound_us);
        bounds.sum::<Option<f64>>().map(|sum| sum + 0.0)
    }

    /// Returns the number of commands without a time and without a lower bound of it.
    pub fn untimed(&self) -> usize {
        let commands = self.commands.iter();
        commands.filter(|it| it.counted_us().is_none()).count()
    }

    /// Returns the number of kernels.
    pub fn kernels(&self) -> usize {
        let kernels = self.commands.iter().filter(|it| it.kernel().is_some());
        kernels.count()
    }
}

/// The function and its inputs, such as `main(4x4096xf32)`.
impl fmt::Display for FunctionProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.function, self.inputs.join(", "))
    }
}
