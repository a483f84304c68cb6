//! The IR as HIP C++: a source that people read, compile and change, without any header.
//!
//! [`function`] prints blocks as statements, [`expression`] the operations, [`syntax`] types and
//! constants, and [`value`] the expressions of values. [`library`] has the functions that
//! operations call; a source contains those that its kernel needs.

mod expression;
mod function;
mod library;
mod syntax;
mod value;

use crate::native::ir::{IrKernel, Parameter, Type, Value, ValueOrigin};
use function::Printer;
use syntax::type_name;

/// Returns the source of a kernel under `symbol`, after a comment that describes it.
pub(in crate::native) fn source(symbol: &str, comment: &str, kernel: &IrKernel) -> String {
    printed(symbol, comment, kernel, Printer::new(kernel))
}

/// Returns the same source, with a mark of its statements at each line.
pub(in crate::native) fn marked(symbol: &str, comment: &str, kernel: &IrKernel) -> String {
    printed(symbol, comment, kernel, Printer::new(kernel).marking())
}

fn printed(symbol: &str, comment: &str, kernel: &IrKernel, mut printer: Printer<'_>) -> String {
    printer.block(&kernel.body);
    let body = printer.finish();
    let lds = kernel.lds.iter().map(|(lds, bytes)| {
        let name = lds.name();
        format!("  __shared__ __attribute__((aligned(16))) char {name}[{bytes}];\n")
    });
    let lds: String = lds.collect();
    let parameters: Vec<String> = kernel.parameters.iter().map(parameter).collect();
    let parameters = parameters.join(", ");
    let (macros, functions) = (library::MACROS, library::functions(&body));
    let threads = kernel.threads;
    // A function with other features than the kernel's would be called in place of inlined.
    let [begin, end] = match features(kernel.features) {
        None => [String::new(), String::new()],
        Some(features) => [
            format!(
                "#pragma clang attribute push(__attribute__((target(\"{features}\"))), apply_to = function)\n"
            ),
            "#pragma clang attribute pop\n".to_owned(),
        ],
    };
    // Contraction to fused multiply-adds would change the rounding, so the body turns it off.
    format!(
        "{comment}\n{macros}\n{begin}{functions}\
         extern \"C\" __global__ void __launch_bounds__({threads})\n{symbol}(\n    {parameters}) {{\n\
         #pragma clang fp contract(off)\n{lds}{body}}}\n{end}"
    )
}

/// Returns the names of target features that are switched on or off, if there are some.
fn features(suffix: &str) -> Option<String> {
    let features = suffix.split(',').filter(|name| !name.is_empty());
    let features = features.map(|name| match name.strip_prefix('-') {
        Some(name) => format!("no-{name}"),
        None => name.to_owned(),
    });
    let features: Vec<String> = features.collect();
    (!features.is_empty()).then(|| features.join(","))
}

fn parameter(value: &Value) -> String {
    let ValueOrigin::Parameter(parameter) = value.origin else {
        unreachable!("parameters are parameters");
    };
    let name = parameter.name();
    match (value.kind, parameter) {
        (_, parameter) if parameter.is_input() => format!("const void *__restrict__ {name}"),
        // Other workgroups write the workspace too, so it must not be `__restrict__`.
        (_, Parameter::Workspace) => format!("void *{name}"),
        (Type::Pointer(_), _) => format!("void *__restrict__ {name}"),
        // The grid depends on the count, but a kernel with whole rows in each workgroup may not
        // use it.
        (kind, Parameter::Count) => {
            format!("{} {name} __attribute__((unused))", type_name(kind))
        }
        (kind, _) => format!("{} {name}", type_name(kind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::combiner::region::target_features;

    #[test]
    fn features_are_those_of_llvm() {
        let of = |target| features(target_features(target, true));
        assert_eq!(of("gfx942"), None);
        assert_eq!(of("gfx950").as_deref(), Some("no-bitop3-insts"));
        assert_eq!(of("gfx1151").as_deref(), Some("no-real-true16"));
    }
}
