//! The sources of a module's executables, as iree-compile dumps them: the operations of each
//! kernel, and the tensors that it loads and stores.
//!
//! This is the compiler's text about a user's module. A fact in another form than the known one is
//! unknown, and no error.

use std::collections::HashMap;

/// The largest number of definitions between a size and the launch's scalars.
const MAX_DEPTH: u32 = 32;

/// The operation that states facts about values and returns them.
const ASSUMPTION: &str = "util.assume.int";

/// A kernel's source.
#[derive(Debug, Default)]
pub(crate) struct ExecutableSource {
    /// Its operations, in order.
    pub(crate) operations: Vec<String>,
    /// The definitions of its values, by name.
    definitions: HashMap<String, String>,
    reads: Vec<TensorSize>,
    writes: Vec<TensorSize>,
    /// The assumption of several values in progress: its name, and the number of values so far.
    assumption: Option<(String, usize)>,
}

/// A tensor that a kernel loads or stores.
#[derive(Debug)]
struct TensorSize {
    /// Sizes of its dimensions: numbers, or names of values.
    sizes: Vec<String>,
    element_bits: u64,
}

/// Returns the kernels of these sources by name.
pub(crate) fn kernels(executables: &[String]) -> HashMap<String, ExecutableSource> {
    let mut found = HashMap::new();
    for text in executables {
        let mut current: Option<(String, ExecutableSource)> = None;
        for line in text.lines().map(str::trim) {
            if let Some(name) = function(line) {
                found.extend(current.replace((name, ExecutableSource::default())));
            } else if let Some((_, source)) = &mut current {
                source.read(line);
            }
        }
        found.extend(current);
    }
    for source in found.values_mut() {
        source.operations.dedup();
    }
    found
}

/// Returns the name of the function that begins on a line.
fn function(line: &str) -> Option<String> {
    let rest = line.strip_prefix("func.func @")?;
    Some(rest.split_once('(')?.0.to_owned())
}

impl ExecutableSource {
    fn read(&mut self, line: &str) {
        if let Some((name, count)) = &mut self.assumption {
            if line.starts_with('%') {
                // `%10<udiv = 16>,` is the next value.
                let value = format!("{name}#{count}");
                *count += 1;
                let definition = format!("{ASSUMPTION} {line}");
                self.definitions.insert(value, definition);
                return;
            }
            self.assumption = None;
        }
        if let Some((value, definition)) = line.split_once(" = ")
            && value.starts_with('%')
        {
            if let Some((name, _)) = value.split_once(':')
                && let Some(values) = definition.strip_prefix(ASSUMPTION)
            {
                self.assumption = Some((name.to_owned(), 0));
                for value in values.split(">,").filter(|it| it.trim().starts_with('%')) {
                    self.read(value.trim());
                }
                // Without values on this line, they follow on lines of their own.
                if !values.trim().is_empty() {
                    self.assumption = None;
                }
                return;
            }
            self.definitions
                .insert(value.to_owned(), definition.to_owned());
            if definition.starts_with("iree_tensor_ext.dispatch.tensor.load ") {
                self.reads.extend(moved(line, "-> tensor<"));
            } else {
                self.name(definition);
            }
        } else if line.starts_with("iree_tensor_ext.dispatch.tensor.store ") {
            self.writes.extend(moved(line, ": tensor<"));
        }
    }

