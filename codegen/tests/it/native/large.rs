//! Problems with numbers beyond 32 bits, on inputs that are zero except for a few elements.

use codegen::CompiledKernel;
use codegen::native::{Native, specimens};
use configgen::{Configuration, ElementType, Problem};
use emulator::{Address, CodeObject, EmulatedMemory, KernelLaunch};
use testing::Failed;

use crate::native::{ensure, run, target};

/// Instructions that a wave may execute: rows of 2^31 elements take about 10^9.
const LIMIT: u64 = 1 << 36;

/// Checks a grid with more threads than one dimension can have, so that workgroups lie in two
/// dimensions, with surplus ones in the second.
pub(crate) fn grids_of_two_dimensions(native: &Native) -> Result<(), Failed> {
    let (problem, configuration) = specimen("argmax:100000000x[2]xf32:i32")?;
    let x = (u64::from(u32::MAX) / 64) as u32;
    let last = 100_000_000 - 1;
    let ids = [0, 1, x - 1, x, x + 1, last, last + 1, 2 * x - 1];
    let ones: Vec<(u64, u64)> = [0, x - 1, x, last].map(|row| (u64::from(row), 1)).into();
    check(native, &problem, &configuration, &ones, Some(&ids))
}

/// Checks rows of the greatest length, and lanes whose rows are more than 2^31 bytes apart.
pub(crate) fn rows_that_are_far_apart(native: &Native) -> Result<(), Failed> {
    let (problem, configuration) = specimen("argmax:2x[2147483647]xf32:i32")?;
    let last = (1 << 31) - 2;
    let ones = [(0, last), (1, last - 1), (1, last)];
    check(native, &problem, &configuration, &ones, None)
}

/// Checks lanes that are more than 2^31 bytes apart along an outer reduced dimension.
pub(crate) fn lanes_that_are_far_apart(native: &Native) -> Result<(), Failed> {
    let problem = "argmax:[61]x20000003xf32".parse()?;
    let configuration = serde_json::from_str(
        r#"{"workgroup":[0,8],"partial_reduction":[64,0],"thread":[1,4],"lane_basis":[[32,2],[0,1]],
            "subgroup_basis":[[2,1],[0,1]],"subgroup_size":64,"workgroup_size":[128,1,1]}"#,
    )?;
    let last = 20_000_002;
    let ones = [(0, 60), (5, 0), (5, 60), (last, 59), (last - 7, 31)];
    let ids = [0, last as u32 / 8 - 1, last as u32 / 8];
    check(native, &problem, &configuration, &ones, Some(&ids))
}

/// Checks more than 2^32 rows.
pub(crate) fn rows_beyond_32_bits(native: &Native) -> Result<(), Failed> {
    let problem = "argmax:65537x65600x[1]xf32".parse()?;
    let configuration = serde_json::from_str(
        r#"{"workgroup":[1,256,0],"partial_reduction":[0,0,1],"thread":[0,4,1],
            "lane_basis":[[1,64,1],[0,1,2]],"subgroup_basis":[[1,1,1],[0,1,2]],"subgroup_size":64,
            "workgroup_size":[64,1,1]}"#,
    )?;
    let (width, tiles) = (65_600, 257);
    let ones = [
        0,
        65_536 * width + 65_599,
        65_536 * width,
        40_000 * width + 300,
    ];
    let ids = [0, 40_000 * tiles + 1, 65_536 * tiles, 65_537 * tiles - 1];
    check(
        native,
        &problem,
        &configuration,
        &ones.map(|row| (row, 0)),
        Some(&ids),
    )
}

/// Checks elements more than 2^32 bytes from the first.
pub(crate) fn elements_beyond_32_bits(native: &Native) -> Result<(), Failed> {
    let problem = "argmax:600000000x[2]xf32:i32".parse()?;
    let configuration = serde_json::from_str(
        r#"{"workgroup":[64,0],"partial_reduction":[0,2],"thread":[1,2],"lane_basis":[[64,1],[0,1]],
            "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#,
    )?;
    let ones = [(0, 1), (1 << 29, 1), (599_999_999, 0)];
    let ids = [0, (1 << 29) / 64, 599_999_999 / 64];
    check(native, &problem, &configuration, &ones, Some(&ids))
}

