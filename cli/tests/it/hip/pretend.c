// A library in front of the emulating one that says that its device is a GPU, and whose clock is as unsteady as one.
// It logs the calls to the file in PRETEND_LOG.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL(name, ...) ((int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

#define NOTE(...)                                                                                                      \
  do {                                                                                                                 \
    FILE *log = fopen(getenv("PRETEND_LOG"), "a");                                                                     \
    fprintf(log, __VA_ARGS__);                                                                                         \
    fclose(log);                                                                                                       \
  } while (0)

int hipGetDevicePropertiesR0600(char *properties, int device) {
  int code = REAL("hipGetDevicePropertiesR0600", char *, int)(properties, device);
  memmove(properties, properties + strlen("EMULATED "), 200);
  return code;
}

int hipMemset(void *to, int value, size_t bytes) {
  NOTE("memset %zu\n", bytes);
  return REAL("hipMemset", void *, int, size_t)(to, value, bytes);
}

int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **arguments, void **list) {
  NOTE("launch %p\n", *(void **)list[1]);
  return REAL("hipModuleLaunchKernel", void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
              void *, void **, void **)(function, x, y, z, bx, by, bz, shared, stream, arguments, list);
}

int hipEventRecord(void *event, void *stream) {
  NOTE("event\n");
  return REAL("hipEventRecord", void *, void *)(event, stream);
}

int hipEventElapsedTime(float *milliseconds, void *start, void *end) {
  int code = REAL("hipEventElapsedTime", float *, void *, void *)(milliseconds, start, end);
  // Up to 1 % more.
  *milliseconds *= 1 + 0.01 * rand() / RAND_MAX;
  return code;
}
