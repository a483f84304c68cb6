// Transposes, which move data through LDS, and stencils, which share it there.

// A matrix of words, tiles of 32 by 32 by items of 32 by 8, with what hangs over the edges.
KERNEL(transpose_words, u32 *out, const u32 *in, u32 rows, u32 columns) {
  SHARED u32 tile[32][33];
  u32 x = group_x() * 32 + item_x(), y = group_y() * 32 + item_y();
  for (u32 i = 0; i < 32; i += 8)
    if (x < columns && y + i < rows) tile[item_y() + i][item_x()] = in[(y + i) * columns + x];
  barrier();
  x = group_y() * 32 + item_x(), y = group_x() * 32 + item_y();
  for (u32 i = 0; i < 32; i += 8)
    if (x < rows && y + i < columns) out[(y + i) * rows + x] = tile[item_x()][item_y() + i];
}

DYNAMIC(u8, dynamic_bytes);

// Bytes, tiles of 16 by 16 in LDS whose size the launch gives.
KERNEL(transpose_bytes, u8 *out, const u8 *in, u32 size) {
  u32 x = group_x() * 16 + item_x(), y = group_y() * 16 + item_y();
  dynamic_bytes[item_y() * 20 + item_x()] = in[y * size + x];
  barrier();
  out[(group_x() * 16 + item_y()) * size + group_y() * 16 + item_x()] = dynamic_bytes[item_x() * 20 + item_y()];
}

// Pairs of half words in wide registers: 8 by 8 by each item, transposed in place.
KERNEL(transpose_registers, u16 *out, const u16 *in) {
  u16 values[8][8];
  u32 base = (group_x() * size_x() + item_x()) * 64;
  for (u32 i = 0; i < 8; ++i) __builtin_memcpy(values[i], &in[base + 8 * i], 16);
  for (u32 i = 0; i < 8; ++i) {
    u16 column[8];
    for (u32 k = 0; k < 8; ++k) column[k] = values[k][i];
    __builtin_memcpy(&out[base + 8 * i], column, 16);
  }
}

// Five points of a plane; a tile with its border in LDS. 13 by 9 items are no multiple of a wave.
KERNEL(stencil_plane, u32 *out, const f32 *in, u32 width, u32 height) {
  SHARED f32 tile[11][15];
  i32 left = group_x() * 13, top = group_y() * 9;
  for (u32 i = item(); i < 11 * 15; i += 13 * 9) {
    i32 x = left + (i32)(i % 15) - 1, y = top + (i32)(i / 15) - 1;
    bool inside = x >= 0 && y >= 0 && x < (i32)width && y < (i32)height;
    tile[i / 15][i % 15] = inside ? in[y * (i32)width + x] : 1.5f;
  }
  barrier();
  u32 x = left + item_x(), y = top + item_y(), i = item_x() + 1, k = item_y() + 1;
  if (x >= width || y >= height) return;
  f32 around = tile[k - 1][i] + tile[k + 1][i] + tile[k][i - 1] + tile[k][i + 1];
  out[y * width + x] = bits(__builtin_fmaf(-4.0f, tile[k][i], around));
}

// Seven points of a volume, straight from memory: grids and workgroups of three dimensions.
KERNEL(stencil_volume, u64 *out, const f64 *in, u32 width, u32 height, u32 depth) {
  u32 x = group_x() * size_x() + item_x(), y = group_y() * size_y() + item_y(), z = group_z() * size_z() + item_z();
  if (x >= width || y >= height || z >= depth) return;
  auto at = [&](u32 x, u32 y, u32 z) { return in[(z * height + y) * width + x]; };
  f64 sum = -6.0 * at(x, y, z);
  sum += x > 0 ? at(x - 1, y, z) : 0.25;
  sum += x + 1 < width ? at(x + 1, y, z) : 0.25;
  sum += y > 0 ? at(x, y - 1, z) : 0.5;
  sum += y + 1 < height ? at(x, y + 1, z) : 0.5;
  sum += z > 0 ? at(x, y, z - 1) : 1.0;
  sum += z + 1 < depth ? at(x, y, z + 1) : 1.0;
  out[(z * height + y) * width + x] = bits(sum);
}

// 32 generations of cells, a bit each: a workgroup keeps 64 rows of 32 cells in LDS, on a torus.
KERNEL(cells, u32 *out, const u32 *in) {
  SHARED u32 rows[2][64];
  u32 me = item_x(), base = group_x() * 64, from = 0;
  rows[0][me] = in[base + me];
  barrier();
  for (u32 generation = 0; generation < 32; ++generation) {
    u32 one = 0, two = 0, four = 0;
    for (u32 row = 0; row < 3; ++row) {
      u32 word = rows[from][(me + row + 63) % 64];
      u32 shifted[3] = {word << 1 | word >> 31, word, word >> 1 | word << 31};
      for (u32 k = 0; k < 3; ++k) {
        if (row == 1 && k == 1) continue;
        u32 carry = one & shifted[k];
        one ^= shifted[k];
        four |= two & carry;
        two ^= carry;
      }
    }
    rows[1 - from][me] = two & ~four & (one | rows[from][me]);
    from = 1 - from;
    barrier();
  }
  out[base + me] = rows[from][me];
}
