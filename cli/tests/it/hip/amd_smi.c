// An AMD SMI that knows the device at 0000:00:00.0: 1700 MHz at first, 10 MHz less each time, no sensor at the edge,
// and 45 degrees elsewhere.

#include <stdint.h>

int amdsmi_init(uint64_t flags) { return flags != 2; }

int amdsmi_get_processor_handle_from_bdf(uint64_t address, void **processor) {
  *processor = (void *)1;
  return address != 0;
}

int amdsmi_get_clock_info(void *processor, int kind, uint32_t *info) {
  static uint32_t clock = 1710;
  clock -= 10;
  info[0] = clock;
  return processor != (void *)1 || kind != 0;
}

int amdsmi_get_temp_metric(void *processor, int sensor, int metric, int64_t *degrees) {
  *degrees = 45000;
  return processor != (void *)1 || sensor == 0 || metric != 0;
}
