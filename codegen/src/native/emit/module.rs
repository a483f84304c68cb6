//! The module around the functions: LDS, and the attributes that keep hidden arguments away.

use configgen::IndexMode;

use super::declarations::declarations;
use super::region;
use crate::native::combiner::Combiner;
use crate::native::last::Final;

/// What the kernel does not use. Each attribute keeps the runtime from passing a register or a hidden argument; without
/// them LLVM would have to analyse the function to find out.
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

/// The module of some kernels, each under its symbol.
///
/// Many in one module compile faster than each alone: LLVM's pass manager, printer and object writer are set up once,
/// which takes as long as half a small kernel.
pub(in crate::native) fn module(kernels: &[(&str, &Final)]) -> String {
    let mut text = "target triple = \"amdgcn-amd-amdhsa\"\n\n".to_owned();
    let mut attributes = String::new();
    for (number, (symbol, kernel)) in kernels.iter().enumerate() {
        text += &function(symbol, kernel, number);
        attributes += &attribute_group(kernel, number);
    }
    let declarations = declarations(&text);
    let flags = kernels.len();
    text + &format!(
        "{declarations}\n{attributes}\n\
         !llvm.module.flags = !{{!{flags}}}\n\
         !{flags} = !{{i32 1, !\"amdhsa_code_object_version\", i32 500}}\n"
    )
}

/// The names of a kernel's LDS.
pub(super) struct Lds {
    /// States of rows, one a subgroup.
    pub(super) partials: String,
    /// A word of each thread for exchanges between lanes.
    pub(super) exchange: String,
    /// A word for the workgroup.
    pub(super) arrived: String,
}

impl Lds {
    fn new(symbol: &str) -> Lds {
        Lds {
            partials: format!("@partials_{symbol}"),
            exchange: format!("@exchange_{symbol}"),
            arrived: format!("@arrived_{symbol}"),
        }
    }
}

/// Kernel number `number` and its LDS.
fn function(symbol: &str, kernel: &Final, number: usize) -> String {
    let names = Lds::new(symbol);
    let block = &kernel.lanes.block;
    let combiner = &block.grid.combiner;
    let partials = block.partials() * combiner.partial_bytes();
    let arrived = match block.grid.split {
        Some(_) if block.subgroups() > 1 => 4,
        _ => 0,
    };
    let lds: String = [
        (&names.partials, partials),
        (&names.exchange, kernel.exchange_bytes()),
        (&names.arrived, arrived),
    ]
    .into_iter()
    .filter(|(_, bytes)| *bytes > 0)
    .map(|(name, bytes)| {
        format!("{name} = internal addrspace(3) global [{bytes} x i8] poison, align 16\n\n")
    })
    .collect();
    let body = super::body(kernel, &names);
    // What lies in registers when a wave starts needs no load that everything else waits for.
    let inreg = match block.grid.isa.preloads_arguments {
        true => " inreg",
        false => "",
    };
    let pointer = format!("ptr addrspace(1){inreg} noalias");
    let (explicit, base) = match combiner.index_mode {
        IndexMode::Position => (String::new(), String::new()),
        IndexMode::Based => (String::new(), format!(", {}{inreg} %base", combiner.index)),
        IndexMode::Explicit => (format!(", {pointer} readonly %explicit"), String::new()),
    };
    // Other workgroups write it too.
    let workspace = match block.grid.split {
        Some(_) => format!(", ptr addrspace(1){inreg} %workspace"),
        None => String::new(),
    };
    format!(
        "{lds}define protected amdgpu_kernel void @{symbol}({pointer} readonly %input{explicit}, {pointer} %values, \
         {pointer} %indices{base}{workspace}) #{number} !reqd_work_group_size !{number} {{\n{body}}}\n\n"
    )
}

/// The attributes and the metadata of kernel number `number`.
fn attribute_group(kernel: &Final, number: usize) -> String {
    let grid = &kernel.lanes.block.grid;
    let (threads, lanes) = (grid.threads, grid.subgroup_size);
    let features = region::target_features(grid.isa.name);
    let y = (grid.workgroups[1] == 1).then_some("workgroup-id-y");
    // A signalling NaN then loses a maximum as a quiet one does.
    let ieee = match kernel.lanes.block.lazy_loop() {
        Some(_) => " \"amdgpu-ieee\"=\"false\"",
        None => "",
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
