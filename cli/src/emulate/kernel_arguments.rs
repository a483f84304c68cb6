//! `--arg`: the arguments of a kernel, in its order.
//!
//! A *value* is written into the argument block as it is; a *buffer* is allocated, filled, and
//! its address is written.

use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use emulator::{Address, ArgumentKind, EmulatedMemory, LoadedKernel};
use rand::{Rng as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// One `--arg`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KernelArgument {
    Buffer {
        bytes: u64,
        content: Content,
    },
    /// The bytes of a number, little-endian, and its text.
    Value {
        bytes: Vec<u8>,
        text: String,
    },
}

/// The contents of a buffer before the launch.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    /// Undefined bytes, which the checker reports if a kernel reads them.
    Undefined,
    Zero,
    /// Bytes from a generator with a fixed seed.
    Random,
    /// 32-bit integers from 0 upwards.
    Iota,
    /// The bytes of a file, zeros after its end.
    File(PathBuf),
}

impl FromStr for KernelArgument {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<KernelArgument> {
        let (kind, rest) = text.split_once(':').with_context(|| {
            format!("{text:?} is not of the form KIND:VALUE, such as buf:4096:zero or i32:-1")
        })?;
        let number = |bytes: Option<Vec<u8>>| match bytes {
            Some(bytes) => Ok(KernelArgument::Value {
                bytes,
                text: text.to_owned(),
            }),
            None => bail!("{rest:?} is not a number of type {kind}"),
        };
        match kind {
            "buf" => buffer(rest),
            "i32" => number(
                integer(rest)
                    .and_then(|value| i32::try_from(value).ok())
                    .map(|value| value.to_le_bytes().into()),
            ),
            "u32" => number(
                integer(rest)
                    .and_then(|value| u32::try_from(value).ok())
                    .map(|value| value.to_le_bytes().into()),
            ),
            "i64" => number(
                integer(rest)
                    .and_then(|value| i64::try_from(value).ok())
                    .map(|value| value.to_le_bytes().into()),
            ),
            "u64" => number(
                integer(rest)
                    .and_then(|value| u64::try_from(value).ok())
                    .map(|value| value.to_le_bytes().into()),
            ),
            "f32" => number(
                rest.parse::<f32>()
                    .ok()
                    .map(|value| value.to_le_bytes().into()),
            ),
            "f64" => number(
                rest.parse::<f64>()
                    .ok()
                    .map(|value| value.to_le_bytes().into()),
            ),
            "hex" => number(hexadecimal(rest)),
            _ => bail!(
                "{kind:?} is not a kind of argument; use buf, i32, u32, i64, u64, f32, f64 or hex (bytes of a structure)"
            ),
        }
    }
}

fn buffer(text: &str) -> anyhow::Result<KernelArgument> {
    let (size, content) = match text.split_once(':') {
        Some((size, content)) => (size, Some(content)),
        None => (text, None),
    };
    let bytes = size_in_bytes(size).with_context(|| {
        format!("{size:?} is not a size in bytes, such as 4096, 64K, 16M or 1G")
    })?;
    let content = match content {
        None => Content::Undefined,
        Some("zero") => Content::Zero,
        Some("random") => Content::Random,
        Some("iota") => Content::Iota,
        Some("") => {
            bail!(
                "buf:{size}: nothing follows the colon; write zero, random, iota or the path of a file"
            )
        }
        Some(path) => Content::File(path.into()),
    };
    Ok(KernelArgument::Buffer { bytes, content })
}

/// Parses a decimal or hexadecimal integer.
// i128 holds the range of both i64 and u64.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * i128::from(value))
}

fn size_in_bytes(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    u64::try_from(integer(digits)?).ok()?.checked_mul(unit)
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let pairs = pairs.map(|pair| {
        u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16)
            .ok()
            .filter(|_| pair.len() == 2)
    });
    pairs
        .collect::<Option<Vec<u8>>>()
        .filter(|bytes| !bytes.is_empty())
}

/// Arguments in the memory of a device.
pub(super) struct PlacedArguments {
    /// The argument block, without the hidden arguments.
    pub(super) block: Vec<u8>,
    /// The buffer of each argument; `None` for a value.
    pub(super) buffers: Vec<Option<Address>>,
}

