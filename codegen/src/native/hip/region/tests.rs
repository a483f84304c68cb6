//! Every operation on every type in kernels that clang compiles, by what they compute in the emulator, against the
//! evaluator on the host.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use configgen::TARGETS;
use configgen::comparator::{
    Evaluator, FloatPredicate, IntegerPredicate, Region, ScalarType, Value, semantics,
};
use emulator::{CodeObject, Launch, Memory};
use expect_test::{Expect, expect};

use super::{definitions, library, types, variable};
use crate::native::hip::{header, source::Source};

const THREADS: usize = 256;

const BINARY_FLOAT: &str = "arith.addf arith.subf arith.mulf arith.divf arith.remf arith.maximumf arith.minimumf \
                            arith.maxnumf arith.minnumf math.copysign";
const UNARY_FLOAT: &str = "arith.negf math.absf math.sqrt";
const BINARY_INTEGER: &str = "arith.addi arith.subi arith.muli arith.divsi arith.divui arith.remsi arith.remui \
                              arith.maxsi arith.maxui arith.minsi arith.minui arith.andi arith.ori arith.xori \
                              arith.shli arith.shrsi arith.shrui";

/// A block under construction.
struct Block {
    text: String,
    count: usize,
}

impl Block {
    fn add(&mut self, operation: &str) -> String {
        self.count += 1;
        writeln!(self.text, "%v{} = {operation}", self.count).unwrap();
        format!("%v{}", self.count)
    }
}

/// All operations that take `element`; `is_seen`: the bits of floats are looked at.
fn region(element: ScalarType, is_seen: bool) -> Region {
    let text = format!("^bb0(%a: {element}, %b: {element}):\n");
    let mut block = Block { text, count: 0 };
    let (binary, unary) = match element.is_float() {
        true => (BINARY_FLOAT, UNARY_FLOAT),
        false => (BINARY_INTEGER, "math.absi"),
    };
    let mut results: Vec<(String, ScalarType)> = Vec::new();
    for name in binary.split_whitespace() {
        results.push((block.add(&format!("{name} %a, %b : {element}")), element));
    }
    for name in unary.split_whitespace() {
        results.push((block.add(&format!("{name} %a : {element}")), element));
    }
    if element.is_float() {
        let product = results[2].0.clone();
        for third in ["%a", "%b", &product] {
            let fused = block.add(&format!("math.fma %a, %b, {third} : {element}"));
            let sum = block.add(&format!("arith.addf {product}, {third} : {element}"));
            results.extend([fused, sum].map(|name| (name, element)));
        }
        for (_, predicate) in FloatPredicate::ALL {
            let truth = block.add(&format!("arith.cmpf {predicate}, %a, %b : {element}"));
            block.add(&format!("arith.select {truth}, %a, %b : {element}"));
        }
    } else {
        for predicate in IntegerPredicate::all() {
            let truth = block.add(&format!("arith.cmpi {predicate}, %a, %b : {element}"));
            block.add(&format!("arith.select {truth}, %a, %b : {element}"));
        }
        let truths =
            ["%a", "%b"].map(|x| block.add(&format!("arith.trunci {x} : {element} to i1")));
        for name in binary.split_whitespace() {
            block.add(&format!("{name} {}, {} : i1", truths[0], truths[1]));
        }
    }
    for to in ScalarType::ALL {
        let (from_float, to_float) = (element.is_float(), to.is_float());
        let wider = to.bits() > element.bits();
        let names: &[&str] = match (from_float, to_float) {
            _ if to == element => &[],
            (true, false) => &["fptosi", "fptoui"],
            (false, true) => &["sitofp", "uitofp"],
            _ if to.bits() == element.bits() => &["bitcast"],
            (true, true) if wider => &["extf"],
            (true, true) => &["truncf"],
            _ if wider => &["extsi", "extui"],
            _ => &["trunci"],
        };
        for name in names {
            results.push((
                block.add(&format!("arith.{name} %a : {element} to {to}")),
                to,
            ));
        }
    }
    for (name, scalar) in results {
        if scalar.is_float() && is_seen {
            let bits = scalar.bits();
            block.add(&format!("arith.bitcast {name} : {scalar} to i{bits}"));
        }
    }
    let truth = block.add("arith.constant true");
    let text = format!("{}iree_linalg_ext.yield {truth} : i1\n", block.text);
    Region::from_block(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Bits near those of special values, of numbers of middling size, or any.
    fn bits(&mut self, scalar: ScalarType) -> u64 {
        let bits = match self.next() % 4 {
            0 if scalar.is_float() => {
                let special = [
                    0,
                    1,
                    scalar.greatest(),
                    scalar.least_normal(),
                    scalar.canonical_nan(),
                ];
                let magnitude = special[(self.next() % 5) as usize] + self.next() % 3;
                magnitude.wrapping_sub(1) ^ ((self.next() & 1) * scalar.sign_bit())
            }
            1 if scalar.is_float() => {
                let number = (self.next() as i32 >> (self.next() % 28)) as f64;
                scalar.round(number / [1.0, 4.0, 1024.0, 1e9][(self.next() % 4) as usize])
            }
            0 => scalar
                .sign_bit()
                .wrapping_add(self.next() % 5)
                .wrapping_sub(2),
            1 => (self.next() % 130).wrapping_sub(65),
            _ => self.next(),
        };
        bits & scalar.mask()
    }
}

/// clang of LLVM 22; none where it is missing, which CI does not accept.
fn clang() -> Option<PathBuf> {
    let found = PathBuf::from("/usr/lib/llvm-22/bin/clang");
    if found.is_file() {
        return Some(found);
    }
    assert!(std::env::var_os("CI").is_none(), "no clang of LLVM 22");
    eprintln!("not tested: no clang of LLVM 22");
    None
}

/// A kernel that evaluates the region on a pair a thread and stores every value as 64 bits.
fn kernel(region: &Region) -> String {
    let mut source = Source::default();
    header::macros(&mut source);
    source.define("Size", "using Size = unsigned long long;");
    library::print(&mut source);
    let mut stores = String::new();
    for (value, operation) in region.definitions() {
        let integer = types::bits(operation.result);
        let (name, place) = (variable(value), value.index() - 2);
        let count = region.operations().len();
        writeln!(
            stores,
            "  out[i * {count} + {place}] = __builtin_bit_cast({integer}, {name});"
        )
        .unwrap();
    }
    let kind = types::cpp(region.element());
    source.lines(format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         compare(const {kind} *as, const {kind} *bs, Size *out) {{\n\
         #pragma clang fp contract(off)\n  \
         const unsigned i = __builtin_amdgcn_workgroup_id_x() * {THREADS} + __builtin_amdgcn_workitem_id_x();\n  \
         const {kind} a = as[i], b = bs[i];\n{}{stores}}}",
        definitions(region)
    ));
    source.into_text()
}

