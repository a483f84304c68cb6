// The first program of everybody: a vector, launched by hipLaunchKernelGGL.
#include "hip.h"

__global__ void saxpy(float a, const float *x, float *y, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) y[i] = a * x[i] + y[i];
}

int main() {
  const u32 count = 10007;
  std::vector<float> x(count), y(count), expected(count);
  for (u32 i = 0; i < count; i++) {
    x[i] = random_at(i) % 1000;
    y[i] = random_at(i + count) % 1000;
    expected[i] = 3 * x[i] + y[i];
  }
  int devices = 0;
  char name[64];
  CHECK(hipGetDeviceCount(&devices));
  CHECK(hipDeviceGetName(name, sizeof name, 0));
  EXPECT(devices == 1 && std::strncmp(name, "EMULATED", 8) == 0);
  float *on_x, *on_y;
  CHECK(hipMalloc((void **)&on_x, count * 4));
  CHECK(hipMalloc((void **)&on_y, count * 4));
  CHECK(hipMemcpy(on_x, x.data(), count * 4, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(on_y, y.data(), count * 4, hipMemcpyHostToDevice));
  hipLaunchKernelGGL(saxpy, dim3((count + 255) / 256), dim3(256), 0, 0, 3.0f, on_x, on_y, count);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(y.data(), on_y, count * 4, hipMemcpyDeviceToHost));
  EXPECT(y == expected);
  CHECK(hipFree(on_x));
  CHECK(hipFree(on_y));
  return 0;
}
