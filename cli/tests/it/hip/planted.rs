//! Kernels with planted faults, and a builder that returns them for chosen configurations.

use std::collections::HashMap;
use std::sync::Arc;

use codegen::cache::Cache;
use codegen::native::Native;
use codegen::{CompiledKernel, Compiler};
use codegen::{link, llvm, tools};
use configgen::{Configuration, Generator, Problem, Target};
use store::{FailureKind, TrialOutcome};
use testing::Failed;
use tuner::{BuildError, Builder, Choice};

/// The problem of the correct kernels: the argmax of four rows.
pub(crate) const PROBLEM: &str = "argmax:4x[100]xf32";
const ROWS: u32 = 4;

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    InfiniteLoop,
    StoreBehindTheEnd,
    StoreFarAway,
    NullKernarg,
    Abort,
    Killed,
    NeverWritten,
    WrongWorkgroup,
    Nondeterministic,
    MemoryExhausted,
}

impl Fault {
    /// Each fault, with its number in the long test: 30 in all.
    pub(crate) const ALL: [(Fault, usize); 10] = [
        (Fault::InfiniteLoop, 2),
        (Fault::StoreBehindTheEnd, 2),
        (Fault::StoreFarAway, 2),
        (Fault::NullKernarg, 3),
        (Fault::Abort, 3),
        (Fault::Killed, 3),
        (Fault::NeverWritten, 4),
        (Fault::WrongWorkgroup, 4),
        (Fault::Nondeterministic, 4),
        (Fault::MemoryExhausted, 3),
    ];

    /// Returns the kernel's name. The shim knows some faults by name, and those kernels are
    /// correct without it.
    fn symbol(self) -> &'static str {
        match self {
            Fault::InfiniteLoop => "planted_loop",
            Fault::StoreBehindTheEnd => "planted_behind",
            Fault::StoreFarAway => "planted_far",
            Fault::NullKernarg => "planted_null",
            Fault::Abort => "planted_abort",
            Fault::Killed => "planted_kill",
            Fault::NeverWritten => "planted_nothing",
            Fault::WrongWorkgroup => "planted_neighbour",
            Fault::Nondeterministic => "planted_unstable",
            Fault::MemoryExhausted => "planted_right",
        }
    }

    /// Returns whether a trial reports the fault, in kind and in words.
    pub(crate) fn is_told_by(self, outcome: &TrialOutcome) -> bool {
        let (kind, part) = match self {
            Fault::InfiniteLoop => (Some(FailureKind::Timeout), "the kernel did not finish"),
            Fault::StoreBehindTheEnd | Fault::StoreFarAway | Fault::NullKernarg => {
                (Some(FailureKind::Fault), "hipErrorIllegalAddress (700)")
            }
            Fault::Abort => (
                Some(FailureKind::Crash),
                "signal 6 killed its process: the library gives up",
            ),
            Fault::Killed => (Some(FailureKind::Crash), "signal 9"),
            Fault::NeverWritten => (None, "the output was not written"),
            Fault::WrongWorkgroup => (None, "expected ("),
            Fault::Nondeterministic => (Some(FailureKind::Nondeterministic), "expected ("),
            Fault::MemoryExhausted => (Some(FailureKind::Memory), "hipErrorOutOfMemory"),
        };
        let is_kind = match kind {
            Some(kind) => outcome.failure() == Some(kind),
            None => matches!(outcome, TrialOutcome::Wrong(_)),
        };
        is_kind
            && outcome
                .message()
                .is_some_and(|message| message.contains(part))
    }
}

/// The native generator, with faulty kernels for some configurations.
pub(crate) struct Planting {
    native: Native,
    code_object: Arc<[u8]>,
    pub(crate) faults: HashMap<Configuration, Fault>,
}

impl Planting {
    /// Creates a builder for an ISA, without any fault.
    pub(crate) fn new(isa: &str) -> Result<Planting, Failed> {
        let llvm = tools::load_llvm()?;
        let object = llvm.compile(&module(), isa, llvm::LlvmOutput::Object)?;
        let lld = tools::find_lld_for(llvm.version().major)?;
        Ok(Planting {
            native: Native::load(Cache::of_environment())?,
            code_object: link::link(&lld.path, &object, None)?.into(),
            faults: HashMap::new(),
        })
    }

