// A library in front of the emulating one, which it is linked with: what is not here, the loader finds there. Launches
// of kernels whose names say so go wrong in ways that a kernel cannot make them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*get_function)(void **function, void *module, const char *name);
typedef int (*launch_kernel)(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                             unsigned shared, void *stream, void **arguments, void **list);

static char symbol[256];

int hipModuleGetFunction(void **function, void *module, const char *name) {
  get_function real = (get_function)dlsym(RTLD_NEXT, "hipModuleGetFunction");
  snprintf(symbol, sizeof symbol, "%s", name);
  return real(function, module, name);
}

int hipModuleLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **arguments, void **list) {
  launch_kernel real = (launch_kernel)dlsym(RTLD_NEXT, "hipModuleLaunchKernel");
  if (strstr(symbol, "planted_abort")) {
    fprintf(stderr, "the library gives up\n");
    abort();
  }
  if (strstr(symbol, "planted_kill"))
    kill(getpid(), SIGKILL);
  if (strstr(symbol, "planted_null")) {
    // Every argument is a null pointer.
    size_t size = *(size_t *)list[3];
    memset(list[1], 0, size);
  }
  return real(function, x, y, z, bx, by, bz, shared, stream, arguments, list);
}
