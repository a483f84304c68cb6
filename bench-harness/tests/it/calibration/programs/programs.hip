// Kernels of the nine programs that were measured on an MI300A. mi300a.tsv has their times.

#define KERNEL(threads) \
    extern "C" __attribute__((global, amdgpu_flat_work_group_size(threads, threads))) void
#define DEVICE static __attribute__((device, always_inline))

typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));

DEVICE unsigned group_x() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE unsigned group_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEVICE unsigned item_x() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE unsigned item_y() { return __builtin_amdgcn_workitem_id_y(); }

DEVICE void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL(256) vectoradd(const float *one, const float *other, float *sum, unsigned n) {
    unsigned index = group_x() * 256 + item_x();
    if (index < n)
        sum[index] = one[index] + other[index];
}

KERNEL(256) relu(const float *in, float *out, unsigned n) {
    unsigned index = group_x() * 256 + item_x();
    if (index < n)
        out[index] = in[index] > 0 ? in[index] : 0;
}

// A workgroup moves a tile of 64 x 64; `width` counts vectors of four.
KERNEL(256) matrixtranspose(const float4 *in, float4 *out, unsigned width, unsigned tiles) {
    extern __attribute__((shared)) float4 tile[];
    unsigned row = group_x(), column = (group_x() + group_y()) % tiles;
    unsigned x = item_x(), y = item_y();
    const float4 *from = in + (row * 64 + y * 4) * width + column * 16 + x;
    for (unsigned line = 0; line < 4; line++)
        tile[(y * 4 + line) * 16 + x] = from[line * width];
    barrier();
    // The rows x * 4 to x * 4 + 3 of the tile hold the columns of the mirror.
    float4 a = tile[(x * 4 + 0) * 16 + y], b = tile[(x * 4 + 1) * 16 + y];
    float4 c = tile[(x * 4 + 2) * 16 + y], d = tile[(x * 4 + 3) * 16 + y];
    float4 *to = out + (column * 64 + y * 4) * width + row * 16 + x;
    to[0] = (float4){a.x, b.x, c.x, d.x};
    to[width] = (float4){a.y, b.y, c.y, d.y};
    to[2 * width] = (float4){a.z, b.z, c.z, d.z};
    to[3 * width] = (float4){a.w, b.w, c.w, d.w};
}

DEVICE float4 products(float4 a, float4 b0, float4 b1, float4 b2, float4 b3) {
    float4 sum;
    sum.x = a.x * b0.x + a.y * b1.x + a.z * b2.x + a.w * b3.x;
    sum.y = a.x * b0.y + a.y * b1.y + a.z * b2.y + a.w * b3.y;
    sum.z = a.x * b0.z + a.y * b1.z + a.z * b2.z + a.w * b3.z;
    sum.w = a.x * b0.w + a.y * b1.w + a.z * b2.w + a.w * b3.w;
    return sum;
}

// A thread computes 4 x 4 results; `width` counts vectors of four.
KERNEL(64) matrixmultiplication(const float4 *a, const float4 *b, float4 *c, unsigned width) {
    __attribute__((shared)) static float4 block[32 * 8];
    unsigned x = item_x(), y = item_y();
    unsigned column = group_x() * 8 + x, row = (group_y() * 8 + y) * 4;
    float4 sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    for (unsigned step = 0; step < width / 8; step++) {
        const float4 *from = a + row * width + step * 8 + x;
        for (unsigned line = 0; line < 4; line++)
            block[(y * 4 + line) * 8 + x] = from[line * width];
        barrier();
        const float4 *other = b + step * 32 * width + column;
        for (unsigned four = 0; four < 8; four++) {
            float4 a0 = block[(y * 4 + 0) * 8 + four], a1 = block[(y * 4 + 1) * 8 + four];
            float4 a2 = block[(y * 4 + 2) * 8 + four], a3 = block[(y * 4 + 3) * 8 + four];
            float4 b0 = other[(four * 4 + 0) * width], b1 = other[(four * 4 + 1) * width];
            float4 b2 = other[(four * 4 + 2) * width], b3 = other[(four * 4 + 3) * width];
            sum0 += products(a0, b0, b1, b2, b3);
            sum1 += products(a1, b0, b1, b2, b3);
            sum2 += products(a2, b0, b1, b2, b3);
            sum3 += products(a3, b0, b1, b2, b3);
        }
        barrier();
    }
    float4 *to = c + row * width + column;
    to[0] = sum0;
    to[width] = sum1;
    to[2 * width] = sum2;
    to[3 * width] = sum3;
}

// Nine points of a padded array; 64 threads compute 16 rows of 64 columns.
KERNEL(64) stencil2d(const float *in, float *out, unsigned pitch, float centre, float side,
                     float corner) {
    __attribute__((shared)) static float tile[18 * 66];
    unsigned lane = item_y();
    const float *from = in + (group_y() * 16) * pitch + group_x() * 64;
    for (unsigned row = 0; row < 18; row++)
        tile[row * 66 + lane + 1] = from[row * pitch + lane + 1];
    if (lane < 18)
        tile[lane * 66] = from[lane * pitch];
    else if (lane >= 32 && lane < 50)
        tile[(lane - 32) * 66 + 65] = from[(lane - 32) * pitch + 65];
    barrier();
    float *to = out + (group_y() * 16 + 1) * pitch + group_x() * 64 + lane + 1;
    for (unsigned row = 0; row < 16; row++) {
        const float *at = tile + (row + 1) * 66 + lane + 1;
        float sides = at[-1] + at[1] + at[-66] + at[66];
        float corners = at[-67] + at[-65] + at[65] + at[67];
        to[row * pitch] = centre * at[0] + side * sides + corner * corners;
    }
}

