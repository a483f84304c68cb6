//! Functions of a compiled module, and inputs for a call.

use std::ops::RangeInclusive;

use configgen::Problem;

use crate::error::ProfileError;

/// The dynamic sizes and the inputs of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSizes<'a> {
    /// The size of every dynamic dimension.
    pub count: u32,
    /// All inputs of the call in the notation of `iree-run-module --input`, or `None` for zeros.
    pub inputs: Option<&'a [String]>,
}

impl CallSizes<'_> {
    /// Returns the sizes that the gate compares for a range: its ends and their geometric mean.
    pub fn of_range(counts: &RangeInclusive<u32>) -> Vec<CallSizes<'static>> {
        let (least, most) = (*counts.start(), *counts.end());
        let between = (f64::from(least) * f64::from(most)).sqrt().round() as u32;
        let mut counts = vec![least, between, most];
        counts.dedup();
        let sizes = counts.into_iter().map(|count| CallSizes {
            count,
            inputs: None,
        });
        sizes.collect()
    }
}

/// Parses a range of counts, such as `1..512`, in the notation of problems.
///
/// # Errors
///
/// The reason, for people.
pub fn parse_counts(text: &str) -> Result<RangeInclusive<u32>, String> {
    let problem = format!("argmax:?x[1]xf32:i32:count={text}");
    let problem = problem.parse::<Problem>().map_err(|error| error.message)?;
    let counts = problem.shape.counts();
    // The parser of problems also accepts other spellings of a range.
    let counts = counts.filter(|it| format!("{}..{}", it.start(), it.end()) == text);
    counts.ok_or_else(|| "write a range such as 1..512".to_owned())
}

/// The type of the input for a buffer that nothing reads, so that its size is not known.
const UNREAD: &str = "tensor<1xi8>";

/// The declaration of a function in IREE's ABI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionDeclaration {
    /// The function's name.
    pub name: String,
    /// The types of its parameters, such as `tensor<?x4xf32>` or `i64`.
    pub parameters: Vec<String>,
}

impl FunctionDeclaration {
    /// Parses a declaration such as `sync func @main(%input0: tensor<4xf32>) -> (…)`. Returns
    /// `None` for other text, and for functions that wait for fences.
    pub fn parse(text: &str) -> Option<FunctionDeclaration> {
        // An asynchronous function takes fences, and has a synchronous one beside it.
        let rest = text.trim().strip_prefix("sync func @")?;
        let (name, rest) = rest.split_once('(')?;
        let end = closing(rest)?;
        let parameters = split(&rest[..end]).into_iter();
        let parameters: Option<Vec<String>> = parameters
            .map(|it| {
                let (_, kind) = it.split_once(": ")?;
                // Attributes of a parameter follow its type.
                let kind = kind.split(" {").next().unwrap_or(kind);
                Some(kind.trim().to_owned())
            })
            .collect();
        Some(FunctionDeclaration {
            name: name.to_owned(),
            parameters: parameters?,
        })
    }

    /// Returns the declarations of the functions in a lowered module. Modules of PyTorch have no
    /// declaration in IREE's ABI; their functions end in `$async` and import tensors.
    pub fn of_lowered(module: &str) -> Vec<FunctionDeclaration> {
        let mut found: Vec<FunctionDeclaration> = Vec::new();
        // The names of the last function's parameters, each with its type.
        let mut parameters: Vec<(String, String)> = Vec::new();
        for line in module.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("util.func public @") {
                parameters.clear();
                let Some((name, list)) = rest.split_once("$async(") else {
                    continue;
                };
                let list = closing(list).map_or("", |end| &list[..end]);
                let named = split(list).into_iter().filter_map(|it| {
                    let (name, kind) = it.split_once(": ")?;
                    let kind = kind.split(" {").next().unwrap_or(kind);
                    Some((name.trim().to_owned(), kind.trim().to_owned()))
                });
                parameters.extend(named.filter(|(_, kind)| kind != "!hal.fence"));
                // Until a line reads a parameter, any buffer may be its value.
                let unread = |kind: &str| match kind {
                    "!hal.buffer_view" => UNREAD.to_owned(),
                    other => other.to_owned(),
                };
                found.push(FunctionDeclaration {
                    name: name.to_owned(),
                    parameters: parameters.iter().map(|it| unread(&it.1)).collect(),
                });
            } else if let Some((import, tensor)) = line.split_once(" : !hal.buffer_view -> ")
                && import.contains("hal.tensor.import")
                && let Some(last) = found.last_mut()
            {
                // The size of a dynamic dimension follows the type.
                let tensor = tensor.split('{').next().unwrap_or(tensor);
                let words: Vec<&str> = import.split([' ', ',']).collect();
                let at = (parameters.iter()).position(|(name, _)| words.contains(&&**name));
                if let Some(parameter) = at.and_then(|at| last.parameters.get_mut(at)) {
                    *parameter = tensor.trim().to_owned();
                }
            } else if let Some(last) = found.last_mut() {
                let is_name = |it: char| it == '%' || it == '_' || it.is_ascii_alphanumeric();
                let words: Vec<&str> = line.split(|it| !is_name(it)).collect();
                let parameters = parameters.iter().zip(&mut last.parameters);
                for ((name, kind), parameter) in parameters {
                    if *parameter == UNREAD && words.contains(&&**name) {
                        parameter.clone_from(kind);
                    }
                }
            }
        }
        found
    }

    /// Returns true if a parameter has a dynamic size.
    pub fn is_dynamic(&self) -> bool {
        self.parameters.iter().any(|it| it.contains('?'))
    }

    /// Returns inputs of zeros in the notation of `--input`.
    ///
    /// # Errors
    ///
    /// [`ProfileError::Parameter`]: a parameter is neither a tensor nor a number.
    pub fn zeros(&self, count: u32) -> Result<Vec<String>, ProfileError> {
        let zero = |kind: &String| {
            input(kind, count).ok_or_else(|| ProfileError::Parameter {
                function: self.name.clone(),
                parameter: kind.clone(),
            })
        };
        self.parameters.iter().map(zero).collect()
    }
}

