//! One compilation: a context, a module, a target machine, and what LLVM says on the way.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use super::ffi::{self, Api, Object};
use super::{Llvm, LlvmError, Output};

/// The triple of every AMD GPU under HSA.
const TRIPLE: &CStr = c"amdgcn-amd-amdhsa";

impl Llvm {
    /// Compiles `ir` for `processor`, an LLVM processor name such as `gfx942`.
    ///
    /// The code generator runs at -O1, and no IR pass before it: our IR is already in the form that we want, and -O2
    /// rewrites the addresses of the loads from a scalar base with a vector offset into 64-bit vector arithmetic.
    ///
    /// # Errors
    ///
    /// [`LlvmError::Compile`] with what LLVM reports.
    pub fn compile(&self, ir: &str, processor: &str, output: Output) -> Result<Vec<u8>, LlvmError> {
        let context = Context::new(&self.api);
        let module = context.parse(ir)?;
        let machine = TargetMachine::new(&self.api, processor)?;
        machine.prepare(&module);
        module.verify()?;
        let bytes = machine.emit(&module, output);
        context.errors()?;
        bytes
    }
}

/// A failure with the text that LLVM returned through an out-pointer, which is freed.
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
    /// The errors reported so far; at a fixed address because LLVM holds it.
    report: Box<Report<'a>>,
}

struct Report<'a> {
    api: &'a Api,
    errors: Vec<String>,
}

extern "C" fn collect(diagnostic: Object, report: *mut c_void) {
    // SAFETY: `report` is the address given with this handler; LLVM calls it only inside calls that we make, on the
    // same thread, during which nothing else refers to the report.
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
        let mut report = Box::new(Report {
            api,
            errors: Vec::new(),
        });
        let address: *mut Report<'_> = &mut *report;
        // SAFETY: the handler's argument outlives the context, which `drop` disposes of first.
        let object = unsafe {
            let object = (api.LLVMContextCreate)();
            (api.LLVMContextSetDiagnosticHandler)(object, collect, address.cast());
            object
        };
        Context {
            api,
            object,
            report,
        }
    }

    fn parse(&self, ir: &str) -> Result<Module<'_>, LlvmError> {
        let mut module: Object = ptr::null_mut();
        let mut message: *mut c_char = ptr::null_mut();
        // SAFETY: the range is valid and copied; the parser takes the buffer over, whatever its result.
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
        Ok(Module {
            api: self.api,
            object: module,
        })
    }

    /// The errors reported to the handler.
    fn errors(&self) -> Result<(), LlvmError> {
        match self.report.errors.as_slice() {
            [] => Ok(()),
            errors => Err(LlvmError::Compile(errors.join("; "))),
        }
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: the modules of this context borrow it, so they are gone.
        unsafe { (self.api.LLVMContextDispose)(self.object) }
    }
}

struct Module<'a> {
    api: &'a Api,
    object: Object,
}

impl Module<'_> {
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

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours.
        unsafe { (self.api.LLVMDisposeModule)(self.object) }
    }
}

struct TargetMachine<'a> {
    api: &'a Api,
    object: Object,
}

impl<'a> TargetMachine<'a> {
    fn new(api: &'a Api, processor: &str) -> Result<TargetMachine<'a>, LlvmError> {
        let processor = CString::new(processor)
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
        Ok(TargetMachine { api, object })
    }

    /// Gives the module this machine's triple and data layout, which differ between versions of LLVM.
    fn prepare(&self, module: &Module<'_>) {
        // SAFETY: valid objects; the layout is copied into the module.
        unsafe {
            let layout = (self.api.LLVMCreateTargetDataLayout)(self.object);
            (self.api.LLVMSetTarget)(module.object, TRIPLE.as_ptr());
            (self.api.LLVMSetModuleDataLayout)(module.object, layout);
            (self.api.LLVMDisposeTargetData)(layout);
        }
    }

    fn emit(&self, module: &Module<'_>, output: Output) -> Result<Vec<u8>, LlvmError> {
        let kind: c_int = match output {
            Output::Object => ffi::OBJECT_FILE,
            Output::Assembly => ffi::ASSEMBLY_FILE,
        };
        let mut message: *mut c_char = ptr::null_mut();
        let mut buffer: Object = ptr::null_mut();
        // SAFETY: valid objects and out-pointers; on success the buffer is ours, and its range is valid until disposed.
        unsafe {
            let failed = (self.api.LLVMTargetMachineEmitToMemoryBuffer)(
                self.object,
                module.object,
                kind,
                &mut message,
                &mut buffer,
            );
            if failed != 0 {
                return Err(failure(self.api, "code generation failed", message));
            }
            let start = (self.api.LLVMGetBufferStart)(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, (self.api.LLVMGetBufferSize)(buffer));
            let bytes = bytes.to_vec();
            (self.api.LLVMDisposeMemoryBuffer)(buffer);
            Ok(bytes)
        }
    }
}

impl Drop for TargetMachine<'_> {
    fn drop(&mut self) {
        // SAFETY: the machine is ours.
        unsafe { (self.api.LLVMDisposeTargetMachine)(self.object) }
    }
}
