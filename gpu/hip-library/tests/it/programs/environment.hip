// What the environment changes; the first argument says what is looked at.
#include "hip.h"

__global__ void spin(volatile u32 *flag) {
  while (*flag == 0) {
  }
}

__global__ void copy(const u32 *in, u32 *out) { out[THREAD(x)] = in[THREAD(x)]; }

// A kernel that never ends.
static int limit() {
  u32 *flag;
  CHECK(hipMalloc((void **)&flag, 4));
  CHECK(hipMemset(flag, 0, 4));
  spin<<<1, 64>>>(flag);
  CHECK_IS(hipDeviceSynchronize(), 702);
  return 0;
}

// A kernel that reads what nobody wrote.
static int check() {
  u32 *in, *out;
  CHECK(hipMalloc((void **)&in, 256));
  CHECK(hipMalloc((void **)&out, 256));
  CHECK(hipMemset(in, 0, 256));
  copy<<<1, 64>>>(in, out);
  CHECK(hipDeviceSynchronize());
  CHECK(hipFree(in));
  CHECK(hipMalloc((void **)&in, 256));
  CHECK(hipMemset(in, 0, 252));
  copy<<<1, 64>>>(in, out);
  CHECK_IS(hipDeviceSynchronize(), 719);
  return 0;
}

// What takes modelled time, which events see from its beginning to its end: a fill, two kernels and a copy.
// Kernels that are not executed leave `expected` 0.
static int times(u32 expected) {
  u32 *in, *out;
  CHECK(hipMalloc((void **)&in, 1024));
  CHECK(hipMalloc((void **)&out, 1024));
  hipEvent_t start, stop;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&stop));
  CHECK(hipEventRecord(start, nullptr));
  CHECK(hipMemset(in, 1, 1024));
  copy<<<1, 64>>>(in, out);
  copy<<<dim3(2, 3), dim3(128, 2)>>>(in, out);
  CHECK(hipMemcpy(in, out, 512, hipMemcpyDeviceToDevice));
  CHECK(hipEventRecord(stop, nullptr));
  CHECK(hipEventSynchronize(stop));
  u32 found[128];
  CHECK(hipMemcpy(found, in, 512, hipMemcpyDeviceToHost));
  for (u32 one : found) EXPECT(one == expected);
  float elapsed;
  CHECK(hipEventElapsedTime(&elapsed, start, stop));
  std::fprintf(stderr, "%.9f", elapsed * 1e3);
  return 0;
}

static int no_device() {
  int count;
  CHECK_IS(hipGetDeviceCount(&count), 100);
  EXPECT(count == 0);
  void *pointer;
  CHECK_IS(hipMalloc(&pointer, 4), 100);
  return 0;
}

int main(int, char **arguments) {
  switch (arguments[1][0]) {
    case 'l': return limit();
    case 'c': return check();
    case 't': return times(0x01010101);
    case 'o': return times(0);
    default: return no_device();
  }
}
