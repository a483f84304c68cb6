// Memory that host and device see: pinned, managed, registered, and a managed variable.
#include "hip.h"

__managed__ u32 shared_count = 5;

__global__ void add(const u32 *a, const u32 *b, u32 *out, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) out[i] = a[i] + b[i];
  if (i == 0) shared_count += count;
}

int main() {
  const u32 count = 3000;
  u32 *pinned, *managed, *registered;
  std::vector<u32> own(count);
  EXPECT(shared_count == 5);
  CHECK(hipHostMalloc((void **)&pinned, count * 4, 0));
  CHECK(hipMallocManaged((void **)&managed, count * 4, 1));
  CHECK(hipHostRegister(own.data(), count * 4, 0));
  CHECK(hipHostGetDevicePointer((void **)&registered, own.data(), 0));
  for (u32 i = 0; i < count; i++) {
    pinned[i] = random_at(i);
    own[i] = i;
  }
  // The host's own addresses, but of what is registered the device's.
  add<<<12, 256>>>(pinned, registered, managed, count);
  CHECK(hipDeviceSynchronize());
  for (u32 i = 0; i < count; i++) EXPECT(managed[i] == random_at(i) + i);
  add<<<12, 256>>>(managed, registered, registered, count);
  CHECK(hipDeviceSynchronize());
  for (u32 i = 0; i < count; i++) EXPECT(own[i] == random_at(i) + 2 * i);
  EXPECT(shared_count == 5 + 2 * count);
  hipPointerAttribute_t attributes;
  CHECK(hipPointerGetAttributes(&attributes, pinned + 7));
  EXPECT(attributes.type == 1 && attributes.hostPointer == pinned + 7 && attributes.devicePointer == pinned + 7);
  CHECK(hipPointerGetAttributes(&attributes, own.data() + 3));
  EXPECT(attributes.type == 1 && attributes.devicePointer == registered + 3);
  CHECK(hipPointerGetAttributes(&attributes, &attributes));
  EXPECT(attributes.type == 0);
  // Between all of them.
  CHECK(hipMemcpy(pinned, own.data(), count * 4, hipMemcpyDefault));
  CHECK(hipMemcpy(managed, pinned, count * 4, hipMemcpyDefault));
  EXPECT(std::memcmp(managed, own.data(), count * 4) == 0);
  CHECK(hipHostUnregister(own.data()));
  CHECK(hipHostFree(pinned));
  CHECK(hipFree(managed));
  return 0;
}
