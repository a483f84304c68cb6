// Streams that are captured: nothing is done until the graph is launched, and then every time.
#include "hip.h"

__global__ void times(u32 *data, u32 factor, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) data[i] *= factor;
}

__global__ void plus(u32 *data, const u32 *other, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) data[i] += other[i];
}

static void count(void *calls) { ++*(int *)calls; }

int main() {
  const u32 size = 400;
  int calls = 0, status = 0;
  std::vector<u32> in(size), out(size, 0);
  for (u32 i = 0; i < size; i++) in[i] = random_at(i) % 100;
  u32 *a, *b;
  CHECK(hipMalloc((void **)&a, size * 4));
  CHECK(hipMalloc((void **)&b, size * 4));
  hipStream_t main_stream, side;
  hipEvent_t forked, joined;
  CHECK(hipStreamCreate(&main_stream));
  CHECK(hipStreamCreate(&side));
  CHECK(hipEventCreateWithFlags(&forked, hipEventDisableTiming));
  CHECK(hipEventCreateWithFlags(&joined, hipEventDisableTiming));
  EXPECT(hipStreamEndCapture(main_stream, (hipGraph_t *)&a) == 401);
  EXPECT(hipStreamBeginCapture(0, 0) == 900);
  CHECK(hipStreamBeginCapture(main_stream, 0));
  CHECK(hipStreamIsCapturing(main_stream, &status));
  EXPECT(status == 1);
  // An event of before belongs to no graph.
  hipStream_t outside;
  hipEvent_t before;
  CHECK(hipStreamCreate(&outside));
  CHECK(hipEventCreate(&before));
  CHECK(hipEventRecord(before, outside));
  CHECK_IS(hipStreamWaitEvent(main_stream, before, 0), 905);
  // Two copies of the input, a side stream for one of them, and the sum.
  CHECK(hipMemcpyAsync(a, in.data(), size * 4, hipMemcpyHostToDevice, main_stream));
  CHECK(hipEventRecord(forked, main_stream));
  CHECK(hipStreamWaitEvent(side, forked, 0));
  CHECK(hipMemcpyAsync(b, a, size * 4, hipMemcpyDeviceToDevice, side));
  times<<<7, 64, 0, side>>>(b, 10, size);
  CHECK(hipEventRecord(joined, side));
  CHECK(hipStreamWaitEvent(main_stream, joined, 0));
  times<<<7, 64, 0, main_stream>>>(a, 3, size);
  plus<<<7, 64, 0, main_stream>>>(a, b, size);
  CHECK(hipLaunchHostFunc(main_stream, count, &calls));
  CHECK(hipMemcpyAsync(out.data(), a, size * 4, hipMemcpyDeviceToHost, main_stream));
  hipGraph_t graph;
  CHECK(hipStreamEndCapture(main_stream, &graph));
  CHECK(hipStreamIsCapturing(side, &status));
  EXPECT(status == 0 && calls == 0 && out[1] == 0);
  hipGraphExec_t executable;
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  for (int round = 1; round <= 3; round++) {
    for (u32 i = 0; i < size; i++) in[i] += round;
    CHECK(hipGraphLaunch(executable, side));
    CHECK(hipStreamSynchronize(side));
    EXPECT(calls == round);
    for (u32 i = 0; i < size; i++) EXPECT(out[i] == 13 * in[i]);
  }
  return 0;
}
