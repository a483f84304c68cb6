//! What is to be found in each kernel.

use emulator::FindingKind::{self, *};

/// A kernel and how it is launched.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) groups: u32,
    pub(crate) threads: u32,
    /// None of those that are correct.
    pub(crate) bug: Option<Bug>,
}

/// What the checker says of a kernel, besides the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug {
    pub(crate) kind: FindingKind,
    /// Beginnings of the instruction's text, on the different sets.
    pub(crate) instructions: &'static [&'static str],
    /// The workgroup's x.
    pub(crate) group: u32,
    /// The work-item of the first lane, with waves of 64 and of 32 lanes.
    pub(crate) thread: Option<(u32, u32)>,
    /// Where the access is in its allocation or in LDS.
    pub(crate) offset: Option<u64>,
}

const fn correct(name: &'static str, groups: u32, threads: u32) -> Kernel {
    Kernel {
        name,
        groups,
        threads,
        bug: None,
    }
}

const fn planted(
    name: &'static str,
    (groups, threads): (u32, u32),
    kind: FindingKind,
    instructions: &'static [&'static str],
    (group, thread): (u32, Option<(u32, u32)>),
    offset: Option<u64>,
) -> Kernel {
    let bug = Some(Bug {
        kind,
        instructions,
        group,
        thread,
        offset,
    });
    Kernel {
        name,
        groups,
        threads,
        bug,
    }
}

const fn at(thread: u32) -> Option<(u32, u32)> {
    Some((thread, thread))
}

const LOAD: &[&str] = &["global_load_dword ", "global_load_b32 "];
const STORE: &[&str] = &["global_store_dword ", "global_store_b32 "];
const ADD: &[&str] = &["global_atomic_add"];
const READ: &[&str] = &["ds_read_b32 ", "ds_load_b32 "];
const WRITE: &[&str] = &["ds_write_b32 ", "ds_store_b32 "];

/// The kernels of `planted.hip`.
pub(crate) const HIP: &[Kernel] = &[
    planted(
        "load_beyond",
        (4, 64),
        OutOfBounds,
        LOAD,
        (3, at(63)),
        Some(1024),
    ),
    planted(
        "store_beyond",
        (4, 64),
        OutOfBounds,
        STORE,
        (3, at(61)),
        Some(1024),
    ),
    planted(
        "store_before",
        (4, 64),
        OutOfBounds,
        STORE,
        (0, at(0)),
        None,
    ),
    planted("load_nowhere", (1, 64), OutOfBounds, LOAD, (0, at(0)), None),
    planted(
        "atomic_beyond",
        (1, 64),
        OutOfBounds,
        ADD,
        (0, at(32)),
        Some(1024),
    ),
    planted(
        "lds_beyond",
        (1, 64),
        OutOfBounds,
        READ,
        (0, at(63)),
        Some(256),
    ),
    planted(
        "private_beyond",
        (1, 64),
        OutOfBounds,
        &["flat_load_"],
        (0, at(16)),
        Some(1280),
    ),
    planted(
        "private_uninitialized",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(4)),
        Some(16),
    ),
    planted(
        "lds_uninitialized",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(40)),
        Some(160),
    ),
    planted(
        "lds_byte_uninitialized",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(16)),
        Some(64),
    ),
    planted(
        "memory_uninitialized",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(0)),
        Some(0),
    ),
    planted(
        "branch_uninitialized",
        (1, 64),
        Uninitialized,
        &["s_cbranch_"],
        (0, None),
        None,
    ),
    planted(
        "lanes_uninitialized",
        (1, 64),
        Uninitialized,
        &["s_and_saveexec", "v_cmpx"],
        (0, at(0)),
        None,
    ),
    planted(
        "address_uninitialized",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(0)),
        None,
    ),
    planted(
        "atomic_uninitialized",
        (1, 64),
        Uninitialized,
        ADD,
        (0, at(0)),
        Some(0),
    ),
    planted(
        "read_after_write",
        (1, 128),
        Race,
        READ,
        (0, at(64)),
        Some(0),
    ),
    planted(
        "write_after_read",
        (1, 128),
        Race,
        WRITE,
        (0, at(64)),
        Some(256),
    ),
    planted("histogram", (1, 128), Race, READ, (0, at(64)), Some(0)),
    planted(
        "bytes_race",
        (1, 128),
        Race,
        &["ds_write_b8", "ds_store_b8"],
        (0, at(64)),
        Some(63),
    ),
    planted("memory_race", (1, 128), Race, LOAD, (0, at(64)), Some(0)),
    planted(
        "left_barrier",
        (1, 128),
        Barrier,
        &["s_barrier"],
        (0, None),
        None,
    ),
    planted(
        "shared_write",
        (3, 64),
        SharedWrite,
        STORE,
        (1, at(0)),
        Some(240),
    ),
    planted(
        "shared_bytes",
        (3, 64),
        SharedWrite,
        &["global_store_b"],
        (1, at(0)),
        Some(63),
    ),
    planted(
        "reset_and_add",
        (3, 64),
        SharedWrite,
        STORE,
        (1, at(0)),
        Some(0),
    ),
    correct("flag", 4, 64),
    correct("last_workgroup", 4, 64),
    correct("padding", 1, 32),
    correct("part_of_vector", 1, 64),
    correct("within_wave", 1, 128),
];

/// The kernels of the `.s` files.
pub(crate) const ASSEMBLY: [(&str, &[Kernel]); 3] = [
    ("gfx942", GFX942),
    ("gfx1100", GFX1100),
    ("gfx1201", GFX1201),
];

const fn waits(name: &'static str, instructions: &'static [&'static str]) -> Kernel {
    planted(name, (1, 64), MissingWait, instructions, (0, None), None)
}

const GFX942: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_u32"]),
    waits("wait_too_weak", &["v_add_u32_e32 v2, v2, v3"]),
    correct("stores_count_too", 1, 64),
    waits("scalar_load_not_waited_for", LOAD),
    waits("scalar_loads_end_in_any_order", LOAD),
    waits("lds_not_waited_for", &["v_add_u32"]),
    waits("overwritten_before_it_arrives", &["v_mov_b32"]),
    planted(
        "register_never_written",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(0)),
        Some(0),
    ),
    planted(
        "lanes_never_written",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(48)),
        Some(192),
    ),
    planted(
        "base_never_written",
        (1, 64),
        Uninitialized,
        STORE,
        (0, None),
        None,
    ),
    correct("undefined_bits_masked", 1, 64),
    correct("undefined_mask_bits_of_inactive_lanes", 1, 64),
];

const GFX1100: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_nc_u32"]),
    waits("stores_count_by_themselves", STORE),
    waits("lds_not_waited_for", &["v_add_nc_u32"]),
    planted(
        "lanes_never_written",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(20)),
        Some(80),
    ),
    planted(
        "half_never_written",
        (1, 64),
        Uninitialized,
        &["global_store_d16_hi_b16"],
        (0, at(0)),
        Some(0),
    ),
    planted(
        "dual_never_written",
        (1, 64),
        Uninitialized,
        STORE,
        (0, at(0)),
        Some(0),
    ),
];

const GFX1201: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_nc_u32"]),
    waits("scalar_load_not_waited_for", STORE),
    waits("lds_not_waited_for", &["v_add_nc_u32"]),
];
