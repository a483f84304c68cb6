// Threads of the host, each with a stream, memory and events of its own, and one counter for all.
#include "hip.h"

#include <atomic>
#include <thread>

__device__ u32 launches;

__global__ void step(u32 *data, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) data[i] = data[i] * 3 + 1;
  if (i == 0) __scoped_atomic_fetch_add(&launches, 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

static std::atomic<u32> called{0};

static void call(void *) { called++; }

static int work(u32 number) {
  const u32 count = 700;
  std::vector<u32> data(count), expected(count);
  hipStream_t stream;
  hipEvent_t event;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&event));
  for (u32 round = 0; round < 20; round++) {
    for (u32 i = 0; i < count; i++) {
      data[i] = random_at(i + 1000 * number + round);
      expected[i] = (data[i] * 3 + 1) * 3 + 1;
    }
    u32 *on_data;
    CHECK(hipMallocAsync((void **)&on_data, count * 4, stream));
    CHECK(hipMemcpyAsync(on_data, data.data(), count * 4, hipMemcpyHostToDevice, stream));
    step<<<3, 256, 0, stream>>>(on_data, count);
    if (round % 3 == 0) CHECK(hipLaunchHostFunc(stream, call, nullptr));
    step<<<3, 256, 0, stream>>>(on_data, count);
    CHECK(hipEventRecord(event, stream));
    CHECK(hipMemcpyAsync(data.data(), on_data, count * 4, hipMemcpyDeviceToHost, stream));
    CHECK(hipFreeAsync(on_data, stream));
    CHECK(round % 2 ? hipStreamSynchronize(stream) : hipEventSynchronize(event));
    CHECK(hipStreamSynchronize(stream));
    EXPECT(data == expected);
  }
  CHECK(hipEventDestroy(event));
  CHECK(hipStreamDestroy(stream));
  return 0;
}

int main() {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (u32 number = 0; number < 6; number++) threads.emplace_back([number, &failed] { failed += work(number); });
  for (auto &thread : threads) thread.join();
  u32 counted;
  CHECK(hipMemcpyFromSymbol(&counted, HIP_SYMBOL(launches), 4, 0, hipMemcpyDeviceToHost));
  EXPECT(failed == 0 && counted == 6 * 20 * 2 && called == 6 * 7);
  return 0;
}
