// Bytes that are text, and hashes.

// Letters in upper case where a word starts, in lower case elsewhere; the number of words in each line of 64.
KERNEL(capitals, u8 *out, u32 *words, const u8 *in) {
  u32 line = group_x() * size_x() + item_x(), count = 0;
  bool in_word = false;
  for (u32 i = 0; i < 64; ++i) {
    u8 letter = in[line * 64 + i];
    bool upper = letter >= 'A' && letter <= 'Z', lower = letter >= 'a' && letter <= 'z';
    if (upper || lower) {
      if (!in_word) ++count, letter &= ~32;
      else letter |= 32;
      in_word = true;
    } else if (letter != '\'') {
      in_word = false;
    }
    out[line * 64 + i] = letter;
  }
  words[line] = count;
}

// Cyclic redundancy sums, by a table in constant memory.
TABLE u32 nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                         0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
KERNEL(checksums, u32 *out, const u8 *in, u32 length) {
  u32 at = group_x() * size_x() + item_x(), sum = ~0u;
  for (u32 i = 0; i < length; ++i) {
    sum ^= in[at * length + i];
    sum = sum >> 4 ^ nibbles[sum & 15];
    sum = sum >> 4 ^ nibbles[sum & 15];
  }
  out[at] = ~sum;
}

// Code points of UTF-8: what is no character becomes U+FFFD.
KERNEL(decode_text, u32 *out, const u8 *in) {
  u32 at = group_x() * size_x() + item_x();
  const u8 *from = &in[at * 16];
  u32 i = 0, written = 0;
  while (i < 16) {
    u32 first = from[i++], code = 0xfffd, more = 0;
    if (first < 0x80) code = first;
    else if (first >= 0xc2 && first < 0xe0) more = 1, code = first & 31;
    else if (first >= 0xe0 && first < 0xf0) more = 2, code = first & 15;
    else if (first >= 0xf0 && first < 0xf5) more = 3, code = first & 7;
    u32 least = more == 2 ? 0x800 : more == 3 ? 0x10000 : 0;
    for (u32 k = 0; k < more; ++k) {
      if (i == 16 || (from[i] & 0xc0) != 0x80) {
        code = 0xfffd, least = 0;
        break;
      }
      code = code << 6 | (from[i++] & 63);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    out[at * 17 + ++written] = code;
  }
  out[at * 17] = written;
  while (++written <= 16) out[at * 17 + written] = 0;
}

// The places where a short text occurs in a long one; the search ends at the first that is found.
KERNEL(search, u32 *out, const u8 *in, const u8 *what, u32 length, u32 span) {
  u32 at = group_x() * size_x() + item_x(), found = ~0u;
  for (u32 i = at * span; i < (at + 1) * span && found == ~0u; ++i) {
    u32 k = 0;
    while (k < length && (in[(i + k) & 4095] & 3) == (what[k] & 3)) ++k;
    if (k == length) found = i;
  }
  out[at] = found;
}

// SHA-256 of a block of 64 bytes, all rounds.
TABLE u32 rounds_of_sha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static u32 turned(u32 x, u32 by) { return x >> by | x << (32 - by); }
KERNEL(hashes, u32 *out, const u32 *in) {
  u32 at = group_x() * size_x() + item_x(), w[16];
  u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];
  for (u32 i = 0; i < 16; ++i) w[i] = __builtin_bswap32(in[at * 16 + i]);
  for (u32 i = 0; i < 8; ++i) s[i] = start[i];
  for (u32 i = 0; i < 64; ++i) {
    u32 word = w[i & 15];
    if (i < 48) {
      u32 a = w[(i + 1) & 15], b = w[(i + 14) & 15];
      w[i & 15] = word + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(i + 9) & 15] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    u32 t = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds_of_sha[i] + word;
    u32 u = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (u32 k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += t;
    s[0] = t + u;
  }
  for (u32 i = 0; i < 8; ++i) out[at * 8 + i] = s[i] + start[i];
}
