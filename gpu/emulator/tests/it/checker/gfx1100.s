// gfx1100, waves of 32 lanes: stores have a counter of their own. Lines of "fixed" belong to the twins only.

begin load_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_b32 v2, v1, s[4:5]
  // fixed s_waitcnt vmcnt(0)
  v_add_nc_u32_e32 v2, 1, v2 // BUG
  s_waitcnt vmcnt(0)
  global_store_b32 v1, v2, s[6:7]
finish load_not_waited_for

begin stores_count_by_themselves
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_b32 v2, v1, s[4:5]
  global_store_b32 v1, v0, s[6:7]
  s_waitcnt vmcnt(1)
  // fixed s_waitcnt vmcnt(0)
  global_store_b32 v1, v2, s[6:7] // BUG
finish stores_count_by_themselves

begin lds_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_store_b32 v1, v0
  ds_load_b32 v3, v1
  s_waitcnt vmcnt(0)
  // fixed s_waitcnt lgkmcnt(0)
  v_add_nc_u32_e32 v2, 1, v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v2, s[6:7]
finish lds_not_waited_for

begin lanes_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_cmp_gt_u32_e32 vcc_lo, 20, v0
  s_and_saveexec_b32 s8, vcc_lo
  v_mov_b32_e32 v4, 1
  s_mov_b32 exec_lo, s8
  // fixed v_mov_b32_e32 v4, 2
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v4, s[6:7] // BUG
finish lanes_never_written

begin half_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_add_nc_u16 v4.l, v0.l, v0.l
  s_waitcnt lgkmcnt(0)
  // fixed v_add_nc_u16 v4.h, v0.l, v0.l
  global_store_d16_hi_b16 v1, v4, s[6:7] // BUG
finish half_never_written

begin dual_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed v_mov_b32_e32 v9, 4
  v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v5, v9
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v4, s[6:7]
  global_store_b32 v1, v5, s[6:7] // BUG
finish dual_never_written

begin barrier_without_wait
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_xor_b32_e32 v2, 0x80, v1
  ds_store_b32 v1, v0
  // fixed s_waitcnt lgkmcnt(0)
  s_barrier
  ds_load_b32 v3, v2 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v3, s[6:7]
finish barrier_without_wait

begin flat_load_is_counted_twice
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  v_dual_mov_b32 v4, s4 :: v_dual_mov_b32 v5, s5
  flat_load_b32 v2, v[4:5]
  s_waitcnt lgkmcnt(0)
  // fixed s_waitcnt vmcnt(0)
  v_add_nc_u32_e32 v2, 1, v2 // BUG
  s_waitcnt vmcnt(0)
  global_store_b32 v1, v2, s[6:7]
finish flat_load_is_counted_twice

begin atomic_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_atomic_add_u32 v2, v1, v0, s[4:5] glc
  s_waitcnt_vscnt null, 0x0
  // fixed s_waitcnt vmcnt(0)
  global_store_b32 v1, v2, s[6:7] // BUG
finish atomic_not_waited_for

begin lds_base_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_store_b32 v1, v0
  // fixed s_mov_b32 m0, 0
  ds_load_addtid_b32 v3 // BUG
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v3, s[6:7]
finish lds_base_never_written

begin compared_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  // fixed v_mov_b32_e32 v9, 3
  v_cmp_lt_u32_e32 vcc_lo, v0, v9
  v_cndmask_b32_e64 v4, 0, 1, vcc_lo
  s_waitcnt lgkmcnt(0)
  global_store_b32 v1, v4, s[6:7] // BUG
finish compared_never_written
