//! The opcode tables of images, interpolation and exports: number and name.

use super::{BEFORE_942, ONLY_906};
use crate::families::tables::{OpcodeEntry, Semantics, line};

/// Images.
#[rustfmt::skip]
pub(super) static MIMG: &[OpcodeEntry] = &[
    // CDNA 3 dropped the image instructions.
    line(0x00, "image_load", Semantics::Refused).only(BEFORE_942),
    line(0x01, "image_load_mip", Semantics::Refused).only(BEFORE_942),
    line(0x02, "image_load_pck", Semantics::Refused).only(BEFORE_942),
    line(0x03, "image_load_pck_sgn", Semantics::Refused).only(BEFORE_942),
    line(0x04, "image_load_mip_pck", Semantics::Refused).only(BEFORE_942),
    line(0x05, "image_load_mip_pck_sgn", Semantics::Refused).only(BEFORE_942),
    line(0x08, "image_store", Semantics::Refused).only(BEFORE_942),
    line(0x09, "image_store_mip", Semantics::Refused).only(BEFORE_942),
    line(0x0a, "image_store_pck", Semantics::Refused).only(BEFORE_942),
    line(0x0b, "image_store_mip_pck", Semantics::Refused).only(BEFORE_942),
    line(0x0e, "image_get_resinfo", Semantics::Refused).only(BEFORE_942),
    line(0x10, "image_atomic_swap", Semantics::Refused).only(BEFORE_942),
    line(0x11, "image_atomic_cmpswap", Semantics::Refused).only(BEFORE_942),
    line(0x12, "image_atomic_add", Semantics::Refused).only(BEFORE_942),
    line(0x13, "image_atomic_sub", Semantics::Refused).only(BEFORE_942),
    line(0x14, "image_atomic_smin", Semantics::Refused).only(BEFORE_942),
    line(0x15, "image_atomic_umin", Semantics::Refused).only(BEFORE_942),
    line(0x16, "image_atomic_smax", Semantics::Refused).only(BEFORE_942),
    line(0x17, "image_atomic_umax", Semantics::Refused).only(BEFORE_942),
    line(0x18, "image_atomic_and", Semantics::Refused).only(BEFORE_942),
    line(0x19, "image_atomic_or", Semantics::Refused).only(BEFORE_942),
    line(0x1a, "image_atomic_xor", Semantics::Refused).only(BEFORE_942),
    line(0x1b, "image_atomic_inc", Semantics::Refused).only(BEFORE_942),
    line(0x1c, "image_atomic_dec", Semantics::Refused).only(BEFORE_942),
    line(0x20, "image_sample", Semantics::Refused).only(BEFORE_942),
    // Vega is also a graphics part, with samplers.
    line(0x21, "image_sample_cl", Semantics::Refused).only(ONLY_906),
    line(0x22, "image_sample_d", Semantics::Refused).only(ONLY_906),
    line(0x23, "image_sample_d_cl", Semantics::Refused).only(ONLY_906),
    line(0x24, "image_sample_l", Semantics::Refused).only(ONLY_906),
    line(0x25, "image_sample_b", Semantics::Refused).only(ONLY_906),
    line(0x26, "image_sample_b_cl", Semantics::Refused).only(ONLY_906),
    line(0x27, "image_sample_lz", Semantics::Refused).only(ONLY_906),
    line(0x28, "image_sample_c", Semantics::Refused).only(ONLY_906),
    line(0x29, "image_sample_c_cl", Semantics::Refused).only(ONLY_906),
    line(0x2a, "image_sample_c_d", Semantics::Refused).only(ONLY_906),
    line(0x2b, "image_sample_c_d_cl", Semantics::Refused).only(ONLY_906),
    line(0x2c, "image_sample_c_l", Semantics::Refused).only(ONLY_906),
    line(0x2d, "image_sample_c_b", Semantics::Refused).only(ONLY_906),
    line(0x2e, "image_sample_c_b_cl", Semantics::Refused).only(ONLY_906),
    line(0x2f, "image_sample_c_lz", Semantics::Refused).only(ONLY_906),
    line(0x30, "image_sample_o", Semantics::Refused).only(ONLY_906),
    line(0x31, "image_sample_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x32, "image_sample_d_o", Semantics::Refused).only(ONLY_906),
    line(0x33, "image_sample_d_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x34, "image_sample_l_o", Semantics::Refused).only(ONLY_906),
    line(0x35, "image_sample_b_o", Semantics::Refused).only(ONLY_906),
    line(0x36, "image_sample_b_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x37, "image_sample_lz_o", Semantics::Refused).only(ONLY_906),
    line(0x38, "image_sample_c_o", Semantics::Refused).only(ONLY_906),
    line(0x39, "image_sample_c_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x3a, "image_sample_c_d_o", Semantics::Refused).only(ONLY_906),
    line(0x3b, "image_sample_c_d_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x3c, "image_sample_c_l_o", Semantics::Refused).only(ONLY_906),
    line(0x3d, "image_sample_c_b_o", Semantics::Refused).only(ONLY_906),
    line(0x3e, "image_sample_c_b_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x3f, "image_sample_c_lz_o", Semantics::Refused).only(ONLY_906),
    line(0x40, "image_gather4", Semantics::Refused).only(ONLY_906),
    line(0x41, "image_gather4_cl", Semantics::Refused).only(ONLY_906),
    line(0x42, "image_gather4h", Semantics::Refused).only(ONLY_906),
    line(0x44, "image_gather4_l", Semantics::Refused).only(ONLY_906),
    line(0x45, "image_gather4_b", Semantics::Refused).only(ONLY_906),
    line(0x46, "image_gather4_b_cl", Semantics::Refused).only(ONLY_906),
    line(0x47, "image_gather4_lz", Semantics::Refused).only(ONLY_906),
    line(0x48, "image_gather4_c", Semantics::Refused).only(ONLY_906),
    line(0x49, "image_gather4_c_cl", Semantics::Refused).only(ONLY_906),
    line(0x4c, "image_gather4_c_l", Semantics::Refused).only(ONLY_906),
    line(0x4d, "image_gather4_c_b", Semantics::Refused).only(ONLY_906),
    line(0x4e, "image_gather4_c_b_cl", Semantics::Refused).only(ONLY_906),
    line(0x4f, "image_gather4_c_lz", Semantics::Refused).only(ONLY_906),
    line(0x50, "image_gather4_o", Semantics::Refused).only(ONLY_906),
    line(0x51, "image_gather4_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x54, "image_gather4_l_o", Semantics::Refused).only(ONLY_906),
    line(0x55, "image_gather4_b_o", Semantics::Refused).only(ONLY_906),
    line(0x56, "image_gather4_b_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x57, "image_gather4_lz_o", Semantics::Refused).only(ONLY_906),
    line(0x58, "image_gather4_c_o", Semantics::Refused).only(ONLY_906),
    line(0x59, "image_gather4_c_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x5c, "image_gather4_c_l_o", Semantics::Refused).only(ONLY_906),
    line(0x5d, "image_gather4_c_b_o", Semantics::Refused).only(ONLY_906),
    line(0x5e, "image_gather4_c_b_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x5f, "image_gather4_c_lz_o", Semantics::Refused).only(ONLY_906),
    line(0x60, "image_get_lod", Semantics::Refused).only(ONLY_906),
    line(0x68, "image_sample_cd", Semantics::Refused).only(ONLY_906),
    line(0x69, "image_sample_cd_cl", Semantics::Refused).only(ONLY_906),
    line(0x6a, "image_sample_c_cd", Semantics::Refused).only(ONLY_906),
    line(0x6b, "image_sample_c_cd_cl", Semantics::Refused).only(ONLY_906),
    line(0x6c, "image_sample_cd_o", Semantics::Refused).only(ONLY_906),
    line(0x6d, "image_sample_cd_cl_o", Semantics::Refused).only(ONLY_906),
    line(0x6e, "image_sample_c_cd_o", Semantics::Refused).only(ONLY_906),
    line(0x6f, "image_sample_c_cd_cl_o", Semantics::Refused).only(ONLY_906),
];

/// Interpolation.
#[rustfmt::skip]
pub(super) static VINTRP: &[OpcodeEntry] = &[
    // Interpolation reads pixel attributes, which compute kernels do not have.
    line(0, "v_interp_p1_f32", Semantics::Refused).only(ONLY_906),
    line(1, "v_interp_p2_f32", Semantics::Refused).only(ONLY_906),
    line(2, "v_interp_mov_f32", Semantics::Refused).only(ONLY_906),
];

/// Exports.
#[rustfmt::skip]
pub(super) static EXPORT: &[OpcodeEntry] = &[
    // Exports write to the render targets.
    line(0, "exp", Semantics::Refused).only(ONLY_906),
];
