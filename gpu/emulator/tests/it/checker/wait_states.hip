// Kernels for which clang inserts `s_nop`, in each of them for another reason.
#include "common.h"

typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));
typedef _Float16 half4 __attribute__((ext_vector_type(4)));

DEVICE half4 halves(const unsigned *in, unsigned t) {
  half4 result;
  for (int i = 0; i < 4; i++)
    result[i] = (_Float16)(float)in[t % 4 + i];
  return result;
}

KERNEL void product_is_stored(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  half4 a = halves(in, THREAD);
  float4 c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, float4{}, 0, 0, 0);
  out[THREAD] = __builtin_bit_cast(unsigned, c[3]);
}

KERNEL void long_product_is_read(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  half4 a = halves(in, THREAD);
  float16 c = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, float16{}, 0, 0, 0);
  out[THREAD] = (unsigned)(c[0] + c[15]);
}

KERNEL void product_of_a_product(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  half4 a = halves(in, THREAD);
  float4 c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, float4{}, 0, 0, 0);
  float4 d = __builtin_amdgcn_mfma_f32_16x16x4f32(c[0], c[1], float4{}, 0, 0, 0);
  out[THREAD] = (unsigned)d[2];
}

KERNEL void product_of_singles(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  float a = (float)in[THREAD];
  float4 c = __builtin_amdgcn_mfma_f32_16x16x4f32(a, a, float4{}, 0, 0, 0);
  out[THREAD] = (unsigned)c[1];
}

KERNEL void product_of_doubles(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  double a = (double)in[THREAD];
  double c = __builtin_amdgcn_mfma_f64_4x4x4f64(a, a, 0.0, 0, 0, 0);
  c = __builtin_amdgcn_mfma_f64_4x4x4f64(a, a, c, 0, 0, 0);
  out[THREAD] = (unsigned)c;
}

KERNEL void lane_is_selected(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  unsigned value = in[THREAD];
  unsigned lane = __builtin_amdgcn_readfirstlane(value) % 64;
  out[THREAD] = __builtin_amdgcn_readlane(value * 3, lane);
}

KERNEL void lanes_are_moved(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  unsigned value = in[THREAD] * 3;
  value += __builtin_amdgcn_update_dpp(0, value, 0xb1, 15, 15, true);
  value += __builtin_amdgcn_update_dpp(0, value, 0x141, 15, 15, true);
  out[THREAD] = value;
}

KERNEL void quotient(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  out[THREAD] = (unsigned)((double)in[THREAD] / (double)(in[1] + THREAD));
}

KERNEL void base_is_chosen(const unsigned *in, unsigned *out, unsigned *, unsigned) {
  unsigned offset = __builtin_amdgcn_readfirstlane(in[THREAD]) % 4;
  out[offset + THREAD % 32] = __builtin_amdgcn_readfirstlane(THREAD);
}
