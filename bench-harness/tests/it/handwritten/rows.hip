// Norms and softmax as people write them: a row for a block of 256 or 1024 threads, or for a wave; loads of 16 bytes;
// each pass reads the row again. What HIP's headers and its device library would bring stands here. The number of
// columns is a multiple of what a load takes.

#define DEVICE static __attribute__((device)) inline __attribute__((always_inline))

using bfloat16 = unsigned short;

// A load of 16 bytes.
template <class T> struct alignas(16) Pack {
  static constexpr int count = 16 / sizeof(T);
  T values[count];
};

DEVICE float to_float(float value) { return value; }
DEVICE float to_float(_Float16 value) { return value; }
DEVICE float to_float(bfloat16 value) { return __builtin_bit_cast(float, (unsigned)value << 16); }

DEVICE void from_float(float value, float &to) { to = value; }
DEVICE void from_float(float value, _Float16 &to) { to = (_Float16)value; }
// To nearest even, as hip_bf16.h does it: a NaN stays one.
DEVICE void from_float(float value, bfloat16 &to) {
  unsigned bits = __builtin_bit_cast(unsigned, value);
  if (~bits & 0x7f800000)
    bits += 0x7fff + (bits >> 16 & 1);
  else if (bits & 0xffff)
    bits |= 0x10000;
  to = bits >> 16;
}

DEVICE int lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }

DEVICE float shfl_xor(float value, int mask) {
  int from = (lane_id() ^ mask) << 2;
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(from, __builtin_bit_cast(int, value)));
}

DEVICE void syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// expf as -ffast-math and __expf have it.
DEVICE float fast_exp(float value) { return __builtin_amdgcn_exp2f(value * 1.44269504f); }

struct Sum {
  static constexpr float neutral = 0.0f;
  DEVICE float of(float a, float b) { return a + b; }
};
struct Max {
  static constexpr float neutral = -__builtin_inff();
  DEVICE float of(float a, float b) { return __builtin_fmaxf(a, b); }
};

template <class Combine> DEVICE float wave_reduce(float value) {
  for (int mask = 32; mask > 0; mask /= 2)
    value = Combine::of(value, shfl_xor(value, mask));
  return value;
}

// Of all threads of a row; every one of them has the result.
template <class Combine, int threads> DEVICE float row_reduce(float value) {
  value = wave_reduce<Combine>(value);
  if constexpr (threads > 64) {
    static __attribute__((shared)) float partial[threads / 64];
    int thread = __builtin_amdgcn_workitem_id_x();
    // Nobody writes before all have read what the reduction before left.
    syncthreads();
    if (thread % 64 == 0)
      partial[thread / 64] = value;
    syncthreads();
    value = thread % 64 < threads / 64 ? partial[thread % 64] : Combine::neutral;
    value = wave_reduce<Combine>(value);
  }
  return value;
}

// The part of a row that a thread has: every `threads`th pack, `unroll` of them in a turn of a loop.
template <class T, int threads> struct Row {
  long first;
  int thread, packs;
  bool exists;

  // A row for each block, or for each of the four waves of one.
  DEVICE Row of(int rows, int columns) {
    int item = __builtin_amdgcn_workitem_id_x(), row = __builtin_amdgcn_workgroup_id_x();
    if (threads == 64) {
      row = row * 4 + __builtin_amdgcn_readfirstlane(item / 64);
      item = item % 64;
    }
    int packs = columns / Pack<T>::count;
    return {(long)row * packs, item, packs, row < rows};
  }
};

#define PRAGMA(text) _Pragma(#text)
#define UNROLLED(count) PRAGMA(unroll count)
#define EACH(unroll) UNROLLED(unroll) for (int i = row.thread; i < row.packs; i += threads)
#define VALUES for (int k = 0; k < Pack<T>::count; k++)

