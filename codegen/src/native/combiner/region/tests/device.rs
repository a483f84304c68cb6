//! Kernels that evaluate regions, with one pair of operands per thread, and the comparison of
//! their results with the evaluator.

use std::path::{Path, PathBuf};
use std::process::Command;

use configgen::comparator::semantics::seen_nans;
use configgen::comparator::{self, Evaluator, Region};
use configgen::{TARGETS, Target};
use emulator::{CodeObject, EmulatedMemory, KernelLaunch};

use super::super::{Computation, target_features, types};
use crate::link::link;
use crate::llvm::{Llvm, LlvmOutput};
use crate::native::ir::{
    Builder, Conversion, Id, IrKernel, IrOperation, Parameter, Type, Value, verify,
};
use crate::native::print;
use crate::tools;

/// Threads of a workgroup.
const THREADS: usize = 256;

/// LLVM and the linker.
pub(super) struct Tools {
    llvm: Llvm,
    linker: tools::FoundTool,
}

/// Returns the tools, or `None` if one is missing, which CI does not accept.
pub(super) fn find_tools() -> Option<Tools> {
    let found = tools::load_llvm().and_then(|llvm| {
        let linker = tools::find_lld_for(llvm.version().major)?;
        Ok(Tools { llvm, linker })
    });
    match found {
        Ok(tools) => Some(tools),
        Err(missing) if std::env::var_os("CI").is_some() => panic!("{missing}"),
        Err(missing) => {
            eprintln!("not tested: {missing}");
            None
        }
    }
}

/// A region and its pairs of operands, a multiple of [`THREADS`].
pub(super) struct Case {
    pub(super) region: Region,
    pub(super) pairs: Vec<[u64; 2]>,
}

/// Checks every value of the regions. Each region runs on every `step`-th target, and neighbours
/// on other ones. Each target has one code object.
pub(super) fn check(tools: &Tools, cases: &[Case], step: usize) {
    let expected: Vec<Vec<u64>> = cases.iter().map(expected).collect();
    let mut failures = Vec::new();
    for (first, target) in TARGETS.iter().enumerate() {
        let cases = cases.iter().zip(&expected);
        let chosen: Vec<(&Case, &Vec<u64>)> = cases.skip(first % step).step_by(step).collect();
        failures.extend(check_target(tools, target, &chosen));
    }
    assert!(
        failures.is_empty(),
        "{} wrong:\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
}

/// Returns the bits of every value on every pair.
fn expected(case: &Case) -> Vec<u64> {
    let mut evaluator = Evaluator::new(&case.region);
    let mut expected = Vec::new();
    for &[a, b] in &case.pairs {
        evaluator.compare(a, b);
        expected.extend_from_slice(evaluator.values());
    }
    expected
}

/// Returns a module with a kernel for each region. Odd kernels run without the IEEE bit of MODE,
/// as some of ours do.
fn module<'a>(target: &Target, regions: impl Iterator<Item = &'a Region>) -> String {
    let kernels: Vec<(String, IrKernel)> = regions
        .enumerate()
        .map(|(number, region)| (format!("region{number}"), kernel(target, number, region)))
        .collect();
    let kernels: Vec<(&str, &IrKernel)> = kernels
        .iter()
        .map(|(symbol, kernel)| (symbol.as_str(), kernel))
        .collect();
    print::llvm::module(&kernels)
}

