//! The argument block of a launch.

use codegen::Kernarg;

use crate::device::DeviceLaunch;

/// Builds the argument block: buffers by their addresses, each argument aligned to its size.
pub(crate) fn kernarg(launch: &DeviceLaunch<'_>) -> Vec<u8> {
    let mut block: Vec<u8> = Vec::new();
    for argument in &launch.kernel.arguments {
        let bits = match *argument {
            Kernarg::Buffer(number) => launch.buffers[number].0,
            Kernarg::IndexBase(_) => launch.index_base as u64,
            Kernarg::Count(number) | Kernarg::Word(number) => number.into(),
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
    fn check(arguments: &[Kernarg], expected: &[u8]) {
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
        let block = kernarg(&DeviceLaunch {
            kernel: &kernel,
            buffers: &[Buffer(0x0102), Buffer(0x0304)],
            index_base: -2,
            instruction_limit: 0,
            time_limit: Duration::ZERO,
            only: None,
            is_checked: true,
            then: None,
        });
        assert_eq!(block, expected, "{arguments:?}");
    }

    #[test]
    fn arguments_are_aligned_to_their_sizes() {
        const BASE: u8 = 0xfe;
        let (buffer, base) = (Kernarg::Buffer, Kernarg::IndexBase);
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
        check(&[Kernarg::Count(0x0506)], &[6, 5, 0, 0]);
        check(&[Kernarg::Word(0x0708)], &[8, 7, 0, 0]);
    }
}
