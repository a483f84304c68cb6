//! LLVM's disassembler, in process.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::{Library, Symbol};

use crate::decoder_oracle::support::llvm;

type Create = unsafe extern "C" fn(
    triple: *const c_char,
    cpu: *const c_char,
    features: *const c_char,
    info: *mut c_void,
    tag: c_int,
    operand_info: *const c_void,
    symbol: *const c_void,
) -> *mut c_void;
type Disassemble = unsafe extern "C" fn(
    context: *mut c_void,
    bytes: *mut u8,
    count: u64,
    address: u64,
    out: *mut c_char,
    room: usize,
) -> usize;
type Dispose = unsafe extern "C" fn(context: *mut c_void);

/// Returns the path of LLVM 22's library: beside its tools, or in Debian's common folder.
fn library() -> Option<PathBuf> {
    let folder = llvm("llvm-mc")?.canonicalize().ok()?;
    let root = folder.parent()?.parent()?;
    let places = [
        root.join("lib/libLLVM-22.so"),
        root.join("lib/libLLVM.so.22.1"),
        root.with_file_name(format!("{}-linux-gnu", std::env::consts::ARCH))
            .join("libLLVM.so.22.1"),
    ];
    places.into_iter().find(|place| place.is_file())
}

/// A disassembler for one processor, such as `gfx942` or, for waves of 64 lanes,
/// `gfx1030+wavefrontsize64`.
pub(crate) struct Disassembler {
    context: *mut c_void,
    disassemble: Symbol<'static, Disassemble>,
    dispose: Symbol<'static, Dispose>,
}

impl Disassembler {
    pub(crate) fn new(processor: &str) -> Result<Disassembler, String> {
        static LLVM: OnceLock<Result<Library, String>> = OnceLock::new();
        let llvm = LLVM.get_or_init(load).as_ref().map_err(Clone::clone)?;
        let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let (cpu, features) = match processor.find('+') {
            Some(at) => processor.split_at(at),
            None => (processor, ""),
        };
        let (triple, cpu, features) = (text("amdgcn-amd-amdhsa")?, text(cpu)?, text(features)?);
        // SAFETY: the types match llvm-c/Disassembler.h, and the strings outlive the call.
        let (context, disassemble, dispose) = unsafe {
            let create: Symbol<'_, Create> = symbol(llvm, "LLVMCreateDisasmCPUFeatures")?;
            let none = std::ptr::null_mut();
            let context = create(
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                none,
                0,
                none,
                none,
            );
            (
                context,
                symbol(llvm, "LLVMDisasmInstruction")?,
                symbol(llvm, "LLVMDisasmDispose")?,
            )
        };
        if context.is_null() {
            return Err(format!("LLVM has no disassembler for {processor}"));
        }
        Ok(Disassembler {
            context,
            disassemble,
            dispose,
        })
    }

    /// Returns the assembly of the instruction at the beginning of the words, and its number of
    /// words. Returns None if LLVM refuses it.
    pub(crate) fn decode(&self, words: &[u32; 3]) -> Option<(String, usize)> {
        // Further words of an image instruction may follow, so two program ends pad the input.
        let padded = [words[0], words[1], words[2], 0xbfb0_0000, 0xbfb0_0000];
        let mut bytes: Vec<u8> = padded.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut out = [0u8; 512];
        // SAFETY: context and buffers are alive and have the passed sizes.
        let length = unsafe {
            (self.disassemble)(
                self.context,
                bytes.as_mut_ptr(),
                bytes.len() as u64,
                0,
                out.as_mut_ptr().cast(),
                out.len(),
            )
        };
        if length == 0 {
            return None;
        }
        let text = CStr::from_bytes_until_nul(&out).ok()?.to_str().ok()?;
        // A remark marks an invalid operand.
        if text.contains("/*") {
            return None;
        }
        // Comments and warnings are not part of the instruction.
        let text = text.split("//").next().unwrap_or(text);
        let text = text.split("; Warning").next().unwrap_or(text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((text, length / 4))
    }
}

impl Drop for Disassembler {
    fn drop(&mut self) {
        // SAFETY: the context came from LLVM and is not used again.
        unsafe { (self.dispose)(self.context) };
    }
}

fn load() -> Result<Library, String> {
    let path = library().ok_or("libLLVM 22 not found")?;
    // SAFETY: LLVM's initializers have no preconditions.
    let llvm = unsafe { Library::new(&path) }.map_err(|error| error.to_string())?;
    for part in ["TargetInfo", "TargetMC", "Disassembler"] {
        let name = format!("LLVMInitializeAMDGPU{part}");
        // SAFETY: they take and return nothing.
        unsafe {
            let initialise: Symbol<'_, unsafe extern "C" fn()> = symbol(&llvm, &name)?;
            initialise();
        }
    }
    Ok(llvm)
}

/// Returns a symbol of the library.
///
/// # Safety
/// The symbol must have type `T`.
unsafe fn symbol<'a, T>(llvm: &'a Library, name: &str) -> Result<Symbol<'a, T>, String> {
    // SAFETY: the caller's guarantee.
    unsafe { llvm.get(name.as_bytes()) }.map_err(|error| error.to_string())
}
