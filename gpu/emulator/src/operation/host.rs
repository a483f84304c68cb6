//! Code for the present host: hot functions are compiled twice, for any host and for x86-64 with
//! AVX2 and FMA.
//!
//! [`versions`] selects a lane loop once. Functions around these loops ([`for_host`]) select on
//! every call.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// One loop compiled for any host, and for hosts with AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct Versions<F> {
    pub(crate) any: F,
    pub(crate) fast: F,
}

impl<F: Copy> Versions<F> {
    /// Returns the loop for this host.
    pub(crate) fn choose(&self) -> F {
        if has_fast_vectors() {
            self.fast
        } else {
            self.any
        }
    }
}

/// Returns true if this host supports the fast versions.
#[inline(always)]
pub(crate) fn has_fast_vectors() -> bool {
    // Every step calls this, so the answer must be a single load.
    #[cfg(target_arch = "x86_64")]
    {
        static HAS: LazyLock<bool> = LazyLock::new(|| {
            std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("fma")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("popcnt")
        });
        *HAS
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Creates both versions of a loop: `versions!(fn(parameters) -> result, body)`. Pass the lane
/// function as a closure: a function value may remain a call, which is then compiled without fast
/// vectors.
macro_rules! versions {
    (fn($($name:ident: $type:ty),*) $(-> $result:ty)?, $body:expr) => {{
        fn any($($name: $type),*) $(-> $result)? {
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn fast($($name: $type),*) $(-> $result)? {
            $body
        }
        #[cfg(not(target_arch = "x86_64"))]
        use any as fast;
        $crate::operation::host::Versions { any, fast }
    }};
}
pub(crate) use versions;

/// Defines a function that calls its version for this host, out of line:
/// `for_host!(fn name(parameters) -> result body)`. A generic parameter is in brackets. Only code
/// that is inlined into it uses fast vectors.
macro_rules! for_host {
    (
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident $([$generic:ident: $bound:path])?
        ($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline(always)]
        $visibility fn $name $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? $body

            #[inline(never)]
            fn any $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? {
                body($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            #[inline(never)]
            fn fast $(<$generic: $bound>)? ($($argument: $type),*) $(-> $result)? {
                body($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            if $crate::operation::host::has_fast_vectors() {
                // SAFETY: the host has the features of `fast`.
                return unsafe { fast($($argument),*) };
            }
            any($($argument),*)
        }
    };
}
pub(crate) use for_host;
