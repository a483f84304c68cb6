//! The functions, and LLVM's forms of them for an instruction set.

use emulator::Isa;

/// A function of up to three floats, and of an integer that only `ldexp` uses.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    /// The instruction's name; gfx12 may have another.
    instruction: &'static str,
    gfx12: Option<&'static str>,
    /// The operands after the destination and the first source.
    others: &'static [&'static str],
    encoding: Encoding,
    /// True if the result is within a unit in the last place, and flushes denormals in every
    /// mode.
    pub(super) inexact: bool,
    /// The true value, which is a single for an exact function.
    pub(super) value: fn([f32; 3], i32) -> f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// VOP1 or VOP2: short, long, SDWA and DPP.
    Short,
    /// VOP3 only.
    Long,
}

/// The modification of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    Plain,
    Clamped,
    /// An output modifier, with denormals off.
    Doubled,
}

/// An instruction with its modifiers.
pub(super) struct Form {
    pub(super) function: Function,
    pub(super) text: String,
    /// The signs of the first two sources.
    pub(super) signs: [fn(u32) -> u32; 2],
    pub(super) output: Output,
    /// The source lane of the first operand.
    pub(super) from: fn(usize) -> usize,
}

impl Form {
    /// Returns true if the result is the function of the lane's own sources.
    pub(super) fn is_plain(&self) -> bool {
        self.output == Output::Plain && [0, 1 << 31].map(self.signs[0]) == [0, 1 << 31]
    }
}

const FUNCTIONS: &[Function] = &[
    of_one("exp", "v_exp_f32", true, |[x, ..], _| f64::from(x).exp2()),
    of_one("log", "v_log_f32", true, |[x, ..], _| f64::from(x).log2()),
    of_one("rcp", "v_rcp_f32", true, |[x, ..], _| 1.0 / f64::from(x)),
    of_one("rsq", "v_rsq_f32", true, |[x, ..], _| {
        1.0 / f64::from(x).sqrt()
    }),
    of_one("sqrt", "v_sqrt_f32", true, |[x, ..], _| f64::from(x).sqrt()),
    of_one("rndne", "v_rndne_f32", false, |[x, ..], _| {
        f64::from(x).round_ties_even()
    }),
    of_two("add", "v_add_f32", None, |[x, y, _], _| (x + y).into()),
    of_two("mul", "v_mul_f32", None, |[x, y, _], _| (x * y).into()),
    of_two(
        "max",
        "v_max_f32",
        Some("v_max_num_f32"),
        |[x, y, _], _| match x == y {
            // Among zeros of both signs, the positive one wins.
            true => f32::from_bits(x.to_bits() & y.to_bits()).into(),
            false => x.max(y).into(),
        },
    ),
    Function {
        name: "ldexp",
        others: &["v3"],
        encoding: Encoding::Long,
        ..of_one("ldexp", "v_ldexp_f32", false, |[x, ..], exponent| {
            // Exact in double precision, then rounded once.
            let wide = f64::from(x) * 2f64.powi(exponent.clamp(-400, 400));
            f64::from(wide as f32)
        })
    },
    Function {
        name: "fma",
        others: &["v4", "v5"],
        encoding: Encoding::Long,
        ..of_one("fma", "v_fma_f32", false, |[x, y, z], _| {
            x.mul_add(y, z).into()
        })
    },
];

const fn of_one(
    name: &'static str,
    instruction: &'static str,
    inexact: bool,
    value: fn([f32; 3], i32) -> f64,
) -> Function {
    Function {
        name,
        instruction,
        gfx12: None,
        others: &[],
        encoding: Encoding::Short,
        inexact,
        value,
    }
}

const fn of_two(
    name: &'static str,
    instruction: &'static str,
    gfx12: Option<&'static str>,
    value: fn([f32; 3], i32) -> f64,
) -> Function {
    Function {
        gfx12,
        others: &["v4"],
        ..of_one(name, instruction, false, value)
    }
}

/// The syntax of a form: suffix of the instruction, first source, text after the operands.
struct Writing {
    suffix: &'static str,
    first: &'static str,
    with: &'static str,
    from: fn(usize) -> usize,
}

const QUAD: &str = " quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf";
const ROTATED: &str = " row_ror:4 row_mask:0xf bank_mask:0xf";
const REVERSED: &str = " dpp8:[7,6,5,4,3,2,1,0]";
const CLAMPED_QUAD: &str = " clamp quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf";
const CLAMPED_REVERSED: &str = " clamp dpp8:[7,6,5,4,3,2,1,0]";
const PARTS: &str = " dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD";
const CLAMPED_PARTS: &str = " clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD";

