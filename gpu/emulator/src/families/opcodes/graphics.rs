//! The opcode tables of images, interpolation and exports. The emulator knows all by name only.

use super::{BEFORE_942, ONLY_906};
use crate::families::tables::Semantics::Refused;
use crate::families::tables::{NONE, OpcodeEntry, opcode};

/// Images: MIMG, or VIMAGE on gfx12.
#[rustfmt::skip]
pub(super) static IMAGE: &[OpcodeEntry] = &[
    // CDNA 3 dropped the image instructions.
    // Images need a sampler and an image resource; compute kernels use buffers.
    opcode([0x00, 0x00, 0x00, 0x00], "image_load", Refused).only(BEFORE_942),
    opcode([0x01, 0x01, 0x01, 0x01], "image_load_mip", Refused).only(BEFORE_942),
    opcode([0x02, 0x02, 0x02, 0x02], "image_load_pck", Refused).only(BEFORE_942),
    opcode([0x03, 0x03, 0x03, 0x03], "image_load_pck_sgn", Refused).only(BEFORE_942),
    opcode([0x04, 0x04, 0x04, 0x04], "image_load_mip_pck", Refused).only(BEFORE_942),
    opcode([0x05, 0x05, 0x05, 0x05], "image_load_mip_pck_sgn", Refused).only(BEFORE_942),
    opcode([0x08, 0x08, 0x06, 0x06], "image_store", Refused).only(BEFORE_942),
    opcode([0x09, 0x09, 0x07, 0x07], "image_store_mip", Refused).only(BEFORE_942),
    opcode([0x0a, 0x0a, 0x08, 0x08], "image_store_pck", Refused).only(BEFORE_942),
    opcode([0x0b, 0x0b, 0x09, 0x09], "image_store_mip_pck", Refused).only(BEFORE_942),
    opcode([0x0e, 0x0e, 0x17, 0x17], "image_get_resinfo", Refused).only(BEFORE_942),
    opcode([NONE, NONE, NONE, 0x83], "image_atomic_add_flt", Refused),
    opcode([NONE, NONE, NONE, 0x84], "image_atomic_min_flt", Refused),
    opcode([NONE, NONE, NONE, 0x85], "image_atomic_max_flt", Refused),
    opcode([NONE, NONE, NONE, 0x86], "image_atomic_pk_add_f16", Refused),
    opcode([NONE, NONE, NONE, 0x87], "image_atomic_pk_add_bf16", Refused),
    opcode([0x10, 0x0f, 0x0a, 0x0a], "image_atomic_swap", Refused).only(BEFORE_942),
    opcode([0x11, 0x10, 0x0b, 0x0b], "image_atomic_cmpswap", Refused).only(BEFORE_942),
    opcode([NONE, NONE, NONE, 0x0c], "image_atomic_add_uint", Refused),
    opcode([NONE, NONE, NONE, 0x0d], "image_atomic_sub_uint", Refused),
    opcode([NONE, NONE, NONE, 0x0e], "image_atomic_min_int", Refused),
    opcode([NONE, NONE, NONE, 0x0f], "image_atomic_min_uint", Refused),
    opcode([NONE, NONE, NONE, 0x10], "image_atomic_max_int", Refused),
    opcode([NONE, NONE, NONE, 0x11], "image_atomic_max_uint", Refused),
    opcode([0x12, 0x11, 0x0c, NONE], "image_atomic_add", Refused).only(BEFORE_942),
    opcode([0x13, 0x12, 0x0d, NONE], "image_atomic_sub", Refused).only(BEFORE_942),
    opcode([0x14, 0x14, 0x0e, NONE], "image_atomic_smin", Refused).only(BEFORE_942),
    opcode([0x15, 0x15, 0x0f, NONE], "image_atomic_umin", Refused).only(BEFORE_942),
    opcode([0x16, 0x16, 0x10, NONE], "image_atomic_smax", Refused).only(BEFORE_942),
    opcode([0x17, 0x17, 0x11, NONE], "image_atomic_umax", Refused).only(BEFORE_942),
    opcode([0x18, 0x18, 0x12, 0x12], "image_atomic_and", Refused).only(BEFORE_942),
    opcode([0x19, 0x19, 0x13, 0x13], "image_atomic_or", Refused).only(BEFORE_942),
    opcode([0x1a, 0x1a, 0x14, 0x14], "image_atomic_xor", Refused).only(BEFORE_942),
    opcode([NONE, NONE, NONE, 0x15], "image_atomic_inc_uint", Refused),
    opcode([NONE, NONE, NONE, 0x16], "image_atomic_dec_uint", Refused),
    opcode([0x1b, 0x1b, 0x15, NONE], "image_atomic_inc", Refused).only(BEFORE_942),
    opcode([0x1c, 0x1c, 0x16, NONE], "image_atomic_dec", Refused).only(BEFORE_942),
    opcode([NONE, 0x1d, NONE, NONE], "image_atomic_fcmpswap", Refused),
    opcode([NONE, 0x1e, NONE, NONE], "image_atomic_fmin", Refused),
    opcode([NONE, 0x1f, NONE, NONE], "image_atomic_fmax", Refused),
];