/// Allocates and fills the buffers, and lays out the argument block by the kernel's metadata.
pub(super) fn place(
    arguments: &[KernelArgument],
    kernel: &LoadedKernel,
    memory: &mut EmulatedMemory,
) -> anyhow::Result<PlacedArguments> {
    let places = places(arguments, kernel)?;
    let mut placed = PlacedArguments {
        block: Vec::new(),
        buffers: Vec::new(),
    };
    for (index, (argument, (offset, size))) in arguments.iter().zip(places).enumerate() {
        let (bytes, buffer) = match argument {
            KernelArgument::Value { bytes, .. } => (bytes.clone(), None),
            KernelArgument::Buffer { bytes, content } => {
                let address =
                    filled(*bytes, content, memory).with_context(|| format!("argument {index}"))?;
                (address.get().to_le_bytes().to_vec(), Some(address))
            }
        };
        let end = offset + size;
        if placed.block.len() < end {
            // Padding between arguments is zero.
            placed.block.resize(end, 0);
        }
        let length = bytes.len().min(size);
        placed.block[offset..offset + length].copy_from_slice(&bytes[..length]);
        placed.buffers.push(buffer);
    }
    Ok(placed)
}

/// Returns offset and size in bytes of each argument in the block.
///
/// # Errors
///
/// Another number of arguments than the kernel's, or an argument of another size.
fn places(
    arguments: &[KernelArgument],
    kernel: &LoadedKernel,
) -> anyhow::Result<Vec<(usize, usize)>> {
    let own: Vec<&emulator::ArgumentLayout> = kernel
        .arguments
        .iter()
        // The emulator fills the hidden arguments itself.
        .filter(|argument| !matches!(argument.kind, ArgumentKind::Hidden(_)))
        .collect();
    if own.is_empty() && !arguments.is_empty() && kernel.kernarg_bytes > 0 {
        // Metadata of hand-written kernels may lack arguments: each is then aligned to its size,
        // at most 8 bytes.
        let mut end: usize = 0;
        return Ok(arguments
            .iter()
            .map(|argument| {
                let size = bytes_of(argument);
                let offset = end.next_multiple_of(size.next_power_of_two().min(8));
                end = offset + size;
                (offset, size)
            })
            .collect());
    }
    ensure!(
        own.len() == arguments.len(),
        "kernel {} has {} arguments, but --arg occurs {} times; the arguments are {}",
        kernel.name,
        own.len(),
        arguments.len(),
        own.iter()
            .map(|one| described(one))
            .collect::<Vec<_>>()
            .join(", "),
    );
    for (index, (argument, own)) in arguments.iter().zip(&own).enumerate() {
        let fits = match (argument, &own.kind) {
            // A pointer in a structure may be declared as a value of 8 bytes.
            (KernelArgument::Buffer { .. }, kind) => *kind == ArgumentKind::Buffer || own.size == 8,
            (KernelArgument::Value { bytes, .. }, ArgumentKind::Buffer) => bytes.len() == 8,
            (KernelArgument::Value { bytes, .. }, _) => fits(bytes, own.size as usize),
        };
        let given = match argument {
            KernelArgument::Buffer { bytes, .. } => format!("a buffer of {bytes} bytes"),
            KernelArgument::Value { bytes, text } => format!("{text} ({} bytes)", bytes.len()),
        };
        ensure!(
            fits,
            "argument {index} of kernel {} is {}, not {given}",
            kernel.name,
            described(own)
        );
    }
    Ok(own
        .iter()
        .map(|own| (own.offset as usize, own.size as usize))
        .collect())
}

/// Returns whether a number of `bytes` fits an argument of `size` bytes. A smaller argument takes
/// the low bytes of an integer with only sign or zero in its high bytes.
fn fits(bytes: &[u8], size: usize) -> bool {
    let rest = bytes.get(size..).unwrap_or(&[]);
    bytes.len() == size
        || (size < 4
            && bytes.len() == 4
            && (rest.iter().all(|&byte| byte == 0) || rest.iter().all(|&byte| byte == 255)))
}

