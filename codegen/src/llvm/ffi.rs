//! The functions of libLLVM's C API that we call, looked up by name in a library loaded at run
//! time.
//!
//! The signatures are those of
//! `llvm-c/{Core,IRReader,Analysis,Target,TargetMachine,ErrorHandling,Support}.h`, unchanged from
//! LLVM 19 to 22. An LLVM object is an opaque pointer, an `LLVMBool` an `int`. If an `LLVMBool`
//! reports a failure, 0 is success.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;

use libloading::Library;

/// Any LLVM object.
pub(super) type Object = *mut c_void;

/// `LLVMDiagnosticHandler`: takes the diagnostic and the context pointer from its installation.
pub(super) type DiagnosticHandler = extern "C" fn(Object, *mut c_void);

/// `LLVMFatalErrorHandler`: takes the reason.
pub(super) type FatalErrorHandler = extern "C" fn(*const c_char);

/// `LLVMDSError`.
pub(super) const SEVERITY_ERROR: c_int = 0;
/// `LLVMReturnStatusAction`.
pub(super) const RETURN_STATUS: c_int = 2;
/// `LLVMCodeGenLevelLess`, -O1.
pub(super) const CODE_GENERATION_LESS: c_int = 1;
/// `LLVMRelocDefault`.
pub(super) const RELOCATIONS_DEFAULT: c_int = 0;
/// `LLVMCodeModelDefault`.
pub(super) const CODE_MODEL_DEFAULT: c_int = 0;
/// `LLVMAssemblyFile`.
pub(super) const ASSEMBLY_FILE: c_int = 0;
/// `LLVMObjectFile`.
pub(super) const OBJECT_FILE: c_int = 1;

macro_rules! api {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The function pointers, and the library that keeps them valid.
        #[allow(non_snake_case)]
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            // LLVM registers destructors and thread-local state of its own, so it is never
            // unloaded.
            _library: ManuallyDrop<Library>,
        }

        #[allow(non_snake_case)]
        impl Api {
            /// Looks up every function.
            ///
            /// # Safety
            ///
            /// `library` is a libLLVM: its functions have the signatures above.
            pub(super) unsafe fn load(library: Library) -> Result<Api, libloading::Error> {
                $(
                    // SAFETY: the caller vouches for the signature.
                    let $name = unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? };
                )*
                Ok(Api { $($name,)* _library: ManuallyDrop::new(library) })
            }
        }
    };
}

api! {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInstallFatalErrorHandler(FatalErrorHandler);
    LLVMParseCommandLineOptions(c_int, *const *const c_char, *const c_char);
    LLVMContextCreate() -> Object;
    LLVMContextDispose(Object);
    LLVMContextSetDiagnosticHandler(Object, DiagnosticHandler, *mut c_void);
    LLVMGetDiagInfoDescription(Object) -> *mut c_char;
    LLVMGetDiagInfoSeverity(Object) -> c_int;
    LLVMDisposeMessage(*mut c_char);
    LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> Object;
    LLVMGetBufferStart(Object) -> *const c_char;
    LLVMGetBufferSize(Object) -> usize;
    LLVMDisposeMemoryBuffer(Object);
    LLVMParseIRInContext(Object, Object, *mut Object, *mut *mut c_char) -> c_int;
    LLVMVerifyModule(Object, c_int, *mut *mut c_char) -> c_int;
    LLVMDisposeModule(Object);
    LLVMSetTarget(Object, *const c_char);
    LLVMSetModuleDataLayout(Object, Object);
    LLVMGetTargetFromTriple(*const c_char, *mut Object, *mut *mut c_char) -> c_int;
    LLVMCreateTargetMachine(
        Object, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int
    ) -> Object;
    LLVMDisposeTargetMachine(Object);
    LLVMCreateTargetDataLayout(Object) -> Object;
    LLVMDisposeTargetData(Object);
    LLVMTargetMachineEmitToMemoryBuffer(
        Object, Object, c_int, *mut *mut c_char, *mut Object
    ) -> c_int;
}

/// `LLVMGetVersion`. It is looked up first, because the version decides if the other functions
/// exist.
pub(super) type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);
