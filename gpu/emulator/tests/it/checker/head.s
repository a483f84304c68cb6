// What the kernels of the .s files share. A kernel's arguments are two buffers, in s[0:1].
.macro begin name
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  \name:
.endm
.macro finish name
  s_endpgm
  .size \name, .-\name
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 128
    .amdhsa_next_free_sgpr 32
    DESCRIPTOR
  .end_amdhsa_kernel
.endm
