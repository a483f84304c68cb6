//! Files that hold code objects of several instruction sets: offload bundles, plain or compressed, and host programs.
//!
//! Layouts: LLVM's ClangOffloadBundler ("Bundled Binary File Layout" and the header of compressed bundles, versions 1
//! to 3), and the section `.hip_fatbin` in which hipcc and clang leave them. What is inside of a code object is no
//! matter of this module.

use std::io::Read;

use object::{Object as _, ObjectSection as _};
use thiserror::Error;

const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";
const ELF: &[u8] = b"\x7fELF";
/// `e_machine` of AMD GPUs.
const EM_AMDGPU: u16 = 224;
/// Section of a host program in which bundles lie, each on a page of its own.
const FAT_BINARY: &str = ".hip_fatbin";
/// Bytes that a compressed bundle may unfold to.
const UNFOLDED_LIMIT: u64 = 1 << 30;

/// A code object of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundled {
    /// The target that the bundle names, such as `gfx942` or `gfx90a:xnack-`; empty where the file names none.
    pub target: String,
    /// The code object.
    pub code_object: Vec<u8>,
}

/// Why a file's code objects cannot be told.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BundleError {
    /// Neither a code object nor anything that holds some.
    #[error("neither an ELF nor an offload bundle: it begins with {0:02x?}")]
    Unknown(Vec<u8>),
    /// A host program without a fat binary.
    #[error("an ELF of machine {0} without a section {FAT_BINARY}: no code for AMD GPUs in it")]
    NoFatBinary(String),
    /// A bundle whose table does not fit it.
    #[error("the offload bundle is damaged: {0}")]
    Damaged(String),
    /// No entry is for an AMD GPU.
    #[error("no entry of the offload bundle is for an AMD GPU; it has {0}")]
    NoDevice(String),
}

fn damaged(reason: impl std::fmt::Display) -> BundleError {
    BundleError::Damaged(reason.to_string())
}

/// The code objects in `file`: the file itself, those of an offload bundle, or those of a host program's bundles.
///
/// # Errors
/// [`BundleError`], where it holds none or is damaged.
pub fn code_objects(file: &[u8]) -> Result<Vec<Bundled>, BundleError> {
    if file.starts_with(ELF) {
        let machine = file
            .get(18..20)
            .map(|two| u16::from_le_bytes([two[0], two[1]]));
        if machine == Some(EM_AMDGPU) {
            return Ok(vec![Bundled {
                target: String::new(),
                code_object: file.to_vec(),
            }]);
        }
        return of_host_program(file);
    }
    if file.starts_with(COMPRESSED) {
        return of_bundle(&unfolded(file)?);
    }
    if file.starts_with(BUNDLE) {
        return of_bundle(file);
    }
    Err(BundleError::Unknown(file.iter().take(8).copied().collect()))
}

fn of_host_program(file: &[u8]) -> Result<Vec<Bundled>, BundleError> {
    let program = object::File::parse(file).map_err(damaged)?;
    let section = program
        .section_by_name(FAT_BINARY)
        .ok_or_else(|| BundleError::NoFatBinary(format!("{:?}", program.architecture())))?;
    let data = section.data().map_err(damaged)?;
    // Bundles are aligned; what lies between them is padding.
    let mut found = Vec::new();
    for start in (0..data.len()).step_by(8) {
        let rest = &data[start..];
        if rest.starts_with(BUNDLE) {
            found.extend(of_bundle(rest)?);
        } else if rest.starts_with(COMPRESSED) {
            found.extend(of_bundle(&unfolded(rest)?)?);
        }
    }
    if found.is_empty() {
        return Err(damaged(format!("no bundle in {FAT_BINARY}")));
    }
    Ok(found)
}

/// A 64-bit number of a bundle's table.
fn number(bytes: &[u8], at: usize) -> Result<usize, BundleError> {
    let word = at.checked_add(8).and_then(|end| bytes.get(at..end));
    let word = word
        .and_then(|word| word.try_into().ok())
        .map(u64::from_le_bytes);
    word.and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| damaged(format!("its table ends before byte {at}")))
}

fn of_bundle(bundle: &[u8]) -> Result<Vec<Bundled>, BundleError> {
    let entries = number(bundle, BUNDLE.len())?;
    let (mut at, mut found, mut others) = (BUNDLE.len() + 8, Vec::new(), Vec::new());
    for _ in 0..entries {
        let (offset, size, length) = (
            number(bundle, at)?,
            number(bundle, at + 8)?,
            number(bundle, at + 16)?,
        );
        let part = |start: usize, length: usize| {
            start
                .checked_add(length)
                .and_then(|end| bundle.get(start..end))
        };
        let id =
            part(at + 24, length).ok_or_else(|| damaged("an entry's name runs over its end"))?;
        let id = String::from_utf8_lossy(id);
        at += 24 + length;
        let code =
            part(offset, size).ok_or_else(|| damaged(format!("{id} lies beyond its end")))?;
        // KIND-ARCHITECTURE-VENDOR-SYSTEM-ENVIRONMENT-TARGET
        let target = id.splitn(6, '-').nth(5);
        match target {
            Some(target) if id.contains("-amdgcn-") && code.starts_with(ELF) => {
                found.push(Bundled {
                    target: target.to_owned(),
                    code_object: code.to_vec(),
                })
            }
            _ => others.push(id.into_owned()),
        }
    }
    if found.is_empty() {
        return Err(BundleError::NoDevice(others.join(", ")));
    }
    Ok(found)
}

/// The bundle in a compressed one: `CCOB`, version and method (0 zlib, 1 zstd) of 16 bits; sizes of the file (from
/// version 2) and of the bundle, of 32 bits, in version 3 of 64; a hash of 64 bits.
fn unfolded(file: &[u8]) -> Result<Vec<u8>, BundleError> {
    let short = || damaged("its header is cut off");
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
                "version {version} of compressed bundles is not known"
            )));
        }
    };
    let data = file.get(header..).ok_or_else(short)?;
    let mut bundle = Vec::new();
    let read = match half(6)? {
        0 => flate2::read::ZlibDecoder::new(data)
            .take(UNFOLDED_LIMIT)
            .read_to_end(&mut bundle),
        1 => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(data).map_err(damaged)?;
            decoder.take(UNFOLDED_LIMIT).read_to_end(&mut bundle)
        }
        method => return Err(damaged(format!("compression method {method} is not known"))),
    };
    read.map_err(damaged)?;
    if bundle.len() as u64 == UNFOLDED_LIMIT {
        return Err(damaged(format!(
            "it unfolds to more than {UNFOLDED_LIMIT} bytes"
        )));
    }
    if !bundle.starts_with(BUNDLE) {
        return Err(damaged("what it unfolds to is no bundle"));
    }
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// A bundle of these entries.
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

    /// A compressed bundle of version 3.
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
                    .map(|one| (one.target.as_str(), one.code_object.as_slice()))
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
    fn other_files_are_named() {
        check(b"", Err("begins with []"));
        check(b"MZ", Err("begins with [4d, 5a]"));
        check(BUNDLE, Err("table ends before byte 24"));
        check(b"CCOB", Err("header is cut off"));
        check(b"CCOB\x09\0\0\0", Err("version 9"));
        check(&compressed(b"nothing"), Err("unfolds to is no bundle"));
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
            // Right, or refused: some bits have no meaning.
            let _ = code_objects(&file);
        }
    }
}
