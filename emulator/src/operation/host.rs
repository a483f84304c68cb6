//! Code for the host at hand: what is hot is compiled twice, for any host and for x86-64 with AVX2 and FMA.
//!
//! The choice is made once for a loop over lanes ([`versions`]), and on every call of the functions around these
//! loops ([`for_host`]).

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

/// The same loop compiled for any host, and for hosts with AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct Versions<F> {
    pub(crate) any: F,
    pub(crate) fast: F,
}

impl<F: Copy> Versions<F> {
    /// The loop for this host.
    pub(crate) fn choose(&self) -> F {
        if has_fast_vectors() {
            self.fast
        } else {
            self.any
        }
    }
}

/// Whether this host runs the fast versions.
#[inline(always)]
pub(crate) fn has_fast_vectors() -> bool {
    // Asked on every step: the answer is one load.
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

/// Makes both versions of a loop: `versions!(fn(parameters) -> result, body)`. A lane function is given to a loop
/// as a closure of its own: a function named as a value may stay a call, and then knows nothing of fast vectors.
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

/// Defines a function that calls itself compiled for this host, out of line: `for_host!(fn name(parameters) -> result
/// body)`; a generic parameter stands in brackets. Only what is inlined into such a function knows of fast vectors.
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
                // SAFETY: the host has the features that `fast` is compiled for.
                return unsafe { fast($($argument),*) };
            }
            any($($argument),*)
        }
    };
}
pub(crate) use for_host;