    /// Adds the name of an operation on tensors, or of the arithmetic in its body.
    fn name(&mut self, definition: &str) {
        let word = definition.split([' ', '(']).next().unwrap_or_default();
        let Some((dialect, name)) = word.split_once('.') else {
            return;
        };
        match dialect {
            "linalg" if name == "fill" => {}
            "linalg" if name == "generic" => {
                let reduces = definition.contains("\"reduction\"");
                let kind = if reduces { "reduction" } else { "elementwise" };
                self.operations.push(kind.to_owned());
            }
            "linalg" | "iree_linalg_ext" => self.operations.push(name.to_owned()),
            "tensor" if matches!(name, "pad" | "concat" | "gather" | "scatter") => {
                self.operations.push(name.to_owned());
            }
            "arith" | "math" if !matches!(name, "constant" | "index_castui" | "index_cast") => {
                // The arithmetic of a body belongs to the last generic operation.
                if let Some(last) = self.operations.last_mut()
                    && (last.starts_with("reduction") || last.starts_with("elementwise"))
                {
                    match last.strip_suffix(')') {
                        Some(open) => *last = format!("{open}, {name})"),
                        None => *last = format!("{last}({name})"),
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the bytes that a launch with these scalars loads and stores, if all sizes are
    /// known.
    pub(crate) fn bytes(&self, scalars: &[u32]) -> Option<(u64, u64)> {
        let all = |tensors: &[TensorSize]| {
            let bytes = tensors.iter().map(|tensor| {
                let mut bits = tensor.element_bits;
                for size in &tensor.sizes {
                    bits = bits.checked_mul(self.value(size, scalars, MAX_DEPTH)?)?;
                }
                Some(bits.div_ceil(8))
            });
            bytes.sum::<Option<u64>>()
        };
        // A kernel of wavetune has no source here.
        let is_empty = self.reads.is_empty() && self.writes.is_empty();
        (!is_empty).then_some(())?;
        Some((all(&self.reads)?, all(&self.writes)?))
    }

    /// Returns the value of a size: a number, or a name that is computed from the scalars.
    fn value(&self, text: &str, scalars: &[u32], depth: u32) -> Option<u64> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let depth = depth.checked_sub(1)?;
        let definition = self.definitions.get(text)?;
        let (operation, rest) = definition.split_once(' ')?;
        let mut operands = rest.split([' ', ',', '<']).filter(|it| it.starts_with('%'));
        let mut operand = || self.value(operands.next()?, scalars, depth);
        match operation {
            "hal.interface.constant.load" => {
                let (_, ordinal) = rest.split_once("ordinal(")?;
                let ordinal: usize = ordinal.split_once(')')?.0.parse().ok()?;
                scalars.get(ordinal).map(|&word| word.into())
            }
            "arith.constant" => rest.split(' ').next()?.parse().ok(),
            "arith.extui"
            | "arith.index_castui"
            | "arith.index_cast"
            | "util.assume.int"
            | "iree_tensor_ext.dispatch.workload.ordinal" => operand(),
            "arith.shli" => operand()?.checked_shl(operand()?.try_into().ok()?),
            "arith.ori" => Some(operand()? | operand()?),
            "arith.muli" => operand()?.checked_mul(operand()?),
            "arith.addi" => operand()?.checked_add(operand()?),
            _ => None,
        }
    }
}

/// Returns the tensor that a load or store moves. Its type follows `before`.
fn moved(line: &str, before: &str) -> Option<TensorSize> {
    let (_, sizes) = line.split_once("sizes = [")?;
    let sizes = sizes.split_once(']')?.0;
    let (_, tensor) = line.rsplit_once(before)?;
    let tensor = tensor.split(['>', ',']).next()?;
    let element = tensor.rsplit('x').next()?;
    let bits = element.trim_start_matches(|it: char| it.is_ascii_alphabetic());
    let bits: u64 = match element {
        "index" => 64,
        // Floats of eight bits name their format after the size.
        _ => bits
            .split(|it: char| !it.is_ascii_digit())
            .next()?
            .parse()
            .ok()?,
    };
    let sizes = sizes.split(',').map(str::trim).filter(|it| !it.is_empty());
    Some(TensorSize {
        sizes: sizes.map(str::to_owned).collect(),
        // A boolean takes a whole byte in memory.
        element_bits: if bits == 1 { 8 } else { bits },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
hal.executable public @two_dispatch_0 {
  builtin.module {
    func.func @two_dispatch_0_reduction_Dx512_f32() {
      %cst = arith.constant 0.000000e+00 : f32
      %c32_i64 = arith.constant 32 : i64
      %0 = hal.interface.constant.load layout(<constants = 2>) ordinal(0) : i32
      %1 = hal.interface.constant.load layout(<constants = 2>) ordinal(1) : i32
      %2 = arith.extui %0 : i32 to i64
      %3 = arith.extui %1 : i32 to i64
      %4 = arith.shli %3, %c32_i64 : i64
      %5 = arith.ori %2, %4 : i64
      %6 = arith.index_castui %5 : i64 to index
      %7 = util.assume.int %6<umin = 0, umax = 9007199254740991> : index
      %8 = iree_tensor_ext.dispatch.workload.ordinal %7, 0 : index
      %11 = iree_tensor_ext.dispatch.tensor.load %9, offsets = [0, 0], sizes = [%8, 512], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<?x512xf16>>{%8} -> tensor<?x512xf16>
      %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<?xf32>) -> tensor<?xf32>
      %14 = linalg.generic {iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<?x512xf16>) outs(%13 : tensor<?xf32>) {
      ^bb0(%in: f16, %out: f32):
        %15 = arith.extf %in : f16 to f32
        %16 = arith.addf %15, %out : f32
        linalg.yield %16 : f32
      } -> tensor<?xf32>
      %17 = linalg.softmax dimension(0) ins(%14 : tensor<?xf32>) outs(%12 : tensor<?xf32>) -> tensor<?xf32>
      iree_tensor_ext.dispatch.tensor.store %17, %10, offsets = [0], sizes = [%8], strides = [1] : tensor<?xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<?xf32>>{%8}
      return
"#;

    #[track_caller]
    fn check(scalars: &[u32], expected: Option<(u64, u64)>) {
        let found = kernels(&[SOURCE.to_owned()]);
        let source = &found["two_dispatch_0_reduction_Dx512_f32"];
        assert_eq!(source.bytes(scalars), expected, "{scalars:?}");
    }

    #[test]
    fn bytes_of_dynamic_sizes() {
        check(&[37, 0], Some((37 * 512 * 2, 37 * 4)));
        check(&[0, 1], Some((512 << 33, 4 << 32)));
        check(&[0, u32::MAX], None);
        check(&[37], None);
    }

    #[test]
    fn assumptions_of_several_values() {
        let one = "%7 = util.assume.int %6<umin = 0, umax = 9007199254740991> : index";
        let lines =
            "%7:2 = util.assume.int \n %0<udiv = 16>,\n %6<umin = 0, udiv = 8>\n : index, index";
        let line = "%7:2 = util.assume.int %0<udiv = 16>, %6<umin = 0> : index, index";
        for several in [lines, line] {
            let text = SOURCE
                .replace(one, several)
                .replace("ordinal %7,", "ordinal %7#1,");
            let found = kernels(&[text]);
            let source = &found["two_dispatch_0_reduction_Dx512_f32"];
            let bytes = source.bytes(&[37, 0]);
            assert_eq!(bytes, Some((37 * 512 * 2, 37 * 4)), "{several}");
        }
    }

    #[test]
    fn operations_have_their_arithmetic() {
        let found = kernels(&[SOURCE.to_owned()]);
        let source = &found["two_dispatch_0_reduction_Dx512_f32"];
        assert_eq!(source.operations, ["reduction(extf, addf)", "softmax"]);
    }

    #[test]
    fn a_definition_that_names_itself_is_unknown() {
        let text = SOURCE.replace("%2 = arith.extui %0", "%2 = arith.extui %2");
        let found = kernels(&[text]);
        let source = &found["two_dispatch_0_reduction_Dx512_f32"];
        assert_eq!(source.bytes(&[1, 0]), None);
    }
}