fn compile(clang: &Path, source: &str, target: &str) -> CodeObject {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["kernel.hip", "kernel.hsaco"].map(|name| folder.path().join(name));
    std::fs::write(&input, source).unwrap();
    let result = Command::new(clang)
        .args([
            "-x",
            "hip",
            "--cuda-device-only",
            "-nogpuinc",
            "-nogpulib",
            "-std=c++17",
            "-O3",
        ])
        .args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-function",
            "--no-gpu-bundle-output",
        ])
        .arg(format!("--offload-arch={target}"))
        .args([Path::new("-o"), &output, &input])
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{target}: {messages}");
    CodeObject::load(&std::fs::read(output).unwrap()).unwrap()
}

fn check(element: ScalarType, is_seen: bool, target: &str, rounds: usize, clang: &Path) {
    let region = region(element, is_seen);
    let source = kernel(&region);
    let code = compile(clang, &source, target);
    let mut random = Random(element.bits().into());
    let pairs: Vec<[u64; 2]> = (0..rounds * THREADS)
        .map(|_| [random.bits(element), random.bits(element)])
        .collect();
    let (mut memory, count) = (Memory::new(), region.operations().len());
    let bytes = element.bits() as usize / 8;
    let buffers = [
        pairs.len() * bytes,
        pairs.len() * bytes,
        pairs.len() * count * 8,
    ]
    .map(|size| memory.allocate(size as u64).unwrap());
    for (n, &buffer) in buffers[..2].iter().enumerate() {
        let places = memory.bytes_mut(buffer).chunks_exact_mut(bytes);
        for (place, pair) in places.zip(&pairs) {
            place.copy_from_slice(&pair[n].to_le_bytes()[..bytes]);
        }
    }
    let kernarg: Vec<u8> = buffers.iter().flat_map(|b| b.get().to_le_bytes()).collect();
    let launch = Launch {
        kernel: code.kernel("compare").unwrap(),
        workgroups: [(pairs.len() / THREADS) as u32, 1, 1],
        workgroup_size: [THREADS as u32, 1, 1],
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        only: None,
        instruction_limit: 1 << 30,
        threads: 0,
    };
    emulator::run(&code, &mut memory, &launch).unwrap();
    let seen = semantics::seen_nans(&region);
    let mut evaluator = Evaluator::new(&region);
    let results = memory.bytes(buffers[2]).chunks_exact(count * 8);
    for (pair, results) in pairs.iter().zip(results) {
        evaluator.compare(pair[0], pair[1]);
        for (place, word) in results.chunks_exact(8).enumerate() {
            let value = Value(place as u32 + 2);
            let operation = region.definition(value).unwrap();
            let (expected, scalar) = (evaluator.values()[value.index()], operation.result);
            let result = u64::from_le_bytes(word.try_into().unwrap());
            let both_nan =
                scalar.is_nan(expected) && scalar.is_nan(result) && !seen.contains(&value);
            assert!(
                result == expected || both_nan,
                "{target} {element} {:?} of {:#x}, {:#x}: {result:#x}, not {expected:#x}",
                operation.opcode,
                pair[0],
                pair[1]
            );
        }
    }
}

