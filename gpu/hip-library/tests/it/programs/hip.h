// As much of HIP as the programs here use: names, types and numbers as in ROCm's hip_runtime_api.h, and what clang expects
// of a header when it compiles HIP.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))

typedef unsigned int u32;
typedef unsigned long long u64;

struct dim3 {
  u32 x, y, z;
  constexpr __host__ __device__ dim3(u32 x = 1, u32 y = 1, u32 z = 1) : x(x), y(y), z(z) {}
};

typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef void (*hipHostFn_t)(void *);

enum { hipSuccess, hipErrorInvalidValue, hipErrorOutOfMemory, hipErrorInvalidConfiguration = 9 };
enum { hipErrorInvalidHandle = 400, hipErrorNotFound = 500, hipErrorIllegalAddress = 700, hipErrorNotSupported = 801 };
enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum { hipStreamNonBlocking = 1, hipEventDisableTiming = 2 };

struct hipKernelNodeParams {
  dim3 blockDim;
  void **extra;
  void *func;
  dim3 gridDim;
  void **kernelParams;
  u32 sharedMemBytes;
};

struct hipMemsetParams {
  void *dst;
  u32 elementSize;
  size_t height, pitch;
  u32 value;
  size_t width;
};

struct hipPointerAttribute_t {
  int type, device;
  void *devicePointer, *hostPointer;
  int isManaged;
  u32 allocationFlags;
};

extern "C" {
hipError_t hipGetDeviceCount(int *);
hipError_t hipDeviceGetName(char *, int, int);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();
hipError_t hipGetLastError();
const char *hipGetErrorName(hipError_t);
hipError_t hipMalloc(void **, size_t);
hipError_t hipMallocPitch(void **, size_t *, size_t, size_t);
hipError_t hipMallocManaged(void **, size_t, u32);
hipError_t hipMallocAsync(void **, size_t, hipStream_t);
hipError_t hipFree(void *);
hipError_t hipFreeAsync(void *, hipStream_t);
hipError_t hipHostMalloc(void **, size_t, u32);
hipError_t hipHostFree(void *);
hipError_t hipHostRegister(void *, size_t, u32);
hipError_t hipHostUnregister(void *);
hipError_t hipHostGetDevicePointer(void **, void *, u32);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *, const void *);
hipError_t hipMemGetInfo(size_t *, size_t *);
hipError_t hipMemcpy(void *, const void *, size_t, int);
hipError_t hipMemcpyAsync(void *, const void *, size_t, int, hipStream_t);
hipError_t hipMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipMemsetAsync(void *, int, size_t, hipStream_t);
hipError_t hipMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
hipError_t hipMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
hipError_t hipGetSymbolSize(size_t *, const void *);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamCreateWithFlags(hipStream_t *, u32);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, u32);
hipError_t hipStreamQuery(hipStream_t);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void *);
hipError_t hipEventCreate(hipEvent_t *);
hipError_t hipEventCreateWithFlags(hipEvent_t *, u32);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventQuery(hipEvent_t);
hipError_t hipEventElapsedTime(float *, hipEvent_t, hipEvent_t);
hipError_t hipModuleUnload(hipModule_t);
hipError_t hipModuleGetFunction(hipFunction_t *, hipModule_t, const char *);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
hipError_t hipOccupancyMaxPotentialBlockSize(int *, int *, const void *, size_t, int);
hipError_t hipGraphCreate(hipGraph_t *, u32);
hipError_t hipGraphDestroy(hipGraph_t);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, size_t, const hipKernelNodeParams *);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, size_t, const hipMemsetParams *);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, size_t, void *, const void *, size_t, int);
hipError_t hipGraphInstantiate(hipGraphExec_t *, hipGraph_t, hipGraphNode_t *, char *, size_t);
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
hipError_t hipGraphExecDestroy(hipGraphExec_t);
hipError_t hipStreamBeginCapture(hipStream_t, int);
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t *);
hipError_t hipStreamIsCapturing(hipStream_t, int *);
hipError_t hipTexObjectCreate(void *, const void *, const void *, const void *);
// The functions that clang calls for a kernel and for <<<>>>.
hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t);
hipError_t hipExtLaunchKernel(const void *, dim3, dim3, void **, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, hipStream_t *);
}

// The older way to write a launch.
#define hipLaunchKernelGGL(kernel, grid, block, lds, stream, ...) kernel<<<grid, block, lds, stream>>>(__VA_ARGS__)
#define HIP_SYMBOL(name) (const void *)(&name)

// Indices within a kernel, from what the compiler has for them.
#define THREAD(axis) ((u32)__builtin_amdgcn_workitem_id_##axis())
#define BLOCK(axis) ((u32)__builtin_amdgcn_workgroup_id_##axis())
#define BLOCK_SIZE(axis) ((u32)__builtin_amdgcn_workgroup_size_##axis())
#define GRID_SIZE(axis) ((u32)__builtin_amdgcn_grid_size_##axis())

inline __device__ void sync_threads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Ends the program where a call does not say what it should, or a result is not what it should be.
#define CHECK_IS(call, expected) \
  do { \
    hipError_t got = (call); \
    if (got != (expected)) { \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(got)); \
      return 1; \
    } \
  } while (0)
#define CHECK(call) CHECK_IS(call, hipSuccess)
#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      return 1; \
    } \
  } while (0)

// The same numbers each time.
inline u32 random_at(u32 index) {
  u32 x = index * 2654435761u + 12345;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ (x >> 13);
}
