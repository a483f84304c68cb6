// gfx1201, waves of 32 lanes: a counter for each kind of memory. Lines of "fixed" belong to the twins only.

begin load_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  global_load_b32 v2, v1, s[4:5]
  s_wait_storecnt 0x0
  // fixed s_wait_loadcnt 0x0
  v_add_nc_u32_e32 v2, 1, v2 // BUG
  s_wait_loadcnt 0x0
  global_store_b32 v1, v2, s[6:7]
finish load_not_waited_for

begin scalar_load_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_dscnt 0x0
  // fixed s_wait_kmcnt 0x0
  global_store_b32 v1, v0, s[6:7] // BUG
finish scalar_load_not_waited_for

begin lds_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  ds_store_b32 v1, v0
  ds_load_b32 v3, v1
  s_wait_kmcnt 0x0
  // fixed s_wait_dscnt 0x0
  v_add_nc_u32_e32 v2, 1, v3 // BUG
  s_wait_dscnt 0x0
  global_store_b32 v1, v2, s[6:7]
finish lds_not_waited_for

begin barrier_without_wait
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  v_xor_b32_e32 v2, 0x80, v1
  ds_store_b32 v1, v0
  // fixed s_wait_dscnt 0x0
  s_barrier_signal -1
  s_barrier_wait -1
  ds_load_b32 v3, v2 // BUG
  s_wait_dscnt 0x0
  global_store_b32 v1, v3, s[6:7]
finish barrier_without_wait

begin atomic_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  global_atomic_add_u32 v2, v1, v0, s[4:5] th:TH_ATOMIC_RETURN
  s_wait_storecnt 0x0
  // fixed s_wait_loadcnt 0x0
  global_store_b32 v1, v2, s[6:7] // BUG
finish atomic_not_waited_for

begin permutation_not_waited_for
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  ds_bpermute_b32 v3, v1, v0
  s_wait_loadcnt 0x0
  // fixed s_wait_dscnt 0x0
  global_store_b32 v1, v3, s[6:7] // BUG
finish permutation_not_waited_for

begin wait_too_weak
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  global_load_b32 v2, v1, s[4:5]
  global_load_b32 v3, v1, s[4:5] offset:16
  s_wait_loadcnt 0x1
  v_add_nc_u32_e32 v2, 1, v2
  // fixed s_wait_loadcnt 0x0
  v_add_nc_u32_e32 v2, v2, v3 // BUG
  s_wait_loadcnt 0x0
  global_store_b32 v1, v2, s[6:7]
finish wait_too_weak

begin scalar_never_written
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  // fixed s_mov_b32 s20, 5
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 .Lscalar_never_written // BUG
  global_store_b32 v1, v0, s[6:7]
  .Lscalar_never_written:
finish scalar_never_written

begin waits_of_two_counters
  s_load_b128 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_wait_kmcnt 0x0
  global_load_b32 v2, v1, s[4:5]
  ds_store_b32 v1, v0
  ds_load_b32 v3, v1
  s_wait_loadcnt_dscnt 0x0
  v_add_nc_u32_e32 v2, v2, v3
  global_store_b32 v1, v2, s[6:7]
finish waits_of_two_counters