/// Returns the kernel that stores every value of a region as 64 bits.
fn kernel(target: &Target, number: usize, region: &Region) -> IrKernel {
    let [pairs, results] = [Parameter::Input, Parameter::Values].map(Value::buffer);
    let mut ir = Builder::new();
    let lane = ir.value(Type::I32, IrOperation::Id(Id::Thread));
    let group = ir.value(Type::I32, IrOperation::Id(Id::WorkgroupX));
    let first = ir.mul(group, THREADS as u64);
    let thread = ir.add(first, lane);
    let thread = ir.resized(thread, Type::I64);
    let pair = ir.mul(thread, 16);
    let kind = types::held(region.element());
    let arguments = [0, 8].map(|byte| {
        let place = ir.add(pair, Value::i64(byte));
        let place = ir.offset(pairs, place);
        ir.load(kind, place, 8)
    });
    let mut computation = Computation::new(&mut ir, region, &arguments);
    computation.operations();
    let values: Vec<Value> = values(region)
        .map(|value| computation.held(value))
        .collect();
    let row = ir.mul(thread, 8 * region.values() as u64);
    let row = ir.offset(results, row);
    for (place, value) in (0..).zip(values) {
        let bits = ir.bits(value, value.scalar().integer());
        let bits = match bits.kind {
            Type::I64 => bits,
            _ => ir.convert(Conversion::ZeroExtend, bits, Type::I64),
        };
        let place = ir.offset(row, Value::i64(8 * place));
        ir.store(bits, place, 8);
    }
    let (body, names) = ir.finish();
    let kernel = IrKernel {
        parameters: vec![pairs, results],
        lds: Vec::new(),
        threads: THREADS as u32,
        lanes: target.subgroup_sizes[0],
        is_row: true,
        ignores_signals: number % 2 == 1,
        preloads_arguments: false,
        features: target_features(target.name, false),
        body,
        names,
    };
    assert_eq!(verify(&kernel), Ok(()));
    kernel
}

fn values(region: &Region) -> impl Iterator<Item = comparator::Value> + use<> {
    (0..region.values() as u32).map(comparator::Value)
}

/// Returns the failures on a target: one line for each value that is wrong on some pair.
fn check_target(tools: &Tools, target: &Target, cases: &[(&Case, &Vec<u64>)]) -> Vec<String> {
    let code = linked(tools, target, cases.iter().map(|(case, _)| &case.region));
    let mut failures = Vec::new();
    for (number, (case, expected)) in cases.iter().enumerate() {
        let differences = match run(&code, number, case) {
            Ok(results) => differences(case, expected, &results),
            Err(fault) => vec![fault],
        };
        let place = |difference: String| format!("{target}, kernel {number}: {difference}");
        failures.extend(differences.into_iter().map(place));
    }
    failures
}

fn linked<'a>(
    tools: &Tools,
    target: &Target,
    regions: impl Iterator<Item = &'a Region>,
) -> CodeObject {
    let module = module(target, regions);
    let object = tools.llvm.compile(&module, target.name, LlvmOutput::Object);
    let object = object.unwrap_or_else(|error| panic!("{target}: {error}\n{module}"));
    let linked = link(&tools.linker.path, &object, None).unwrap();
    CodeObject::load(&linked).unwrap()
}

/// Returns the bits of every value of each case on a target, pair by pair.
pub(super) fn results(tools: &Tools, target: &Target, cases: &[Case]) -> Vec<Vec<u64>> {
    let code = linked(tools, target, cases.iter().map(|it| &it.region));
    let results = cases.iter().enumerate();
    results
        .map(|(number, case)| run(&code, number, case).unwrap())
        .collect()
}

/// Checks the HIP C++ of each case as [`check`] does. Each case is compiled for one of these
/// targets.
pub(super) fn check_hip(clang: &Path, cases: &[Case], targets: &[&str]) {
    let (mut failures, mut too_many) = (Vec::new(), 0);
    for (number, case) in cases.iter().enumerate() {
        let target = Target::named(targets[number % targets.len()]).unwrap();
        let symbol = format!("region{number}");
        let kernel = kernel(target, number, &case.region);
        let source = print::hip::source(&symbol, "", &kernel);
        let Some(code) = compile(clang, target, &source) else {
            too_many += 1;
            continue;
        };
        let differences = match run(&code, number, case) {
            Ok(results) => differences(case, &expected(case), &results),
            Err(fault) => vec![fault],
        };
        let place = |difference: String| format!("{target}, source {number}: {difference}");
        failures.extend(differences.into_iter().map(place));
    }
    assert!(failures.is_empty(), "wrong:\n{}", failures.join("\n"));
    assert!(20 * too_many <= cases.len(), "{too_many}");
}

