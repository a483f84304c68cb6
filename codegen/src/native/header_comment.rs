//! The comment at the top of a kernel's HIP C++: all that a person needs to compile and launch
//! it.

use configgen::reduction::{Extent, Scalar};
use configgen::{Configuration, ElementType, IndexType, Knobs, Problem, Target};

use super::ir::IrKernel;
use super::stages::final_stage::Final;
use super::stages::gridwise::Gridwise;
use super::stages::operand::text;

/// The longest line of the comment, in columns.
const WIDTH: usize = 118;

/// Returns the comment.
pub(super) fn header_comment(
    last: &Final,
    kernel: &IrKernel,
    problem: &Problem,
    target: &Target,
    configuration: &Configuration,
) -> String {
    let block = &last.lanes.block;
    let grid = &block.grid;
    let sizes: Vec<String> = grid
        .dimensions
        .iter()
        .map(|dimension| match (dimension.reduced, dimension.counted) {
            (true, _) => format!("[{}]", dimension.whole),
            (false, false) => dimension.whole.to_string(),
            (false, true) => "count".to_owned(),
        })
        .collect();
    let (shape, element) = (sizes.join(" x "), problem.element);
    let rows = rows(grid);
    let memory = cpp(element);
    let elements = grid.elements();
    let most = if grid.is_counted() { "at most " } else { "" };
    let gaps = match grid.input().span == elements {
        _ if grid.input().view.is_some() => String::new(),
        true => String::new(),
        false => format!(", spread over {most}{} elements", grid.input().span),
    };
    let (threads, subgroups, lanes) = (grid.threads, block.subgroups(), grid.subgroup_size);
    // clang's default for targets with two subgroup sizes is 32 lanes.
    let width = match target.subgroup_sizes {
        [_, _, ..] if lanes == 64 => " -mwavefrontsize64",
        _ => "",
    };
    let lds: u32 = kernel.lds.iter().map(|(_, bytes)| bytes).sum();
    // Default knobs are left out, as in the canonical JSON.
    let configured = match configuration.knobs {
        Knobs::DEFAULT => configuration.to_string(),
        knobs => format!("{configuration}, {knobs}"),
    };
    let mut lines = vec![
        format!("{problem} for {target}, printed by wavetune."),
        String::new(),
        configured,
        String::new(),
        format!("grid      {}", workgroups(grid)),
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
        match grid.input().view.is_some() {
            false => format!(
                "  input    const {memory} *: {shape} {element}, row by row, the bracketed dimensions reduced{gaps}"
            ),
            true => format!(
                "  input    const {memory} *: seen as {shape}, the bracketed dimensions reduced, is {}, row by row without gaps",
                grid.input().words()
            ),
        },
    ];
    let reduction = &problem.reduction;
    let function = problem.function.as_ref();
    let read = problem.read_operands();
    // The first tensor is the input, listed above.
    for (operand, source) in read.iter().zip(grid.tensors().skip(1)) {
        let (name, memory) = (&operand.name, cpp_scalar(operand.scalar));
        let elements = operand.elements(&problem.shape);
        let (words, what) = (source.words(), operand.what);
        let what = match reduction.reads_operands() {
            true => format!(", {what}"),
            false => String::new(),
        };
        lines.push(format!(
            "  {name}  const {memory} *: {most}{elements} {words}, row by row without gaps{what}"
        ));
    }
    // The remaining operands are read per element, as explicit indices are; they have no tensor
    // operand in the grid.
    for operand in &problem.operands()[read.len()..] {
        let (name, scalar, what) = (&operand.name, operand.scalar, operand.what);
        let memory = cpp_scalar(scalar);
        lines.push(format!(
            "  {name}  const {memory} *: {shape} {scalar}, of each element {what}, row by row without gaps"
        ));
    }
    let before = match reduction.begins_at_results() {
        true => "; before the launch where its fold starts",
        false => "",
    };
    for result in problem.results() {
        let (name, scalar, what) = (result.name, result.scalar, result.what);
        let memory = cpp_scalar(scalar);
        lines.push(match result.extent {
            Extent::Elements => format!(
                "  {name:7}  {memory} *: {shape} {scalar}, row by row without gaps, of each element {what}"
            ),
            _ => {
                format!("  {name:7}  {memory} *: {rows} {scalar}, of each row {what}{before}")
            }
        });
    }
    if element == ElementType::I1 {
        lines
            .push("  of an i1 that is read bit 0 counts, one that is written is 0 or 1".to_owned());
    }
    if let Some((scalar, name)) = reduction.scalar() {
        lines.push(format!("  {name:7}  {}, by value", cpp_index(scalar)));
    }
    if grid.split.is_some() {
        let (states, counters) = (grid.left_bytes(), grid.tiles());
        lines.push(format!(
            "  workspace  {states} bytes, and behind them {counters} counters that are 0 before and after a launch"
        ));
    }
    if grid.waits() {
        lines.push(format!(
            "  {} workgroups with neighbouring numbers wait for each other: so many have to be on the device together",
            grid.sharers()
        ));
    }
    if let Some(counts) = problem.shape.counts() {
        let (least, largest) = counts.into_inner();
        lines.push(format!(
            "  count    int, by value: {least} to {largest}; buffers may be as small as it asks for, but for the workspace"
        ));
    }
    lines.push(String::new());
    if let Some(function) = function {
        lines.push(format!(
            "What is reduced is the {} of {}, where 0 is an element of input, 1 of operand_1 and so on.",
            function.result(),
            text(function.region()).replace(';', "; ")
        ));
        // A computed operand has a number in the function but no buffer in the kernel.
        let places = grid.sources.iter().zip(0..);
        for (source, number) in places.filter(|(source, _)| source.place.is_some()) {
            lines.push(format!(
                "There {number} is no argument: {}.",
                source.words()
            ));
        }
    }
    lines.extend(reduction.meaning().lines().map(str::to_owned));
    lines.iter().map(|line| comment(line)).collect()
}

