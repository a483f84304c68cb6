//! One compilation: a context, a module, a target machine, and LLVM's diagnostics.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::{MutexGuard, PoisonError};

use super::ffi::{self, Api, Object};
use super::{Llvm, LlvmError, LlvmOutput};

/// The triple of every AMD GPU under HSA.
const TRIPLE: &CStr = c"amdgcn-amd-amdhsa";

impl Llvm {
    /// Compiles `ir` for `processor`, an LLVM processor name such as `gfx942`.
    ///
    /// The code generator runs at -O1 without IR passes. Our IR has its final form already. -O2
    /// would rewrite loads from a scalar base with a vector offset into 64-bit vector arithmetic.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with LLVM's diagnostics.
    pub fn compile(
        &self,
        ir: &str,
        processor: &str,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        let context = Context::new(&self.api);
        let module = context.parse(ir)?;
        let machine = self.machine(processor)?;
        machine.prepare(&self.api, &module);
        module.verify()?;
        let bytes = machine.emit(&self.api, &module, output);
        // The machine goes back before errors are returned: a failed compilation does not damage
        // it.
        self.idle().push(machine);
        context.errors()?;
        bytes
    }

    /// Returns a target machine for `processor` that no other thread uses. Machines are reused,
    /// because a new one costs about 1 ms: it fills its register tables on demand.
    fn machine(&self, processor: &str) -> Result<TargetMachine, LlvmError> {
        let mut idle = self.idle();
        let known = idle
            .iter()
            .position(|machine| machine.processor == processor);
        match known {
            Some(position) => Ok(idle.swap_remove(position)),
            None => TargetMachine::new(&self.api, processor),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<TargetMachine>> {
        // A push or a removal leaves the list whole, even if a panic elsewhere poisoned the lock.
        self.machines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Llvm {
    fn drop(&mut self) {
        for machine in self.idle().drain(..) {
            // SAFETY: the machine is ours, and nothing refers to it.
            unsafe { (self.api.LLVMDisposeTargetMachine)(machine.object) }
        }
    }
}

/// Returns an error with the text that LLVM wrote to an out-pointer, and frees the text.
fn failure(api: &Api, what: &str, message: *mut c_char) -> LlvmError {
    let message = take_message(api, message);
    LlvmError::Compile(format!("{what}: {message}"))
}

fn take_message(api: &Api, message: *mut c_char) -> String {
    if message.is_null() {
        return "no reason given".to_owned();
    }
    // SAFETY: a C string that LLVM allocated and leaves to us.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().trim().to_owned();
        (api.LLVMDisposeMessage)(message);
        text
    }
}

struct Context<'a> {
    api: &'a Api,
    object: Object,
    /// The errors reported so far. The pointer comes from `Box::into_raw`, because LLVM holds the
    /// address and writes through it.
    report: *mut Report<'a>,
}

struct Report<'a> {
    api: &'a Api,
    errors: Vec<String>,
}

extern "C" fn collect(diagnostic: Object, report: *mut c_void) {
    // SAFETY: `report` is the address from the installation of this handler, and its owner outlives
    // LLVM's use of it. LLVM calls the handler only inside calls that we make, on the same thread,
    // and no reference to the report exists during these.
    let report = unsafe { &mut *report.cast::<Report<'_>>() };
    // SAFETY: a valid diagnostic for the length of the call.
    let severity = unsafe { (report.api.LLVMGetDiagInfoSeverity)(diagnostic) };
    if severity == ffi::SEVERITY_ERROR {
        // SAFETY: as above; the text is ours to free.
        let text = unsafe { (report.api.LLVMGetDiagInfoDescription)(diagnostic) };
        let text = take_message(report.api, text);
        report.errors.push(text);
    }
}

impl<'a> Context<'a> {
    fn new(api: &'a Api) -> Context<'a> {
        let report = Box::into_raw(Box::new(Report {
            api,
            errors: Vec::new(),
        }));
        // SAFETY: the handler's argument outlives the context, which `drop` disposes of first.
        let object = unsafe {
            let object = (api.LLVMContextCreate)();
            (api.LLVMContextSetDiagnosticHandler)(object, collect, report.cast());
            object
        };
        Context {
            api,
            object,
            report,
        }
    }

    fn parse(&self, ir: &str) -> Result<LlvmModule<'_>, LlvmError> {
        let mut module: Object = ptr::null_mut();
        let mut message: *mut c_char = ptr::null_mut();
        // SAFETY: the range is valid and copied; the parser takes over the buffer in any case.
        let failed = unsafe {
            let buffer = (self.api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                ir.as_ptr().cast(),
                ir.len(),
                c"kernel.ll".as_ptr(),
            );
            (self.api.LLVMParseIRInContext)(self.object, buffer, &mut module, &mut message)
        };
        if failed != 0 {
            return Err(failure(self.api, "the IR does not parse", message));
        }
        Ok(LlvmModule {
            api: self.api,
            object: module,
        })
    }

    /// Returns the errors that the diagnostic handler collected.
    fn errors(&self) -> Result<(), LlvmError> {
        // SAFETY: a live report that nobody writes to: LLVM does so only during calls of it.
        let report = unsafe { &*self.report };
        match report.errors.as_slice() {
            [] => Ok(()),
            errors => Err(LlvmError::Compile(errors.join("; "))),
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the modules of this context borrow it, so they are gone. After the context, no
        // other pointer to the report exists, and the report came from a box.
        unsafe {
            (self.api.LLVMContextDispose)(self.object);
            drop(Box::from_raw(self.report));
        }
    }
}

struct LlvmModule<'a> {
    api: &'a Api,
    object: Object,
}

impl LlvmModule<'_> {
    fn verify(&self) -> Result<(), LlvmError> {
        let mut message: *mut c_char = ptr::null_mut();
        // SAFETY: a valid module and out-pointer.
        let failed =
            unsafe { (self.api.LLVMVerifyModule)(self.object, ffi::RETURN_STATUS, &mut message) };
        if failed != 0 {
            return Err(failure(self.api, "the IR is not valid", message));
        }
        if !message.is_null() {
            take_message(self.api, message);
        }
        Ok(())
    }
}

impl Drop for LlvmModule<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours.
        unsafe { (self.api.LLVMDisposeModule)(self.object) }
    }
}