KERNEL(64) floydwarshall(unsigned *distance, unsigned *path, unsigned width, unsigned pass) {
    unsigned x = group_x() * 8 + item_x(), y = group_y() * 8 + item_y();
    unsigned old = distance[y * width + x];
    unsigned other = distance[y * width + pass] + distance[pass * width + x];
    if (other < old) {
        distance[y * width + x] = other;
        path[y * width + x] = pass;
    }
}

KERNEL(256) fastwalshtransform(float *values, unsigned step) {
    unsigned thread = group_x() * 256 + item_x();
    unsigned pair = 2 * step * (thread / step) + thread % step;
    float one = values[pair], other = values[pair + step];
    values[pair] = one + other;
    values[pair + step] = one - other;
}

KERNEL(64) bitonicsort(unsigned *values, unsigned stage, unsigned pass, unsigned ascending) {
    unsigned thread = group_x() * 64 + item_x();
    unsigned distance = 1 << (stage - pass), block = distance * 2;
    unsigned left = thread % distance + thread / distance * block, right = left + distance;
    unsigned one = values[left], other = values[right];
    unsigned up = (thread / (1 << stage)) % 2 == 1 ? 1 - ascending : ascending;
    unsigned greater = one > other ? one : other, lesser = one > other ? other : one;
    values[left] = up ? lesser : greater;
    values[right] = up ? greater : lesser;
}

DEVICE float2 product(float2 a, float2 b) {
    return (float2){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

DEVICE void two(float2 &a, float2 &b) {
    float2 difference = a - b;
    a += b;
    b = difference;
}

DEVICE void four(float2 &a, float2 &b, float2 &c, float2 &d) {
    two(a, c);
    two(b, d);
    d = (float2){d.y, -d.x};
    two(a, b);
    two(c, d);
}

DEVICE void eight(float2 *v) {
    const float half = 0.70710678f;
    for (int i = 0; i < 4; i++)
        two(v[i], v[i + 4]);
    v[5] = product((float2){1, -1}, v[5]) * half;
    v[6] = (float2){v[6].y, -v[6].x};
    v[7] = product((float2){-1, -1}, v[7]) * half;
    four(v[0], v[1], v[2], v[3]);
    four(v[4], v[5], v[6], v[7]);
}

// Returns the cosine and the sine of a small angle: its part of a quarter turn by two constants,
// and two polynomials.
DEVICE float2 rotation(float angle) {
    float quarters = __builtin_rintf(angle * 0.636619772f);
    float rest = __builtin_fmaf(quarters, -1.57079601f, angle);
    rest = __builtin_fmaf(quarters, -3.13916473e-7f, rest);
    rest = __builtin_fmaf(quarters, -5.39030253e-15f, rest);
    float square = rest * rest;
    float sine = __builtin_fmaf(square, 2.71831149e-6f, -1.98393348e-4f);
    sine = __builtin_fmaf(square, sine, 8.33332915e-3f);
    sine = __builtin_fmaf(square, sine, -1.66666666e-1f);
    sine = __builtin_fmaf(rest * square, sine, rest);
    float cosine = __builtin_fmaf(square, 2.44331571e-5f, -1.38873162e-3f);
    cosine = __builtin_fmaf(square, cosine, 4.16666456e-2f);
    cosine = __builtin_fmaf(square, cosine, -0.5f);
    cosine = __builtin_fmaf(square, cosine, 1.0f);
    int quadrant = (int)quarters;
    float first = quadrant & 1 ? sine : cosine, second = quadrant & 1 ? cosine : sine;
    return (float2){(quadrant + 1) & 2 ? -first : first, quadrant & 2 ? -second : second};
}

DEVICE void twiddle(float2 *v, unsigned place, float n) {
    const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int i = 1; i < 8; i++) {
        float angle = -6.28318531f * (float)order[i] * place / n;
        v[i] = product(v[i], rotation(angle));
    }
}

// One part of the complex numbers passes LDS at a time.
DEVICE void exchange(float *shared, float2 *v, unsigned store, unsigned stride, unsigned load,
                     unsigned pitch) {
    const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int part = 0; part < 2; part++) {
        for (int i = 0; i < 8; i++)
            shared[store + i * stride] = v[order[i]][part];
        barrier();
        for (int i = 0; i < 8; i++)
            v[i][part] = shared[load + i * pitch];
        barrier();
    }
}

// 512 points, eight for each thread.
KERNEL(64) fft(float2 *values) {
    __attribute__((shared)) static float shared[8 * 8 * 9];
    unsigned lane = item_x(), high = lane >> 3, low = lane & 7;
    float2 *from = values + group_x() * 512 + lane;
    float2 v[8];
    for (int i = 0; i < 8; i++)
        v[i] = from[i * 64];
    eight(v);
    twiddle(v, lane, 512);
    exchange(shared, v, high * 8 + low, 66, low * 66 + high, 8);
    eight(v);
    twiddle(v, high, 64);
    exchange(shared, v, high * 72 + low, 8, high * 72 + low * 8, 1);
    eight(v);
    const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int i = 0; i < 8; i++)
        from[i * 64] = v[order[i]];
}
