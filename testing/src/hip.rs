//! `libwavetune_hip.so`, loaded by its path.
#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "each is a call of HIP's"
)]

use std::ffi::{CStr, c_char, c_void};
use std::path::PathBuf;

use libloading::{Library, Symbol};

/// Returns the path of the library, which cargo builds beside the tests.
///
/// # Panics
///
/// If it is not there.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows itself");
    let library = test.with_file_name("libwavetune_hip.so");
    assert!(library.is_file(), "{} is not there", library.display());
    library
}

/// A handle, or an address of the device.
pub type Pointer = *mut c_void;

/// `hipModuleLaunchKernel`: the function, the grid, the block, bytes of LDS, the stream, the
/// arguments, and the list of a block of arguments.
pub type LaunchKernel = extern "C" fn(
    Pointer,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    Pointer,
    *const Pointer,
    *const Pointer,
) -> i32;

/// The loaded library.
pub struct Hip(Library);

impl Hip {
    pub fn load() -> Hip {
        // SAFETY: loading the library runs only Rust's own start.
        Hip(unsafe { Library::new(library()) }.unwrap())
    }

    /// Returns the function of this name, with this type.
    pub fn call<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: the types below are those of HIP's API.
        unsafe { self.0.get(name.as_bytes()) }.unwrap()
    }

    pub fn one<A>(&self, name: &str, a: A) -> i32 {
        (self.call::<extern "C" fn(A) -> i32>(name))(a)
    }

    pub fn two<A, B>(&self, name: &str, a: A, b: B) -> i32 {
        (self.call::<extern "C" fn(A, B) -> i32>(name))(a, b)
    }

    pub fn three<A, B, C>(&self, name: &str, a: A, b: B, c: C) -> i32 {
        (self.call::<extern "C" fn(A, B, C) -> i32>(name))(a, b, c)
    }

    pub fn four<A, B, C, D>(&self, name: &str, a: A, b: B, c: C, d: D) -> i32 {
        (self.call::<extern "C" fn(A, B, C, D) -> i32>(name))(a, b, c, d)
    }

    /// Calls `hipMemcpyAsync` with addresses of the host or the device.
    pub fn copy_in(&self, to: u64, from: u64, bytes: usize, stream: Pointer) -> i32 {
        let call =
            self.call::<extern "C" fn(u64, u64, usize, i32, Pointer) -> i32>("hipMemcpyAsync");
        // 4 is hipMemcpyDefault: the library tells the direction from the addresses.
        call(to, from, bytes, 4, stream)
    }

    pub fn copy(&self, to: *mut u8, from: *const u8, bytes: usize) {
        let call = self.call::<extern "C" fn(*mut u8, *const u8, usize, i32) -> i32>("hipMemcpy");
        assert_eq!(call(to, from, bytes, 4), 0);
    }

    pub fn load_module(&self, code_object: *const u8) -> Pointer {
        let mut module: Pointer = std::ptr::null_mut();
        assert_eq!(self.two("hipModuleLoadData", &mut module, code_object), 0);
        module
    }

    /// Returns the kernel of this name, or HIP's error.
    pub fn function(&self, module: Pointer, name: &CStr) -> Result<Pointer, i32> {
        type Get = extern "C" fn(&mut Pointer, Pointer, *const c_char) -> i32;
        let mut function: Pointer = std::ptr::null_mut();
        let get = self.call::<Get>("hipModuleGetFunction");
        match get(&mut function, module, name.as_ptr()) {
            0 => Ok(function),
            error => Err(error),
        }
    }

    pub fn allocate(&self, bytes: usize) -> Pointer {
        let mut pointer: Pointer = std::ptr::null_mut();
        assert_eq!(self.two("hipMalloc", &mut pointer, bytes), 0);
        pointer
    }

    pub fn created(&self, name: &str) -> Pointer {
        let mut handle: Pointer = std::ptr::null_mut();
        assert_eq!(self.one(name, &mut handle), 0, "{name}");
        handle
    }
}
