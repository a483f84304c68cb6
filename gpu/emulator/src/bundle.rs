//! Files with code objects of several instruction sets: offload bundles, plain or compressed, and
//! host programs.
//!
//! The layouts are those of LLVM's ClangOffloadBundler: "Bundled Binary File Layout", and the
//! headers of compressed bundles. Those have versions 1 to 3. hipcc and clang store bundles in
//! the section `.hip_fatbin` of a host program. This module does not read the contents of a code
//! object.

use std::io::Read;
use std::ops::Range;
use std::rc::Rc;

use object::{Object as _, ObjectSection as _};
use thiserror::Error;

const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";
const ELF: &[u8] = b"\x7fELF";
/// `e_machine` of an AMD GPU's ELF.
const EM_AMDGPU: u16 = 224;
/// The section of a host program that contains bundles, each on its own page.
const FAT_BINARY: &str = ".hip_fatbin";
/// The largest total size of a file's decompressed bundles, in bytes.
// Guards against decompression bombs: a small file can expand without bound.
const UNFOLDED_LIMIT: u64 = 1 << 30;
/// The largest number of entries in all bundles of a file, and the longest name in bytes.
const MOST_ENTRIES: usize = 1 << 16;
const LONGEST_NAME: usize = 256;
/// The number of names that an error lists.
const NAMES_LISTED: usize = 8;

/// One code object of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// The bundle's name of the target, such as `gfx942` or `gfx90a:xnack-`. It is empty if the
    /// file names none.
    pub target: String,
    code_object: EntryBytes<'a>,
}

impl<'a> BundleEntry<'a> {
    /// Creates an entry for a code object that the file contains uncompressed.
    pub fn new(target: String, code_object: &'a [u8]) -> BundleEntry<'a> {
        BundleEntry {
            target,
            code_object: EntryBytes::OfFile(code_object),
        }
    }

    /// Returns the bytes of the code object.
    pub fn code_object(&self) -> &[u8] {
        match &self.code_object {
            EntryBytes::OfFile(bytes) => bytes,
            EntryBytes::Unfolded(all, range) => &all[range.clone()],
        }
    }
}

/// The location of a code object. Entries may overlap and be many, so nothing is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EntryBytes<'a> {
    OfFile(&'a [u8]),
    /// A range of a decompressed bundle.
    Unfolded(Rc<Vec<u8>>, Range<usize>),
}

/// The remaining limits for one file.
struct Budget {
    unfolded: u64,
    entries: usize,
}

/// The reason why a file has no readable code objects.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleError {
    /// The file is neither a code object nor a container of code objects.
    #[error("neither an ELF nor an offload bundle: it begins with {0:02x?}")]
    Unknown(Vec<u8>),
    /// The file is a host program without a fat binary.
    #[error("an ELF of machine {0} without a section {FAT_BINARY}, so it has no code for AMD GPUs")]
    NoFatBinary(String),
    /// The bundle's table does not fit the bundle.
    #[error("the offload bundle is damaged: {0}")]
    Damaged(String),
    /// The bundle has no entry for an AMD GPU.
    #[error("no entry of the offload bundle is for an AMD GPU; it has {0}")]
    NoDevice(String),
}

fn damaged(reason: impl std::fmt::Display) -> BundleError {
    BundleError::Damaged(reason.to_string())
}

/// Returns the code objects in `file`: the file itself, the entries of an offload bundle, or the
/// entries of all bundles in a host program.
///
/// # Errors
/// Returns a [`BundleError`] if the file is damaged or contains no code object.
pub fn code_objects(file: &[u8]) -> Result<Vec<BundleEntry<'_>>, BundleError> {
    let mut budget = Budget {
        unfolded: UNFOLDED_LIMIT,
        entries: MOST_ENTRIES,
    };
    of_file(file, &mut budget)
}

