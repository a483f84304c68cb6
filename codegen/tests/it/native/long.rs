//! A row of more than 2^31 elements: positions are unsigned 32-bit numbers, indices have 64 bits.
//!
//! Only the workgroups with the beginning and the end of the row run, as if the others had run
//! before. Those left zeros: the state of pieces whose elements are all 0.

use codegen::native::{Native, NativeStage, explain};
use codegen::{CompiledKernel, Kernarg};
use configgen::{Configuration, Problem};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch};
use testing::Failed;

use crate::native::{ensure, hip, run, target};

/// 2,252,800,000 elements; the last of 64 pieces begins beyond 2^31.
const SHAPE: &str = "[1100000]x[2048]";
const LENGTH: u64 = 1_100_000 * 2048;

/// 16 elements per load, 16 subgroups.
const CONFIGURATION: &str = r#"{"workgroup":[0,0],"partial_reduction":[8,2048],"thread":[1,16],
    "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[8,2],[0,1]],"subgroup_size":64,"workgroup_size":[1024,1,1],
    "split":64"#;

/// The index mode, the options and the index base.
const CASES: [(&str, &str, i64); 3] = [
    ("}", "i64", 0),
    (r#","lazy_index":true}"#, "i64", 0),
    ("}", "i64:index_base", -3_000_000_000),
];

pub(crate) fn positions_beyond_31_bits(native: &Native) -> Result<(), Failed> {
    for (knobs, options, base) in CASES {
        let ((problem, _), kernel) = compile(native, knobs, options)?;
        check(&problem, &kernel, base)?;
    }
    Ok(())
}

pub(crate) fn hip_positions_beyond_31_bits(native: &Native) -> Result<(), Failed> {
    for (knobs, options, base) in CASES {
        let ((problem, configuration), kernel) = compile(native, knobs, options)?;
        let source = explain(&problem, target(), &configuration, NativeStage::Hip)?;
        let kernel = CompiledKernel {
            code_object: hip::compile(&source, target(), 64, &[])?.into(),
            ..kernel
        };
        check(&problem, &kernel, base)?;
    }
    Ok(())
}

fn compile(
    native: &Native,
    knobs: &str,
    options: &str,
) -> Result<((Problem, Configuration), CompiledKernel), Failed> {
    let problem: Problem = format!("argmax:{SHAPE}xi8:{options}").parse()?;
    let configuration: Configuration = serde_json::from_str(&format!("{CONFIGURATION}{knobs}"))?;
    let one = (problem, configuration);
    let kernel = native.compile_batch(target(), std::slice::from_ref(&one));
    Ok((one, kernel.into_iter().next().ok_or("no kernel")??))
}

/// The positions of ones in a row of zeros.
const ONES: [&[u64]; 2] = [&[LENGTH - 77], &[5, LENGTH - 77]];

fn check(problem: &Problem, kernel: &CompiledKernel, base: i64) -> Result<(), Failed> {
    for ones in ONES {
        check_ones(problem, kernel, base, ones)?;
    }
    Ok(())
}

fn check_ones(
    problem: &Problem,
    kernel: &CompiledKernel,
    base: i64,
    ones: &[u64],
) -> Result<(), Failed> {
    let code = CodeObject::load(&kernel.code_object)?;
    let workspace = kernel.workspace.ok_or("nobody shares the row")?;
    let last = kernel.sharers - 1;
    let mut memory = EmulatedMemory::new();
    let mut addresses = Vec::new();
    for &size in &kernel.buffers {
        addresses.push(memory.allocate(size)?);
    }
    for one in ones {
        memory.write(addresses[kernel.input.buffer], *one, &[1]);
    }
    let counter = &(last - 1).to_le_bytes();
    memory.write(addresses[workspace.buffer], workspace.counters, counter);
    let arguments = kernel.arguments.iter().map(|argument| match argument {
        Kernarg::Buffer(number) => addresses[*number].get().to_le_bytes(),
        Kernarg::IndexBase(_) => base.to_le_bytes(),
        Kernarg::Count(_) | Kernarg::Word(_) => unreachable!("the problem's sizes are known"),
    });
    let kernarg: Vec<u8> = arguments.flatten().collect();
    let launch = KernelLaunch {
        workgroup_subset: Some(&[0, last]),
        ..run::launch(&code, kernel, &kernarg)?
    };
    emulator::run(&code, &mut memory, &launch)?;
    let value = memory.bytes(addresses[kernel.results[0].buffer])[0];
    let index = memory.bytes(addresses[kernel.results[1].buffer]);
    let index = i64::from_le_bytes(index.try_into()?);
    let expected = ones[0] as i64 + base;
    ensure((value, index) == (1, expected), || {
        format!("{problem}: {value} at {index}, not 1 at {expected}")
    })
}
