// gfx942: one counter for vector memory, one for LDS and scalar loads. Lines of "fixed" belong to the twins only.

begin load_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  // fixed s_waitcnt vmcnt(0)
  v_add_u32_e32 v2, 1, v2 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish load_not_waited_for

begin wait_too_weak
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  global_load_dword v3, v1, s[4:5] offset:16
  s_waitcnt vmcnt(1)
  v_add_u32_e32 v2, 1, v2
  // fixed s_waitcnt vmcnt(0)
  v_add_u32_e32 v2, v2, v3 // BUG
  global_store_dword v1, v2, s[6:7]
finish wait_too_weak

begin stores_count_too
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  global_store_dword v1, v0, s[6:7]
  s_waitcnt vmcnt(1)
  global_store_dword v1, v2, s[6:7]
finish stores_count_too

begin scalar_load_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5] // BUG
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish scalar_load_not_waited_for

begin scalar_loads_end_in_any_order
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(1)
  // fixed s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5] // BUG
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish scalar_loads_end_in_any_order

begin lds_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b32 v1, v0
  ds_read_b32 v3, v1
  s_waitcnt vmcnt(0)
  // fixed s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v2, 1, v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish lds_not_waited_for

begin overwritten_before_it_arrives
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  // fixed s_waitcnt vmcnt(0)
  v_mov_b32_e32 v2, 7 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish overwritten_before_it_arrives

begin register_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v5, v9
  // fixed v_mov_b32_e32 v5, 3
  v_add_u32_e32 v4, v5, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish register_never_written

begin lanes_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc, 48, v0
  s_and_saveexec_b64 s[8:9], vcc
  v_mov_b32_e32 v4, 1
  s_mov_b64 exec, s[8:9]
  // fixed v_mov_b32_e32 v4, 2
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish lanes_never_written

begin base_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  // fixed s_mov_b64 s[20:21], s[6:7]
  global_store_dword v1, v0, s[20:21] // BUG
finish base_never_written

begin undefined_bits_masked
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_and_b32_e32 v5, 0xff, v9
  v_lshrrev_b32_e32 v5, 8, v5
  v_lshl_or_b32 v5, v0, 4, v5
  s_mov_b64 vcc, 0
  v_cndmask_b32_e32 v6, v5, v9, vcc
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v6, s[6:7]
finish undefined_bits_masked

begin undefined_mask_bits_of_inactive_lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc, 30, v0
  s_and_saveexec_b64 s[8:9], vcc
  s_andn2_b64 s[10:11], s[10:11], exec
  s_and_b64 s[12:13], vcc, exec
  s_or_b64 s[10:11], s[10:11], s[12:13]
  s_and_b64 exec, exec, s[10:11]
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[6:7]
finish undefined_mask_bits_of_inactive_lanes

begin scalar_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  // fixed s_mov_b32 s20, 5
  s_cmp_eq_u32 s20, 0
  s_cbranch_scc1 .Lscalar_never_written // BUG
  global_store_dword v1, v0, s[6:7]
  .Lscalar_never_written:
finish scalar_never_written

begin accumulator_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed v_accvgpr_write_b32 a3, v0
  v_accvgpr_read_b32 v4, a3
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish accumulator_never_written

begin mask_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed s_mov_b64 s[20:21], 3
  v_cndmask_b32_e64 v4, v0, 7, s[20:21]
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish mask_never_written

begin carry_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed s_mov_b64 vcc, 3
  v_addc_co_u32_e32 v4, vcc, v0, v0, vcc
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish carry_never_written

begin exec_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  // fixed s_mov_b64 s[20:21], -1
  s_and_saveexec_b64 s[8:9], s[20:21] // BUG
  global_store_dword v1, v0, s[6:7]
finish exec_never_written

begin lane_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed v_mov_b32_e32 v9, 5
  s_nop 0
  v_readlane_b32 s20, v9, 3
  s_nop 1
  v_mov_b32_e32 v4, s20
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish lane_never_written

begin lds_base_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_write_b32 v1, v0
  // fixed s_mov_b32 m0, 0
  ds_read_addtid_b32 v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
finish lds_base_never_written

begin lds_store_ends_beyond
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed v_lshrrev_b32_e32 v1, 1, v1
  ds_write_b32 v1, v0 offset:773 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[6:7]
finish lds_store_ends_beyond