/// Images with a sampler: MIMG, or VSAMPLE on gfx12.
#[rustfmt::skip]
pub(super) static SAMPLE: &[OpcodeEntry] = &[
    opcode([0x20, 0x20, 0x1b, 0x1b], "image_sample", Refused).only(BEFORE_942),
    // Vega is also a graphics part, with samplers.
    opcode([0x21, 0x21, 0x40, 0x40], "image_sample_cl", Refused).only(ONLY_906),
    opcode([0x22, 0x22, 0x1c, 0x1c], "image_sample_d", Refused).only(ONLY_906),
    opcode([0x23, 0x23, 0x41, 0x41], "image_sample_d_cl", Refused).only(ONLY_906),
    opcode([0x24, 0x24, 0x1d, 0x1d], "image_sample_l", Refused).only(ONLY_906),
    opcode([0x25, 0x25, 0x1e, 0x1e], "image_sample_b", Refused).only(ONLY_906),
    opcode([0x26, 0x26, 0x42, 0x42], "image_sample_b_cl", Refused).only(ONLY_906),
    opcode([0x27, 0x27, 0x1f, 0x1f], "image_sample_lz", Refused).only(ONLY_906),
    opcode([0x28, 0x28, 0x20, 0x20], "image_sample_c", Refused).only(ONLY_906),
    opcode([0x29, 0x29, 0x43, 0x43], "image_sample_c_cl", Refused).only(ONLY_906),
    opcode([0x2a, 0x2a, 0x21, 0x21], "image_sample_c_d", Refused).only(ONLY_906),
    opcode([0x2b, 0x2b, 0x44, 0x44], "image_sample_c_d_cl", Refused).only(ONLY_906),
    opcode([0x2c, 0x2c, 0x22, 0x22], "image_sample_c_l", Refused).only(ONLY_906),
    opcode([0x2d, 0x2d, 0x23, 0x23], "image_sample_c_b", Refused).only(ONLY_906),
    opcode([0x2e, 0x2e, 0x45, 0x45], "image_sample_c_b_cl", Refused).only(ONLY_906),
    opcode([0x2f, 0x2f, 0x24, 0x24], "image_sample_c_lz", Refused).only(ONLY_906),
    opcode([0x30, 0x30, 0x25, 0x25], "image_sample_o", Refused).only(ONLY_906),
    opcode([0x31, 0x31, 0x46, 0x46], "image_sample_cl_o", Refused).only(ONLY_906),
    opcode([0x32, 0x32, 0x26, 0x26], "image_sample_d_o", Refused).only(ONLY_906),
    opcode([0x33, 0x33, 0x47, 0x47], "image_sample_d_cl_o", Refused).only(ONLY_906),
    opcode([0x34, 0x34, 0x27, 0x27], "image_sample_l_o", Refused).only(ONLY_906),
    opcode([0x35, 0x35, 0x28, 0x28], "image_sample_b_o", Refused).only(ONLY_906),
    opcode([0x36, 0x36, 0x48, 0x48], "image_sample_b_cl_o", Refused).only(ONLY_906),
    opcode([0x37, 0x37, 0x29, 0x29], "image_sample_lz_o", Refused).only(ONLY_906),
    opcode([0x38, 0x38, 0x2a, 0x2a], "image_sample_c_o", Refused).only(ONLY_906),
    opcode([0x39, 0x39, 0x49, 0x49], "image_sample_c_cl_o", Refused).only(ONLY_906),
    opcode([0x3a, 0x3a, 0x2b, 0x2b], "image_sample_c_d_o", Refused).only(ONLY_906),
    opcode([0x3b, 0x3b, 0x4a, 0x4a], "image_sample_c_d_cl_o", Refused).only(ONLY_906),
    opcode([0x3c, 0x3c, 0x2c, 0x2c], "image_sample_c_l_o", Refused).only(ONLY_906),
    opcode([0x3d, 0x3d, 0x2d, 0x2d], "image_sample_c_b_o", Refused).only(ONLY_906),
    opcode([0x3e, 0x3e, 0x4b, 0x4b], "image_sample_c_b_cl_o", Refused).only(ONLY_906),
    opcode([0x3f, 0x3f, 0x2e, 0x2e], "image_sample_c_lz_o", Refused).only(ONLY_906),
    opcode([0x40, 0x40, 0x2f, 0x2f], "image_gather4", Refused).only(ONLY_906),
    opcode([0x41, 0x41, 0x60, 0x60], "image_gather4_cl", Refused).only(ONLY_906),
    opcode([0x42, 0x61, 0x90, 0x90], "image_gather4h", Refused).only(ONLY_906),
    opcode([0x44, 0x44, 0x30, 0x30], "image_gather4_l", Refused).only(ONLY_906),
    opcode([0x45, 0x45, 0x31, 0x31], "image_gather4_b", Refused).only(ONLY_906),
    opcode([0x46, 0x46, 0x61, 0x61], "image_gather4_b_cl", Refused).only(ONLY_906),
    opcode([0x47, 0x47, 0x32, 0x32], "image_gather4_lz", Refused).only(ONLY_906),
    opcode([0x48, 0x48, 0x33, 0x33], "image_gather4_c", Refused).only(ONLY_906),
    opcode([0x49, 0x49, 0x62, 0x62], "image_gather4_c_cl", Refused).only(ONLY_906),
    opcode([0x4c, 0x4c, 0x63, 0x63], "image_gather4_c_l", Refused).only(ONLY_906),
    opcode([0x4d, 0x4d, 0x64, 0x64], "image_gather4_c_b", Refused).only(ONLY_906),
    opcode([0x4e, 0x4e, 0x65, 0x65], "image_gather4_c_b_cl", Refused).only(ONLY_906),
    opcode([0x4f, 0x4f, 0x34, 0x34], "image_gather4_c_lz", Refused).only(ONLY_906),
    opcode([0x50, 0x50, 0x35, 0x35], "image_gather4_o", Refused).only(ONLY_906),
    opcode([0x51, 0x51, NONE, NONE], "image_gather4_cl_o", Refused).only(ONLY_906),
    opcode([0x54, 0x54, NONE, NONE], "image_gather4_l_o", Refused).only(ONLY_906),
    opcode([0x55, 0x55, NONE, NONE], "image_gather4_b_o", Refused).only(ONLY_906),
    opcode([0x56, 0x56, NONE, NONE], "image_gather4_b_cl_o", Refused).only(ONLY_906),
    opcode([0x57, 0x57, 0x36, 0x36], "image_gather4_lz_o", Refused).only(ONLY_906),
    opcode([0x58, 0x58, NONE, NONE], "image_gather4_c_o", Refused).only(ONLY_906),
    opcode([0x59, 0x59, NONE, NONE], "image_gather4_c_cl_o", Refused).only(ONLY_906),
    opcode([0x5c, 0x5c, NONE, NONE], "image_gather4_c_l_o", Refused).only(ONLY_906),
    opcode([0x5d, 0x5d, NONE, NONE], "image_gather4_c_b_o", Refused).only(ONLY_906),
    opcode([0x5e, 0x5e, NONE, NONE], "image_gather4_c_b_cl_o", Refused).only(ONLY_906),
    opcode([0x5f, 0x5f, 0x37, 0x37], "image_gather4_c_lz_o", Refused).only(ONLY_906),
    opcode([0x60, 0x60, 0x38, 0x38], "image_get_lod", Refused).only(ONLY_906),
    opcode([0x68, 0x68, NONE, NONE], "image_sample_cd", Refused).only(ONLY_906),
    opcode([0x69, 0x69, NONE, NONE], "image_sample_cd_cl", Refused).only(ONLY_906),
    opcode([0x6a, 0x6a, NONE, NONE], "image_sample_c_cd", Refused).only(ONLY_906),
    opcode([0x6b, 0x6b, NONE, NONE], "image_sample_c_cd_cl", Refused).only(ONLY_906),
    opcode([0x6c, 0x6c, NONE, NONE], "image_sample_cd_o", Refused).only(ONLY_906),
    opcode([0x6d, 0x6d, NONE, NONE], "image_sample_cd_cl_o", Refused).only(ONLY_906),
    opcode([0x6e, 0x6e, NONE, NONE], "image_sample_c_cd_o", Refused).only(ONLY_906),
    opcode([0x6f, 0x6f, NONE, NONE], "image_sample_c_cd_cl_o", Refused).only(ONLY_906),
    // Samples also need a sampler resource.
    opcode([NONE, 0x80, 0x18, 0x18], "image_msaa_load", Refused),
    opcode([NONE, 0xa2, 0x39, 0x39], "image_sample_d_g16", Refused),
    opcode([NONE, 0xa3, 0x5f, 0x5f], "image_sample_d_cl_g16", Refused),
    opcode([NONE, 0xaa, 0x3a, 0x3a], "image_sample_c_d_g16", Refused),
    opcode([NONE, 0xab, 0x54, 0x54], "image_sample_c_d_cl_g16", Refused),
    opcode([NONE, 0xb2, 0x3b, 0x3b], "image_sample_d_o_g16", Refused),
    opcode([NONE, 0xb3, 0x55, 0x55], "image_sample_d_cl_o_g16", Refused),
    opcode([NONE, 0xba, 0x3c, 0x3c], "image_sample_c_d_o_g16", Refused),
    opcode([NONE, 0xbb, 0x56, 0x56], "image_sample_c_d_cl_o_g16", Refused),
    opcode([NONE, 0xe8, NONE, NONE], "image_sample_cd_g16", Refused),
    opcode([NONE, 0xe9, NONE, NONE], "image_sample_cd_cl_g16", Refused),
    opcode([NONE, 0xea, NONE, NONE], "image_sample_c_cd_g16", Refused),
    opcode([NONE, 0xeb, NONE, NONE], "image_sample_c_cd_cl_g16", Refused),
    opcode([NONE, 0xec, NONE, NONE], "image_sample_cd_o_g16", Refused),
    opcode([NONE, 0xed, NONE, NONE], "image_sample_cd_cl_o_g16", Refused),
    opcode([NONE, 0xee, NONE, NONE], "image_sample_c_cd_o_g16", Refused),
    opcode([NONE, 0xef, NONE, NONE], "image_sample_c_cd_cl_o_g16", Refused),
];

