// All kernels, in one source: one call of the compiler for each instruction set and level.
#include "both.h"

#include "atomics.h"
#include "calls.h"
#include "control.h"
#include "float.h"
#include "integer.h"
#include "matrix.h"
#include "memory.h"
#include "scan.h"
#include "text.h"
#include "transpose.h"
#include "waves.h"

#include "host_main.h"
