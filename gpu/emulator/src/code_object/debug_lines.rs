//! The source lines of instructions (DWARF).

use std::collections::HashMap;
use std::fmt;

use addr2line::Context;
use addr2line::gimli::{Dwarf, EndianSlice, LittleEndian};

/// A line of a kernel's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file name that the compiler recorded.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on; 0 if the compiler recorded none.
    pub column: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}

/// The sections of a file's debug information, by name.
#[derive(Default)]
pub(super) struct DebugSections(HashMap<String, Vec<u8>>);

impl DebugSections {
    pub(super) fn add(&mut self, name: &str, data: &[u8]) {
        self.0.insert(name.to_owned(), data.to_vec());
    }

    /// Returns the parsed debug information; None if it is absent or unreadable.
    pub(super) fn lines(&self) -> Option<DebugLines<'_>> {
        if self.0.is_empty() {
            return None;
        }
        let section = |name: &str| self.0.get(name).map_or(&[][..], Vec::as_slice);
        let dwarf = Dwarf::load(|id| {
            Ok::<_, addr2line::gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian))
        });
        Context::from_dwarf(dwarf.ok()?).ok().map(DebugLines)
    }
}

/// Parsed debug information.
pub(crate) struct DebugLines<'a>(Context<EndianSlice<'a, LittleEndian>>);

impl DebugLines<'_> {
    /// Returns the source line of the instruction at `address`, then the lines of the calls that
    /// were inlined there, innermost first.
    pub(crate) fn find(&self, address: u64) -> Vec<SourceLine> {
        let mut lines = Vec::new();
        let Ok(mut frames) = self.0.find_frames(address).skip_all_loads() else {
            return lines;
        };
        while let Ok(Some(frame)) = frames.next() {
            let line = frame.location.and_then(|location| {
                Some(SourceLine {
                    file: location.file?.to_owned(),
                    line: location.line?,
                    column: location.column.unwrap_or(0),
                })
            });
            lines.extend(line);
        }
        lines
    }
}
