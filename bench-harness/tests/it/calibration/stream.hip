// Kernels that move doubles, one for each work-item, as the published benchmarks do. `size` is the workgroup's.

#define KERNEL extern "C" __attribute__((global)) void

static __attribute__((device)) unsigned item(unsigned size) {
    return __builtin_amdgcn_workgroup_id_x() * size + __builtin_amdgcn_workitem_id_x();
}

KERNEL read(const double *a, const double *b, double *to, unsigned size) {
    unsigned index = item(size);
    double value = a[index];
    if (value == 123.0)
        to[index] = value;
}

KERNEL write(const double *a, const double *b, double *to, unsigned size) {
    to[item(size)] = 0.23;
}

KERNEL copy(const double *a, const double *b, double *to, unsigned size) {
    unsigned index = item(size);
    to[index] = a[index] * 1.2;
}

KERNEL triad(const double *a, const double *b, double *to, unsigned size) {
    unsigned index = item(size);
    to[index] = a[index] * 1.2 + b[index];
}

// Each workgroup reads `per` times its size from two arrays, and leaves one sum.
KERNEL dot(const double *a, const double *b, double *to, unsigned size, unsigned per) {
    __attribute__((shared)) static double sums[1024];
    unsigned lane = __builtin_amdgcn_workitem_id_x();
    unsigned long index = (unsigned long)__builtin_amdgcn_workgroup_id_x() * size * per + lane;
    double sum = 0.0;
    for (unsigned step = 0; step < per; step++, index += size)
        sum += a[index] * b[index];
    sums[lane] = sum;
    for (unsigned half = size / 2; half > 0; half /= 2) {
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (lane < half)
            sums[lane] += sums[lane + half];
    }
    if (lane == 0)
        to[__builtin_amdgcn_workgroup_id_x()] = sums[0];
}

// Each lane sums a row of its own, of `count` values.
KERNEL rows(const float *values, float *to, unsigned size, unsigned count) {
    const float *row = values + (unsigned long)item(size) * count;
    float sum = 0.0f;
#pragma nounroll
    for (unsigned index = 0; index < count; index++)
        sum += row[index];
    to[item(size)] = sum;
}