/// LLVM's code generator for one processor.
pub(super) struct TargetMachine {
    processor: String,
    object: Object,
}

// SAFETY: a target machine belongs to no thread and no context. Two threads must not use it at the
// same time; taking it out of the idle list excludes that.
unsafe impl Send for TargetMachine {}

impl TargetMachine {
    fn new(api: &Api, name: &str) -> Result<TargetMachine, LlvmError> {
        let processor = CString::new(name)
            .map_err(|_| LlvmError::Compile("a processor name with a zero byte".to_owned()))?;
        let mut target: Object = ptr::null_mut();
        let mut message: *mut c_char = ptr::null_mut();
        // SAFETY: valid strings and out-pointers; the result is checked before it is used.
        let object = unsafe {
            if (api.LLVMGetTargetFromTriple)(TRIPLE.as_ptr(), &mut target, &mut message) != 0 {
                return Err(failure(api, "no AMDGPU target", message));
            }
            (api.LLVMCreateTargetMachine)(
                target,
                TRIPLE.as_ptr(),
                processor.as_ptr(),
                c"".as_ptr(),
                ffi::CODE_GENERATION_LESS,
                ffi::RELOCATIONS_DEFAULT,
                ffi::CODE_MODEL_DEFAULT,
            )
        };
        if object.is_null() {
            return Err(LlvmError::Compile(format!(
                "no target machine for {processor:?}"
            )));
        }
        Ok(TargetMachine {
            processor: name.to_owned(),
            object,
        })
    }

    /// Sets the module's triple and data layout to this machine's. They differ between LLVM
    /// versions.
    fn prepare(&self, api: &Api, module: &LlvmModule<'_>) {
        // SAFETY: valid objects; the layout is copied into the module.
        unsafe {
            let layout = (api.LLVMCreateTargetDataLayout)(self.object);
            (api.LLVMSetTarget)(module.object, TRIPLE.as_ptr());
            (api.LLVMSetModuleDataLayout)(module.object, layout);
            (api.LLVMDisposeTargetData)(layout);
        }
    }

    fn emit(
        &self,
        api: &Api,
        module: &LlvmModule<'_>,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        let kind: c_int = match output {
            LlvmOutput::Object => ffi::OBJECT_FILE,
            LlvmOutput::Assembly => ffi::ASSEMBLY_FILE,
        };
        let mut message: *mut c_char = ptr::null_mut();
        let mut buffer: Object = ptr::null_mut();
        // SAFETY: valid objects and out-pointers. On success the buffer is ours, and its range is
        // valid until it is disposed of.
        unsafe {
            let failed = (api.LLVMTargetMachineEmitToMemoryBuffer)(
                self.object,
                module.object,
                kind,
                &mut message,
                &mut buffer,
            );
            if failed != 0 {
                return Err(failure(api, "code generation failed", message));
            }
            let start = (api.LLVMGetBufferStart)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (api.LLVMGetBufferSize)(buffer));
            // The bytes are copied, because the buffer belongs to LLVM and is disposed of here.
            let bytes = bytes.to_vec();
            (api.LLVMDisposeMemoryBuffer)(buffer);
            Ok(bytes)
        }
    }
}
