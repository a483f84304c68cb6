//! The C library's heap, which LLVM allocates from.

/// Keeps freed memory in the process. A compilation allocates and frees about 10 MB. By default
/// glibc returns the pages each time and the kernel clears them again, which took a fifth of the
/// time of small kernels.
///
/// Called once, under the lock of `initialise`.
pub(super) fn keep_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::ffi::c_int;

        // <malloc.h>
        const M_TRIM_THRESHOLD: c_int = -1;
        const M_TOP_PAD: c_int = -2;
        const M_MMAP_THRESHOLD: c_int = -3;
        const KEPT: c_int = 64 << 20;
        const GROWTH: c_int = 4 << 20;

        unsafe extern "C" {
            fn mallopt(parameter: c_int, value: c_int) -> c_int;
        }
        // SAFETY: glibc's manual marks mallopt as thread-unsafe because it initialises the heap.
        // The heap is initialised, because this process has loaded a library. After that, glibc
        // sets parameters under the lock of its main arena. Other threads read them word by word,
        // and either value is good. The caller's lock excludes two calls at once. A refusal (0)
        // leaves the defaults.
        unsafe {
            mallopt(M_TRIM_THRESHOLD, KEPT);
            mallopt(M_TOP_PAD, GROWTH);
            mallopt(M_MMAP_THRESHOLD, KEPT);
        }
    }
}
