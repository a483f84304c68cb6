//! The expected finding of each kernel.

use emulator::FindingKind::{self, *};

/// A kernel with its launch.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) groups: u32,
    pub(crate) threads: u32,
    /// The bug; None for a correct kernel.
    pub(crate) bug: Option<Bug>,
}

/// The checker's finding for a kernel, except for the line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bug {
    pub(crate) kind: FindingKind,
    /// The beginnings of the instruction's text on the different sets.
    pub(crate) instructions: &'static [&'static str],
    /// The workgroup's x.
    pub(crate) group: u32,
    /// The work-item of the first lane, with waves of 64 and of 32 lanes.
    pub(crate) thread: Option<(u32, u32)>,
    /// The offset of the access in its allocation or in LDS.
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
const LOADS: &[&str] = &["global_load_", "flat_load_"];
const STORE: &[&str] = &["global_store_dword ", "global_store_b32 "];
const ADD: &[&str] = &["global_atomic_add"];
const READ: &[&str] = &["ds_read_b32 ", "ds_load_b32 "];
const WRITE: &[&str] = &["ds_write_b32 ", "ds_store_b32 "];

/// The kernels of `planted.hip`.
#[rustfmt::skip] // a line per kernel
pub(crate) const HIP: &[Kernel] = &[
    planted("load_beyond", (4, 64), OutOfBounds, LOAD, (3, at(63)), Some(1024)),
    planted("store_beyond", (4, 64), OutOfBounds, STORE, (3, at(61)), Some(1024)),
    planted("store_before", (4, 64), OutOfBounds, STORE, (0, at(0)), None),
    planted("load_nowhere", (1, 64), OutOfBounds, LOAD, (0, at(0)), None),
    planted("atomic_beyond", (1, 64), OutOfBounds, ADD, (0, at(32)), Some(1024)),
    planted("lds_beyond", (1, 64), OutOfBounds, READ, (0, at(63)), Some(256)),
    planted("private_beyond", (1, 64), OutOfBounds, &["flat_load_"], (0, at(16)), Some(1280)),
    planted("private_uninitialized", (1, 64), Uninitialized, STORE, (0, at(4)), Some(16)),
    planted("lds_uninitialized", (1, 64), Uninitialized, STORE, (0, at(40)), Some(160)),
    planted("lds_byte_uninitialized", (1, 64), Uninitialized, STORE, (0, at(16)), Some(64)),
    planted("memory_uninitialized", (1, 64), Uninitialized, STORE, (0, at(0)), Some(0)),
    planted("branch_uninitialized", (1, 64), Uninitialized, &["s_cbranch_"], (0, None), None),
    planted("lanes_uninitialized", (1, 64), Uninitialized, &["s_and_saveexec", "v_cmpx"], (0, at(0)), None),
    planted("address_uninitialized", (1, 64), Uninitialized, STORE, (0, at(0)), None),
    planted("atomic_uninitialized", (1, 64), Uninitialized, ADD, (0, at(0)), Some(0)),
    planted("read_after_write", (1, 128), Race, READ, (0, at(64)), Some(0)),
    planted("write_after_read", (1, 128), Race, WRITE, (0, at(64)), Some(256)),
    planted("histogram", (1, 128), Race, READ, (0, at(64)), Some(0)),
    planted("bytes_race", (1, 128), Race, &["ds_write_b8", "ds_store_b8"], (0, at(64)), Some(63)),
    planted("memory_race", (1, 128), Race, LOAD, (0, at(64)), Some(0)),
    planted("left_barrier", (1, 128), Barrier, &["s_barrier"], (0, None), None),
    planted("shared_write", (3, 64), SharedWrite, STORE, (1, at(0)), Some(240)),
    planted("shared_bytes", (3, 64), SharedWrite, &["global_store_b"], (1, at(0)), Some(63)),
    planted("reset_and_add", (3, 64), SharedWrite, STORE, (1, at(0)), Some(0)),
    planted("scalar_load_beyond", (1, 64), OutOfBounds, &["s_load_", "global_load_"], (0, None), Some(1024)),
    planted("load_ends_beyond", (1, 32), OutOfBounds, &["global_load_"], (0, at(0)), Some(1012)),
    planted("store_ends_beyond", (1, 64), OutOfBounds, &["global_store_"], (0, at(63)), None),
    planted("one_too_many", (1, 64), OutOfBounds, LOAD, (0, at(0)), Some(1024)),
    planted("bytes_for_words", (1, 128), OutOfBounds, STORE, (0, Some((64, 64))), Some(1024)),
    planted("lds_store_beyond", (1, 64), OutOfBounds, WRITE, (0, at(56)), Some(256)),
    planted("lds_atomic_before", (1, 64), OutOfBounds, &["ds_add"], (0, at(0)), None),
    planted("private_store_beyond", (1, 64), OutOfBounds, &["scratch_store_", "buffer_store_", "flat_store_"], (0, None), None),
    planted("sum_uninitialized", (1, 128), Uninitialized, STORE, (0, at(0)), Some(0)),
    planted("index_uninitialized", (1, 64), Uninitialized, LOAD, (0, at(0)), None),
    planted("select_uninitialized", (1, 64), Uninitialized, STORE, (0, at(0)), Some(0)),
    planted("loop_uninitialized", (1, 64), Uninitialized, &["s_cbranch", "s_and", "v_cmpx"], (0, None), None),
    planted("overlap", (1, 128), Race, &["global_store_dwordx2", "global_store_b64"], (0, at(64)), Some(4)),
    planted("tree_without_barrier", (1, 256), Race, &["ds_"], (0, None), None),
    planted("tile_reused", (1, 128), Race, WRITE, (0, None), None),
    planted("bins_cleared_late", (1, 128), Race, &["ds_add"], (0, None), None),
    planted("barrier_of_one_wave", (1, 128), Barrier, &["s_barrier"], (0, None), None),
    planted("sum_without_atomic", (3, 64), SharedWrite, STORE, (1, at(0)), Some(800)),
    planted("group_forgotten", (3, 64), SharedWrite, STORE, (1, at(0)), Some(0)),
    planted("not_released", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("not_acquired", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("acquired_from_workgroup", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("counted_early", (3, 128), MissingFence, LOADS, (2, at(0)), Some(8)),
    planted("met_not_released", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("met_not_acquired", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("met_by_plain_loads", (3, 64), MissingFence, LOADS, (2, at(0)), Some(4)),
    planted("race_after_meeting", (3, 128), Race, READ, (1, at(0)), Some(508)),
    planted("memory_race_after_meeting", (3, 128), Race, LOADS, (1, at(0)), Some(384)),
    planted("unconnected", (3, 64), MissingFence, LOADS, (1, at(0)), Some(0)),
    planted("in_place_neighbour", (4, 64), MissingFence, STORE, (1, at(0)), Some(256)),
    planted("in_place_neighbour_wave", (1, 128), Race, STORE, (0, Some((64, 32))), None),
    planted("misaligned_atomic", (1, 32), Misaligned, ADD, (0, at(0)), Some(2)),
    planted("uniform_in_place", (4, 32), MissingFence, &["s_load_"], (1, None), Some(0)),
    correct("flag", 4, 64),
    correct("last_workgroup", 4, 64),
    correct("padding", 1, 32),
    correct("part_of_vector", 1, 64),
    correct("within_wave", 1, 128),
];

/// The kernels of `correct.hip`.
#[rustfmt::skip]
pub(crate) const CORRECT: &[Kernel] = &[
    correct("reduce_tree", 1, 100),
    correct("reduce_shuffles", 1, 100),
    correct("reads_more_than_it_uses", 1, 128),
    correct("dpp_in_some_lanes", 1, 90),
    correct("double_buffer", 1, 128),
    correct("padded_tile", 1, 256),
    correct("flag_in_lds", 1, 128),
    correct("marks", 4, 128),
    correct("last_wave", 1, 256),
    correct("bytes_of_a_word", 5, 101),
    correct("packed", 1, 70),
    correct("structures", 1, 64),
    correct("chain_backwards", 4, 64),
    correct("meetings", 5, 128),
    correct("list", 1, 128),
    correct("set_where_used", 1, 128),
    correct("groups_that_leave", 3, 128),
    correct("through_memory", 1, 256),
    correct("compaction", 1, 200),
    correct("largest", 1, 200),
    correct("halves", 1, 70),
    correct("last_words", 1, 64),
    correct("scan_of_a_wave", 1, 128),
    correct("chain", 5, 64),
    correct("last_group", 3, 128),
    correct("last_group_by_atomic", 3, 64),
    correct("passed_on", 3, 64),
    correct("locked", 3, 64),
];

/// The kernels of the `.s` files.
pub(crate) const ASSEMBLY: [(&str, &[Kernel]); 4] = [
    ("gfx942", GFX942),
    ("gfx1030", GFX1030),
    ("gfx1100", GFX1100),
    ("gfx1201", GFX1201),
];

const fn waits(name: &'static str, instructions: &'static [&'static str]) -> Kernel {
    planted(name, (1, 64), MissingWait, instructions, (0, None), None)
}

#[rustfmt::skip]
const GFX942: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_u32"]),
    waits("wait_too_weak", &["v_add_u32_e32 v2, v2, v3"]),
    correct("stores_count_too", 1, 64),
    waits("scalar_load_not_waited_for", LOAD),
    waits("scalar_loads_end_in_any_order", LOAD),
    waits("lds_not_waited_for", &["v_add_u32"]),
    waits("overwritten_before_it_arrives", &["v_mov_b32"]),
    planted("register_never_written", (1, 64), Uninitialized, STORE, (0, at(0)), Some(0)),
    planted("lanes_never_written", (1, 64), Uninitialized, STORE, (0, at(48)), Some(192)),
    planted("base_never_written", (1, 64), Uninitialized, STORE, (0, None), None),
    correct("undefined_bits_masked", 1, 64),
    correct("undefined_mask_bits_of_inactive_lanes", 1, 64),
    planted("scalar_never_written", (1, 64), Uninitialized, &["s_cbranch_scc1"], (0, None), None),
    waits("product_source_not_waited_for", &["v_mfma_f32_16x16x16_f16"]),
    planted("product_of_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    correct("product_writes_inactive_lanes", 1, 64),
    planted("accumulator_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    planted("mask_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    planted("carry_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    planted("exec_never_written", (1, 64), Uninitialized, &["s_and_saveexec_b64"], (0, at(0)), None),
    planted("lane_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    planted("lds_base_never_written", (1, 64), Uninitialized, &["ds_read_addtid_b32"], (0, None), None),
    planted("lds_store_ends_beyond", (1, 64), OutOfBounds, WRITE, (0, at(62)), Some(1021)),
    waits("flat_accesses_end_in_any_order", &["v_add_u32"]),
    waits("flat_load_is_counted_twice", &["v_add_u32"]),
    waits("atomic_not_waited_for", STORE),
    waits("permutation_not_waited_for", &["v_add_u32"]),
    waits("second_word_not_waited_for", &["v_add_u32"]),
    waits("address_not_waited_for", STORE),
    planted("barrier_without_wait", (1, 128), MissingWait, READ, (0, at(0)), Some(256)),
    planted("direct_load_not_waited_for", (1, 64), MissingWait, READ, (0, at(0)), Some(0)),
    planted("direct_load_before_barrier", (1, 128), MissingWait, READ, (0, at(0)), Some(256)),
    planted("more_records_than_memory", (1, 64), OutOfBounds, &["buffer_load_dword "], (0, at(6)), Some(1024)),
    correct("beyond_the_records", 1, 64),
    correct("dpp_from_lanes_without_a_value", 1, 64),
];

#[rustfmt::skip]
const GFX1030: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_nc_u32"]),
    waits("stores_count_by_themselves", STORE),
    waits("scalar_loads_end_in_any_order", LOAD),
    waits("lds_not_waited_for", &["v_add_nc_u32"]),
    waits("flat_load_is_counted_twice", &["v_add_nc_u32"]),
    correct("flat_accesses_end_in_order", 1, 64),
    planted("barrier_without_wait", (1, 64), MissingWait, READ, (0, at(0)), Some(128)),
    planted("mask_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(0)), Some(0)),
    planted("scalar_never_written", (1, 64), Uninitialized, &["s_cbranch_scc0"], (0, None), None),
    planted("lane_never_written", (1, 64), Uninitialized, &["global_store_dword "], (0, at(32)), Some(128)),
    correct("only_a_mask_of_the_lower_half", 1, 64),
    correct("waits_for_everything", 1, 64),
];

#[rustfmt::skip]
const GFX1100: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_nc_u32"]),
    waits("stores_count_by_themselves", STORE),
    waits("lds_not_waited_for", &["v_add_nc_u32"]),
    planted("lanes_never_written", (1, 64), Uninitialized, STORE, (0, at(20)), Some(80)),
    planted("half_never_written", (1, 64), Uninitialized, &["global_store_d16_hi_b16"], (0, at(0)), Some(0)),
    planted("dual_never_written", (1, 64), Uninitialized, STORE, (0, at(0)), Some(0)),
    planted("barrier_without_wait", (1, 64), MissingWait, READ, (0, at(0)), Some(128)),
    waits("flat_load_is_counted_twice", &["v_add_nc_u32"]),
    waits("atomic_not_waited_for", STORE),
    planted("lds_base_never_written", (1, 32), Uninitialized, &["ds_load_addtid_b32"], (0, None), None),
    planted("compared_never_written", (1, 64), Uninitialized, &["global_store_b32 "], (0, at(0)), Some(0)),
];

#[rustfmt::skip]
const GFX1201: &[Kernel] = &[
    waits("load_not_waited_for", &["v_add_nc_u32"]),
    waits("scalar_load_not_waited_for", STORE),
    waits("lds_not_waited_for", &["v_add_nc_u32"]),
    planted("barrier_without_wait", (1, 64), MissingWait, READ, (0, at(0)), Some(128)),
    waits("atomic_not_waited_for", STORE),
    waits("permutation_not_waited_for", STORE),
    waits("wait_too_weak", &["v_add_nc_u32_e32 v2, v2, v3"]),
    planted("scalar_never_written", (1, 64), Uninitialized, &["s_cbranch_scc1"], (0, None), None),
    correct("waits_of_two_counters", 1, 64),
];
