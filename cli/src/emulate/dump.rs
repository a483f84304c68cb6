//! `--dump` and `--dump-file`: buffers after the launch.

use std::path::PathBuf;
use std::str::FromStr;

use answers::emulate::{Dump as Dumped, Element};
use anyhow::{Context, bail};

/// A dump to standard output, `N:TYPE[:COUNT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dump {
    /// Number of the argument, from 0.
    pub(super) argument: usize,
    kind: DumpElementType,
    /// Number of elements; `None` means all of them.
    count: Option<usize>,
}

/// A dump to a file, `N:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DumpFile {
    /// Number of the argument, from 0.
    pub(super) argument: usize,
    pub(super) path: PathBuf,
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DumpElementType {
    Integer { bytes: usize, signed: bool },
    F16,
    Bf16,
    F32,
    F64,
}

const KINDS: [(&str, DumpElementType); 12] = [
    (
        "i8",
        DumpElementType::Integer {
            bytes: 1,
            signed: true,
        },
    ),
    (
        "u8",
        DumpElementType::Integer {
            bytes: 1,
            signed: false,
        },
    ),
    (
        "i16",
        DumpElementType::Integer {
            bytes: 2,
            signed: true,
        },
    ),
    (
        "u16",
        DumpElementType::Integer {
            bytes: 2,
            signed: false,
        },
    ),
    (
        "i32",
        DumpElementType::Integer {
            bytes: 4,
            signed: true,
        },
    ),
    (
        "u32",
        DumpElementType::Integer {
            bytes: 4,
            signed: false,
        },
    ),
    (
        "i64",
        DumpElementType::Integer {
            bytes: 8,
            signed: true,
        },
    ),
    (
        "u64",
        DumpElementType::Integer {
            bytes: 8,
            signed: false,
        },
    ),
    ("f16", DumpElementType::F16),
    ("bf16", DumpElementType::Bf16),
    ("f32", DumpElementType::F32),
    ("f64", DumpElementType::F64),
];

fn kind_name(kind: DumpElementType) -> &'static str {
    KINDS
        .iter()
        .find(|(_, one)| *one == kind)
        .map_or("", |(name, _)| name)
}

fn argument(text: &str, form: &str) -> anyhow::Result<(usize, String)> {
    let (number, rest) = text
        .split_once(':')
        .with_context(|| format!("{text:?} is not {form}"))?;
    let number = number.parse().with_context(|| {
        format!("{number:?} is not the index of an argument; indices start at 0")
    })?;
    Ok((number, rest.to_owned()))
}

impl FromStr for Dump {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Dump> {
        let (argument, rest) = argument(text, "N:TYPE[:COUNT], such as 1:f32:16")?;
        let (name, count) = match rest.split_once(':') {
            Some((name, count)) => {
                let count = count
                    .parse()
                    .with_context(|| format!("{count:?} is not a number of elements"))?;
                (name, Some(count))
            }
            None => (rest.as_str(), None),
        };
        let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            bail!("{name:?} is not an element type; use {}", names.join(", "));
        };
        Ok(Dump {
            argument,
            kind: *kind,
            count,
        })
    }
}

impl FromStr for DumpFile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<DumpFile> {
        let (argument, path) = argument(text, "N:PATH, such as 1:out.bin")?;
        if path.is_empty() {
            bail!("{text:?} names no file");
        }
        Ok(DumpFile {
            argument,
            path: path.into(),
        })
    }
}

/// Formats an element for people.
pub(super) fn text(element: &Element) -> String {
    match element {
        Element::Signed(value) => value.to_string(),
        Element::Unsigned(value) => value.to_string(),
        Element::Single(value) => format!("{value:?}"),
        Element::Double(value) => format!("{value:?}"),
        Element::Text(text) => text.clone(),
    }
}

impl Dump {
    /// Decodes the elements at the beginning of `bytes`. Omits an incomplete element at the end.
    pub(super) fn of(&self, bytes: &[u8]) -> Dumped {
        let size = match self.kind {
            DumpElementType::Integer { bytes, .. } => bytes,
            DumpElementType::F16 | DumpElementType::Bf16 => 2,
            DumpElementType::F32 => 4,
            DumpElementType::F64 => 8,
        };
        let elements = bytes
            .chunks_exact(size)
            .take(self.count.unwrap_or(usize::MAX));
        Dumped {
            argument: self.argument,
            kind: kind_name(self.kind),
            values: elements.map(|element| value(self.kind, element)).collect(),
        }
    }
}

fn value(kind: DumpElementType, element: &[u8]) -> Element {
    let mut wide = [0; 8];
    wide[..element.len()].copy_from_slice(element);
    let bits = u64::from_le_bytes(wide);
    // JSON has no NaN and no infinities.
    let single = |value: f32| {
        if value.is_finite() {
            Element::Single(value)
        } else {
            Element::Text(value.to_string())
        }
    };
    match kind {
        DumpElementType::Integer {
            bytes,
            signed: true,
        } => {
            // Sign extension: to the top of the 64 bits and back.
            let unused = 64 - 8 * bytes as u32;
            Element::Signed((bits << unused) as i64 >> unused)
        }
        DumpElementType::Integer { signed: false, .. } => Element::Unsigned(bits),
        DumpElementType::F16 => single(half::f16::from_bits(bits as u16).to_f32()),
        DumpElementType::Bf16 => single(half::bf16::from_bits(bits as u16).to_f32()),
        DumpElementType::F32 => single(f32::from_bits(bits as u32)),
        DumpElementType::F64 => match f64::from_bits(bits) {
            value if value.is_finite() => Element::Double(value),
            value => Element::Text(value.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, bytes: &[u8], expected: &str) {
        let dumped = text.parse::<Dump>().map(|dump| dump.of(bytes));
        let found = match dumped {
            Ok(dumped) => serde_json::to_string(&dumped.values).unwrap(),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{found}");
    }

    #[test]
    fn elements_become_numbers() {
        check("0:i8", &[1, 255], "[1,-1]");
        check("0:u8:1", &[200, 1], "[200]");
        check("0:i16", &[0, 128, 7], "[-32768]");
        check("0:u32", &[255, 255, 255, 255], "[4294967295]");
        check("0:i64", &[254, 255, 255, 255, 255, 255, 255, 255], "[-2]");
        check("0:f16", &[0, 60], "[1.0]");
        check("0:bf16", &[128, 63, 128, 127], r#"[1.0,"inf"]"#);
        check(
            "0:f32",
            &[0, 0, 192, 127, 205, 204, 204, 61],
            r#"["NaN",0.1]"#,
        );
        check("0:f64", &[0, 0, 0, 0, 0, 0, 0, 64], "[2.0]");
        check("0:f32:9", &[], "[]");
    }

    #[test]
    fn invalid_dumps_are_refused() {
        check("f32", &[], "is not N:TYPE[:COUNT]");
        check("x:f32", &[], "not the index of an argument");
        check("0:float", &[], "not an element type; use i8");
        check("0:f32:-1", &[], "not a number of elements");
    }
}
