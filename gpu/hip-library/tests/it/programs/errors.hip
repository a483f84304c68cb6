// What goes wrong: handles, bounds, configurations, memory, calls that are not there; and at last a kernel.
#include "hip.h"

__global__ void store(u32 *out, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) out[i] = i;
}

int main() {
  u32 *out;
  CHECK(hipMalloc((void **)&out, 4000));
  u32 values[1000];
  int blocks, grid, block;
  CHECK_IS(hipMalloc(nullptr, 4), hipErrorInvalidValue);
  CHECK_IS(hipFree(out + 1), hipErrorInvalidValue);
  CHECK_IS(hipFree(values), hipErrorInvalidValue);
  CHECK_IS(hipMemcpy(values, out, 4004, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  CHECK_IS(hipMemset(out + 1, 0, 4000), hipErrorInvalidValue);
  CHECK_IS(hipStreamSynchronize((hipStream_t)0x1234), hipErrorInvalidHandle);
  CHECK_IS(hipStreamDestroy((hipStream_t)out), hipErrorInvalidHandle);
  CHECK_IS(hipEventRecord((hipEvent_t)values, 0), hipErrorInvalidHandle);
  CHECK_IS(hipModuleUnload((hipModule_t)77), hipErrorInvalidHandle);
  EXPECT(hipGetLastError() == hipErrorInvalidHandle && hipGetLastError() == hipSuccess);
  // More than there is, and then as much as before.
  size_t free_before, free_after, total;
  void *large;
  CHECK(hipMemGetInfo(&free_before, &total));
  CHECK_IS(hipMalloc(&large, total + 1), hipErrorOutOfMemory);
  CHECK(hipMalloc(&large, (size_t)4 << 30));
  CHECK(hipFree(large));
  CHECK(hipMemGetInfo(&free_after, &total));
  EXPECT(free_before == free_after && total > free_after);
  // As many as there can be; then there is room again.
  std::vector<void *> many;
  hipError_t last;
  for (void *one; (last = hipMalloc(&one, 4)) == hipSuccess && many.size() < 5000;) many.push_back(one);
  EXPECT(last == hipErrorOutOfMemory && many.size() > 1000);
  for (void *one : many) CHECK(hipFree(one));
  CHECK_IS(hipTexObjectCreate(nullptr, nullptr, nullptr, nullptr), hipErrorNotSupported);
  CHECK_IS(hipTexObjectCreate(nullptr, nullptr, nullptr, nullptr), hipErrorNotSupported);
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)store, 256, 0));
  EXPECT(blocks == 8);
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)store, 256, 33000));
  EXPECT(blocks == 1);
  CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void *)store, 0, 0));
  EXPECT(block == 1024 && grid == 2 * 304);
  // A launch that does not fit leaves the device as it is.
  store<<<1, 2048>>>(out, 1000);
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  store<<<0, 64>>>(out, 1000);
  EXPECT(hipGetLastError() == hipErrorInvalidConfiguration);
  store<<<4, 256>>>(out, 1000);
  CHECK(hipMemcpy(values, out, 4000, hipMemcpyDeviceToHost));
  for (u32 i = 0; i < 1000; i++) EXPECT(values[i] == i);
  // One that stores beyond its buffer does not.
  store<<<4, 256>>>(out, 1001);
  CHECK_IS(hipDeviceSynchronize(), hipErrorIllegalAddress);
  CHECK_IS(hipMemcpy(values, out, 4000, hipMemcpyDeviceToHost), hipErrorIllegalAddress);
  // A device that is reset has nothing left, and works.
  CHECK(hipDeviceReset());
  CHECK_IS(hipFree(out), hipErrorInvalidValue);
  CHECK(hipMalloc((void **)&out, 4000));
  store<<<4, 256>>>(out, 1000);
  CHECK(hipMemcpy(values, out, 4000, hipMemcpyDeviceToHost));
  EXPECT(values[999] == 999);
  return 0;
}
