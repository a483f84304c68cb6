// A library of a GPU that can be looked at, but not used. PROPERTIES and the places in the struct are given by the
// compiler's command line.

#include <string.h>

int hipInit(unsigned flags) { return flags; }
int hipDriverGetVersion(int *version) { *version = 60342134; return 0; }
int hipRuntimeGetVersion(int *version) { *version = 60342134; return 0; }
int hipGetDeviceCount(int *count) { *count = 1; return 0; }

int PROPERTIES(char *properties, int device) {
  if (device != 0)
    return 101;
  memset(properties, 0, BYTES);
  strcpy(properties, "AMD Instinct MI300X");
  strcpy(properties + ARCH, "gfx942:sramecc+:xnack-");
  *(int *)(properties + MULTIPROCESSORS) = 304;
  return 0;
}

const char *hipGetErrorName(int code) { return "hipErrorNotSupported"; }
const char *hipGetErrorString(int code) { return "operation not supported"; }

#define NOT_SUPPORTED(name) int name(void) { return 801; }
NOT_SUPPORTED(hipSetDevice)
NOT_SUPPORTED(hipDeviceSynchronize)
NOT_SUPPORTED(hipMalloc)
NOT_SUPPORTED(hipFree)
NOT_SUPPORTED(hipMemcpy)
NOT_SUPPORTED(hipMemset)
NOT_SUPPORTED(hipMemsetAsync)
NOT_SUPPORTED(hipModuleLoadData)
NOT_SUPPORTED(hipModuleUnload)
NOT_SUPPORTED(hipModuleGetFunction)
NOT_SUPPORTED(hipModuleLaunchKernel)
NOT_SUPPORTED(hipEventCreate)
NOT_SUPPORTED(hipEventRecord)
NOT_SUPPORTED(hipEventElapsedTime)