begin flat_accesses_end_in_any_order
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b64_e32 v[4:5], s[4:5]
  flat_load_dword v2, v[4:5]
  global_load_dword v3, v1, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(0)
  // fixed s_waitcnt vmcnt(0)
  v_add_u32_e32 v2, 1, v2 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish flat_accesses_end_in_any_order

begin flat_load_is_counted_twice
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b64_e32 v[4:5], s[4:5]
  flat_load_dword v2, v[4:5]
  s_waitcnt vmcnt(0)
  // fixed s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v2, 1, v2 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish flat_load_is_counted_twice

begin atomic_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v2, v1, v0, s[4:5] sc0
  // fixed s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7] // BUG
finish atomic_not_waited_for

begin permutation_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_bpermute_b32 v3, v1, v0
  // fixed s_waitcnt lgkmcnt(0)
  v_add_u32_e32 v2, 1, v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish permutation_not_waited_for

begin second_word_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx2 v[2:3], v1, s[4:5]
  v_mov_b32_e32 v6, 1
  // fixed s_waitcnt vmcnt(0)
  v_add_u32_e32 v6, v6, v3 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v6, s[6:7]
finish second_word_not_waited_for

begin address_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  v_mov_b32_e32 v3, 0
  // fixed s_waitcnt vmcnt(0)
  global_store_dword v2, v3, s[6:7] // BUG
finish address_not_waited_for

begin barrier_without_wait
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v2, 0x100, v1
  ds_write_b32 v1, v0
  // fixed s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
finish barrier_without_wait

begin direct_load_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, 0
  s_nop 0
  global_load_lds_dword v1, s[4:5]
  // fixed s_waitcnt vmcnt(0)
  ds_read_b32 v3, v1 // BUG
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
finish direct_load_not_waited_for

begin direct_load_before_barrier
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s8, v1
  s_mov_b32 m0, s8
  s_nop 0
  global_load_lds_dword v1, s[4:5]
  v_xor_b32_e32 v2, 0x100, v1
  // fixed s_waitcnt vmcnt(0)
  s_barrier
  ds_read_b32 v3, v2 // BUG
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
finish direct_load_before_barrier

begin more_records_than_memory
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b32 s11, 0x27000
  s_mov_b32 s10, 0x800
  // fixed s_mov_b32 s10, 0x400
  buffer_load_dword v2, v1, s[8:11], 0 offen offset:1000 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish more_records_than_memory

begin beyond_the_records
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b32 s11, 0x27000
  s_mov_b32 s10, 0x400
  buffer_load_dwordx2 v[2:3], v1, s[8:11], 0 offen offset:900
  s_buffer_load_dwordx4 s[12:15], s[8:11], 0x3f8
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_add_u32_e32 v2, v2, v3
  v_add_u32_e32 v2, s12, v2
  v_add_u32_e32 v2, s15, v2
  global_store_dword v1, v2, s[6:7]
finish beyond_the_records

begin dpp_from_lanes_without_a_value
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc, 40, v0
  s_and_saveexec_b64 s[8:9], vcc
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, 1
  s_nop 1
  v_add_u32_dpp v5, v4, v5 row_shr:1 row_mask:0xf bank_mask:0xf
  v_mov_b32_dpp v6, v4 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:0
  v_add_u32_sdwa v7, v4, v6 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_0
  s_nop 0
  v_add_u32_e32 v5, v5, v7
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[6:7]
finish dpp_from_lanes_without_a_value

begin product_source_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, v0
  v_mov_b32_e32 v7, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v6, v1, s[4:5]
  // fixed s_waitcnt vmcnt(0)
  v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], 0 // BUG
  s_nop 7
  s_waitcnt vmcnt(0)
  global_store_dword v1, v8, s[6:7]
finish product_source_not_waited_for

begin product_of_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, v0
  v_mov_b32_e32 v6, v0
  // fixed v_mov_b32_e32 v7, v0
  s_nop 1
  v_mfma_f32_16x16x16_f16 a[8:11], v[4:5], v[6:7], 0
  s_nop 7
  v_accvgpr_read_b32 v8, a8
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v8, s[6:7] // BUG
finish product_of_never_written

begin product_writes_inactive_lanes
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, v0
  v_mov_b32_e32 v5, v0
  s_mov_b64 exec, 1
  s_nop 0
  v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0
  s_nop 7
  s_mov_b64 exec, -1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v8, s[6:7]
finish product_writes_inactive_lanes