/// Interpolation of attributes: VINTRP, or VINTERP from gfx11 on.
#[rustfmt::skip]
pub(super) static INTERPOLATION: &[OpcodeEntry] = &[
    // Interpolation reads pixel attributes, which compute kernels do not have.
    opcode([0x00, 0x00, NONE, NONE], "v_interp_p1_f32", Refused).only(ONLY_906),
    opcode([NONE, NONE, 0x00, 0x00], "v_interp_p10_f32", Refused),
    opcode([0x01, 0x01, 0x01, 0x01], "v_interp_p2_f32", Refused).only(ONLY_906),
    opcode([NONE, NONE, 0x02, 0x02], "v_interp_p10_f16_f32", Refused),
    opcode([NONE, NONE, 0x03, 0x03], "v_interp_p2_f16_f32", Refused),
    opcode([NONE, NONE, 0x04, 0x04], "v_interp_p10_rtz_f16_f32", Refused),
    opcode([NONE, NONE, 0x05, 0x05], "v_interp_p2_rtz_f16_f32", Refused),
    opcode([0x02, 0x02, NONE, NONE], "v_interp_mov_f32", Refused).only(ONLY_906),
];

/// Attributes and values from LDS: LDSDIR, or VDSDIR on gfx12.
#[rustfmt::skip]
pub(super) static DIRECT_LOAD: &[OpcodeEntry] = &[
    opcode([NONE, NONE, 0x00, NONE], "lds_param_load", Refused),
    opcode([NONE, NONE, 0x01, NONE], "lds_direct_load", Refused),
    opcode([NONE, NONE, NONE, 0x00], "ds_param_load", Refused),
    opcode([NONE, NONE, NONE, 0x01], "ds_direct_load", Refused),
];

/// Exports.
#[rustfmt::skip]
pub(super) static EXPORT: &[OpcodeEntry] = &[
    // Exports write to the render targets.
    opcode([0x00, 0x00, 0x00, NONE], "exp", Refused).only(ONLY_906),
    opcode([NONE, NONE, NONE, 0x00], "export", Refused),
];