template <class T, int threads, int unroll>
DEVICE void layer_norm(const Pack<T> *__restrict__ x, const Pack<T> *__restrict__ weight, const Pack<T> *__restrict__ bias, Pack<T> *__restrict__ y, int rows,
                       int columns, float epsilon) {
  auto row = Row<T, threads>::of(rows, columns);
  if (!row.exists)
    return;
  x += row.first, y += row.first;
  float sum = 0.0f;
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES sum += to_float(pack.values[k]);
  }
  float mean = row_reduce<Sum, threads>(sum) / columns;
  float squares = 0.0f;
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES {
      float deviation = to_float(pack.values[k]) - mean;
      squares += deviation * deviation;
    }
  }
  float scale = __builtin_amdgcn_rsqf(row_reduce<Sum, threads>(squares) / columns + epsilon);
  EACH(unroll) {
    Pack<T> pack = x[i], w = weight[i], b = bias[i];
    VALUES {
      float value = (to_float(pack.values[k]) - mean) * scale;
      from_float(value * to_float(w.values[k]) + to_float(b.values[k]), pack.values[k]);
    }
    y[i] = pack;
  }
}

template <class T, int threads, int unroll>
DEVICE void rms_norm(const Pack<T> *__restrict__ x, const Pack<T> *__restrict__ weight, Pack<T> *__restrict__ y, int rows, int columns, float epsilon) {
  auto row = Row<T, threads>::of(rows, columns);
  if (!row.exists)
    return;
  x += row.first, y += row.first;
  float squares = 0.0f;
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES {
      float value = to_float(pack.values[k]);
      squares += value * value;
    }
  }
  float scale = __builtin_amdgcn_rsqf(row_reduce<Sum, threads>(squares) / columns + epsilon);
  EACH(unroll) {
    Pack<T> pack = x[i], w = weight[i];
    VALUES from_float(to_float(pack.values[k]) * scale * to_float(w.values[k]), pack.values[k]);
    y[i] = pack;
  }
}

template <class T, int threads, int unroll>
DEVICE void softmax(const Pack<T> *__restrict__ x, Pack<T> *__restrict__ y, int rows, int columns) {
  auto row = Row<T, threads>::of(rows, columns);
  if (!row.exists)
    return;
  x += row.first, y += row.first;
  float greatest = Max::neutral;
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES greatest = __builtin_fmaxf(greatest, to_float(pack.values[k]));
  }
  greatest = row_reduce<Max, threads>(greatest);
  float sum = 0.0f;
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES sum += fast_exp(to_float(pack.values[k]) - greatest);
  }
  float inverse = 1.0f / row_reduce<Sum, threads>(sum);
  EACH(unroll) {
    Pack<T> pack = x[i];
    VALUES from_float(fast_exp(to_float(pack.values[k]) - greatest) * inverse, pack.values[k]);
    y[i] = pack;
  }
}

// A block is never smaller than the four waves that have a row each.
#define BLOCK(threads) (threads == 64 ? 256 : threads)
#define KERNEL(name, threads)                                                                                         \
  extern "C" __attribute__((global)) __attribute__((launch_bounds(BLOCK(threads)))) void name

#define KERNELS(type, T, threads, unroll)                                                                             \
  KERNEL(layer_norm_##type##_##threads##_##unroll, threads)                                                           \
  (const Pack<T> *__restrict__ x, const Pack<T> *__restrict__ weight, const Pack<T> *__restrict__ bias, Pack<T> *__restrict__ y, int rows, int columns, float epsilon) {  \
    layer_norm<T, threads, unroll>(x, weight, bias, y, rows, columns, epsilon);                                       \
  }                                                                                                                   \
  KERNEL(rms_norm_##type##_##threads##_##unroll, threads)                                                             \
  (const Pack<T> *__restrict__ x, const Pack<T> *__restrict__ weight, Pack<T> *__restrict__ y, int rows, int columns, float epsilon) {                       \
    rms_norm<T, threads, unroll>(x, weight, y, rows, columns, epsilon);                                               \
  }                                                                                                                   \
  KERNEL(softmax_##type##_##threads##_##unroll, threads)                                                              \
  (const Pack<T> *__restrict__ x, Pack<T> *__restrict__ y, int rows, int columns) { softmax<T, threads, unroll>(x, y, rows, columns); }

#define VARIANTS(type, T)                                                                                             \
  KERNELS(type, T, 64, 1)                                                                                             \
  KERNELS(type, T, 64, 4)                                                                                             \
  KERNELS(type, T, 256, 1)                                                                                            \
  KERNELS(type, T, 256, 4)                                                                                            \
  KERNELS(type, T, 1024, 1)                                                                                           \
  KERNELS(type, T, 1024, 4)

VARIANTS(f32, float)
VARIANTS(f16, _Float16)
VARIANTS(bf16, bfloat16)
