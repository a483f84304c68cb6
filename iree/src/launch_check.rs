//! Checks of launches from other machines.
//!
//! The launch of an IREE kernel is known only after compilation. For a kernel from another
//! machine, this module checks that its launch stays within bounds. It accepts no buffer, slot or
//! workgroup that a kernel of the problem could not have.

use configgen::{IndexType, Problem, Target};

use codegen::{CompiledKernel, Kernarg, Slot};

/// The largest number of bytes that IREE adds between and after tensors.
const GAPS: u64 = 4096;

/// The largest number of buffers: each tensor has one or shares it.
const BUFFERS: usize = 8;

/// The largest number of words beside buffers: the offset of the indices, and the count of each
/// input.
const WORDS: usize = 6;

/// The largest length of a symbol, in characters.
const SYMBOL: usize = 256;

/// Returns true if the launch of `kernel` stays within the bounds of the problem. `pieces` is the
/// number of pieces of a row.
pub(super) fn is_plausible(
    problem: &Problem,
    target: &Target,
    pieces: u32,
    kernel: &CompiledKernel,
) -> bool {
    let results = problem.results();
    let is_based = problem.reduction.scalar().is_some();
    let fits = |slot: &Slot, bytes: u64| {
        let end = slot.offset.checked_add(bytes);
        let size = kernel.buffers.get(slot.buffer);
        end.zip(size).is_some_and(|(end, size)| end <= *size)
    };
    let are_there = kernel.results.len() == results.len()
        && fits(&kernel.input, problem.input_bytes())
        && (kernel.results.iter().zip(&results))
            .all(|(slot, tensor)| fits(slot, tensor.bytes(&problem.shape)));
    let sum = |all: &[u64]| {
        all.iter()
            .try_fold(0, |sum: u64, one| sum.checked_add(*one))
    };
    let product = |all: [u32; 3]| {
        let all = all.map(u64::from).into_iter();
        all.reduce(u64::saturating_mul).filter(|count| *count > 0)
    };
    let is_buffer = |argument: &Kernarg| match argument {
        Kernarg::Buffer(buffer) => *buffer < kernel.buffers.len(),
        Kernarg::IndexBase(index) => is_based && *index == IndexType::I64,
        Kernarg::Count(count) => {
            let counts = problem.shape.counts();
            counts.is_some_and(|counts| count == counts.end())
        }
        // The word is the offset of the indices, which a kernel of known sizes has in its code.
        Kernarg::Word(_) => problem.shape.counts().is_some(),
    };
    let operands = problem.operand_bytes();
    let inputs = problem.operands();
    let operands_fit = kernel.operands.len() == inputs.len()
        && (kernel.operands.iter().zip(&inputs))
            .all(|(slot, input)| fits(slot, input.bytes(&problem.shape)));
    // Each piece of a row has results of its own.
    let of_pieces = match pieces {
        1 => 0,
        several => problem.output_bytes().saturating_mul(several.into()),
    };
    let of_problem = problem.input_bytes() + operands + problem.output_bytes() + GAPS;
    let most = of_problem.saturating_add(of_pieces);
    // All sums and products are checked or saturate, because the numbers come from another
    // machine.
    let threads = u64::from(target.max_workgroup_threads);
    let is_name = |symbol: &str| {
        (1..=SYMBOL).contains(&symbol.len()) && symbol.chars().all(|c| c.is_ascii_graphic())
    };
    let is_launch = |symbol: &str, workgroups, workgroup_size, arguments: &[Kernarg]| {
        is_name(symbol)
            && arguments.len() <= BUFFERS + WORDS
            && arguments.iter().all(is_buffer)
            && product(workgroup_size).is_some_and(|count| count <= threads)
            && product(workgroups).is_some_and(|count| count <= problem.shape.elements())
    };
    let merge_fits = match &kernel.merge {
        None => pieces == 1,
        Some(merge) => {
            let arguments = &merge.arguments;
            merge.pieces == pieces
                && u64::from(kernel.workgroups[0]).is_multiple_of(pieces.into())
                && is_launch(
                    &merge.symbol,
                    merge.workgroups,
                    merge.workgroup_size,
                    arguments,
                )
                // Each workgroup of the merge stores one row.
                && product(merge.workgroups) == Some(problem.shape.rows())
        }
    };
    are_there
        && kernel.buffers.len() <= BUFFERS
        && sum(&kernel.buffers).is_some_and(|bytes| bytes <= most)
        && is_launch(
            &kernel.symbol,
            kernel.workgroups,
            kernel.workgroup_size,
            &kernel.arguments,
        )
        && merge_fits
        && operands_fit
        && kernel.workspace.is_none()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use codegen::{Compiler, Workspace};

    /// A kernel as IREE lays it out: the input apart, the results together.
    fn kernel() -> CompiledKernel {
        let slot = |buffer, offset| Slot { buffer, offset };
        CompiledKernel {
            code_object: Arc::from([]),
            symbol: "main_dispatch_0_reduction_4x1000_f32".to_owned(),
            workgroups: [4, 1, 1],
            workgroup_size: [64, 1, 1],
            arguments: vec![Kernarg::Buffer(0), Kernarg::Buffer(1), Kernarg::Buffer(1)],
            buffers: vec![16_000, 80],
            input: slot(0, 0),
            operands: Vec::new(),
            workspace: None,
            sharers: 1,
            results: vec![slot(1, 0), slot(1, 64)],
            tiling: None,
            merge: None,
            compiler: Compiler {
                name: "iree-compile".into(),
                version: "1".to_owned(),
                linker: String::new(),
            },
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut CompiledKernel), expected: bool) {
        check_of("argmax:4x[1000]xf32", change, expected);
    }

    #[track_caller]
    fn check_of(problem: &str, change: impl FnOnce(&mut CompiledKernel), expected: bool) {
        let mut kernel = kernel();
        change(&mut kernel);
        let problem = problem.parse().unwrap();
        let target = Target::named("gfx942").unwrap();
        assert_eq!(
            is_plausible(&problem, target, 1, &kernel),
            expected,
            "{kernel:?}"
        );
    }

    #[test]
    fn launches_stay_within_bounds() {
        check(|_| {}, true);
        check(|it| it.buffers[1] = 79, false);
        check(|it| it.buffers[0] = 15_999, false);
        check(|it| it.buffers[0] = u64::MAX, false);
        check(|it| it.buffers.push(8192), false);
        check(|it| it.buffers.extend([0; 9]), false);
        check(|it| it.input.buffer = 2, false);
        check(|it| it.results[1].offset = u64::MAX, false);
        check(|it| it.results.truncate(1), false);
        check(|it| it.arguments.push(Kernarg::Buffer(2)), false);
        check(
            |it| it.arguments.push(Kernarg::IndexBase(IndexType::I32)),
            false,
        );
        check(|it| it.arguments = vec![Kernarg::Buffer(0); 15], false);
        check(|it| it.workgroups = [0, 1, 1], false);
        check(|it| it.workgroups = [u32::MAX; 3], false);
        check(|it| it.workgroup_size = [1025, 1, 1], false);
        check(|it| it.workgroup_size = [64, 0, 1], false);
        check(|it| it.symbol.clear(), false);
        check(|it| it.symbol.push('\0'), false);
        check(|it| it.symbol = "a".repeat(257), false);
        check(|it| it.operands = vec![it.input], false);
        let more = |argument| move |it: &mut CompiledKernel| it.arguments.push(argument);
        check(more(Kernarg::Word(64)), false);
        check(more(Kernarg::Count(4)), false);
        let open = "argmax:?x[1000]xf32:i32:count=1..4";
        check_of(open, more(Kernarg::Word(64)), true);
        check_of(open, more(Kernarg::Count(4)), true);
        check_of(open, more(Kernarg::Count(5)), false);
        let based = "argmax:4x[1000]xf32:i32:index_base";
        let base =
            |index| move |it: &mut CompiledKernel| it.arguments.push(Kernarg::IndexBase(index));
        check_of(based, base(IndexType::I64), true);
        check_of(based, base(IndexType::I32), false);
        let explicit = "argmax:4x[1000]xf32:i32:explicit_index";
        check_of(explicit, |_| {}, false);
        let indices = |bytes| {
            move |it: &mut CompiledKernel| {
                it.buffers.push(bytes);
                let (buffer, offset) = (2, 0);
                it.operands = vec![Slot { buffer, offset }];
            }
        };
        check_of(explicit, indices(16_000), true);
        check_of(explicit, indices(15_999), false);
        let workspace = Workspace {
            buffer: 1,
            counters: 0,
            nobodys: 0,
            counts: 1,
            waits: false,
        };
        check(|it| it.workspace = Some(workspace), false);
    }
}
