//! The row programs of f16 and bf16 models, as torch and JAX write them: the default kernels are
//! near the bound.
//!
//! The texts are those that `wavetune problems` prints for modules of both frontends.

use bench_harness::bound_us;
use codegen::native::Native;
use configgen::{Device, Problem};
use testing::{Failed, Trial};

use super::{geometric_mean, untuned_below};
use crate::sampling::cores;

/// The maximum geometric mean of a default's time over the bound.
const MOST: f64 = 1.15;

/// The same for one operation and type. JAX's softmax of bf16, which rounds each step, has 1.38,
/// and a cross entropy had 1.22 with a third fold.
const MOST_OF_ONE: f64 = 1.4;

/// The rows and columns.
const SHAPES: [[u32; 2]; 5] = [
    [1, 4096],
    [16, 4096],
    [256, 4096],
    [4096, 4096],
    [4096, 8192],
];

/// Slower kernels are timed only: their emulation takes minutes.
const VERIFIED_US: f64 = 6.0;

/// The operations with their text: `E` is the element type, `S` the shape, `N` the number of
/// columns and `M` one less.
const PROGRAMS: [(&str, &str); 13] = [
    (
        "RMS norm",
        "rows(e1=f32(x);E(e1*rsqrt(sum(e1*e1)/N+1e-6))*x1):SxE,E(1)",
    ),
    (
        "RMS norm of Gemma",
        "rows(e1=f32(x);E((f32(x1)+1)*(e1*rsqrt(sum(e1*e1)/N+1e-6)))):SxE,E(1)",
    ),
    ("layer norm of torch", "layer_norm:SxE"),
    (
        "layer norm of flax",
        "rows(e1=f32(x);r1=sum(e1)/N;E((e1-r1)*(f32(x1)*rsqrt(max(sum(e1*e1)/N-r1*r1,0)+1e-6))+f32(x2))):SxE,E(1),E(1)",
    ),
    ("softmax in f32", "softmax:SxE"),
    (
        "softmax of JAX",
        "rows(e1=exp(x-E(max(f32(x))));e1/E(sum(f32(e1)))):SxE",
    ),
    (
        "log-softmax in f32",
        "rows(e1=f32(x);e2=e1-max(e1);e2-log(sum(exp(e2)))):SxE",
    ),
    (
        "log-softmax of JAX",
        "rows(e1=x-E(max(f32(x)));e1-log(E(sum(f32(exp(e1)))))):SxE",
    ),
    ("cross entropy", "cross_entropy:SxE"),
    (
        "cross entropy of torch",
        "rows(e1=f32(x);e2=e1-max(e1);select(at(x1)!=-100,log(sum(exp(e2)))-at(e2,select(at(x1)!=-100,at(x1),0)),0)):SxE,i64(0)",
    ),
    ("mean", "rows(E(sum(f32(x))/N)):SxE"),
    (
        "variance of torch",
        "rows(e1=f32(x);e2=e1-sum(e1)/N;E(sum(e2*e2)/M)):SxE",
    ),
    (
        "variance of JAX",
        "rows(e1=f32(x);e2=e1-sum(e1)/N;sum(e2*e2)):SxE",
    ),
];

pub(super) fn trial(native: &'static Result<Native, String>) -> Trial {
    Trial::test(
        "full_row_programs_are_near_the_bound",
        move || match native {
            Ok(native) => check(native),
            Err(reason) => Err(reason.into()),
        },
    )
    .with_ignored_flag(true)
    .with_kind("13 operations of two types, some large")
}

fn check(native: &Native) -> Result<(), Failed> {
    let all: Vec<[&str; 3]> = PROGRAMS
        .iter()
        .flat_map(|&(name, text)| ["f16", "bf16"].map(|element| [name, text, element]))
        .collect();
    let shaped = |text: &str, element: &str, [rows, columns]: [u32; 2]| {
        text.replace('E', element)
            .replace('S', &format!("{rows}x[{columns}]"))
            .replace('N', &columns.to_string())
            .replace('M', &(columns - 1).to_string())
    };
    let problems: Vec<String> = all
        .iter()
        .flat_map(|[_, text, element]| SHAPES.map(|shape| shaped(text, element, shape)))
        .collect();
    let device = Device::named("mi300x").ok_or("no such device")?;
    let found = cores::each(&problems, |text| {
        let problem: Problem = text.parse().map_err(|error| format!("{text}: {error}"))?;
        let bound = bound_us(&problem, device);
        let limit = if bound < VERIFIED_US {
            f64::INFINITY
        } else {
            0.0
        };
        untuned_below(native, text, limit).map_err(|reason| format!("{text}: {reason}"))
    });
    let (mut failures, mut means) = (Vec::new(), Vec::new());
    for ([name, _, element], found) in all.iter().zip(found.chunks(SHAPES.len())) {
        let ratios: Result<Vec<f64>, String> = found
            .iter()
            .map(|it| it.as_ref().map(|it| it.ratio()).map_err(Clone::clone))
            .collect();
        let ratios = match ratios {
            Ok(ratios) => ratios,
            Err(reason) => {
                failures.push(reason);
                continue;
            }
        };
        let logarithms: Vec<f64> = ratios.iter().map(|it| it.ln()).collect();
        let mean = geometric_mean(&logarithms);
        let ratios: Vec<String> = ratios.iter().map(|it| format!("{it:.3}")).collect();
        let line = format!("{name}\t{element}\t{}\t{mean:.3}", ratios.join("\t"));
        println!("{line}");
        means.push(mean.ln());
        if mean > MOST_OF_ONE {
            failures.push(line);
        }
    }
    let mean = geometric_mean(&means);
    println!("all\t{mean:.3}");
    if mean > MOST {
        failures.push(format!("all: {mean:.3}"));
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n").into()),
    }
}
