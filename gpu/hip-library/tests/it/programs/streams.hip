// Streams: order, events between them, functions of the host that make them wait, memory in their order.
#include "hip.h"

#include <atomic>
#include <chrono>
#include <thread>

__global__ void append(u32 *list, u32 number) {
  u32 at = list[0];
  list[at + 1] = number;
  list[0] = at + 1;
}

struct Gate {
  std::atomic<bool> open{false};
  std::atomic<int> passed{0};
};

static void wait_at(void *data) {
  Gate *gate = (Gate *)data;
  while (!gate->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  gate->passed++;
}

int main() {
  u32 *list, numbers[8];
  CHECK(hipMalloc((void **)&list, sizeof numbers));
  CHECK(hipMemset(list, 0, sizeof numbers));
  hipStream_t first, second;
  CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  hipEvent_t done;
  CHECK(hipEventCreateWithFlags(&done, hipEventDisableTiming));
  // The second stream waits for the first, which waits for the host; nothing of it blocks this thread.
  Gate gate;
  CHECK(hipLaunchHostFunc(first, wait_at, &gate));
  append<<<1, 1, 0, first>>>(list, 1);
  CHECK(hipEventRecord(done, first));
  CHECK(hipStreamWaitEvent(second, done, 0));
  append<<<1, 1, 0, second>>>(list, 2);
  u32 three = 3;
  CHECK(hipMemcpyAsync(list + 7, &three, 4, hipMemcpyHostToDevice, second));
  three = 99;
  EXPECT(hipStreamQuery(first) == 600 && hipEventQuery(done) == 600);
  // A stream of its own does not wait for them.
  u32 *other;
  hipStream_t third;
  CHECK(hipStreamCreateWithFlags(&third, hipStreamNonBlocking));
  CHECK(hipMallocAsync((void **)&other, 64, third));
  CHECK(hipMemsetAsync(other, 0, 64, third));
  append<<<1, 1, 0, third>>>(other, 7);
  u32 seven[2];
  CHECK(hipMemcpyAsync(seven, other, 8, hipMemcpyDeviceToHost, third));
  CHECK(hipFreeAsync(other, third));
  CHECK(hipStreamSynchronize(third));
  EXPECT(seven[0] == 1 && seven[1] == 7 && gate.passed == 0);
  gate.open = true;
  CHECK(hipStreamSynchronize(second));
  CHECK(hipEventSynchronize(done));
  EXPECT(gate.passed == 1);
  CHECK(hipMemcpy(numbers, list, sizeof numbers, hipMemcpyDeviceToHost));
  EXPECT(numbers[0] == 2 && numbers[1] == 1 && numbers[2] == 2 && numbers[7] == 3);
  // The null stream comes after a blocking stream.
  hipStream_t blocking;
  CHECK(hipStreamCreate(&blocking));
  Gate again;
  CHECK(hipLaunchHostFunc(blocking, wait_at, &again));
  append<<<1, 1, 0, blocking>>>(list, 4);
  append<<<1, 1>>>(list, 5);
  append<<<1, 1, 0, blocking>>>(list, 6);
  EXPECT(hipStreamQuery(0) == 600);
  again.open = true;
  CHECK(hipDeviceSynchronize());
  CHECK(hipMemcpy(numbers, list, sizeof numbers, hipMemcpyDeviceToHost));
  EXPECT(numbers[0] == 5 && numbers[3] == 4 && numbers[4] == 5 && numbers[5] == 6);
  CHECK(hipStreamDestroy(first));
  CHECK(hipStreamDestroy(second));
  CHECK_IS(hipStreamSynchronize(first), hipErrorInvalidHandle);
  return 0;
}
