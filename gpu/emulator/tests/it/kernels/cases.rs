//! The kernels of `source/` and their launches, one per line.

use super::case::Argument::{self, All, Fixed, In, Out, Zero};
use super::case::Case;
use super::values::Kind::{Bf16, F16, F32, F64, Half, Single, Text, U8, U16, U32, U64, Utf8};

/// The source that includes all others.
pub(crate) const SOURCE: &str = "source/all.hip";

const fn case(
    kernel: &'static str,
    groups: [u32; 3],
    size: [u32; 3],
    lds: u32,
    arguments: &'static [Argument],
) -> Case {
    Case {
        kernel,
        groups,
        size,
        lds,
        arguments,
    }
}

/// The structure `Options`: a flag, a half word, a long word, a number and five words.
const OPTIONS: Argument = Argument::Bytes(
    b"\x01\x00\x03\x80\x00\x00\x00\x00\x05\x06\x07\x08\x09\xfa\xfb\xfc\x9a\x99\x99\x99\x99\x99\xf1\xbf\
      \x10\x00\x00\x00\x20\x00\x00\x80\x30\x00\x00\x00\xff\xff\xff\xff\x50\x01\x00\x00\x00\x00\x00\x00",
);

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    case("scan_doubling", [4, 1, 1], [256, 1, 1], 0, &[Out(1024), In(U32, 256)]),
    case("scan_tree", [4, 1, 1], [128, 1, 1], 0, &[Out(2048), In(U64, 256)]),
    case("scan_waves", [4, 1, 1], [160, 1, 1], 0, &[Out(640), In(U32, 160)]),
    case("scan_segments", [3, 1, 1], [100, 1, 1], 0, &[Out(400), In(U32, 100), In(U8, 100)]),
    case("reduce_tree", [3, 1, 1], [256, 1, 1], 0, &[Out(4), In(F32, 1024), Argument::U32(1000)]),
    case("reduce_argmax", [4, 1, 1], [256, 1, 1], 0, &[Out(4), Out(4), In(F32, 700), Argument::U32(700)]),
    case("reduce_last", [5, 1, 1], [64, 1, 1], 0, &[Fixed(512), Out(8), Zero(4), In(U32, 64)]),
    case("transpose_words", [4, 3, 1], [32, 8, 1], 0, &[Fixed(39_600), All(U32, 9900), Argument::U32(90), Argument::U32(110)]),
    case("transpose_bytes", [5, 5, 1], [16, 16, 1], 320, &[Fixed(6400), All(U8, 6400), Argument::U32(80)]),
    case("transpose_registers", [2, 1, 1], [64, 1, 1], 0, &[Out(8192), In(U16, 4096)]),
    case("stencil_plane", [4, 5, 1], [13, 9, 1], 0, &[Fixed(8600), All(F32, 2150), Argument::U32(50), Argument::U32(43)]),
    case("stencil_volume", [3, 2, 4], [7, 5, 3], 0, &[Fixed(15_840), All(F64, 1980), Argument::U32(20), Argument::U32(9), Argument::U32(11)]),
    case("cells", [3, 1, 1], [64, 1, 1], 0, &[Out(256), In(U32, 64)]),
    case("histogram_shared", [3, 1, 1], [192, 1, 1], 0, &[Zero(256), In(U8, 1024)]),
    case("histogram_global", [5, 1, 1], [96, 1, 1], 0, &[Zero(44), Zero(88), In(U32, 96)]),
    case("atomic_words", [3, 1, 1], [128, 1, 1], 0, &[All(U32, 15), Out(40), In(U32, 128)]),
    case("atomic_longs", [3, 1, 1], [128, 1, 1], 0, &[All(U64, 8), Out(48), In(U64, 128)]),
    case("atomic_floats", [3, 1, 1], [100, 1, 1], 0, &[Zero(24), Zero(40), In(U8, 100)]),
    case("compare_and_swap", [3, 1, 1], [70, 1, 1], 0, &[Zero(4), All(U64, 1), Out(12), In(U8, 70)]),
    case("single_math", [6, 1, 1], [96, 1, 1], 0, &[Out(6144), In(F32, 288)]),
    case("double_math", [8, 1, 1], [64, 1, 1], 0, &[Out(7168), In(F64, 192)]),
    case("double_series", [2, 1, 1], [64, 1, 1], 0, &[Out(1024), In(F64, 64)]),
    case("half_math", [6, 1, 1], [96, 1, 1], 0, &[Out(1920), In(F16, 288)]),
    case("half_packed", [6, 1, 1], [64, 1, 1], 0, &[Out(1024), In(F16, 512), Out(512)]),
    case("brain_dot", [4, 1, 1], [64, 1, 1], 0, &[Out(256), All(Bf16, 1024)]),
    case("conversions", [6, 1, 1], [64, 1, 1], 0, &[Out(10_240), In(U64, 64)]),
    case("divide_words", [4, 1, 1], [128, 1, 1], 0, &[Out(4096), In(U32, 256)]),
    case("divide_longs", [6, 1, 1], [64, 1, 1], 0, &[Out(3072), In(U64, 128)]),
    case("divide_constants", [4, 1, 1], [64, 1, 1], 0, &[Out(2048), In(U64, 64)]),
    case("long_math", [4, 1, 1], [64, 1, 1], 0, &[Out(7168), In(U64, 192)]),
    case("bit_tricks", [4, 1, 1], [96, 1, 1], 0, &[Out(6144), In(U32, 288)]),
    case("small_integers", [6, 1, 1], [64, 1, 1], 0, &[Out(256), Out(512), In(U8, 64), In(U16, 64)]),
    case("calls", [3, 1, 1], [64, 1, 1], 0, &[Out(512), In(U32, 64)]),
    case("function_pointers", [3, 1, 1], [64, 1, 1], 0, &[Out(256), In(U32, 64)]),
    case("many_values", [2, 1, 1], [128, 1, 1], 0, &[Out(512), All(U32, 1024), Argument::U32(5)]),
    case("private_arrays", [2, 1, 1], [64, 1, 1], 0, &[Out(512), All(U32, 1024)]),
    case("determinants", [3, 1, 1], [64, 1, 1], 0, &[Out(512), In(U8, 1600)]),
    case("queens", [2, 1, 1], [64, 1, 1], 0, &[Out(256), In(U32, 64), Argument::U32(6)]),
    case("compaction", [4, 1, 1], [150, 1, 1], 0, &[Out(600), Out(4), In(U32, 150)]),
    case("divergent_votes", [4, 1, 1], [150, 1, 1], 0, &[Out(1200), In(U32, 150)]),
    case("shuffles", [3, 1, 1], [96, 1, 1], 0, &[Out(4608), In(U32, 96)]),
    case("lane_moves", [3, 1, 1], [96, 1, 1], 0, &[Out(7680), In(U32, 96)]),
    case("row_moves", [3, 1, 1], [128, 1, 1], 0, &[Out(2048), In(U32, 128)]),
    case("leaders", [4, 1, 1], [100, 1, 1], 0, &[Out(400), In(U8, 100)]),
    case("multiply_singles", [3, 3, 1], [16, 16, 1], 0, &[Fixed(7200), All(Single, 1480), All(Single, 1665), Argument::U32(40), Argument::U32(37), Argument::U32(45)]),
    case("multiply_bytes", [2, 3, 1], [64, 1, 1], 0, &[Fixed(24_576), All(U8, 396), All(U8, 16_896), Argument::U32(33), Argument::U32(512)]),
    case("multiply_halves", [3, 3, 1], [8, 8, 1], 0, &[Fixed(2304), All(Half, 576), All(Half, 576), Argument::U32(24)]),
    case("transform", [2, 1, 1], [128, 1, 1], 0, &[Out(1024), In(U32, 256)]),
    case("sort_shared", [3, 1, 1], [256, 1, 1], 0, &[Out(2048), In(U32, 512)]),
    case("sort_registers", [3, 1, 1], [64, 1, 1], 0, &[Out(4096), Out(512), In(U64, 512)]),
    case("sort_digits", [4, 1, 1], [128, 1, 1], 0, &[Out(128), In(U8, 128)]),
    case("capitals", [2, 1, 1], [64, 1, 1], 0, &[Out(4096), Out(256), In(Text, 4096)]),
    case("checksums", [3, 1, 1], [64, 1, 1], 0, &[Out(256), In(U8, 1536), Argument::U32(24)]),
    case("decode_text", [4, 1, 1], [64, 1, 1], 0, &[Out(4352), In(Utf8, 1024)]),
    case("search", [4, 1, 1], [64, 1, 1], 0, &[Out(256), All(U8, 4096), All(U8, 4), Argument::U32(4), Argument::U32(16)]),
    case("hashes", [3, 1, 1], [64, 1, 1], 0, &[Out(2048), In(U32, 1024)]),
    case("early_exits", [4, 1, 1], [128, 1, 1], 0, &[Out(512), In(U32, 128)]),
    case("escape_times", [4, 8, 1], [16, 4, 1], 0, &[Fixed(8192), Argument::U32(64), Argument::U32(200)]),
    case("interpreter", [3, 1, 1], [64, 1, 1], 0, &[Out(256), In(U8, 1536), Argument::U32(24), Argument::U32(300)]),
    case("random_walk", [2, 1, 1], [64, 1, 1], 0, &[Out(512), In(U64, 64), Argument::U32(3000)]),
    case("number_loops", [3, 1, 1], [64, 1, 1], 0, &[Out(512), In(U32, 128)]),
    case("uniform_math", [4, 1, 1], [64, 1, 1], 0, &[Out(512), In(U32, 16), Argument::F32(3.7), Argument::U32(100), Argument::U64(0x0f0f_1234_5678_ffff)]),
    case("vectors", [3, 1, 1], [64, 1, 1], 0, &[Out(2048), Out(512), Out(256), In(U32, 256)]),
    case("packed_structures", [3, 1, 1], [64, 1, 1], 0, &[Out(960), In(U8, 960)]),
    case("flat_pointers", [3, 1, 1], [128, 1, 1], 0, &[Out(1024), Out(512), In(U32, 128)]),
    case("dynamic_memory", [3, 1, 1], [96, 1, 1], 1600, &[Out(1600), In(U64, 200), Argument::U32(200)]),
    case("dimensions", [2, 3, 4], [5, 4, 3], 0, &[Fixed(23_040)]),
    case("argument_widths", [3, 1, 1], [50, 1, 1], 0, &[Out(400), Argument::U8(200), Argument::Bytes(&[0x34, 0xf2]), Argument::U8(77), Argument::U32(0x8765_4321), Argument::U64(0x1234_5678_9abc_def0), Argument::F32(-0.1), OPTIONS, Argument::F64(1e-300), Argument::U8(0x85)]),
    case("barriers", [2, 1, 1], [1024, 1, 1], 0, &[Out(4096), In(U32, 1024), Argument::U32(9)]),
    case("uneven_barrier", [2, 1, 1], [192, 1, 1], 0, &[Out(768), In(U32, 192)]),
    case("strides", [4, 1, 1], [45, 1, 1], 0, &[Out(180), All(U32, 5000), Argument::U32(33), Argument::U32(5000)]),
];
