// The reader in C++ as a library, for the benchmark: one call a batch, so that calls across languages cost nothing.
#include "wavetune_table.h"

#include <new>

extern "C" {

wavetune_table *bench_open(const char *path) {
    auto *table = new (std::nothrow) wavetune_table;
    if (table != nullptr && wavetune_table_open(table, path) == WAVETUNE_TABLE_OK) return table;
    delete table;
    return nullptr;
}

void bench_close(wavetune_table *table) {
    wavetune_table_close(table);
    delete table;
}

// How many of the keys, which follow each other and end where `ends` says, have an entry.
size_t bench_lookup(const wavetune_table *table, const char *keys, const size_t *ends, size_t count) {
    size_t found = 0, begin = ends[0];
    for (size_t index = 1; index <= count; index++) {
        wavetune_entry entry;
        found += wavetune_table_lookup(table, keys + begin, ends[index] - begin, &entry) ? 1 : 0;
        begin = ends[index];
    }
    return found;
}
}
