//! Names of devices, as a question insists on them: `emulated:NAME`, or `hip:N`, a GPU.

use configgen::{Device, Target};

/// What the name of an emulated device begins with.
pub(crate) const EMULATED: &str = "emulated:";

/// What the name of a GPU begins with.
const GPU: &str = "hip:";

/// Why nothing can be asked for a device.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeviceRefused {
    /// No device has this name.
    #[error(
        "no device is called {name:?}: one is emulated:NAME, as `wavetune devices` lists them, or hip:N, a GPU"
    )]
    Unknown {
        /// The name, cut off where it is long.
        name: String,
    },
    /// It does not run what the target is the name of.
    #[error("{name} is a {of_device}, not a {target}")]
    Other {
        /// The device.
        name: String,
        /// Its ISA.
        of_device: &'static Target,
        /// The ISA that is asked for.
        target: &'static Target,
    },
}

/// Whether a question for this target, or for any, may insist on the device.
///
/// # Errors
///
/// That there is none of this name, or none of the target.
pub fn check_device(name: &str, target: Option<&'static Target>) -> Result<(), DeviceRefused> {
    let unknown = || DeviceRefused::Unknown {
        name: name.chars().take(80).collect(),
    };
    if let Some(number) = name.strip_prefix(GPU) {
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
            check(name, None, Err("no device is called"));
        }
    }
}
