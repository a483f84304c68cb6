//! The module around the functions: declarations, LDS, and the attributes that keep hidden arguments away.

use configgen::IndexMode;

use crate::native::combiner::Combiner;
use crate::native::last::Final;

/// The intrinsics, by the name that a call contains.
const INTRINSICS: [(&str, &str); 30] = [
    ("workitem.id.x", "i32 @llvm.amdgcn.workitem.id.x()"),
    ("workgroup.id.x", "i32 @llvm.amdgcn.workgroup.id.x()"),
    ("workgroup.id.y", "i32 @llvm.amdgcn.workgroup.id.y()"),
    ("readfirstlane", "i32 @llvm.amdgcn.readfirstlane.i32(i32)"),
    ("readlane.", "i32 @llvm.amdgcn.readlane.i32(i32, i32)"),
    (
        "writelane.",
        "i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)",
    ),
    (
        "update.dpp",
        "i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)",
    ),
    ("ds.swizzle", "i32 @llvm.amdgcn.ds.swizzle(i32, i32)"),
    ("ds.bpermute", "i32 @llvm.amdgcn.ds.bpermute(i32, i32)"),
    (
        "permlanex16",
        "i32 @llvm.amdgcn.permlanex16.i32(i32, i32, i32, i32, i1, i1)",
    ),
    ("permlane64", "i32 @llvm.amdgcn.permlane64.i32(i32)"),
    (
        "permlane16.swap",
        "{ i32, i32 } @llvm.amdgcn.permlane16.swap(i32, i32, i1, i1)",
    ),
    (
        "permlane32.swap",
        "{ i32, i32 } @llvm.amdgcn.permlane32.swap(i32, i32, i1, i1)",
    ),
    ("ballot.i32", "i32 @llvm.amdgcn.ballot.i32(i1)"),
    ("ballot.i64", "i64 @llvm.amdgcn.ballot.i64(i1)"),
    ("s.barrier", "void @llvm.amdgcn.s.barrier()"),
    ("ctpop.i32", "i32 @llvm.ctpop.i32(i32)"),
    ("cttz.i32", "i32 @llvm.cttz.i32(i32, i1)"),
    ("ctpop.i64", "i64 @llvm.ctpop.i64(i64)"),
    ("cttz.i64", "i64 @llvm.cttz.i64(i64, i1)"),
    ("umin.i32", "i32 @llvm.umin.i32(i32, i32)"),
    ("umax.i32", "i32 @llvm.umax.i32(i32, i32)"),
    ("smin.i32", "i32 @llvm.smin.i32(i32, i32)"),
    ("smax.i32", "i32 @llvm.smax.i32(i32, i32)"),
    ("umin.i64", "i64 @llvm.umin.i64(i64, i64)"),
    ("umax.i64", "i64 @llvm.umax.i64(i64, i64)"),
    ("smin.i64", "i64 @llvm.smin.i64(i64, i64)"),
    ("smax.i64", "i64 @llvm.smax.i64(i64, i64)"),
    ("uadd.sat.i32", "i32 @llvm.uadd.sat.i32(i32, i32)"),
    ("uadd.sat.i64", "i64 @llvm.uadd.sat.i64(i64, i64)"),
];

/// As [`INTRINSICS`], for floats.
const FLOAT_INTRINSICS: [(&str, &str); 4] = [
    ("maxnum.f32", "float @llvm.maxnum.f32(float, float)"),
    ("minnum.f32", "float @llvm.minnum.f32(float, float)"),
    ("maxnum.f64", "double @llvm.maxnum.f64(double, double)"),
    ("minnum.f64", "double @llvm.minnum.f64(double, double)"),
];

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
    let used = INTRINSICS.iter().chain(&FLOAT_INTRINSICS);
    let declarations: String = used
        .filter(|(name, _)| text.contains(name))
        .map(|(_, declaration)| format!("declare {declaration}\n"))
        .collect();
    let flags = kernels.len();
    text + &format!(
        "{declarations}\n{attributes}\n\
         !llvm.module.flags = !{{!{flags}}}\n\
         !{flags} = !{{i32 1, !\"amdhsa_code_object_version\", i32 500}}\n"
    )
}

/// Kernel number `number` and its LDS.
fn function(symbol: &str, kernel: &Final, number: usize) -> String {
    let (partials, exchange) = (format!("@partials_{symbol}"), format!("@exchange_{symbol}"));
    let combiner = &kernel.lanes.block.grid.combiner;
    let bytes = kernel.lanes.block.partials() * combiner.partial_bytes();
    let lds: String = [(&partials, bytes), (&exchange, kernel.exchange_bytes())]
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(name, bytes)| {
            format!("{name} = internal addrspace(3) global [{bytes} x i8] poison, align 16\n\n")
        })
        .collect();
    let body = super::body(kernel, &partials, &exchange);
    let pointer = "ptr addrspace(1) noalias";
    let (explicit, base) = match combiner.index_mode {
        IndexMode::Position => (String::new(), String::new()),
        IndexMode::Based => (String::new(), format!(", {} %base", combiner.index)),
        IndexMode::Explicit => (format!(", {pointer} readonly %explicit"), String::new()),
    };
    format!(
        "{lds}define protected amdgpu_kernel void @{symbol}({pointer} readonly %input{explicit}, {pointer} %values, \
         {pointer} %indices{base}) #{number} !reqd_work_group_size !{number} {{\n{body}}}\n\n"
    )
}

/// The attributes and the metadata of kernel number `number`.
fn attribute_group(kernel: &Final, number: usize) -> String {
    let grid = &kernel.lanes.block.grid;
    let (threads, lanes) = (grid.threads, grid.subgroup_size);
    let y = (grid.workgroups[1] == 1).then_some("workgroup-id-y");
    let unused: String = UNUSED
        .into_iter()
        .chain(y)
        .map(|name| format!(" \"amdgpu-no-{name}\""))
        .collect();
    format!(
        "attributes #{number} = {{ nounwind \"amdgpu-flat-work-group-size\"=\"{threads},{threads}\" \
         \"target-features\"=\"+wavefrontsize{lanes}\" \"uniform-work-group-size\"=\"true\"{unused} }}\n\
         !{number} = !{{i32 {threads}, i32 1, i32 1}}\n"
    )
}
