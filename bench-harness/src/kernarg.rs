//! The argument block of a launch.

use codegen::Argument;

use crate::device::Launch;

/// Buffers by their addresses, each argument aligned to its size.
pub(crate) fn kernarg(launch: &Launch<'_>) -> Vec<u8> {
    let mut block: Vec<u8> = Vec::new();
    for argument in &launch.kernel.arguments {
        let bits = match *argument {
            Argument::Buffer(number) => launch.buffers[number].0,
            Argument::IndexBase(_) => launch.index_base as u64,
            Argument::Count(number) | Argument::Word(number) => number.into(),
        };
        let size = argument.bytes();
        block.resize(block.len().next_multiple_of(size), 0);
        block.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    use crate::device::Buffer;
    use codegen::{CompiledKernel, Compiler, Slot};
    use configgen::IndexType;

    #[track_caller]
    fn check(arguments: &[Argument], expected: &[u8]) {
        let slot = Slot {
            buffer: 0,
            offset: 0,
        };
        let kernel = CompiledKernel {
            code_object: Arc::new([]),
            symbol: String::new(),
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            arguments: arguments.to_vec(),
            buffers: vec![8; 2],
            input: slot,
            operands: Vec::new(),
            workspace: None,
            sharers: 1,
            results: vec![slot; 2],
            tiling: None,
            merge: None,
            compiler: Compiler {
                name: "none".into(),
                version: String::new(),
                linker: String::new(),
            },
        };
        let block = kernarg(&Launch {
            kernel: &kernel,
            buffers: &[Buffer(0x0102), Buffer(0x0304)],
            index_base: -2,
            instruction_limit: 0,
            time_limit: Duration::ZERO,
            only: None,
            then: None,
        });
        assert_eq!(block, expected, "{arguments:?}");
    }

    #[test]
    fn arguments_are_aligned_to_their_sizes() {
        const BASE: u8 = 0xfe;
        let (buffer, base) = (Argument::Buffer, Argument::IndexBase);
        check(
            &[buffer(1), buffer(0)],
            &[4, 3, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0],
        );
        check(
            &[buffer(0), base(IndexType::I32)],
            &[2, 1, 0, 0, 0, 0, 0, 0, BASE, 255, 255, 255],
        );
        check(
            &[base(IndexType::I32), buffer(0)],
            &[BASE, 255, 255, 255, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0],
        );
        check(
            &[base(IndexType::I64)],
            &[BASE, 255, 255, 255, 255, 255, 255, 255],
        );
        check(&[Argument::Count(0x0506)], &[6, 5, 0, 0]);
        check(&[Argument::Word(0x0708)], &[8, 7, 0, 0]);
    }
}
