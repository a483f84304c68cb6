//! What a program hands over as a module: a code object or a bundle of several, at an address, of a length that nobody
//! says.

use emulator::{Bundled, CodeObject, code_objects};

use crate::device::Device;
use crate::error::{Error, Result, explain};
use crate::ffi::{Pointer, host_slice, host_value};

const ELF: &[u8] = b"\x7fELF";
const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";
/// Bytes beyond which a length is taken for a damaged one.
const LIMIT: u64 = 1 << 32;

/// The code object for the device in the file at this address.
///
/// # Errors
/// [`Error::InvalidImage`], [`Error::NoBinaryForGpu`]; the reason is explained.
pub(crate) fn load_at(start: Pointer, device: &Device) -> Result<CodeObject> {
    let length = length(start)?;
    load(host_slice(start, length as usize)?, device)
}

/// As [`load_at`], of a file.
///
/// # Errors
/// As [`load_at`].
pub(crate) fn load(file: &[u8], device: &Device) -> Result<CodeObject> {
    let invalid = |error: &dyn std::fmt::Display| {
        explain(format!("a module is not loaded: {error}"));
        Error::InvalidImage
    };
    let found = code_objects(file).map_err(|error| invalid(&error))?;
    let code = choose(&found, &device.arch()).ok_or_else(|| {
        let targets: Vec<&str> = found.iter().map(|one| one.target.as_str()).collect();
        explain(format!(
            "a module has code for {}, not for {}",
            targets.join(", "),
            device.arch()
        ));
        Error::NoBinaryForGpu
    })?;
    let code = CodeObject::load(&code.code_object).map_err(|error| invalid(&error))?;
    if code.isa() != device.isa {
        explain(format!(
            "a module is for {}; the device is {}",
            code.isa().name(),
            device.arch()
        ));
        return Err(Error::NoBinaryForGpu);
    }
    Ok(code)
}

/// The entry that names most of the device's features and none that it has otherwise.
fn choose<'a>(found: &'a [Bundled], arch: &str) -> Option<&'a Bundled> {
    let mut of_device = arch.split(':');
    let isa = of_device.next()?;
    let features: Vec<&str> = of_device.collect();
    let agreement = |one: &Bundled| {
        let mut parts = one.target.split(':');
        let name = parts.next()?;
        let asked: Vec<&str> = parts.collect();
        let fits = (name == isa || name.is_empty()) && asked.iter().all(|it| features.contains(it));
        fits.then_some(asked.len())
    };
    let fitting = found.iter().filter(|one| agreement(one).is_some());
    fitting.max_by_key(|one| agreement(one))
}

/// The length of the file, as its header has it.
fn length(start: Pointer) -> Result<u64> {
    let word = |at: u64| match at < LIMIT {
        true => host_value::<u64>(start + at).map(u64::from_le),
        false => Err(Error::InvalidImage),
    };
    let half = |at: u64| host_value::<u16>(start + at).map(|it| u64::from(u16::from_le(it)));
    let begins = |magic: &[u8]| host_slice(start, magic.len()).is_ok_and(|it| it == magic);
    if start == 0 {
        return Err(Error::InvalidValue);
    }
    let length = if begins(ELF) {
        // The table of sections comes last in what linkers write; a file without it ends with a segment.
        let (segments, size) = (word(32)?, half(54)?);
        let mut end = word(40)?.saturating_add(half(58)? * half(60)?);
        for number in 0..half(56)? {
            let at = segments.saturating_add(size * number);
            let last = word(at.saturating_add(8))?.saturating_add(word(at.saturating_add(32))?);
            end = end.max(last).max(at.saturating_add(size));
        }
        end
    } else if begins(COMPRESSED) {
        match half(4)? {
            2 => u64::from(u32::from_le(host_value(start + 8)?)),
            3 => word(8)?,
            // The first version does not say how long it is.
            _ => return Err(Error::InvalidImage),
        }
    } else if begins(BUNDLE) {
        let (mut at, mut end) = (BUNDLE.len() as u64 + 8, 0);
        for _ in 0..word(BUNDLE.len() as u64)?.min(1024) {
            end = word(at)?.saturating_add(word(at + 8)?).max(end);
            at = at
                .saturating_add(24)
                .saturating_add(word(at + 16)?.min(LIMIT));
        }
        end.max(at)
    } else {
        explain("a module is neither an ELF nor an offload bundle");
        return Err(Error::InvalidImage);
    };
    (length < LIMIT)
        .then_some(length)
        .ok_or(Error::InvalidImage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(targets: &[&str], expected: Option<&str>) {
        let found: Vec<Bundled> = targets
            .iter()
            .map(|target| Bundled {
                target: target.to_string(),
                code_object: Vec::new(),
            })
            .collect();
        let chosen = choose(&found, "gfx90a:sramecc+:xnack-");
        assert_eq!(
            chosen.map(|one| one.target.as_str()),
            expected,
            "{targets:?}"
        );
    }

    #[test]
    fn the_entry_that_names_most_features_is_chosen() {
        check(&[""], Some(""));
        check(&["gfx942", "gfx90a"], Some("gfx90a"));
        check(&["gfx90a:xnack-", "gfx90a"], Some("gfx90a:xnack-"));
        check(&["gfx90a:xnack+", "gfx90a"], Some("gfx90a"));
        check(&["gfx90a:sramecc+:xnack+", "gfx942"], None);
    }

    #[track_caller]
    fn check_length(file: &[u8], expected: Result<u64>) {
        assert_eq!(length(file.as_ptr() as u64), expected);
    }

    #[test]
    fn a_file_says_how_long_it_is() {
        let mut bundle = BUNDLE.to_vec();
        for word in [2u64, 4096, 100, 4] {
            bundle.extend(word.to_le_bytes());
        }
        bundle.extend(b"host");
        for word in [8192u64, 200, 3] {
            bundle.extend(word.to_le_bytes());
        }
        bundle.extend(b"abc");
        check_length(&bundle, Ok(8392));
        let mut compressed = b"CCOB\x02\0\x01\0".to_vec();
        compressed.extend(500u32.to_le_bytes());
        check_length(&compressed, Ok(500));
        check_length(b"CCOB\x01\0\x01\0\0\0\0\0", Err(Error::InvalidImage));
        check_length(&[7; 64], Err(Error::InvalidImage));
        assert_eq!(length(0), Err(Error::InvalidValue));
    }
}
