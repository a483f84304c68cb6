//! The library, loaded by its path.

use std::ffi::c_void;

use libloading::{Library, Symbol};

/// A handle, or an address of the device.
pub(crate) type Pointer = *mut c_void;

/// The library's calls.
pub(crate) struct Hip(Library);

impl Hip {
    pub(crate) fn load() -> Hip {
        // SAFETY: loading the library runs nothing but Rust's own start.
        Hip(unsafe { Library::new(super::library()) }.unwrap())
    }

    /// The call of this name, of this type.
    pub(crate) fn call<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: the types below are those of HIP's API.
        unsafe { self.0.get(name.as_bytes()) }.unwrap()
    }

    pub(crate) fn one<A>(&self, name: &str, a: A) -> i32 {
        (self.call::<extern "C" fn(A) -> i32>(name))(a)
    }

    pub(crate) fn two<A, B>(&self, name: &str, a: A, b: B) -> i32 {
        (self.call::<extern "C" fn(A, B) -> i32>(name))(a, b)
    }

    pub(crate) fn three<A, B, C>(&self, name: &str, a: A, b: B, c: C) -> i32 {
        (self.call::<extern "C" fn(A, B, C) -> i32>(name))(a, b, c)
    }

    pub(crate) fn four<A, B, C, D>(&self, name: &str, a: A, b: B, c: C, d: D) -> i32 {
        (self.call::<extern "C" fn(A, B, C, D) -> i32>(name))(a, b, c, d)
    }

    /// `hipMemcpyAsync`, from and to whatever the addresses are of.
    pub(crate) fn copy_in(&self, to: u64, from: u64, bytes: usize, stream: Pointer) -> i32 {
        let call =
            self.call::<extern "C" fn(u64, u64, usize, i32, Pointer) -> i32>("hipMemcpyAsync");
        call(to, from, bytes, 4, stream)
    }

    pub(crate) fn copy(&self, to: *mut u8, from: *const u8, bytes: usize) {
        let call = self.call::<extern "C" fn(*mut u8, *const u8, usize, i32) -> i32>("hipMemcpy");
        assert_eq!(call(to, from, bytes, 4), 0);
    }

    pub(crate) fn allocate(&self, bytes: usize) -> Pointer {
        let mut pointer: Pointer = std::ptr::null_mut();
        assert_eq!(self.two("hipMalloc", &mut pointer, bytes), 0);
        pointer
    }

    pub(crate) fn created(&self, name: &str) -> Pointer {
        let mut handle: Pointer = std::ptr::null_mut();
        assert_eq!(self.one(name, &mut handle), 0, "{name}");
        handle
    }
}
