//! Maps: pointwise operations, copies, pads, gathers, concatenations and transpositions, in the
//! emulator with its checker, against the host.

use codegen::native::Native;
use configgen::Problem;
use testing::Failed;

use crate::native::computed::check_defaults;
use crate::native::inputs::Random;
use crate::native::triples::{check_random, check_random_hip, is_small};
use testing_problems as functions;

pub(crate) fn random_maps_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 80, 41, any_problem)
}

pub(crate) fn many_random_maps_are_right(native: &Native) -> Result<(), Failed> {
    check_random(native, 2000, 42, any_problem)
}

/// Checks kernels that clang compiles.
pub(crate) fn some_hip_maps_are_right(native: &Native) -> Result<(), Failed> {
    check_random_hip(native, 30, 43, any_problem)
}

/// Checks the pointwise tests of MIGraphX's gen IR and copies, in one and several dimensions.
/// They are sums, products and both; pads, reversals, gathers and concatenations with a sum. Uses
/// the default configurations of every target.
pub(crate) fn worked_maps(native: &Native) -> Result<(), Failed> {
    let concatenated = "5=arith.cmpi(ult,3,4);6=arith.select(5,0,1);arith.addf(2,6)";
    let texts = [
        "map(arith.addf(0,1)):1000xf32,f32".to_owned(),
        "map(arith.addf(0,1)):6x40x8xf16,f16".to_owned(),
        "map(arith.mulf(0,1)):1000xf32,f32".to_owned(),
        "map(arith.mulf(0,1)):6x40x8xbf16,bf16(2)".to_owned(),
        "map(3=arith.mulf(0,1);arith.addf(2,3)):1000xf32,f32,f32".to_owned(),
        "map(3=arith.mulf(0,1);arith.addf(2,3)):6x40x8xf32,f32(1),f32".to_owned(),
        "map(arith.addf(0,1)):1000xf32(0-3:990=2.0),f32".to_owned(),
        "map(arith.addf(0,1)):6x40x8xf32(0-1:4,1-2:36,2),f32".to_owned(),
        "map(arith.addf(0,1)):1000xf32(-0+999),f32".to_owned(),
        "map(arith.addf(0,1)):6x40x8xf32(-0+5,-1+39,-2+7),f32".to_owned(),
        "map(arith.addf(0,1)):1000xf32(@2:50),f32,i32".to_owned(),
        "map(arith.addf(0,1)):6x40x8xf32(@2:50,1,2),f32,i32(0)".to_owned(),
        format!(
            "map(4=arith.constant(i32,12c);{concatenated}):1000xf32(0:300),f32(0-300:700),f32,index(0)"
        ),
        format!(
            "map(4=arith.constant(i32,c);{concatenated}):6x40x8xf32(0,1:12,2),f32(0,1-12:28,2),f32,index(1)"
        ),
        "map(arith.cmpf(olt,0,1)):6x41xf32,f32".to_owned(),
        "map(arith.extsi(0,i64)):77x13xi8".to_owned(),
        "copy:1000xf32".to_owned(),
        "copy:13x40xi1:pitch=48".to_owned(),
        "copy:40x33xf16(1,0)".to_owned(),
        "copy:64x3x40xf32(2,1,0)".to_owned(),
        "copy:?x100xf32:count=1..9".to_owned(),
        "copy:1xf64".to_owned(),
    ];
    check_defaults(native, &texts)
}

/// Returns a small map of a random function of one to four inputs, or a copy of a random view.
fn any_problem(random: &mut Random) -> Result<Problem, Failed> {
    loop {
        let text = any_text(random);
        let problem: Problem = match text.parse::<Problem>() {
            Ok(problem) => problem,
            // The operations of an input may cancel out, or use no other input.
            Err(error) if error.message.starts_with("the function does not use input") => continue,
            Err(error)
                if error
                    .message
                    .starts_with("the problem does not read any element") =>
            {
                continue;
            }
            Err(error) if error.message.starts_with("there is no input") => continue,
            Err(error) => return Err(format!("{text}: {error}").into()),
        };
        if is_small(&problem) {
            return Ok(problem);
        }
    }
}

/// Returns the text of a map of a random function, or of a copy.
pub(crate) fn any_text(random: &mut Random) -> String {
    of_reduction(&functions::any_text(random), random.below(4) == 0)
}

/// Returns the map of a reduction's function, or the copy of its first input, from the
/// reduction's text.
fn of_reduction(text: &str, is_copy: bool) -> String {
    let (before, inputs) = split(text);
    let function = before.split_once('(').map_or("", |(_, function)| function);
    // Options of reductions are left out, those of shapes stay.
    let mut parts = inputs.split(':').map(str::to_owned);
    let mut shape = parts.next().unwrap_or_default().replace(['[', ']'], "");
    let mut depth = depth_of(&shape);
    let mut options = String::new();
    for part in parts {
        if depth > 0 {
            shape = format!("{shape}:{part}");
            depth = depth_of(&shape);
        } else if part.starts_with("pitch") || part.starts_with("count") {
            options = format!("{options}:{part}");
        }
    }
    match is_copy {
        false => format!("map({function}):{shape}{options}"),
        true => format!("copy:{}{options}", first_input(&shape)),
    }
}

/// Splits a text after its function, which ends with a parenthesis. Returns the part before the
/// inputs, and the inputs.
fn split(text: &str) -> (&str, &str) {
    let mut open = 0;
    let end = text.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        c == ')' && open == 0
    });
    let end = end.unwrap_or(0);
    (&text[..end], &text[end + 2..])
}

fn depth_of(text: &str) -> usize {
    text.matches('(').count() - text.matches(')').count()
}

/// Returns the shape with the first input alone, without a gather.
fn first_input(shape: &str) -> String {
    let mut open = 0;
    let end = shape.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && open == 0
    });
    let first = &shape[..end.unwrap_or(shape.len())];
    match first.contains('@') {
        true => first
            .split_once('(')
            .map_or(first, |(plain, _)| plain)
            .to_owned(),
        false => first.to_owned(),
    }
}