/// The types of elements.
fn elements() -> impl Iterator<Item = ScalarType> {
    let all = ScalarType::ALL.into_iter();
    all.filter(|&scalar| scalar != ScalarType::I1)
}

#[test]
fn operations_on_every_type() {
    let Some(clang) = clang() else { return };
    let targets = ["gfx90a", "gfx950", "gfx1030", "gfx1201"];
    for (number, element) in elements().enumerate() {
        check(element, true, targets[number % 4], 4, &clang);
        check(element, false, targets[(number + 2) % 4], 4, &clang);
    }
}

#[test]
#[ignore = "full: thousands of pairs on every target"]
fn operations_on_many_pairs() {
    let Some(clang) = clang() else { return };
    for target in &TARGETS {
        for element in elements() {
            check(element, true, target.name, 32, &clang);
            check(element, false, target.name, 32, &clang);
        }
    }
}

/// What is printed of a comparator, after the functions that it uses.
#[track_caller]
fn check_text(block: &str, expected: Expect) {
    let region = Region::from_block(block).unwrap();
    let mut source = Source::default();
    super::print(&mut source, "replaces", "// ?", &region);
    source.lines("replaces");
    let text = source.into_text();
    let start = text.find("// ?").unwrap();
    expected.assert_eq(&text[start..]);
}

#[test]
fn comparators_are_printed_as_functions() {
    check_text(
        "^bb0(%a: f32, %b: f32):
           %x = math.absf %a : f32
           %y = math.absf %b : f32
           %r = arith.cmpf ogt, %x, %y : f32
           iree_linalg_ext.yield %r : i1",
        expect![[r#"
            // ?
            static __device__ inline bool replaces(float a, float b) {
              const float v2 = __builtin_fabsf(a);
              const float v3 = __builtin_fabsf(b);
              const bool v4 = v2 > v3;
              return v4;
            }

            replaces
        "#]],
    );
    check_text(
        "^bb0(%a: bf16, %b: bf16):
           %c = arith.constant 0.5 : bf16
           %x = arith.mulf %a, %c : bf16
           %r = arith.cmpf ult, %x, %b : bf16
           iree_linalg_ext.yield %r : i1",
        expect![[r#"
            // ?
            static __device__ inline bool replaces(unsigned short a, unsigned short b) {
            #pragma clang fp contract(off)
              const unsigned short v2 = 0x3f00u;
              const unsigned short v3 = to_bf16(of_bf16(a) * of_bf16(v2));
              const bool v4 = !(of_bf16(v3) >= of_bf16(b));
              return v4;
            }

            replaces
        "#]],
    );
    check_text(
        "^bb0(%a: i8, %b: i8):
           %x = arith.divsi %a, %b : i8
           %r = arith.cmpi sge, %x, %b : i8
           iree_linalg_ext.yield %r : i1",
        expect![[r#"
            // ?
            static __device__ inline bool replaces(unsigned char a, unsigned char b) {
              const unsigned char v2 = (unsigned char)(quotient<int>(int((signed char)(a)), int((signed char)(b))));
              const bool v3 = int((signed char)(v2)) >= int((signed char)(b));
              return v3;
            }

            replaces
        "#]],
    );
}
