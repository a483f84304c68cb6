// The host's program: `host REQUESTS ANSWERS` runs the launches of a file of 64-bit words.
//
// A launch: length of the kernel's name, groups (3), size (3), wave, isa, count of arguments; the name; for each
// argument its kind (1: a buffer), its bytes' length and the bytes. The answer: the bytes of all buffers, in order.
// Texts and bytes are padded to words.
#pragma once
#ifdef HOST

static const void *arguments[64];
static Kernel *running;
static bool is_started[1024];

// Switches to a fiber until it waits or ends; it ends by waiting as ENDED and starts over when it is run again.
static void fiber() {
  for (;;) {
    running->call(arguments);
    wait_as(ENDED);
  }
}
static void resume(Item *item) {
  if (_setjmp(scheduler)) return;
  current = item;
  item->state = RUNS;
  if (is_started[item->number]) _longjmp(item->place, 1);
  is_started[item->number] = true;
  getcontext(&item->start);
  item->start.uc_stack.ss_size = 256 * 1024;
  item->start.uc_stack.ss_sp = malloc(item->start.uc_stack.ss_size);
  makecontext(&item->start, fiber, 0);
  setcontext(&item->start);
}

// Lets the lanes of a mask go on once all of them have come, each with what all have brought.
static bool deliver(Item *wave, u32 lanes) {
  bool any = false;
  for (u32 i = 0; i < lanes; ++i) {
    if (wave[i].state != AT_EXCHANGE) continue;
    u64 mask = wave[i].mask;
    bool all = true;
    for (u32 k = 0; k < lanes; ++k)
      if (has(mask, k) && !(wave[k].state == AT_EXCHANGE && wave[k].mask == mask)) all = false;
    if (!all) continue;
    for (u32 k = 0; k < lanes; ++k) {
      if (!has(mask, k)) continue;
      for (u32 from = 0; from < lanes; ++from) wave[k].seen[from] = has(mask, from) ? wave[from].brought : 0;
      wave[k].state = RUNS;
    }
    any = true;
  }
  return any;
}

static void run_group(u32 count) {
  for (u32 i = 0; i < count; ++i) {
    u32 x = launch.size[0], y = launch.size[1];
    items[i].number = i;
    items[i].id[0] = i % x, items[i].id[1] = i / x % y, items[i].id[2] = i / (x * y);
    items[i].state = RUNS;
  }
  for (;;) {
    bool any = false;
    u32 ended = 0, waiting = 0;
    for (u32 i = 0; i < count; ++i)
      if (items[i].state == RUNS) resume(&items[i]), any = true;
    for (u32 first = 0; first < count; first += launch.wave)
      any |= deliver(&items[first], count - first < launch.wave ? count - first : launch.wave);
    for (u32 i = 0; i < count; ++i) ended += items[i].state == ENDED, waiting += items[i].state == AT_BARRIER;
    if (ended == count) return;
    // Items that have ended count no longer.
    if (waiting > 0 && waiting + ended == count) {
      for (u32 i = 0; i < count; ++i)
        if (items[i].state == AT_BARRIER) items[i].state = RUNS;
      any = true;
    }
    if (!any) {
      fprintf(stderr, "%s: %u of %u items ended, %u wait at a barrier, the others for lanes\n", running->name, ended, count, waiting);
      exit(3);
    }
  }
}

static u64 word(FILE *file) {
  u64 value;
  if (fread(&value, 8, 1, file) != 1) exit(4);
  return value;
}
static char *bytes(FILE *file, u64 size) {
  u64 padded = (size + 7) / 8 * 8;
  char *place = (char *)calloc(padded + 8, 1);
  if (fread(place, 1, padded, file) != padded) exit(4);
  return place;
}

int main(int count, char **names) {
  FILE *requests = count == 3 ? fopen(names[1], "rb") : 0, *answers = requests ? fopen(names[2], "wb") : 0;
  if (!answers) return 2;
  for (;;) {
    int next = fgetc(requests);
    if (next == EOF) return fclose(answers) ? 5 : 0;
    ungetc(next, requests);
    u64 length = word(requests);
    for (u32 &one : launch.groups) one = word(requests);
    for (u32 &one : launch.size) one = word(requests);
    launch.wave = word(requests), launch.isa = word(requests);
    u64 total = word(requests);
    char *name = bytes(requests, length);
    for (running = kernels; running && strcmp(running->name, name); running = running->next) {}
    if (!running) return fprintf(stderr, "no kernel %s\n", name), 6;
    char *pointers[64];
    u64 sizes[64] = {};
    for (u64 i = 0; i < total; ++i) {
      bool is_buffer = word(requests) == 1;
      u64 size = word(requests);
      pointers[i] = bytes(requests, size);
      arguments[i] = is_buffer ? (void *)&pointers[i] : pointers[i];
      if (is_buffer) sizes[i] = size;
    }
    for (u32 &z = group_id[2] = 0; z < launch.groups[2]; ++z)
      for (u32 &y = group_id[1] = 0; y < launch.groups[1]; ++y)
        for (u32 &x = group_id[0] = 0; x < launch.groups[0]; ++x) run_group(launch.size[0] * launch.size[1] * launch.size[2]);
    for (u64 i = 0; i < total; ++i)
      if (sizes[i]) fwrite(pointers[i], 1, (sizes[i] + 7) / 8 * 8, answers);
  }
}
#endif
