//! LLVM, the linker and the cache of the generator.

use codegen::cache::Cache;
use codegen::llvm::LlvmOutput;
use codegen::native::{Native, specimens};
use codegen::tools;
use testing::Failed;

use crate::native::{ensure, target};

pub(crate) fn threads_compile_side_by_side(_: &Native) -> Result<(), Failed> {
    let native = &Native::load(Cache::none())?;
    let kernels = &specimens(64)[..6];
    let compile = || -> Result<Vec<u8>, Failed> {
        let mut results = native.compile_batch(target(), kernels);
        let kernel = results.swap_remove(0)?;
        Ok(kernel.code_object.to_vec())
    };
    let alone = compile()?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(compile)).collect();
        for thread in threads {
            let together = thread.join().map_err(|_| "a thread panicked")??;
            ensure(together == alone, || {
                "code objects differ between threads".to_owned()
            })?;
        }
        Ok(())
    })
}

pub(crate) fn the_cache_gives_what_was_compiled(_: &Native) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let native = Native::load(Cache::in_folder(folder.path()))?;
    let compile = || -> Result<Vec<u8>, Failed> {
        let mut results = native.compile_batch(target(), &specimens(64)[..1]);
        Ok(results.swap_remove(0)?.code_object.to_vec())
    };
    let first = compile()?;
    let mut entries = Vec::new();
    for group in folder.path().read_dir()? {
        for entry in group?.path().read_dir()? {
            entries.push(entry?.path());
        }
    }
    ensure(entries.len() == 1, || format!("{entries:?}"))?;
    ensure(compile()? == first, || {
        "the cache gives another code object".to_owned()
    })?;
    // A damaged entry is compiled again and repaired.
    let whole = std::fs::read(&entries[0])?;
    std::fs::write(&entries[0], &whole[..whole.len() / 2])?;
    ensure(compile()? == first, || "a torn entry was used".to_owned())?;
    ensure(std::fs::read(&entries[0])? == whole, || {
        "the entry is still torn".to_owned()
    })
}

pub(crate) fn refusals_of_llvm_are_errors(_: &Native) -> Result<(), Failed> {
    let llvm = tools::load_llvm()?;
    let refused = |ir: &str, part: &str| match llvm.compile(ir, "gfx942", LlvmOutput::Object) {
        Ok(_) => Err(Failed::from(format!("compiled: {ir}"))),
        Err(error) => ensure(error.to_string().contains(part), || error.to_string()),
    };
    refused("define void @f( {", "expected type")?;
    // Valid text, invalid IR: the verifier.
    refused(
        "define void @f() {\n  br label %a\na:\n  %x = phi i32 [ 0, %b ]\n  ret void\nb:\n  br label %a\n}",
        "PHINode",
    )?;
    // Valid IR that the back end has no way to compile: the diagnostic handler.
    refused(
        "@lds = internal addrspace(3) global [200000 x i8] poison\n\
         define amdgpu_kernel void @f(i32 %i) {\n\
         %p = getelementptr i8, ptr addrspace(3) @lds, i32 %i\n\
         store i8 1, ptr addrspace(3) %p\n\
         ret void\n\
         }",
        "local memory (200000) exceeds limit",
    )
}
