//! Names of devices in questions: `emulated:NAME`, or `hip:N` for a GPU.

use configgen::{Device, Target};

/// The prefix of an emulated device's name.
pub(crate) const EMULATED: &str = "emulated:";

/// The prefix of a GPU's name.
const GPU: &str = "hip:";

/// An error of a device's name in a question.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceRefused {
    /// No device has this name.
    #[error(
        "unknown device {name:?}: a device is emulated:NAME, from the list of `wavetune devices`, or hip:N, a GPU"
    )]
    Unknown {
        /// The name, cut to 80 characters.
        name: String,
    },
    /// The device has another ISA than the question.
    #[error("{name} is a {of_device}, not a {target}")]
    Other {
        /// The device.
        name: String,
        /// Its ISA.
        of_device: &'static Target,
        /// The requested ISA.
        target: &'static Target,
    },
}

/// Checks that a question for this target, or for any, may name the device.
///
/// # Errors
///
/// [`DeviceRefused`] if no device has this name, or it is not of the target.
pub fn check_device(name: &str, target: Option<&'static Target>) -> Result<(), DeviceRefused> {
    let unknown = || DeviceRefused::Unknown {
        name: name.chars().take(80).collect(),
    };
    if let Some(number) = name.strip_prefix(GPU) {
        // A GPU's ISA is known only to the machine that has it.
        return number.parse::<u32>().map(|_| ()).map_err(|_| unknown());
    }
    let row = name.strip_prefix(EMULATED).and_then(Device::named);
    let of_device = row.ok_or_else(unknown)?.target();
    match target {
        Some(target) if target != of_device => Err(DeviceRefused::Other {
            name: name.to_owned(),
            of_device,
            target,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, target: Option<&str>, expected: Result<(), &str>) {
        let found = check_device(name, target.map(|name| Target::named(name).unwrap()));
        match (found.map_err(|error| error.to_string()), expected) {
            (Err(found), Err(part)) => assert!(found.contains(part), "{found}"),
            (found, expected) => assert_eq!(
                found.as_ref().map_err(|it| &**it),
                expected.as_ref().map_err(|it| *it)
            ),
        }
    }

    #[test]
    fn a_device_is_of_the_target() {
        check("emulated:mi300x", None, Ok(()));
        check("emulated:mi300x", Some("gfx942"), Ok(()));
        check("emulated:mi300a", Some("gfx942"), Ok(()));
        check("hip:0", Some("gfx942"), Ok(()));
        let other = "emulated:rx9070xt is a gfx1201, not a gfx942";
        check("emulated:rx9070xt", Some("gfx942"), Err(other));
        for name in [
            "",
            "mi300x",
            "emulated:",
            "emulated:mi300",
            "hip:",
            "hip:x",
            "hip:-1",
            "cuda:0",
        ] {
            check(name, None, Err("unknown device"));
        }
    }
}
