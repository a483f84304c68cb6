//! The msgpack metadata note (AMDGPUUsage, "Code Object V3 Metadata" and its extensions for V4
//! and V5).

use rmpv::ValueRef as Value;

use crate::error::LoadError;

/// The metadata of one kernel.
#[derive(Debug)]
pub(super) struct KernelMetadata {
    pub(super) name: String,
    pub(super) symbol: String,
    pub(super) arguments: Vec<ArgumentLayout>,
    pub(super) kernarg_bytes: u32,
    pub(super) vgprs: u32,
    pub(super) agprs: u32,
    pub(super) sgprs: u32,
    pub(super) wavefront_size: u32,
    pub(super) max_workgroup_size: u32,
    pub(super) required_workgroup_size: Option<[u32; 3]>,
}

/// One argument of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLayout {
    /// Byte offset in the argument block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The kind of the argument.
    pub kind: ArgumentKind,
}

/// The kind of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A value that the block contains.
    Value,
    /// The address of a buffer.
    Buffer,
    /// An argument that the runtime fills in, and that the emulator's [`run`](crate::run) fills
    /// in here. Contains the metadata's name, such as `hidden_block_count_x`.
    Hidden(String),
    /// Any other kind, with the metadata's name.
    Other(String),
}

/// Returns the kernels that a note describes.
pub(super) fn kernels(mut note: &[u8]) -> Result<Vec<KernelMetadata>, LoadError> {
    // The depth limit protects the stack from a damaged note.
    let root = rmpv::decode::read_value_ref_with_max_depth(&mut note, 32)
        .map_err(|error| LoadError::Metadata(format!("not msgpack: {error}")))?;
    let kernels = field(&root, "amdhsa.kernels").and_then(array);
    let kernels = kernels.ok_or_else(|| missing("the note", "amdhsa.kernels"))?;
    kernels.iter().map(kernel).collect()
}

fn kernel(value: &Value<'_>) -> Result<KernelMetadata, LoadError> {
    let name = text(value, ".name").ok_or_else(|| missing("a kernel", ".name"))?;
    let number = |key: &str| field(value, key).and_then(unsigned);
    let needed = |key: &'static str| number(key).ok_or_else(|| missing(&name, key));
    let arguments = field(value, ".args").and_then(array).unwrap_or(&[]);
    let required = field(value, ".reqd_workgroup_size").and_then(array);
    Ok(KernelMetadata {
        symbol: text(value, ".symbol").ok_or_else(|| missing(&name, ".symbol"))?,
        arguments: arguments
            .iter()
            .map(|one| argument(&name, one))
            .collect::<Result<_, _>>()?,
        kernarg_bytes: needed(".kernarg_segment_size")?,
        vgprs: needed(".vgpr_count")?,
        // Only sets with accumulation registers have this key.
        agprs: number(".agpr_count").unwrap_or(0),
        sgprs: needed(".sgpr_count")?,
        wavefront_size: needed(".wavefront_size")?,
        max_workgroup_size: needed(".max_flat_workgroup_size")?,
        required_workgroup_size: required.and_then(|sizes| match sizes {
            [x, y, z] => Some([unsigned(x)?, unsigned(y)?, unsigned(z)?]),
            _ => None,
        }),
        name,
    })
}

fn argument(kernel: &str, value: &Value<'_>) -> Result<ArgumentLayout, LoadError> {
    let number = |key: &'static str| {
        field(value, key)
            .and_then(unsigned)
            .ok_or_else(|| missing(kernel, key))
    };
    let kind = text(value, ".value_kind").ok_or_else(|| missing(kernel, ".value_kind"))?;
    Ok(ArgumentLayout {
        offset: number(".offset")?,
        size: number(".size")?,
        kind: match kind.as_str() {
            "by_value" => ArgumentKind::Value,
            "global_buffer" => ArgumentKind::Buffer,
            hidden if hidden.starts_with("hidden_") => ArgumentKind::Hidden(kind),
            _ => ArgumentKind::Other(kind),
        },
    })
}

fn missing(place: &str, key: &str) -> LoadError {
    LoadError::Metadata(format!("{place} lacks {key}"))
}

fn field<'a, 'b>(value: &'b Value<'a>, key: &str) -> Option<&'b Value<'a>> {
    let Value::Map(pairs) = value else {
        return None;
    };
    pairs
        .iter()
        .find(|(name, _)| matches!(name, Value::String(name) if name.as_str() == Some(key)))
        .map(|(_, value)| value)
}

fn array<'a, 'b>(value: &'b Value<'a>) -> Option<&'b [Value<'a>]> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn unsigned(value: &Value<'_>) -> Option<u32> {
    match value {
        Value::Integer(number) => number
            .as_u64()
            .and_then(|number| u32::try_from(number).ok()),
        _ => None,
    }
}

fn text(value: &Value<'_>, key: &str) -> Option<String> {
    match field(value, key)? {
        Value::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(note: &[u8], message: &str) {
        assert_eq!(kernels(note).unwrap_err().to_string(), message);
    }

    #[test]
    fn a_note_that_is_not_a_description_is_refused() {
        check_refused(&[0x80], "metadata: the note lacks amdhsa.kernels");
        check_refused(
            b"\x81\xaeamdhsa.kernels\x91\x80",
            "metadata: a kernel lacks .name",
        );
        check_refused(
            b"\x81\xaeamdhsa.kernels\x91\x81\xa5.name\xa1k",
            "metadata: k lacks .symbol",
        );
        assert!(
            kernels(&[0x81])
                .unwrap_err()
                .to_string()
                .contains("not msgpack")
        );
        assert!(kernels(&[0x91; 1000]).is_err());
    }
}
