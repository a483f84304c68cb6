//! Printing the final stage as LLVM IR: one function, and nothing that LLVM's code generator would have to clean up.
//!
//! The parts, in the order of the kernel: who am I ([`ids`]), addresses and loads ([`memory`]), the steps
//! ([`accumulate`]), from lanes to rows ([`lanes`]), LDS and results ([`store`]).

mod accumulate;
mod ids;
mod lanes;
mod memory;
mod store;

use super::blockwise::PARTIAL_BYTES;
use super::ir::Ir;
use super::last::Final;

/// The intrinsics, by the name that a call contains.
const INTRINSICS: [(&str, &str); 16] = [
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
    ("ballot", "i64 @llvm.amdgcn.ballot.i64(i1)"),
    ("s.barrier", "void @llvm.amdgcn.s.barrier()"),
    ("ctpop.i64", "i64 @llvm.ctpop.i64(i64)"),
    ("cttz.i64", "i64 @llvm.cttz.i64(i64, i1)"),
    ("umin.i32", "i32 @llvm.umin.i32(i32, i32)"),
    ("smin.i32", "i32 @llvm.smin.i32(i32, i32)"),
    ("smax.i32", "i32 @llvm.smax.i32(i32, i32)"),
];

/// As [`INTRINSICS`], for floats.
const FLOAT_INTRINSICS: [(&str, &str); 2] = [
    ("maxnum.f32", "float @llvm.maxnum.f32(float, float)"),
    ("minnum.f32", "float @llvm.minnum.f32(float, float)"),
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

/// The module of one kernel.
pub(super) fn llvm_ir(kernel: &Final, symbol: &str) -> String {
    let mut ir = Ir::new();
    let ids = ids::Ids::print(&mut ir, kernel);
    let memory = memory::Memory::print(&mut ir, kernel, &ids);
    let rows = accumulate::print(&mut ir, kernel, &ids, &memory);
    let results = lanes::print(&mut ir, kernel, &ids, rows);
    store::print(&mut ir, kernel, &ids, results);
    module(kernel, symbol, &ir.into_text())
}

fn module(kernel: &Final, symbol: &str, body: &str) -> String {
    let block = &kernel.lanes.block;
    let grid = &block.grid;
    let threads = grid.threads;
    let lds = match block.partials() {
        0 => String::new(),
        partials => format!(
            "@partials = internal addrspace(3) global [{} x i8] poison, align 8\n\n",
            partials * PARTIAL_BYTES
        ),
    };
    let declarations: String = INTRINSICS
        .iter()
        .chain(&FLOAT_INTRINSICS)
        .filter(|(name, _)| body.contains(name))
        .map(|(_, declaration)| format!("declare {declaration}\n"))
        .collect();
    let y = (grid.workgroups[1] == 1).then_some("workgroup-id-y");
    let unused: String = UNUSED
        .into_iter()
        .chain(y)
        .map(|name| format!(" \"amdgpu-no-{name}\""))
        .collect();
    let pointer = "ptr addrspace(1) noalias";
    format!(
        "target triple = \"amdgcn-amd-amdhsa\"\n\n\
         {lds}\
         define protected amdgpu_kernel void @{symbol}({pointer} readonly %input, {pointer} %values, {pointer} %indices) \
         #0 !reqd_work_group_size !0 {{\n\
         {body}\
         }}\n\n\
         {declarations}\n\
         attributes #0 = {{ nounwind \"amdgpu-flat-work-group-size\"=\"{threads},{threads}\" \
         \"uniform-work-group-size\"=\"true\"{unused} }}\n\n\
         !llvm.module.flags = !{{!1}}\n\
         !0 = !{{i32 {threads}, i32 1, i32 1}}\n\
         !1 = !{{i32 1, !\"amdhsa_code_object_version\", i32 500}}\n"
    )
}
