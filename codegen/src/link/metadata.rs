//! One metadata note for all kernels of a code object.
//!
//! LLVM describes the kernels of an object in a note (`NT_AMDGPU_METADATA`, a MessagePack map; LLVM's "User Guide for
//! AMDGPU Backend", section "Code Object Metadata"), and the linker puts the notes of all objects one after the other. A
//! code object is meant to have one, and readers differ in what they make of several: the first is replaced by one that
//! lists the kernels of all, the rest of the space is given up.

use object::LittleEndian;
use object::elf::{FileHeader64, PT_NOTE, SHT_NOTE};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use rmpv::Value;

/// Type of the note.
const NOTE_TYPE: u32 = 32;
/// Its name, with the zero byte and the padding to a multiple of 4 that follow it.
const NAME: [u8; 8] = *b"AMDGPU\0\0";
/// The length of the name with one zero byte.
const NAME_SIZE: u32 = 7;
/// The key of the list of kernels.
const KERNELS: &str = "amdhsa.kernels";

/// Bytes of an entry of the program header table, and where the sizes in the file and in memory are (ELF-64).
const SEGMENT: (usize, [usize; 2]) = (56, [32, 40]);
/// Bytes of an entry of the section header table, and where the size is (ELF-64).
const SECTION: (usize, [usize; 1]) = (64, [32]);

/// Merges the metadata notes of a linked code object.
///
/// # Errors
///
/// What is unexpected about the file, in words; it is unchanged then.
pub(super) fn merge(code_object: &mut [u8]) -> Result<(), String> {
    let place = find(code_object)?;
    let end = place.offset.saturating_add(place.bytes);
    let area = code_object
        .get(place.offset..end)
        .ok_or("the notes are outside of the file")?;
    let merged = note(&merged(area)?)?;
    if merged.len() > place.bytes {
        return Err(format!(
            "{} bytes of notes have no room for one of {}",
            place.bytes,
            merged.len()
        ));
    }
    code_object[place.offset..end].fill(0);
    code_object[place.offset..][..merged.len()].copy_from_slice(&merged);
    for field in place.sizes {
        code_object[field..][..8].copy_from_slice(&(merged.len() as u64).to_le_bytes());
    }
    Ok(())
}

/// Where the notes are in the file.
struct Place {
    offset: usize,
    bytes: usize,
    /// Offsets of the 64-bit fields that state their size.
    sizes: Vec<usize>,
}

fn find(file: &[u8]) -> Result<Place, String> {
    let endian = LittleEndian;
    let unreadable = |error: object::read::Error| error.to_string();
    let header = FileHeader64::<LittleEndian>::parse(file).map_err(unreadable)?;
    let segments = header.program_headers(endian, file).map_err(unreadable)?;
    let segment = segments.iter().position(|s| s.p_type(endian) == PT_NOTE);
    let number = segment.ok_or("it has no notes")?;
    let (offset, bytes) = segments[number].file_range(endian);
    let fields = |table: u64, number: usize, entry: usize, fields: &[usize]| {
        let start = table as usize + number * entry;
        fields.iter().map(|field| start + field).collect::<Vec<_>>()
    };
    let mut sizes = fields(header.e_phoff(endian), number, SEGMENT.0, &SEGMENT.1);
    let sections = header.sections(endian, file).map_err(unreadable)?;
    for (number, section) in sections.iter().enumerate() {
        if section.sh_type(endian) == SHT_NOTE && section.sh_offset(endian) == offset {
            sizes.extend(fields(
                header.e_shoff(endian),
                number,
                SECTION.0,
                &SECTION.1,
            ));
        }
    }
    Ok(Place {
        offset: offset as usize,
        bytes: bytes as usize,
        sizes,
    })
}