/// Checks results more than 2^32 bytes from the first, such as 8-byte indices.
pub(crate) fn results_beyond_32_bits(native: &Native) -> Result<(), Failed> {
    let problem = "argmax:600000000x[1]xi8:i64".parse()?;
    let configuration = serde_json::from_str(
        r#"{"workgroup":[256,0],"partial_reduction":[0,1],"thread":[4,1],"lane_basis":[[64,1],[0,1]],
            "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#,
    )?;
    let ones = [0, 1 << 29, 599_999_999].map(|row| (row, 0));
    let ids = [0, (1 << 29) / 256, 599_999_999 / 256];
    check(native, &problem, &configuration, &ones, Some(&ids))
}

fn specimen(problem: &str) -> Result<(Problem, Configuration), Failed> {
    let mut specimens = specimens(64).into_iter();
    let found = specimens.find(|(candidate, _)| candidate.to_string() == problem);
    Ok(found.ok_or("no such specimen")?)
}

/// Runs an argmax on an input of zeros with ones at the given rows and indices, and checks the
/// rows that have a one.
fn check(
    native: &Native,
    problem: &Problem,
    configuration: &Configuration,
    ones: &[(u64, u64)],
    only: Option<&[u32]>,
) -> Result<(), Failed> {
    let kernel = (problem.clone(), configuration.clone());
    let kernel: CompiledKernel = native.compile_batch(target(), &[kernel]).swap_remove(0)?;
    let code = CodeObject::load(&kernel.code_object)?;
    let mut memory = EmulatedMemory::new();
    let mut addresses = Vec::new();
    for &size in &kernel.buffers {
        addresses.push(memory.allocate(size)?);
    }
    let [input, values, indices] = addresses[..] else {
        return Err("not three buffers".into());
    };
    let one: &[u8] = match problem.element {
        ElementType::F32 => &1f32.to_le_bytes(),
        _ => &[1],
    };
    for (row, index) in ones {
        let place = place(problem, *row, *index) * one.len() as u64;
        memory.write(input, place, one);
        // Zeroed memory would already be correct for an index of 0.
        let size = u64::from(problem.arg_compare().unwrap().index.bytes());
        memory.write(indices, row * size, &[0xa5; 8][..size as usize]);
    }
    let kernarg: Vec<u8> = addresses
        .iter()
        .flat_map(|a| a.get().to_le_bytes())
        .collect();
    let launch = KernelLaunch {
        workgroup_subset: only,
        instruction_limit: LIMIT,
        ..run::launch(&code, &kernel, &kernarg)?
    };
    emulator::run(&code, &mut memory, &launch)?;
    for (row, _) in ones {
        let first = ones
            .iter()
            .filter(|one| one.0 == *row)
            .map(|one| one.1)
            .min();
        let result =
            |tensor: Address, bytes: usize| &memory.bytes(tensor)[*row as usize * bytes..][..bytes];
        let value = result(values, one.len());
        let index = result(
            indices,
            problem.arg_compare().unwrap().index.bytes() as usize,
        );
        let expected = first.unwrap_or_default().to_le_bytes();
        ensure(value == one && *index == expected[..index.len()], || {
            format!("row {row}: {value:?} at {index:?}, not {one:?} at {expected:?}")
        })?;
    }
    Ok(())
}

/// Returns the place of element `index` of row `row`, in elements from the first.
fn place(problem: &Problem, mut row: u64, mut index: u64) -> u64 {
    let shape = &problem.shape;
    let mut place = 0;
    for d in (0..shape.rank()).rev() {
        let (size, stride) = (u64::from(shape.sizes()[d]), shape.strides()[d]);
        let number = if shape.is_reduced(d) {
            &mut index
        } else {
            &mut row
        };
        place += *number % size * stride;
        *number /= size;
    }
    place
}
