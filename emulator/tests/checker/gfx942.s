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
