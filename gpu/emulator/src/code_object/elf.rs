//! The ELF container: segments, symbols, notes and relocations.

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, Sym};
use object::{LittleEndian, elf::FileHeader64};

use super::debug_lines::DebugSections;
use crate::error::LoadError;
use crate::image::Image;
use crate::isa::Isa;

type ElfHeader = FileHeader64<LittleEndian>;
const ENDIAN: LittleEndian = LittleEndian;
/// The largest accepted image in bytes; real ones have kilobytes to a few megabytes.
const IMAGE_LIMIT: u64 = 1 << 28;
/// The type of the metadata note (`NT_AMDGPU_METADATA`).
const NOTE_METADATA: u32 = 32;
/// The relocations that ld.lld leaves in a code object: symbol value + addend, and load address +
/// addend.
const R_AMDGPU_ABS64: u32 = 3;
const R_AMDGPU_RELATIVE64: u32 = 13;

/// A function or object symbol.
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) is_function: bool,
}

/// A parsed ELF file.
pub(crate) struct CodeObjectElf<'a> {
    data: &'a [u8],
    header: &'a ElfHeader,
    pub(crate) isa: Isa,
    pub(crate) symbols: Vec<Symbol>,
}

fn bad(error: impl std::fmt::Display) -> LoadError {
    LoadError::Elf(error.to_string())
}

impl<'a> CodeObjectElf<'a> {
    pub(crate) fn parse(data: &'a [u8]) -> Result<CodeObjectElf<'a>, LoadError> {
        let header = ElfHeader::parse(data).map_err(bad)?;
        if !header.is_little_endian() {
            return Err(bad("big-endian"));
        }
        let machine = header.e_machine(ENDIAN);
        if machine != elf::EM_AMDGPU {
            return Err(LoadError::Machine { machine: machine.0 });
        }
        let flags = header.e_flags(ENDIAN).0;
        let isa = Isa::from_elf_flags(flags).ok_or(LoadError::Isa {
            flags: flags & 0xff,
        })?;
        let symbols = symbols(data, header)?;
        Ok(CodeObjectElf {
            data,
            header,
            isa,
            symbols,
        })
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name)
    }

    /// Returns the start address of every function, except for misaligned ones.
    pub(crate) fn functions(&self) -> Vec<u64> {
        let functions = self.symbols.iter().filter(|symbol| symbol.is_function);
        functions
            .map(|symbol| symbol.address)
            .filter(|address| address % 4 == 0)
            .collect()
    }

    /// Returns start and end addresses of the executable segments, ascending and without overlap.
    pub(crate) fn code(&self) -> Result<Vec<(u64, u64)>, LoadError> {
        let segments = self
            .header
            .program_headers(ENDIAN, self.data)
            .map_err(bad)?;
        let executable = segments.iter().filter(|segment| {
            segment.p_type(ENDIAN) == elf::PT_LOAD
                && (segment.p_flags(ENDIAN) & elf::PF_X) == elf::PF_X
        });
        let mut ranges: Vec<(u64, u64)> = executable
            .map(|segment| {
                // Instructions are multiples of 4 bytes.
                let start = segment.p_vaddr(ENDIAN) & !3;
                (start, start.saturating_add(segment.p_filesz(ENDIAN)))
            })
            .collect();
        ranges.sort_unstable();
        if ranges.windows(2).any(|pair| pair[0].1 > pair[1].0) {
            return Err(bad("executable segments overlap"));
        }
        Ok(ranges)
    }

    /// Returns the image: the loadable segments at their addresses.
    pub(crate) fn image(&self) -> Result<Image, LoadError> {
        let mut bytes = Vec::new();
        for segment in self
            .header
            .program_headers(ENDIAN, self.data)
            .map_err(bad)?
        {
            if segment.p_type(ENDIAN) != elf::PT_LOAD {
                continue;
            }
            let (start, size) = (segment.p_vaddr(ENDIAN), segment.p_memsz(ENDIAN));
            let end = start.saturating_add(size);
            // The check precedes the allocation, because a damaged file may name any size.
            if end > IMAGE_LIMIT {
                return Err(LoadError::TooLarge {
                    bytes: end,
                    limit: IMAGE_LIMIT,
                });
            }
            let data = segment
                .data(ENDIAN, self.data)
                .map_err(|()| bad("segment outside of the file"))?;
            if bytes.len() < end as usize {
                bytes.resize(end as usize, 0);
            }
            let filled = data.len().min(size as usize);
            bytes[start as usize..start as usize + filled].copy_from_slice(&data[..filled]);
        }
        let relocations = self.relocate(&mut bytes)?;
        Ok(Image::new(bytes, relocations))
    }