fn of_file<'a>(file: &'a [u8], budget: &mut Budget) -> Result<Vec<BundleEntry<'a>>, BundleError> {
    // Host programs are ELF files too, so the machine decides.
    if file.starts_with(ELF) {
        // `e_machine` is a 16-bit field at byte 18 of every ELF header.
        let machine = file
            .get(18..20)
            .map(|two| u16::from_le_bytes([two[0], two[1]]));
        if machine == Some(EM_AMDGPU) {
            return Ok(vec![BundleEntry::new(String::new(), file)]);
        }
        return of_host_program(file, budget);
    }
    if let Some(found) = of_plain_or_compressed(file, budget) {
        return found;
    }
    Err(BundleError::Unknown(file.iter().take(8).copied().collect()))
}

/// Returns the entries of the bundle at the beginning of `file`, or None without a bundle there.
fn of_plain_or_compressed<'a>(
    file: &'a [u8],
    budget: &mut Budget,
) -> Option<Result<Vec<BundleEntry<'a>>, BundleError>> {
    if file.starts_with(BUNDLE) {
        let part = |range: Range<usize>| EntryBytes::OfFile(&file[range]);
        return Some(of_bundle(file, part, budget));
    }
    file.starts_with(COMPRESSED).then(|| {
        let all = Rc::new(unfolded(file, budget)?);
        let part = |range| EntryBytes::Unfolded(Rc::clone(&all), range);
        of_bundle(&all, part, budget)
    })
}

fn of_host_program<'a>(
    file: &'a [u8],
    budget: &mut Budget,
) -> Result<Vec<BundleEntry<'a>>, BundleError> {
    let program = object::File::parse(file).map_err(damaged)?;
    let section = program
        .section_by_name(FAT_BINARY)
        .ok_or_else(|| BundleError::NoFatBinary(format!("{:?}", program.architecture())))?;
    let data = section.data().map_err(damaged)?;
    // Each bundle starts at a multiple of 8 bytes; the bytes between two bundles are padding.
    let mut found = Vec::new();
    for start in (0..data.len()).step_by(8) {
        if let Some(more) = of_plain_or_compressed(&data[start..], budget) {
            found.extend(more?);
        }
    }
    if found.is_empty() {
        return Err(damaged(format!("no bundle in {FAT_BINARY}")));
    }
    Ok(found)
}

/// Reads a 64-bit number of a bundle's table.
fn number(bytes: &[u8], at: usize) -> Result<usize, BundleError> {
    let word = at.checked_add(8).and_then(|end| bytes.get(at..end));
    let word = word
        .and_then(|word| word.try_into().ok())
        .map(u64::from_le_bytes);
    word.and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| damaged(format!("its table ends before byte {at}")))
}

/// Returns the entries for AMD GPUs. `part` converts a range of the bundle to its bytes.
fn of_bundle<'a>(
    bundle: &[u8],
    part: impl Fn(Range<usize>) -> EntryBytes<'a>,
    budget: &mut Budget,
) -> Result<Vec<BundleEntry<'a>>, BundleError> {
    let entries = number(bundle, BUNDLE.len())?;
    let (mut at, mut found, mut others) = (BUNDLE.len() + 8, Vec::new(), Vec::new());
    for index in 0..entries {
        // The limit covers the whole file: overlapping entries could make the work quadratic.
        budget.entries = budget
            .entries
            .checked_sub(1)
            .ok_or_else(|| damaged(format!("more than {MOST_ENTRIES} entries")))?;
        let (offset, size, length) = (
            number(bundle, at)?,
            number(bundle, at + 8)?,
            number(bundle, at + 16)?,
        );
        if length > LONGEST_NAME {
            return Err(damaged(format!(
                "the name of entry {index} has {length} bytes"
            )));
        }
        let within = |start: usize, length: usize| {
            let range = start..start.checked_add(length)?;
            bundle.get(range.clone()).map(|bytes| (bytes, range))
        };
        let (id, _) =
            within(at + 24, length).ok_or_else(|| damaged("an entry's name runs over its end"))?;
        let id = String::from_utf8_lossy(id);
        at += 24 + length;
        let (code, range) =
            within(offset, size).ok_or_else(|| damaged(format!("{id} lies beyond its end")))?;
        // An ID has six parts: KIND-ARCHITECTURE-VENDOR-SYSTEM-ENVIRONMENT-TARGET. The target
        // itself may contain hyphens (`gfx90a:xnack-`), so only the first five are separators.
        let target = id.splitn(6, '-').nth(5);
        match target {
            Some(target) if id.contains("-amdgcn-") && code.starts_with(ELF) => {
                found.push(BundleEntry {
                    target: target.to_owned(),
                    code_object: part(range),
                })
            }
            _ if others.len() < NAMES_LISTED => others.push(id.into_owned()),
            _ => {}
        }
    }
    if found.is_empty() {
        return Err(BundleError::NoDevice(others.join(", ")));
    }
    Ok(found)
}

