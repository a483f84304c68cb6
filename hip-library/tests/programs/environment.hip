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
    default: return no_device();
  }
}
