// Variables of the device: constants that the host writes, and a counter that outlives launches.
#include "hip.h"

__constant__ u32 weights[16];
__device__ u64 total = 1000;
__device__ u32 histogram[16];

__global__ void count(const u32 *values, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i >= count) return;
  u32 bin = values[i] % 16;
  __scoped_atomic_fetch_add(&histogram[bin], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add(&total, (u64)weights[bin], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

int main() {
  const u32 count_of_values = 5000;
  u32 table[16], bins[16], expected[16] = {};
  u64 sum = 0, expected_sum = 1000;
  std::vector<u32> values(count_of_values);
  for (u32 i = 0; i < 16; i++) table[i] = i * i + 1;
  for (u32 i = 0; i < count_of_values; i++) {
    values[i] = random_at(i);
    expected[values[i] % 16] += 2;
    expected_sum += 2 * table[values[i] % 16];
  }
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), table, 32, 0, hipMemcpyHostToDevice));
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(weights), table + 8, 32, 32, hipMemcpyHostToDevice));
  CHECK_IS(hipMemcpyToSymbol(HIP_SYMBOL(weights), table, 64, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CHECK(hipMemcpyFromSymbol(&sum, HIP_SYMBOL(total), 8, 0, hipMemcpyDeviceToHost));
  EXPECT(sum == 1000);
  size_t bytes;
  CHECK(hipGetSymbolSize(&bytes, HIP_SYMBOL(histogram)));
  EXPECT(bytes == 64);
  u32 *on_values;
  CHECK(hipMalloc((void **)&on_values, count_of_values * 4));
  CHECK(hipMemcpy(on_values, values.data(), count_of_values * 4, hipMemcpyHostToDevice));
  for (int again = 0; again < 2; again++) count<<<20, 256>>>(on_values, count_of_values);
  CHECK(hipMemcpyFromSymbol(bins, HIP_SYMBOL(histogram), 64, 0, hipMemcpyDeviceToHost));
  CHECK(hipMemcpyFromSymbol(&sum, HIP_SYMBOL(total), 8, 0, hipMemcpyDeviceToHost));
  EXPECT(std::memcmp(bins, expected, 64) == 0 && sum == expected_sum);
  return 0;
}
