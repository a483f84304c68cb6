//! Module images: a program passes a code object or a bundle of several, by its address and
//! without a length.

use emulator::{BundleEntry, CodeObject, code_objects};

use crate::device::SelectedDevice;
use crate::error::{Error, Result, explain};
use crate::ffi::{Pointer, host_mapped};

const ELF: &[u8] = b"\x7fELF";
const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";
/// The largest length; a larger one is taken for damage.
const LIMIT: u64 = 1 << 32;

/// Loads the code object for the device from the file at this address.
///
/// # Errors
/// [`Error::InvalidImage`], [`Error::NoBinaryForGpu`]; the reason is explained.
pub(crate) fn load_at(start: Pointer, device: &SelectedDevice) -> Result<CodeObject> {
    load(image(start)?, device)
}

/// Returns the file at this address. It is not copied, and all of it is mapped.
fn image<'a>(start: Pointer) -> Result<&'a [u8]> {
    host_mapped(start, length(start)? as usize)
}

/// Loads a file as [`load_at`] does.
///
/// # Errors
/// As [`load_at`].
pub(crate) fn load(file: &[u8], device: &SelectedDevice) -> Result<CodeObject> {
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
    let code = CodeObject::load(code.code_object()).map_err(|error| invalid(&error))?;
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

/// Returns the entry that names the most of the device's features, and none that the device
/// lacks.
fn choose<'a, 'f>(found: &'a [BundleEntry<'f>], arch: &str) -> Option<&'a BundleEntry<'f>> {
    let mut of_device = arch.split(':');
    let isa = of_device.next()?;
    let features: Vec<&str> = of_device.collect();
    let agreement = |one: &BundleEntry| {
        let mut parts = one.target.split(':');
        let name = parts.next()?;
        let asked: Vec<&str> = parts.collect();
        let fits = (name == isa || name.is_empty()) && asked.iter().all(|it| features.contains(it));
        fits.then_some(asked.len())
    };
    let fitting = found.iter().filter(|one| agreement(one).is_some());
    fitting.max_by_key(|one| agreement(one))
}

/// Returns the length of the file, from its header.
fn length(start: Pointer) -> Result<u64> {
    // Reads a little-endian number of `bytes` bytes.
    let number = |at: u64, bytes: usize| match at < LIMIT {
        true => host_mapped(start + at, bytes)
            .map(|number| (number.iter().rev()).fold(0, |all, byte| all << 8 | u64::from(*byte))),
        false => Err(Error::InvalidImage),
    };
    let word = |at: u64| number(at, 8);
    let half = |at: u64| number(at, 2);
    let begins = |magic: &[u8]| host_mapped(start, magic.len()).is_ok_and(|it| it == magic);
    if start == 0 {
        return Err(Error::InvalidValue);
    }
    let length = if begins(ELF) {
        // Linkers write the section table last; a file without one ends with a segment.
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
            2 => number(8, 4)?,
            3 => word(8)?,
            // The first version of the header has no length.
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
        explain("a module must be an ELF or an offload bundle");
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
        let found: Vec<BundleEntry> = targets
            .iter()
            .map(|target| BundleEntry::new(target.to_string(), &[]))
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

    /// Loads damaged images at the end of mapped memory: the host survives all headers.
    #[test]
    fn damaged_images_are_refused_or_loaded() {
        use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
        const SPARE: usize = 1 << 32;
        let file = include_bytes!("../../emulator/fixtures/argmax_f32x4.hsaco");
        let size = file.len().next_multiple_of(4096);
        // SAFETY: a fresh mapping, of which all but the beginning is given back at once, and which ends with the test.
        let start = unsafe {
            let flags = (
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE | MapFlags::NORESERVE,
            );
            let start =
                mmap_anonymous(std::ptr::null_mut(), size + SPARE, flags.0, flags.1).unwrap();
            munmap(start.add(size), SPARE).unwrap();
            start.cast::<u8>()
        };
        // SAFETY: the mapping is the test's own, and as long.
        let bytes = unsafe { std::slice::from_raw_parts_mut(start, size) };
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut loaded = 0;
        for _ in 0..3000 {
            bytes[..file.len()].copy_from_slice(file);
            // The headers of the file and of its segments, mostly.
            for _ in 0..1 + random(8) {
                let within = if random(4) > 0 { 600 } else { file.len() };
                let place = random(within);
                bytes[place] = random(256) as u8;
            }
            let found = image(start as u64).map(|image| {
                let all = code_objects(image).unwrap_or_default();
                all.iter()
                    .any(|one| CodeObject::load(one.code_object()).is_ok())
            });
            loaded += usize::from(found == Ok(true));
        }
        assert!(loaded > 0);
        // SAFETY: nothing looks at it any more.
        unsafe { munmap(start.cast(), size).unwrap() };
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
