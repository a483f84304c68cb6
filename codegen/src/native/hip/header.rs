//! The comment at the top, and what a compiler without HIP's headers has to be told.

use configgen::{Configuration, IndexMode, Knobs, Target};

use super::element::cpp;
use super::meaning::Meaning;
use super::source::Source;
use crate::native::stages::last::Final;

/// Prints the comment.
pub(super) fn print(
    source: &mut Source,
    kernel: &Final,
    meaning: &Meaning<'_>,
    target: &Target,
    configuration: &Configuration,
) {
    let problem = meaning.problem;
    let block = &kernel.lanes.block;
    let grid = &block.grid;
    let sizes: Vec<String> = grid
        .dimensions
        .iter()
        .map(|dimension| match dimension.reduced {
            true => format!("[{}]", dimension.whole),
            false => dimension.whole.to_string(),
        })
        .collect();
    let (shape, element, rows) = (sizes.join(" x "), problem.element, grid.rows());
    let memory = cpp(meaning).memory;
    let (index, index_type) = (problem.index, meaning.index());
    let elements = grid.elements();
    let gaps = match grid.span == elements {
        true => String::new(),
        false => format!(", spread over {} elements", grid.span),
    };
    let [x, y] = grid.workgroups;
    let (threads, subgroups, lanes) = (grid.threads, block.subgroups(), grid.subgroup_size);
    let width = match target.subgroup_sizes {
        [_] => String::new(),
        _ if lanes == 64 => " -mwavefrontsize64".to_owned(),
        _ => String::new(),
    };
    let lds = block.partials() * grid.combiner.partial_bytes() + kernel.exchange_bytes();
    let configured = match configuration.knobs {
        Knobs::DEFAULT => configuration.to_string(),
        knobs => format!("{configuration}, {knobs}"),
    };
    let mut lines = vec![
        format!("{problem} for {target}, printed by wavetune."),
        String::new(),
        configured,
        String::new(),
        format!("grid      {x} x {y} x 1 workgroups"),
        format!("block     {threads} x 1 x 1 threads, subgroups of {lanes}: {subgroups}"),
        format!("LDS       {lds} bytes, static"),
        format!(
            "compile   hipcc --genco --offload-arch={target}{width} -O3, or hiprtc with these options, or without ROCm"
        ),
        format!(
            "          clang++ -x hip --offload-arch={target}{width} -O3 -std=c++17 --cuda-device-only -nogpuinc -nogpulib"
        ),
        "          --no-gpu-bundle-output; in no case -ffast-math: NaN matter".to_owned(),
        "arguments".to_owned(),
        format!(
            "  input    const {memory} *: {shape} {element}, row by row, the bracketed dimensions reduced{gaps}"
        ),
    ];
    if meaning.index_mode() == IndexMode::Explicit {
        lines.push(format!(
            "  explicit_indices  const {index_type} *: {shape} {index}, row by row without gaps"
        ));
    }
    let before = match meaning.starts_at_outputs() {
        true => "; before the launch where its fold starts",
        false => "",
    };
    let what = match meaning.index_mode() {
        IndexMode::Position => "its position in the row",
        IndexMode::Based => "its position in the row plus the base",
        IndexMode::Explicit => "the explicit one of its position",
    };
    lines.push(format!(
        "  values   {memory} *: {rows} {element}, of each row the winner{before}"
    ));
    lines.push(format!(
        "  indices  {index_type} *: {rows} {index}, {what}{before}"
    ));
    if meaning.index_mode() == IndexMode::Based {
        lines.push(format!("  index_base  {index_type}, by value"));
    }
    if grid.split.is_some() {
        let (states, counters) = (grid.left_bytes(), grid.tiles());
        lines.push(format!(
            "  workspace  State *: {states} bytes, and behind them {counters} counters that are 0 before and after a launch"
        ));
    }
    lines.push(String::new());
    let otherwise = match meaning.starts_at_outputs() {
        true => "; if none does, the outputs stay what they are.",
        false => "; if none does, the index is 0.",
    };
    lines.extend([
        "The result is that of a loop over a row, from its first element to its last, that starts at the initial value"
            .to_owned(),
        format!("and keeps each element that replaces what it has{otherwise}"),
    ]);
    for line in lines {
        source.lines(format!("// {line}").trim_end());
    }
    source.blank();
}

/// Prints the macros that HIP's headers have, hipcc's and hiprtc's.
pub(super) fn macros(source: &mut Source) {
    source.lines("// What hipcc and hiprtc know from HIP's headers.");
    for (name, arguments, attribute) in [
        ("__global__", "", "global"),
        ("__device__", "", "device"),
        ("__shared__", "", "shared"),
        ("__launch_bounds__", "(...)", "launch_bounds(__VA_ARGS__)"),
    ] {
        source.lines(format!(
            "#ifndef {name}\n#define {name}{arguments} __attribute__(({attribute}))\n#endif"
        ));
    }
    source.blank();
}