fn bytes_of(argument: &KernelArgument) -> usize {
    match argument {
        KernelArgument::Buffer { .. } => 8,
        KernelArgument::Value { bytes, .. } => bytes.len(),
    }
}

fn described(argument: &emulator::ArgumentLayout) -> String {
    match &argument.kind {
        ArgumentKind::Buffer => "buf:SIZE".to_owned(),
        ArgumentKind::Value => match argument.size {
            4 => "a value of 4 bytes (i32, u32 or f32)".to_owned(),
            8 => "a value of 8 bytes (i64, u64 or f64)".to_owned(),
            size => format!("a value of {size} bytes (hex)"),
        },
        ArgumentKind::Hidden(kind) | ArgumentKind::Other(kind) => {
            format!("{kind} of {} bytes", argument.size)
        }
    }
}

fn filled(bytes: u64, content: &Content, memory: &mut EmulatedMemory) -> anyhow::Result<Address> {
    let address = match content {
        // The checker tracks undefined bytes; zeros would hide a read of them.
        Content::Undefined => memory.allocate_undefined(bytes)?,
        _ => memory.allocate(bytes)?,
    };
    let target = memory.bytes_mut(address);
    match content {
        Content::Undefined | Content::Zero => {}
        Content::Random => Pcg64Mcg::seed_from_u64(0).fill_bytes(target),
        Content::Iota => {
            for (value, word) in (0u32..).zip(target.chunks_mut(4)) {
                // The buffer's end may cut the last word.
                word.copy_from_slice(&value.to_le_bytes()[..word.len()]);
            }
        }
        Content::File(path) => {
            let file =
                std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            ensure!(
                file.len() <= target.len(),
                "{} has {} bytes, but the buffer has {bytes}",
                path.display(),
                file.len()
            );
            target[..file.len()].copy_from_slice(&file);
        }
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&[u8], &str>) {
        match (text.parse::<KernelArgument>(), expected) {
            (Ok(KernelArgument::Value { bytes, .. }), Ok(expected)) => assert_eq!(bytes, expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn values_become_bytes() {
        check("i32:-2", Ok(&[254, 255, 255, 255]));
        check("u32:0xffffffff", Ok(&[255; 4]));
        check("i64:-1", Ok(&[255; 8]));
        check("u64:0x8000000000000000", Ok(&[0, 0, 0, 0, 0, 0, 0, 128]));
        check("f32:1.5", Ok(&[0, 0, 192, 63]));
        check("f32:-inf", Ok(&[0, 0, 128, 255]));
        check("f64:2", Ok(&[0, 0, 0, 0, 0, 0, 0, 64]));
        check("hex:00ff", Ok(&[0, 255]));
        check("i32:2147483648", Err("not a number of type i32"));
        check("u32:-1", Err("not a number of type u32"));
        check("i32:--1", Err("not a number of type i32"));
        check("f32:one", Err("not a number of type f32"));
        check("hex:0", Err("not a number of type hex"));
        check("i16:1", Err("not a kind of argument"));
        check("7", Err("not of the form KIND:VALUE"));
        check("buf:", Err("not a size"));
        check("buf:12Q", Err("not a size"));
        check("buf:-1", Err("not a size"));
        check("buf:99999999999G", Err("not a size"));
        check("buf:4:", Err("nothing follows the colon"));
    }

    #[test]
    fn buffers_have_a_size_and_a_content() {
        let buffer = |text: &str| match text.parse::<KernelArgument>().unwrap() {
            KernelArgument::Buffer { bytes, content } => (bytes, content),
            other => panic!("{other:?}"),
        };
        assert_eq!(buffer("buf:64K"), (65_536, Content::Undefined));
        assert_eq!(buffer("buf:0x10:zero"), (16, Content::Zero));
        assert_eq!(buffer("buf:3M:iota"), (3 << 20, Content::Iota));
        assert_eq!(buffer("buf:1:random"), (1, Content::Random));
        assert_eq!(buffer("buf:8:/a:b"), (8, Content::File("/a:b".into())));
    }
}
