// Finds the entry of a problem in its canonical spelling: find FILE.wtab PROBLEM TARGET
#include <wavetune_lookup.h>

#include <iostream>
#include <memory>
#include <string>
#include <string_view>

struct Close {
    void operator()(wavetune_lookup_table *table) const { wavetune_lookup_close(table); }
};
using Table = std::unique_ptr<wavetune_lookup_table, Close>;

static int failed(const wavetune_lookup_error &error) {
    std::cerr << error.message << '\n';
    wavetune_lookup_free(error.message);
    return 1;
}

static std::string_view view(wavetune_lookup_text text) { return {text.text, text.length}; }

int main(int count, char **arguments) {
    if (count != 4) return 2;
    wavetune_lookup_table *opened;
    wavetune_lookup_error error;
    if (wavetune_lookup_open(arguments[1], &opened, &error) != WAVETUNE_LOOKUP_OK) return failed(error);
    const Table table(opened);
    const std::string key = std::string(arguments[2]) + '\0' + arguments[3];
    size_t index;
    switch (wavetune_lookup_find(table.get(), key.data(), key.size(), &index, &error)) {
    case WAVETUNE_LOOKUP_FAILED: return failed(error);
    case WAVETUNE_LOOKUP_ABSENT: std::cout << "absent\n"; return 0;
    case WAVETUNE_LOOKUP_OK: break;
    }
    wavetune_lookup_entry entry;
    if (wavetune_lookup_entry_at(table.get(), index, &entry, &error) != WAVETUNE_LOOKUP_OK) return failed(error);
    std::cout << entry.time_us << ' ' << view(entry.generator) << ' ' << view(entry.configuration) << '\n';
    return 0;
}