    pub(crate) fn plant(&self, fault: Fault, kernel: CompiledKernel) -> CompiledKernel {
        let mut buffers = kernel.buffers[..3].to_vec();
        if fault == Fault::MemoryExhausted {
            buffers.push(1 << 46);
        }
        CompiledKernel {
            code_object: Arc::clone(&self.code_object),
            symbol: fault.symbol().to_owned(),
            workgroups: [ROWS, 1, 1],
            workgroup_size: [64, 1, 1],
            arguments: (0..3).map(codegen::Kernarg::Buffer).collect(),
            buffers,
            workspace: None,
            sharers: 1,
            tiling: None,
            merge: None,
            ..kernel
        }
    }
}

impl Builder for Planting {
    fn generator(&self) -> Generator {
        Builder::generator(&self.native)
    }

    fn compiler(&self) -> Compiler {
        Builder::compiler(&self.native)
    }

    fn generator_version(&self) -> String {
        self.native.generator_version()
    }

    fn batch(&self) -> usize {
        self.native.batch()
    }

    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let built = self.native.build(problem, target, choices);
        let planted = built.into_iter().zip(choices).map(|(kernel, choice)| {
            let configuration = choice.configuration();
            let fault = configuration.and_then(|one| self.faults.get(one));
            kernel.map(|kernel| match fault {
                Some(&fault) => self.plant(fault, kernel),
                None => kernel,
            })
        });
        planted.collect()
    }
}

/// Returns all kernels, in LLVM IR. The first lane of a workgroup computes a row, unless the
/// fault is another behaviour.
fn module() -> String {
    let fold = |symbol: &str, place: &str, wrong: &str| {
        format!(
            "define amdgpu_kernel void @{symbol}(ptr addrspace(1) %in, ptr addrspace(1) %values, ptr addrspace(1) %indices) #0 {{
entry:
  %row = call i32 @llvm.amdgcn.workgroup.id.x()
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %begin, label %end
begin:
  %place = {place}
  {wrong}
  %base = mul i32 %row, 100
  br label %again
again:
  %i = phi i32 [ 0, %begin ], [ %next, %again ]
  %best = phi float [ 0xFFF0000000000000, %begin ], [ %best.next, %again ]
  %index = phi i32 [ 0, %begin ], [ %index.next, %again ]
  %at = add i32 %base, %i
  %from = getelementptr float, ptr addrspace(1) %in, i32 %at
  %x = load float, ptr addrspace(1) %from
  %better = fcmp ogt float %x, %best
  %best.next = select i1 %better, float %x, float %best
  %index.next = select i1 %better, i32 %i, i32 %index
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 100
  br i1 %done, label %write, label %again
write:
  %result = add i32 %index.next, %wrong
  %to.value = getelementptr float, ptr addrspace(1) %values, i32 %place
  store float %best.next, ptr addrspace(1) %to.value
  %to.index = getelementptr i32, ptr addrspace(1) %indices, i32 %place
  store i32 %result, ptr addrspace(1) %to.index
  br label %end
end:
  ret void
}}
"
        )
    };
    let (own, never) = ("add i32 %row, 0", "%wrong = add i32 0, 0");
    let neighbour = "xor i32 %row, 1";
    // Four workgroups count in each launch; in every second launch the index is wrong.
    let sometimes =
        "%count = atomicrmw add ptr addrspace(1) @count, i32 1 syncscope(\"agent\") monotonic
  %launch = lshr i32 %count, 2
  %wrong = and i32 %launch, 1";
    let kernels = [
        fold("planted_right", own, never),
        fold("planted_abort", own, never),
        fold("planted_kill", own, never),
        fold("planted_null", own, never),
        fold("planted_behind", "add i32 %row, 1", never),
        fold("planted_far", "add i32 %row, 268435456", never),
        fold("planted_neighbour", neighbour, never),
        fold("planted_unstable", own, sometimes),
    ];
    format!(
        "@count = addrspace(1) global i32 0
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @planted_nothing(ptr addrspace(1) %in, ptr addrspace(1) %values, ptr addrspace(1) %indices) #0 {{
  ret void
}}
define amdgpu_kernel void @planted_loop(ptr addrspace(1) %in, ptr addrspace(1) %values, ptr addrspace(1) %indices) #0 {{
entry:
  br label %again
again:
  %x = load volatile float, ptr addrspace(1) %in
  br label %again
}}
{}
attributes #0 = {{ \"amdgpu-flat-work-group-size\"=\"64,64\" }}
",
        kernels.concat()
    )
}
