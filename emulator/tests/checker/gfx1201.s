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