/// Decompresses a bundle and charges its size to `budget`.
///
/// The header is `CCOB`, then version and method (0 zlib, 1 zstd) with 16 bits each. The sizes of
/// the file (from version 2) and of the bundle follow, with 32 bits each, or 64 bits in version
/// 3. A 64-bit hash ends it.
fn unfolded(file: &[u8], budget: &mut Budget) -> Result<Vec<u8>, BundleError> {
    let short = || damaged("its header is truncated");
    let half = |at: usize| {
        file.get(at..at + 2)
            .map(|two| u16::from_le_bytes([two[0], two[1]]))
            .ok_or_else(short)
    };
    let header = match half(4)? {
        1 => 20,
        2 => 24,
        3 => 32,
        version => {
            return Err(damaged(format!(
                "version {version} of compressed bundles is not supported"
            )));
        }
    };
    let data = file.get(header..).ok_or_else(short)?;
    let mut bundle = Vec::new();
    let read = match half(6)? {
        0 => flate2::read::ZlibDecoder::new(data)
            .take(budget.unfolded)
            .read_to_end(&mut bundle),
        1 => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(data).map_err(damaged)?;
            decoder.take(budget.unfolded).read_to_end(&mut bundle)
        }
        method => {
            return Err(damaged(format!(
                "compression method {method} is not supported"
            )));
        }
    };
    read.map_err(damaged)?;
    budget.unfolded -= bundle.len() as u64;
    // `take` stops silently at the limit, so an exhausted budget means that data may be missing.
    if budget.unfolded == 0 {
        return Err(damaged(format!(
            "it decompresses to more than {UNFOLDED_LIMIT} bytes"
        )));
    }
    if !bundle.starts_with(BUNDLE) {
        return Err(damaged("its decompressed content is not a bundle"));
    }
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Returns a bundle of these entries.
    fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let table: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
        let mut offset = BUNDLE.len() + 8 + table;
        let mut bytes = [BUNDLE, &(entries.len() as u64).to_le_bytes()].concat();
        for (id, code) in entries {
            for number in [offset, code.len(), id.len()] {
                bytes.extend((number as u64).to_le_bytes());
            }
            bytes.extend(id.as_bytes());
            offset += code.len();
        }
        for (_, code) in entries {
            bytes.extend(*code);
        }
        bytes
    }

    /// Returns a compressed bundle of version 3.
    fn compressed(bundle: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bundle).unwrap();
        let mut file = [COMPRESSED, &[3, 0, 0, 0]].concat();
        file.extend([0; 24]);
        file.extend(encoder.finish().unwrap());
        file
    }

    const ENTRIES: [(&str, &[u8]); 4] = [
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", b"\x7fELF one"),
        (
            "hip-amdgcn-amd-amdhsa-unknown-gfx11-generic",
            b"\x7fELF two",
        ),
        ("openmp-nvptx64-nvidia-cuda--sm_80", b"\x7fELF three"),
    ];

    #[track_caller]
    fn check(file: &[u8], expected: Result<&[(&str, &[u8])], &str>) {
        match (code_objects(file), expected) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<(&str, &[u8])> = found
                    .iter()
                    .map(|one| (one.target.as_str(), one.code_object()))
                    .collect();
                assert_eq!(found, expected);
            }
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn bundles_hold_code_objects_by_target() {
        let expected: &[(&str, &[u8])] = &[
            ("gfx90a:xnack-", b"\x7fELF one"),
            ("gfx11-generic", b"\x7fELF two"),
        ];
        check(&bundle(&ENTRIES), Ok(expected));
        check(&compressed(&bundle(&ENTRIES)), Ok(expected));
        check(
            &bundle(&ENTRIES[..1]),
            Err("it has host-x86_64-unknown-linux-gnu-"),
        );
    }

    #[test]
    fn entries_that_overlap_are_not_copied() {
        // A file of some megabytes may have this many entries; a copy of each would take 160 GB.
        let (id, entries, size) = ("hip-amdgcn-amd-amdhsa--gfx942", 20_000, 8 << 20);
        let table = BUNDLE.len() + 8 + entries * (24 + id.len());
        let mut file = [BUNDLE, &(entries as u64).to_le_bytes()].concat();
        for _ in 0..entries {
            for number in [table, size, id.len()] {
                file.extend((number as u64).to_le_bytes());
            }
            file.extend(id.as_bytes());
        }
        file.extend(ELF);
        file.resize(table + size, 0);
        for file in [file.clone(), compressed(&file)] {
            let found = code_objects(&file).unwrap();
            assert_eq!(found.len(), entries);
            let start = found[0].code_object().as_ptr();
            assert!(found.iter().all(|one| one.code_object().as_ptr() == start));
            assert!(found.iter().all(|one| one.code_object().len() == size));
        }
    }

    #[test]
    fn bundles_are_limited_in_size() {
        let many = vec![("x", &b""[..]); MOST_ENTRIES + 1];
        check(&bundle(&many), Err("more than 65536 entries"));
        let name = "x".repeat(257);
        check(
            &bundle(&[(&name, b"")]),
            Err("the name of entry 0 has 257 bytes"),
        );
        let names = bundle(&[("x", &b""[..]); 20]);
        let error = code_objects(&names).unwrap_err().to_string();
        assert_eq!(error.matches('x').count(), NAMES_LISTED, "{error}");
        // Compressed bundles of one file share the limit of decompressed bytes.
        let folded = compressed(&bundle(&ENTRIES));
        let whole = bundle(&ENTRIES).len() as u64;
        let unfold = |unfolded: u64| {
            let mut budget = Budget {
                unfolded,
                entries: MOST_ENTRIES,
            };
            let mut once = || of_file(&folded, &mut budget).map(|found| found.len());
            [once(), once()].map(|found| found.is_ok())
        };
        assert_eq!(unfold(2 * whole + 1), [true, true]);
        assert_eq!(unfold(2 * whole), [true, false]);
        assert_eq!(unfold(whole), [false, false]);
    }

    #[test]
    fn other_files_are_named() {
        check(b"", Err("begins with []"));
        check(b"MZ", Err("begins with [4d, 5a]"));
        check(BUNDLE, Err("table ends before byte 24"));
        check(b"CCOB", Err("header is truncated"));
        check(b"CCOB\x09\0\0\0", Err("version 9"));
        check(&compressed(b"nothing"), Err("content is not a bundle"));
    }

    #[test]
    fn damaged_bundles_are_refused() {
        let whole = bundle(&ENTRIES);
        for end in 0..whole.len() {
            assert!(code_objects(&whole[..end]).is_err(), "{end}");
        }
        let folded = compressed(&whole);
        for (index, bit) in (0..folded.len()).flat_map(|index| (0..8).map(move |bit| (index, bit)))
        {
            let mut file = folded.clone();
            file[index] ^= 1 << bit;
            // Some bits have no meaning, so both success and refusal are correct.
            let _ = code_objects(&file);
        }
    }
}