/// Returns clang of LLVM 22, or `None` if it is missing, which CI does not accept.
pub(super) fn find_clang() -> Option<PathBuf> {
    let found = PathBuf::from("/usr/lib/llvm-22/bin/clang");
    if found.is_file() {
        return Some(found);
    }
    assert!(std::env::var_os("CI").is_none(), "no clang of LLVM 22");
    eprintln!("not tested: no clang of LLVM 22");
    None
}

/// Compiles a source. Returns `None` if LLVM runs out of registers, because every 64-bit value is
/// kept to the end.
fn compile(clang: &Path, target: &Target, source: &str) -> Option<CodeObject> {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["kernel.hip", "kernel.hsaco"].map(|name| folder.path().join(name));
    std::fs::write(&input, source).unwrap();
    let mut clang = Command::new(clang);
    clang
        .args(["-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib"])
        .args(["-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror"])
        .args(["--no-gpu-bundle-output"])
        .arg(format!("--offload-arch={target}"))
        .args([Path::new("-o"), &output, &input]);
    let result = codegen_object_cache::compile(&mut clang, &[&input], &output).unwrap();
    let messages = String::from_utf8_lossy(&result.stderr);
    if messages.contains("ran out of registers") {
        return None;
    }
    assert!(result.status.success(), "{target}: {messages}");
    Some(CodeObject::load(&std::fs::read(output).unwrap()).unwrap())
}

fn run(code: &CodeObject, number: usize, case: &Case) -> Result<Vec<u64>, String> {
    let mut memory = EmulatedMemory::new();
    let words = case.pairs.len() * case.region.values();
    let pairs = memory.allocate(case.pairs.len() as u64 * 16).unwrap();
    let results = memory.allocate(words as u64 * 8).unwrap();
    let bytes = case.pairs.iter().flatten().flat_map(|x| x.to_le_bytes());
    let bytes: Vec<u8> = bytes.collect();
    memory.write(pairs, 0, &bytes);
    let kernarg: Vec<u8> = [pairs, results]
        .iter()
        .flat_map(|address| address.get().to_le_bytes())
        .collect();
    let launch = KernelLaunch {
        kernel: code.kernel(&format!("region{number}")).unwrap(),
        workgroups: [case.pairs.len().div_ceil(THREADS) as u32, 1, 1],
        workgroup_size: [THREADS as u32, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1 << 24,
        resident_workgroups: 0,
        threads: 0,
    };
    emulator::run(code, &mut memory, &launch).map_err(|fault| fault.to_string())?;
    let words = memory.bytes(results).chunks_exact(8);
    Ok(words
        .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
        .collect())
}

/// Returns the differing values. Bits must be equal, except for a NaN whose bits are never read.
fn differences(case: &Case, expected: &[u64], results: &[u64]) -> Vec<String> {
    let region = &case.region;
    let seen = seen_nans(region);
    let mut differences = Vec::new();
    for value in values(region) {
        let scalar = region.type_of(value);
        let is_free = scalar.is_float() && !seen.contains(&value);
        let differs = |row: &usize| {
            let place = row * region.values() + value.index();
            let (x, y) = (expected[place], results[place]);
            x != y && !(is_free && scalar.is_nan(x) && scalar.is_nan(y))
        };
        let wrong: Vec<usize> = (0..case.pairs.len()).filter(differs).collect();
        let Some(&row) = wrong.first() else { continue };
        let at = |value: comparator::Value, list: &[u64]| {
            let bits = list[row * region.values() + value.index()];
            format!("{} (0x{bits:x})", region.type_of(value).show(bits))
        };
        let operands: Vec<String> = region.definition(value).map_or(vec![], |operation| {
            let operands = operation.operands.iter();
            operands.map(|&operand| at(operand, expected)).collect()
        });
        let name = region
            .definition(value)
            .map_or("argument".to_owned(), |o| format!("{:?}", o.opcode));
        differences.push(format!(
            "{} value {}, {name} : {scalar} of {}: {}, not {}; {} pairs",
            region.element(),
            value.0,
            operands.join(", "),
            at(value, results),
            at(value, expected),
            wrong.len(),
        ));
    }
    differences
}
