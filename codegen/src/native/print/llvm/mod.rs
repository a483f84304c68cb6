//! The IR as LLVM IR: one function per kernel.
//!
//! This module prints the parts around the functions: LDS, and the attributes that exclude hidden
//! arguments. [`function`] prints blocks, [`instruction`] the operations, [`syntax`] types and
//! constants.

mod function;
mod instruction;
mod locations;
mod syntax;

use std::collections::BTreeSet;

use crate::native::ir::{IrKernel, Parameter, Type, Value, ValueOrigin};
use syntax::type_name;

pub(in crate::native) use function::Printer;
pub(in crate::native) use locations::located;

/// The inputs that kernels do not use. Each attribute keeps the runtime from passing a register
/// or a hidden argument. Without them, LLVM would have to analyse the function.
const UNUSED: [&str; 15] = [
    "dispatch-ptr",
    "queue-ptr",
    "dispatch-id",
    "implicitarg-ptr",
    "workgroup-id-z",
    "workitem-id-y",
    "workitem-id-z",
    "lds-kernel-id",
    "hostcall-ptr",
    "multigrid-sync-arg",
    "heap-ptr",
    "default-queue",
    "completion-action",
    "flat-scratch-init",
    "agpr",
];

/// Returns the module of some kernels, each under its symbol.
///
/// A module of many compiles faster than many modules: LLVM sets up its pass manager, printer and
/// object writer once. Each setup takes as long as half a small kernel.
pub(in crate::native) fn module(kernels: &[(&str, &IrKernel)]) -> String {
    printed(kernels, false)
}

/// Returns the module of a kernel, with a mark of its statement at each line.
pub(in crate::native) fn marked(symbol: &str, kernel: &IrKernel) -> String {
    printed(&[(symbol, kernel)], true)
}

fn printed(kernels: &[(&str, &IrKernel)], is_marked: bool) -> String {
    let mut text = "target triple = \"amdgcn-amd-amdhsa\"\n\n".to_owned();
    let mut attributes = String::new();
    let mut declarations = BTreeSet::new();
    for (number, (symbol, kernel)) in kernels.iter().enumerate() {
        text += &function(symbol, kernel, number, is_marked, &mut declarations);
        attributes += &attribute_group(kernel, number);
    }
    let declarations: String = declarations.into_iter().collect();
    // Each kernel has one metadata node, so the flags' number follows those.
    let flags = kernels.len();
    text + &format!(
        "{declarations}\n{attributes}\n\
         !llvm.module.flags = !{{!{flags}}}\n\
         !{flags} = !{{i32 1, !\"amdhsa_code_object_version\", i32 500}}\n"
    )
}

/// Returns kernel number `number` and its LDS.
fn function(
    symbol: &str,
    kernel: &IrKernel,
    number: usize,
    is_marked: bool,
    declarations: &mut BTreeSet<String>,
) -> String {
    let lds: String = kernel
        .lds
        .iter()
        .map(|(lds, bytes)| {
            let name = lds.name();
            format!(
                "@{name}_{symbol} = internal addrspace(3) global [{bytes} x i8] poison, align 16\n\n"
            )
        })
        .collect();
    let mut printer = match is_marked {
        true => Printer::new(symbol).marking(),
        false => Printer::new(symbol),
    };
    printer.block(&kernel.body);
    let body = printer.finish(declarations);
    let parameters: Vec<String> = kernel
        .parameters
        .iter()
        .map(|value| parameter(kernel, value))
        .collect();
    let parameters = parameters.join(", ");
    format!(
        "{lds}define protected amdgpu_kernel void @{symbol}({parameters}) #{number} \
         !reqd_work_group_size !{number} {{\n{body}}}\n\n"
    )
}

fn parameter(kernel: &IrKernel, value: &Value) -> String {
    let ValueOrigin::Parameter(parameter) = value.origin else {
        unreachable!("parameters are parameters");
    };
    // An argument in registers at the start of a wave needs no load that everything else waits
    // for.
    let inreg = match kernel.preloads_arguments {
        true => " inreg",
        false => "",
    };
    let access = match (value.kind, parameter) {
        (_, parameter) if parameter.is_input() => " noalias readonly",
        // Other workgroups write the workspace too, so it must not be `noalias`.
        (_, Parameter::Workspace) => "",
        (Type::Pointer(_), _) => " noalias",
        _ => "",
    };
    let (kind, name) = (type_name(value.kind), parameter.name());
    format!("{kind}{inreg}{access} %{name}")
}

/// Returns the attributes and the metadata of kernel number `number`.
fn attribute_group(kernel: &IrKernel, number: usize) -> String {
    let (threads, lanes, features) = (kernel.threads, kernel.lanes, kernel.features);
    let y = kernel.is_row.then_some("workgroup-id-y");
    // Without IEEE mode, a maximum ignores a signalling NaN like a quiet one and needs no
    // instruction to quiet it.
    let ieee = match kernel.ignores_signals {
        true => " \"amdgpu-ieee\"=\"false\"",
        false => "",
    };
    let unused: String = UNUSED
        .into_iter()
        .chain(y)
        .map(|name| format!(" \"amdgpu-no-{name}\""))
        .collect();
    format!(
        "attributes #{number} = {{ nounwind \"amdgpu-flat-work-group-size\"=\"{threads},{threads}\" \
         \"target-features\"=\"+wavefrontsize{lanes}{features}\" \"uniform-work-group-size\"=\"true\"{ieee}{unused} }}\n\
         !{number} = !{{i32 {threads}, i32 1, i32 1}}\n"
    )
}
