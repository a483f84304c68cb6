// A graph: filled, computed and copied, again and again.
#include "hip.h"

__global__ void square(const u32 *in, u32 *out, u32 count) {
  u32 i = BLOCK(x) * BLOCK_SIZE(x) + THREAD(x);
  if (i < count) out[i] += in[i] * in[i];
}

int main() {
  u32 count = 500, *in, *out;
  std::vector<u32> values(count), results(count);
  for (u32 i = 0; i < count; i++) values[i] = random_at(i) % 1000;
  CHECK(hipMalloc((void **)&in, count * 4));
  CHECK(hipMalloc((void **)&out, count * 4));
  hipGraph_t graph;
  CHECK(hipGraphCreate(&graph, 0));
  hipGraphNode_t copied, filled, computed, back;
  CHECK(hipGraphAddMemcpyNode1D(&copied, graph, nullptr, 0, in, values.data(), count * 4, hipMemcpyHostToDevice));
  hipMemsetParams fill = {out, 4, 1, 0, 7, count};
  CHECK(hipGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  void *arguments[] = {&in, &out, &count};
  hipKernelNodeParams kernel = {dim3(64), nullptr, (void *)square, dim3(8), arguments, 0};
  hipGraphNode_t before[] = {copied, filled};
  CHECK(hipGraphAddKernelNode(&computed, graph, before, 2, &kernel));
  CHECK(hipGraphAddMemcpyNode1D(&back, graph, &computed, 1, results.data(), out, count * 4, hipMemcpyDeviceToHost));
  hipGraphExec_t executable;
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  CHECK(hipGraphDestroy(graph));
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  for (u32 round = 0; round < 3; round++) {
    for (u32 i = 0; i < count; i++) values[i] += round;
    CHECK(hipGraphLaunch(executable, stream));
    CHECK(hipStreamSynchronize(stream));
    for (u32 i = 0; i < count; i++) EXPECT(results[i] == values[i] * values[i] + 7);
  }
  CHECK(hipGraphExecDestroy(executable));
  CHECK_IS(hipGraphLaunch(executable, stream), hipErrorInvalidHandle);
  return 0;
}
