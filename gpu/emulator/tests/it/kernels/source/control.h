// Control flow.

// Loops in loops whose lanes leave at different times, by break, continue and return.
KERNEL(early_exits, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), x = in[at], sum = 0;
  out[at] = x;
  if (x % 13 == 0) return;
  for (u32 i = 0; i < 20; ++i) {
    if ((x >> (i & 15) & 7) == 3) continue;
    for (u32 k = i; k < 24; ++k) {
      sum = sum * 3 + (x ^ k);
      if (sum % 11 == 5) break;
      if (sum % 101 == 7) {
        out[at] = sum;
        return;
      }
      while (sum & 0x10000) {
        sum = sum >> 1 ^ k;
        if (sum % 5 == 1) goto next;
      }
    }
    if (sum % 17 == 16) break;
  next:
    sum += i;
  }
  out[at] = sum + 1;
}

// Steps until an orbit leaves the circle: whole numbers with 12 bits behind the point.
KERNEL(escape_times, u32 *out, u32 width, u32 limit) {
  u32 x = group_x() * size_x() + item_x(), y = group_y() * size_y() + item_y();
  i64 a = (i64)x * 12288 / width - 8192, b = (i64)y * 8192 / width - 4096, re = 0, im = 0;
  u32 steps = 0;
  while (steps < limit && re * re + im * im < (4ll << 24)) {
    i64 next = ((re * re - im * im) >> 12) + a;
    im = (re * im >> 11) + b;
    re = next;
    ++steps;
  }
  out[y * width + x] = steps;
}

// A machine with a stack: a program of bytes per item, a case per instruction.
KERNEL(interpreter, u32 *out, const u8 *programs, u32 length, u32 limit) {
  u32 at = group_x() * size_x() + item_x(), stack[8] = {at, at + 1, 2, 3, 4, 5, 6, 7};
  u32 top = 7, pc = 0, accumulator = 1;
  for (u32 step = 0; step < limit; ++step) {
    u32 code = programs[at * length + pc % length];
    u32 argument = code >> 4;
    ++pc;
    switch (code & 15) {
      case 0: stack[++top & 7] = argument; break;
      case 1: accumulator += stack[top & 7]; break;
      case 2: accumulator -= stack[top-- & 7]; break;
      case 3: accumulator *= stack[top & 7] | 1; break;
      case 4: accumulator ^= accumulator >> argument; break;
      case 5: stack[(top + argument) & 7] = accumulator; break;
      case 6: accumulator = stack[(top - argument) & 7]; break;
      case 7: if (accumulator & 1) pc += argument; break;
      case 8: if (accumulator > stack[argument & 7]) pc -= argument; break;
      case 9: accumulator /= argument + 1; break;
      case 10: accumulator = __builtin_popcount(accumulator) + argument; break;
      case 11: top += argument; break;
      case 12: accumulator = __builtin_rotateleft32(accumulator, argument); break;
      case 13: accumulator = ~accumulator; break;
      case 14: stack[argument & 7] += 0x1234567; break;
      default: if (argument == 15) step = limit; break;
    }
  }
  u32 sum = accumulator;
  for (u32 i = 0; i < 8; ++i) sum = sum * 31 + stack[i];
  out[at] = sum + pc;
}

// Long runs of one item: random numbers, and the sum of what they hit.
KERNEL(random_walk, u64 *out, const u64 *in, u32 steps) {
  u32 at = group_x() * size_x() + item_x();
  u64 state = in[at] | 1, sum = 0;
  i32 x = 0, y = 0;
  for (u32 i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    u32 way = state >> 62;
    x += way == 0 ? 1 : way == 1 ? -1 : 0;
    y += way == 2 ? 1 : way == 3 ? -1 : 0;
    if (x * x + y * y > 400) x = y = 0, sum += i;
  }
  out[at] = sum << 32 ^ state ^ (u64)(u32)(x * 1000 + y);
}

// Greatest common divisors and steps of 3n+1: loops that last as long as the data says.
KERNEL(number_loops, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), a = in[2 * at], b = in[2 * at + 1], steps = 0;
  while (b != 0) {
    u32 kept = a % b;
    a = b, b = kept;
  }
  for (u64 n = in[2 * at] % 100000 + 1; n != 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
  out[2 * at] = a;
  out[2 * at + 1] = steps;
}

// Uniform values: scalar registers and branches, scalar loads, 64 bits and floating point.
KERNEL(uniform_math, u64 *out, const u32 *in, f32 factor, i32 count, u64 mask) {
  u64 sum = mask;
  u32 base = group_x() * 16;
  f32 number = factor;
  for (i32 i = 0; i < count; ++i) {
    u32 word = in[base + (i & 15)], other = in[base + (15 - (i & 15))];
    sum = sum * 6364136223846793005ull + word;
    sum ^= sum >> (word & 63);
    sum += (u64)__builtin_popcountll(sum & mask) << 20;
    if ((i32)word < (i32)other) sum -= (u64)((i64)(i32)word >> 3);
    else if (word % 3 == 1) sum += __builtin_clz(word | 1) * __builtin_ctzll(sum | 1ull << 40);
    else sum = __builtin_bitreverse64(sum) + (other << (word & 31));
    number = __builtin_fmaf(number, 0.75f, (f32)(word & 1023));
    if (number > 1000.0f) number = number * 0.125f - __builtin_floorf(number * 0.01f);
    sum += (u32)number;
  }
  out[group_x() * size_x() + item_x()] = sum + item_x() + bits(number);
}