fn itself(lane: usize) -> usize {
    lane
}
fn quad(lane: usize) -> usize {
    lane ^ 1
}
fn rotated(lane: usize) -> usize {
    (lane & !15) | ((lane + 12) % 16)
}
fn reversed(lane: usize) -> usize {
    lane ^ 7
}

/// Returns the forms that an instruction set has, by the encoding of the function.
fn writings(isa: Isa, encoding: Encoding) -> Vec<Writing> {
    let one = |suffix, first, with, from| Writing {
        suffix,
        first,
        with,
        from,
    };
    let mut all = vec![
        one("_e64", "v2", "", itself),
        one("_e64", "-v2", "", itself),
        one("_e64", "-|v2|", "", itself),
        one("_e64", "|v2|", " clamp", itself),
        // The hardware ignores output modifiers while denormals are on.
        one("_e64", "v2", " mul:2", itself),
    ];
    if isa >= Isa::Gfx1100 {
        all.extend([
            one("_e64_dpp", "-|v2|", QUAD, quad),
            one("_e64_dpp", "v2", ROTATED, rotated),
            one("_e64_dpp", "v2", CLAMPED_QUAD, quad),
            one("_e64_dpp", "|v2|", REVERSED, reversed),
            one("_e64_dpp", "v2", CLAMPED_REVERSED, reversed),
        ]);
    }
    if encoding == Encoding::Long {
        return all;
    }
    all.extend([
        one("_e32", "v2", "", itself),
        one("_dpp", "v2", QUAD, quad),
        one("_dpp", "-|v2|", ROTATED, rotated),
    ]);
    if isa >= Isa::Gfx1030 {
        all.push(one("_dpp", "v2", REVERSED, reversed));
    }
    if isa <= Isa::Gfx1030 {
        all.extend([
            one("_sdwa", "v2", PARTS, itself),
            one("_sdwa", "-|v2|", PARTS, itself),
            one("_sdwa", "|v2|", CLAMPED_PARTS, itself),
        ]);
    }
    all
}

/// Returns the sign modifier that the text shows.
fn sign(source: &str) -> fn(u32) -> u32 {
    match (source.contains('-'), source.contains('|')) {
        (false, false) => |bits| bits,
        (true, false) => |bits| bits ^ 0x8000_0000,
        (false, true) => |bits| bits & 0x7fff_ffff,
        (true, true) => |bits| bits | 0x8000_0000,
    }
}

/// Returns every form of every function.
pub(super) fn all(isa: Isa) -> Vec<Form> {
    let mut forms = Vec::new();
    for &function in FUNCTIONS {
        for writing in writings(isa, function.encoding) {
            forms.push(form(isa, function, &writing));
        }
        if function.inexact {
            forms.push(doubled(isa, function));
        }
    }
    forms
}

fn form(isa: Isa, function: Function, writing: &Writing) -> Form {
    let Writing {
        suffix,
        first,
        with,
        from,
    } = *writing;
    let instruction = match function.gfx12 {
        Some(other) if isa == Isa::Gfx1201 => other,
        _ => function.instruction,
    };
    // The sign of the second source, if it is a float and the form has room for it.
    let [mut operands, mut second] = [function.others.join(", "), String::new()];
    if function.others.contains(&"v4") && first.contains('-') {
        operands = operands.replace("v4", "-|v4|");
        second = "-|v4|".to_owned();
    }
    let separator = if operands.is_empty() { "" } else { ", " };
    let with = match suffix {
        "_sdwa" if !operands.is_empty() => format!("{with} src1_sel:DWORD"),
        _ => with.to_owned(),
    };
    Form {
        function,
        text: format!("{instruction}{suffix} v10, {first}{separator}{operands}{with}"),
        signs: [sign(first), sign(&second)],
        output: match with.contains("clamp") {
            true => Output::Clamped,
            false => Output::Plain,
        },
        from,
    }
}

/// Returns the form with an output modifier, with denormals and MODE.IEEE off (gfx12 has no IEEE
/// bit).
fn doubled(isa: Isa, function: Function) -> Form {
    let mode = |denormals: u32, ieee: u32| {
        let ieee = match isa {
            Isa::Gfx1201 => String::new(),
            _ => format!("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), {ieee}\n"),
        };
        format!("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), {denormals}\n{ieee}")
    };
    let instruction = format!("{}_e64 v10, v2 mul:2", function.instruction);
    Form {
        function,
        text: format!("{}{instruction}\n{}", mode(0, 0), mode(3, 1)),
        signs: [sign(""), sign("")],
        output: Output::Doubled,
        from: itself,
    }
}