/// The metadata of all notes in one map: the lists of kernels joined, all else from the first, which the others repeat.
fn merged(mut notes: &[u8]) -> Result<Value, String> {
    let mut all: Option<Value> = None;
    while !notes.is_empty() {
        let (description, rest) = next(notes).ok_or("a note is cut off")?;
        notes = rest;
        let Some(mut description) = description else {
            continue;
        };
        let map = rmpv::decode::read_value(&mut description).map_err(|error| error.to_string())?;
        match &mut all {
            None => all = Some(map),
            Some(all) => {
                let Some(Value::Array(more)) = entry(map) else {
                    return Err(format!("a note has no {KERNELS}"));
                };
                kernels(all)?.extend(more);
            }
        }
    }
    let mut all = all.ok_or("it has no metadata note")?;
    kernels(&mut all)?;
    Ok(all)
}

/// Splits the first note off: its description, if it is metadata, and the notes behind it.
fn next(notes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (header, rest) = notes.split_at_checked(12)?;
    let word =
        |n: usize| u32::from_le_bytes([header[n], header[n + 1], header[n + 2], header[n + 3]]);
    let (name_size, size, kind) = (word(0), word(4) as usize, word(8));
    let (name, rest) = rest.split_at_checked(name_size.next_multiple_of(4) as usize)?;
    let (description, rest) = rest.split_at_checked(size.next_multiple_of(4))?;
    let is_metadata = kind == NOTE_TYPE && name_size == NAME_SIZE && name == NAME;
    Some((is_metadata.then_some(&description[..size]), rest))
}

fn kernels(map: &mut Value) -> Result<&mut Vec<Value>, String> {
    let Value::Map(entries) = map else {
        return Err("the metadata is not a map".to_owned());
    };
    let value = entries
        .iter_mut()
        .find(|(key, _)| key.as_str() == Some(KERNELS));
    match value {
        Some((_, Value::Array(kernels))) => Ok(kernels),
        _ => Err(format!("a note has no {KERNELS}")),
    }
}

fn entry(map: Value) -> Option<Value> {
    let Value::Map(entries) = map else {
        return None;
    };
    let mut entries = entries.into_iter();
    entries
        .find(|(key, _)| key.as_str() == Some(KERNELS))
        .map(|(_, value)| value)
}

/// A metadata note.
fn note(metadata: &Value) -> Result<Vec<u8>, String> {
    let mut description = Vec::new();
    rmpv::encode::write_value(&mut description, metadata).map_err(|error| error.to_string())?;
    let size = u32::try_from(description.len()).map_err(|error| error.to_string())?;
    description.resize(description.len().next_multiple_of(4), 0);
    let mut note = Vec::new();
    for word in [NAME_SIZE, size, NOTE_TYPE] {
        note.extend(word.to_le_bytes());
    }
    note.extend(NAME);
    note.extend(description);
    Ok(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(kernels: &[&str]) -> Value {
        Value::Map(vec![
            (
                KERNELS.into(),
                Value::Array(kernels.iter().map(|&name| name.into()).collect()),
            ),
            ("amdhsa.target".into(), "amdgcn-amd-amdhsa--gfx942".into()),
        ])
    }

    #[test]
    fn kernels_of_all_notes_are_listed() {
        let mut notes = note(&metadata(&["a", "b"])).unwrap();
        // A note of another kind in between is dropped: nothing in a code object reads one.
        notes.extend([4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]);
        notes.extend(*b"GNU\0abc\0");
        notes.extend(note(&metadata(&["c"])).unwrap());
        assert_eq!(merged(&notes).unwrap(), metadata(&["a", "b", "c"]));
    }

    #[test]
    fn what_is_no_metadata_is_an_error() {
        let whole = note(&metadata(&["a"])).unwrap();
        for length in 0..whole.len() {
            assert!(merged(&whole[..length]).is_err(), "cut to {length}");
        }
        assert!(merged(&note(&Value::Nil).unwrap()).is_err());
        assert!(merge(&mut [0; 100]).is_err());
    }
}