/// Returns a value of zeros in this type, or `None` if the type has none.
fn input(kind: &str, count: u32) -> Option<String> {
    if let Some(tensor) = kind.strip_prefix("tensor<") {
        // An encoding may follow the element type.
        let tensor = tensor.strip_suffix('>')?.split(',').next()?;
        // The runtime reads a shape alone as zeros, but an element type alone as no tensor.
        return Some(match tensor.contains('x') {
            true => tensor.replace('?', &count.to_string()),
            false => format!("{tensor}=0"),
        });
    }
    // `i64` and `f32` are scalars of IREE's runtime.
    let (class, bits) = kind.split_at_checked(1)?;
    let is_number = matches!(class, "i" | "f") && bits.parse::<u32>().is_ok();
    (is_number || kind == "index").then(|| "0".to_owned())
}

/// Returns the position of the bracket that closes an open one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1u32;
    for (at, character) in text.char_indices() {
        match character {
            '(' | '<' | '{' | '[' => open += 1,
            // The arrow of a function type closes nothing.
            '>' if text[..at].ends_with('-') => {}
            ')' | '>' | '}' | ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// Splits a list at its outer commas.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '<' | '{' | '[' => depth += 1,
            ')' | '>' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(declaration: &str, expected: Option<(&str, &[&str])>) {
        let found = FunctionDeclaration::parse(declaration);
        let found = found.map(|it| (it.name.clone(), it.zeros(7).unwrap_or_default()));
        let expected = expected.map(|(name, inputs)| {
            let inputs = inputs.iter().map(|&it| it.to_owned()).collect();
            (name.to_owned(), inputs)
        });
        assert_eq!(found, expected, "{declaration}");
    }

    #[test]
    fn inputs_of_declarations() {
        check(
            "sync func @main(%input0: tensor<256x4096xf32>, %input1: i64) -> (%output0: tensor<f32>)",
            Some(("main", &["256x4096xf32", "0"])),
        );
        check(
            "sync func @step(%input0: tensor<?x?x16xbf16> {iree.abi.output = 0 : index}, %input1: tensor<f32>) -> ()",
            Some(("step", &["7x7x16xbf16", "f32=0"])),
        );
        check(
            "sync func @none() -> (%output0: tensor<4xi1>)",
            Some(("none", &[])),
        );
        check("async func @main(%input0: tensor<4xf32>) -> ()", None);
        check("sync func @main(%input0: tensor<4xf32>", None);
        check("", None);
    }

    #[test]
    fn functions_of_pytorch() {
        let text = r#"
  util.func public @step$async(%arg0: !hal.buffer_view, %arg1: i64, %arg2: !hal.buffer_view, %arg3: !hal.fence, %arg4: !hal.fence) -> !hal.buffer_view {
    %0 = hal.buffer_view.dim<%arg2 : !hal.buffer_view>[0] : index
    %1 = hal.tensor.import wait(%arg3) => %arg0 : !hal.buffer_view -> tensor<4x32000xf32>
    %2 = hal.tensor.import wait(%arg3) => %arg2 "input2" : !hal.buffer_view -> tensor<?x8xi64>{%0}
  }
  util.func public @step(%arg0: !hal.buffer_view) -> !hal.buffer_view {
    %0 = hal.tensor.import %arg0 : !hal.buffer_view -> tensor<1xf32>
  }
"#;
        let found = FunctionDeclaration::of_lowered(text);
        let [step] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(step.name, "step");
        assert_eq!(step.zeros(7).unwrap(), ["4x32000xf32", "0", "7x8xi64"]);
        assert!(FunctionDeclaration::of_lowered("util.func public @f$async(").len() == 1);
    }

    #[test]
    fn any_buffer_is_the_input_that_nothing_reads() {
        let text = r#"
  util.func public @step$async(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view, %arg10: !hal.buffer_view, %arg3: !hal.fence) -> !hal.buffer_view {
    %1 = hal.tensor.import wait(%arg3) => %arg0 : !hal.buffer_view -> tensor<4xf32>
    %2 = hal.buffer_view.buffer<%arg10 : !hal.buffer_view> : !hal.buffer
  }
"#;
        let [step] = &FunctionDeclaration::of_lowered(text)[..] else {
            panic!("no function in {text}");
        };
        let expected = ["tensor<4xf32>", "tensor<1xi8>", "!hal.buffer_view"];
        assert_eq!(step.parameters, expected);
    }

    #[test]
    fn a_parameter_without_zeros_is_named() {
        let text = "sync func @main(%input0: !hal.buffer_view) -> ()";
        let declaration = FunctionDeclaration::parse(text).unwrap();
        let error = declaration.zeros(1).unwrap_err().to_string();
        assert!(error.contains("!hal.buffer_view"), "{error}");
        assert!(error.contains("--input"), "{error}");
    }

    #[track_caller]
    fn check_counts(counts: RangeInclusive<u32>, expected: &[u32]) {
        let sizes = CallSizes::of_range(&counts).into_iter();
        let found: Vec<u32> = sizes.map(|it| it.count).collect();
        assert_eq!(found, expected, "{counts:?}");
    }

    #[test]
    fn both_ends_and_one_between() {
        check_counts(1..=512, &[1, 23, 512]);
        check_counts(4..=4, &[4]);
        check_counts(5..=6, &[5, 6]);
        check_counts(1..=u32::MAX, &[1, 65536, u32::MAX]);
    }
}
