// While a kernel runs: which calls of other threads are answered, and which wait for its end.
#include "hip.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

__device__ void wait_for(u32 *gate) {
  while (__scoped_atomic_load_n(gate, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM) == 0) __builtin_amdgcn_s_sleep(8);
}

__global__ void count(u32 *gate, u32 *out) {
  wait_for(gate);
  out[0] += 1;
}

__global__ void break_out(u32 *gate, u32 *out) {
  wait_for(gate);
  out[1 << 20] = 1;
}

// The host's side of the gate, which it opens for the kernel that runs.
static u32 *gate;

static void set_gate(u32 value) { __atomic_store_n(gate, value, __ATOMIC_SEQ_CST); }

// A call on a thread of its own.
struct Call {
  std::atomic<bool> ended{false};
  hipError_t error = -1;
  std::thread thread;

  template <class Body> explicit Call(Body body) : thread([this, body] { error = body(); ended = true; }) {}

  hipError_t end() {
    thread.join();
    return error;
  }
};

// Waits until the stream has something to do. No, if the call that gives it that has ended.
static bool begins(hipStream_t stream, Call &call) {
  while (!call.ended) {
    if (hipStreamQuery(stream) == 600) return true;
    std::this_thread::yield();
  }
  return false;
}

static void some_time() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

static int round_of(hipStream_t stream, u32 *out, u32 before) {
  set_gate(0);
  Call kernel([=] {
    count<<<1, 1, 0, stream>>>(gate, out);
    return hipGetLastError();
  });
  EXPECT(begins(stream, kernel));
  // What is answered.
  hipEvent_t event;
  CHECK(hipEventCreate(&event));
  CHECK(hipEventRecord(event, stream));
  CHECK_IS(hipEventQuery(event), 600);
  CHECK(hipGetLastError());
  hipStream_t second, third;
  CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  CHECK(hipStreamCreateWithFlags(&third, hipStreamNonBlocking));
  CHECK(hipStreamQuery(second));
  u32 *more, *open;
  size_t left, total;
  hipPointerAttribute_t attributes;
  CHECK(hipMalloc((void **)&more, 4096));
  CHECK(hipHostMalloc((void **)&open, 64, 0));
  CHECK(hipMemGetInfo(&left, &total));
  CHECK(hipPointerGetAttributes(&attributes, more));
  EXPECT(attributes.type == 2 && more != out);
  CHECK_IS(hipStreamQuery(stream), 600);
  EXPECT(!kernel.ended);
  // What waits: for the stream, for the event, for the memory, in whatever stream.
  open[0] = 1;
  u32 copied = 99;
  Call for_stream([=] { return hipStreamSynchronize(stream); });
  Call for_event([=] { return hipEventSynchronize(event); });
  Call for_all([] { return hipDeviceSynchronize(); });
  Call copies([&] { return hipMemcpy(&copied, out, 4, hipMemcpyDeviceToHost); });
  Call fills([=] { return hipMemsetAsync(out + 8, 7, 4, second); });
  Call launches([=] {
    count<<<1, 1, 0, third>>>(open, out + 4);
    return hipGetLastError();
  });
  Call frees([=] { return hipFree(more); });
  Call *waiting[] = {&for_stream, &for_event, &for_all, &copies, &fills, &launches, &frees};
  some_time();
  for (Call *call : waiting) EXPECT(!call->ended);
  EXPECT(!kernel.ended);
  set_gate(1);
  CHECK(kernel.end());
  for (Call *call : waiting) CHECK(call->end());
  EXPECT(copied == before + 1);
  CHECK(hipEventQuery(event));
  CHECK(hipDeviceSynchronize());
  u32 found[9];
  CHECK(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  EXPECT(found[0] == before + 1 && found[4] == before && found[8] == 0x07070707);
  CHECK(hipEventDestroy(event));
  CHECK(hipStreamDestroy(second));
  CHECK(hipStreamDestroy(third));
  CHECK(hipHostFree(open));
  return 0;
}

int main(int arguments, char **argument) {
  // What is wrong is said although threads are left.
  setvbuf(stdout, nullptr, _IONBF, 0);
  u32 *out;
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipHostMalloc((void **)&gate, 64, 0));
  CHECK(hipMalloc((void **)&out, 64));
  CHECK(hipMemset(out, 0, 64));
  if (arguments > 1 && std::strcmp(argument[1], "fault") == 0) {
    // Who waits for the memory of a kernel that the device does not survive gets its error.
    hipStream_t other;
    CHECK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    set_gate(0);
    Call kernel([=] {
      break_out<<<1, 1, 0, stream>>>(gate, out);
      return hipGetLastError();
    });
    EXPECT(begins(stream, kernel));
    Call fills([=] { return hipMemsetAsync(out, 7, 4, other); });
    Call waits([=] { return hipStreamSynchronize(stream); });
    some_time();
    EXPECT(!fills.ended && !waits.ended);
    set_gate(1);
    CHECK_IS(kernel.end(), hipErrorIllegalAddress);
    CHECK_IS(fills.end(), hipErrorIllegalAddress);
    CHECK_IS(waits.end(), hipErrorIllegalAddress);
    return 0;
  }
  // Its time is modelled once, while the gate is open: what waits at it would be modelled as waiting.
  set_gate(1);
  count<<<1, 1, 0, stream>>>(gate, out);
  CHECK(hipStreamSynchronize(stream));
  for (u32 round = 1; round <= 2; round++)
    if (round_of(stream, out, round)) return 1;
  // A reset waits for the end of everything.
  set_gate(0);
  Call kernel([=] {
    count<<<1, 1, 0, stream>>>(gate, out);
    return hipGetLastError();
  });
  EXPECT(begins(stream, kernel));
  Call resets([] { return hipDeviceReset(); });
  some_time();
  EXPECT(!resets.ended && !kernel.ended);
  set_gate(1);
  CHECK(kernel.end());
  CHECK(resets.end());
  CHECK_IS(hipStreamQuery(stream), hipErrorInvalidHandle);
  return 0;
}