    /// Applies the part of the relocations that does not depend on the load address; returns the
    /// offsets of the rest.
    fn relocate(&self, image: &mut [u8]) -> Result<Vec<u64>, LoadError> {
        let mut offsets = Vec::new();
        let sections = self.header.sections(ENDIAN, self.data).map_err(bad)?;
        for section in sections.iter() {
            // Only RELA sections count: AMDGPU relocations always have an addend.
            let Some((entries, link)) = section.rela(ENDIAN, self.data).map_err(bad)? else {
                continue;
            };
            let table = sections
                .symbol_table_by_index(ENDIAN, self.data, link)
                .map_err(bad)?;
            for entry in entries {
                let offset = entry.r_offset(ENDIAN);
                let addend = entry.r_addend(ENDIAN) as u64;
                let value = match entry.r_type(ENDIAN, false).0 {
                    // The loader adds the load address to the addend.
                    R_AMDGPU_RELATIVE64 => addend,
                    R_AMDGPU_ABS64 => {
                        let index = object::SymbolIndex(entry.r_sym(ENDIAN, false) as usize);
                        let symbol = table.symbol(index).map_err(bad)?;
                        symbol.st_value(ENDIAN).wrapping_add(addend)
                    }
                    other => return Err(bad(format!("relocation type {other}"))),
                };
                let word = usize::try_from(offset)
                    .ok()
                    .and_then(|start| image.get_mut(start..start.checked_add(8)?))
                    .ok_or_else(|| {
                        bad(format!("relocation at {offset:#x} outside of the image"))
                    })?;
                word.copy_from_slice(&value.to_le_bytes());
                offsets.push(offset);
            }
        }
        Ok(offsets)
    }

    /// Returns the readable sections of debug information, without compressed ones.
    pub(super) fn debug_sections(&self) -> DebugSections {
        let mut found = DebugSections::default();
        let Ok(sections) = self.header.sections(ENDIAN, self.data) else {
            return found;
        };
        for section in sections.iter() {
            let compressed =
                (section.sh_flags(ENDIAN) & elf::SHF_COMPRESSED) == elf::SHF_COMPRESSED;
            let name = sections.section_name(ENDIAN, section);
            if let (Ok(name), Ok(data), false) = (name, section.data(ENDIAN, self.data), compressed)
                && name.starts_with(b".debug_")
            {
                found.add(&String::from_utf8_lossy(name), data);
            }
        }
        found
    }

    /// Returns the content of the metadata note.
    pub(crate) fn metadata(&self) -> Result<&'a [u8], LoadError> {
        for segment in self
            .header
            .program_headers(ENDIAN, self.data)
            .map_err(bad)?
        {
            let Some(mut notes) = segment.notes(ENDIAN, self.data).map_err(bad)? else {
                continue;
            };
            while let Some(note) = notes.next().map_err(bad)? {
                if note.n_type(ENDIAN).0 == NOTE_METADATA && note.name() == b"AMDGPU" {
                    return Ok(note.desc());
                }
            }
        }
        Err(LoadError::NoMetadata)
    }
}

fn symbols(data: &[u8], header: &ElfHeader) -> Result<Vec<Symbol>, LoadError> {
    let sections = header.sections(ENDIAN, data).map_err(bad)?;
    let mut found = Vec::new();
    // A stripped file has only dynamic symbols; static functions are in the other table.
    for kind in [elf::SHT_DYNSYM, elf::SHT_SYMTAB] {
        let table = sections.symbols(ENDIAN, data, kind).map_err(bad)?;
        for symbol in table.iter() {
            let name = table.symbol_name(ENDIAN, symbol).map_err(bad)?;
            let kind = symbol.st_type();
            if name.is_empty() || (kind != elf::STT_FUNC && kind != elf::STT_OBJECT) {
                continue;
            }
            found.push(Symbol {
                name: String::from_utf8_lossy(name).into_owned(),
                address: symbol.st_value(ENDIAN),
                bytes: symbol.st_size(ENDIAN),
                is_function: kind == elf::STT_FUNC,
            });
        }
    }
    Ok(found)
}
