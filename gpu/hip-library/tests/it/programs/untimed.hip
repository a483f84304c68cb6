// Events around a launch that takes more instructions than the library profiles: its time is unknown.
#include "hip.h"

#include <cmath>

__global__ void repeat(u32 *out) {
  // Three instructions each at least, and 50,000,000 are profiled.
#pragma nounroll
  for (u32 i = 0; i < 17000000; i++) __asm__ volatile("s_nop 0");
  out[0] += 1;
}

static float between(hipEvent_t start, hipEvent_t stop) {
  float elapsed = -1;
  return hipEventElapsedTime(&elapsed, start, stop) == hipSuccess ? elapsed : -1;
}

int main() {
  u32 *out;
  hipStream_t slow, other;
  hipEvent_t before, after, again, filled, begin, end, joined, last;
  CHECK(hipMalloc((void **)&out, 4096));
  CHECK(hipMemset(out, 0, 4096));
  CHECK(hipStreamCreateWithFlags(&slow, hipStreamNonBlocking));
  CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  for (hipEvent_t *event : {&before, &after, &again, &filled, &begin, &end, &joined, &last}) CHECK(hipEventCreate(event));
  CHECK(hipEventRecord(begin, other));
  CHECK(hipEventRecord(before, slow));
  repeat<<<1, 1, 0, slow>>>(out);
  CHECK(hipGetLastError());
  CHECK(hipEventRecord(after, slow));
  CHECK(hipEventRecord(again, slow));
  CHECK(hipMemsetAsync(out + 8, 7, 1024, slow));
  CHECK(hipEventRecord(filled, slow));
  // Another stream has its own clock, until it waits for the first.
  CHECK(hipMemsetAsync(out + 512, 7, 1024, other));
  CHECK(hipEventRecord(end, other));
  CHECK(hipStreamWaitEvent(other, after, 0));
  CHECK(hipEventRecord(joined, other));
  CHECK(hipEventRecord(last, other));
  CHECK(hipStreamSynchronize(slow));
  CHECK(hipStreamSynchronize(other));
  EXPECT(std::isnan(between(before, after)));
  EXPECT(std::isnan(between(after, before)));
  EXPECT(std::isnan(between(before, filled)));
  EXPECT(between(after, again) == 0);
  const float fill = between(after, filled);
  EXPECT(fill > 0);
  EXPECT(std::fabs(between(begin, end) - fill) < 1e-6f);
  EXPECT(std::isnan(between(end, joined)));
  EXPECT(std::isnan(between(begin, last)));
  EXPECT(between(joined, last) == 0);
  // The host has waited for the first stream: what it asks for now comes later.
  CHECK(hipEventRecord(begin, nullptr));
  EXPECT(between(filled, begin) >= 0);
  // The same from a graph.
  hipGraph_t graph;
  hipGraphExec_t executable;
  CHECK(hipStreamBeginCapture(slow, 0));
  repeat<<<1, 1, 0, slow>>>(out);
  CHECK(hipStreamEndCapture(slow, &graph));
  CHECK(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  CHECK(hipEventRecord(before, slow));
  CHECK(hipGraphLaunch(executable, slow));
  CHECK(hipEventRecord(after, slow));
  CHECK(hipStreamSynchronize(slow));
  EXPECT(std::isnan(between(before, after)));
  u32 found;
  CHECK(hipMemcpy(&found, out, 4, hipMemcpyDeviceToHost));
  EXPECT(found == 2);
  return 0;
}
