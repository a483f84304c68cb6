// A transposition: dynamic LDS, a grid in two dimensions, rows with gaps between them. Then a workgroup of more dimensions
// than its kernel asks for, whose register has the first dimension alone.
#include "hip.h"

extern __shared__ float tile[];

__global__ void transpose(const float *in, size_t in_pitch, float *out, size_t out_pitch, u32 rows, u32 columns) {
  u32 x = BLOCK(x) * 16 + THREAD(x), y = BLOCK(y) * 16 + THREAD(y);
  if (x < columns && y < rows) tile[THREAD(y) * 17 + THREAD(x)] = in[y * in_pitch + x];
  sync_threads();
  x = BLOCK(y) * 16 + THREAD(x);
  y = BLOCK(x) * 16 + THREAD(y);
  if (x < rows && y < columns) out[y * out_pitch + x] = tile[THREAD(x) * 17 + THREAD(y)];
}

__global__ void first(u32 *out) { out[THREAD(x)] = THREAD(x); }

__global__ void second(u32 *out) { out[THREAD(y)] = THREAD(y); }

static int fewer_dimensions() {
  u32 *numbers, found[32];
  CHECK(hipMalloc((void **)&numbers, sizeof(found)));
  first<<<1, dim3(16, 8, 2)>>>(numbers);
  second<<<1, dim3(2, 16, 4)>>>(numbers + 16);
  CHECK(hipMemcpy(found, numbers, sizeof(found), hipMemcpyDeviceToHost));
  for (u32 i = 0; i < 32; i++) EXPECT(found[i] == i % 16);
  return 0;
}

int main() {
  if (fewer_dimensions() != 0) return 1;
  const u32 rows = 75, columns = 130;
  std::vector<float> in(rows * columns), out(columns * rows);
  for (u32 i = 0; i < rows * columns; i++) in[i] = i;
  float *on_in, *on_out;
  size_t in_pitch, out_pitch;
  CHECK(hipMallocPitch((void **)&on_in, &in_pitch, columns * 4, rows));
  CHECK(hipMallocPitch((void **)&on_out, &out_pitch, rows * 4, columns));
  EXPECT(in_pitch >= columns * 4 && in_pitch % 16 == 0);
  CHECK(hipMemcpy2D(on_in, in_pitch, in.data(), columns * 4, columns * 4, rows, hipMemcpyHostToDevice));
  transpose<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16), 16 * 17 * 4>>>(
      on_in, in_pitch / 4, on_out, out_pitch / 4, rows, columns);
  CHECK(hipMemcpy2D(out.data(), rows * 4, on_out, out_pitch, rows * 4, columns, hipMemcpyDeviceToHost));
  for (u32 y = 0; y < columns; y++)
    for (u32 x = 0; x < rows; x++) EXPECT(out[y * rows + x] == in[x * columns + y]);
  return 0;
}
