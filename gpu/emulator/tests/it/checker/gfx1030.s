// gfx1030, waves of 32 lanes: stores have a counter of their own. Lines of "fixed" belong to the twins only.

begin load_not_waited_for
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  s_waitcnt_vscnt null, 0x0
  // fixed s_waitcnt vmcnt(0)
  v_add_nc_u32_e32 v2, 1, v2 // BUG
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish load_not_waited_for

begin stores_count_by_themselves
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[4:5]
  global_store_dword v1, v0, s[6:7]
  s_waitcnt vmcnt(1)
  // fixed s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7] // BUG
finish stores_count_by_themselves

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
  v_add_nc_u32_e32 v2, 1, v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish lds_not_waited_for

begin flat_load_is_counted_twice
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v4, s4
  v_mov_b32_e32 v5, s5
  flat_load_dword v2, v[4:5]
  s_waitcnt vmcnt(0)
  // fixed s_waitcnt lgkmcnt(0)
  v_add_nc_u32_e32 v2, 1, v2 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish flat_load_is_counted_twice

begin flat_accesses_end_in_order
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32_e32 v4, s4
  v_mov_b32_e32 v5, s5
  flat_load_dword v2, v[4:5]
  global_load_dword v3, v1, s[4:5]
  s_waitcnt vmcnt(1) lgkmcnt(0)
  v_add_nc_u32_e32 v2, 1, v2
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[6:7]
finish flat_accesses_end_in_order

begin barrier_without_wait
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v2, 0x80, v1
  ds_write_b32 v1, v0
  // fixed s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[6:7]
finish barrier_without_wait

begin mask_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed s_mov_b32 s20, 3
  v_cndmask_b32_e64 v4, v0, 7, s20
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v4, s[6:7] // BUG
finish mask_never_written

begin scalar_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  // fixed s_mov_b32 s20, 5
  s_cmp_lt_i32 s20, 0
  s_cbranch_scc0 .Lscalar_never_written // BUG
  global_store_dword v1, v0, s[6:7]
  .Lscalar_never_written:
finish scalar_never_written

begin lane_never_written
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc_lo, 20, v0
  s_and_saveexec_b32 s8, vcc_lo
  v_mov_b32_e32 v4, 1
  s_mov_b32 exec_lo, s8
  // fixed v_mov_b32_e32 v4, 2
  v_permlane16_b32 v5, v4, 0, 0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v5, s[6:7] // BUG
finish lane_never_written

begin only_a_mask_of_the_lower_half
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc_lo, 20, v0
  v_cndmask_b32_e32 v4, 5, v0, vcc_lo
  v_mov_b32_dpp v6, v4 dpp8:[7,6,5,4,3,2,1,0]
  v_add_nc_u16 v7, v6, v4
  v_and_b32_e32 v7, 0xffff, v7
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v7, s[6:7]
finish only_a_mask_of_the_lower_half

begin waits_for_everything
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_idle
  global_load_dword v2, v1, s[4:5]
  ds_write_b32 v1, v0
  ds_read_b32 v3, v1
  s_wait_idle
  v_add_nc_u32_e32 v2, v2, v3
  global_store_dword v1, v2, s[6:7]
finish waits_for_everything