/// Returns the grid of a launch, as a formula if a count is known only at launch.
fn workgroups(grid: &Gridwise) -> String {
    let [x, y] = grid.workgroups;
    let Some((_, counted)) = grid.parallel().find(|(_, dimension)| dimension.counted) else {
        return format!("{x} x {y} x 1 workgroups");
    };
    let each = grid.pieces() / u64::from(counted.tiles());
    let tile = counted.tile();
    match y {
        1 => format!("(count + {tile} - 1) / {tile} * {each} x 1 x 1 workgroups"),
        // A launch has at most 2^32 - 1 threads along x, so a large grid continues along y.
        _ => format!(
            "n = (count + {tile} - 1) / {tile} * {each} workgroups: min(n, {x}) x (n + {x} - 1) / {x} x 1"
        ),
    }
}

/// Returns the number of rows, as a product if a count is known only at launch.
fn rows(grid: &Gridwise) -> String {
    let of = |counted: bool| grid.parallel().filter(move |(_, d)| d.counted == counted);
    let others: u64 = of(false).map(|(_, d)| u64::from(d.size)).product();
    match (of(true).next().is_some(), others) {
        (false, rows) => rows.to_string(),
        (true, 1) => "count".to_owned(),
        (true, others) => format!("count * {others}"),
    }
}

/// Returns the C++ type of elements in memory. If C++ lacks the type, returns an integer type of
/// the same width.
fn cpp(element: ElementType) -> &'static str {
    use ElementType::*;
    match element {
        F64 => "double",
        F32 => "float",
        F16 => "_Float16",
        Bf16 => "unsigned short",
        I64 => "long long",
        I32 => "int",
        I16 => "short",
        I8 => "signed char",
        F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | I1 => "unsigned char",
    }
}

fn cpp_scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Element(element) => cpp(element),
        Scalar::Index(index) => cpp_index(index),
    }
}

fn cpp_index(index: IndexType) -> &'static str {
    match index {
        IndexType::I32 => "int",
        IndexType::I64 | IndexType::Index => "long long",
    }
}

/// Formats a line as a comment, broken between words.
fn comment(line: &str) -> String {
    let mut text = String::new();
    let mut rest = format!("// {line}");
    while rest.len() > WIDTH {
        let fits = rest.get(..WIDTH).and_then(|fits| fits.rfind(' '));
        let Some(place) = fits.filter(|&place| place > 2) else {
            break;
        };
        let after = rest.split_off(place);
        text += rest.trim_end();
        text.push('\n');
        rest = format!("//{after}");
    }
    text + rest.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken() {
        let line = ["some_words"; 30].join(" ");
        let text = comment(&line);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.replace("\n//", "").trim_end(), format!("// {line}"));
        let word = "a".repeat(200);
        assert_eq!(comment(&word), format!("// {word}\n"));
        assert_eq!(comment(""), "//\n");
    }
}
