/* The texts of the reader in C about files, as in tests/support/said.rs. Compiled as C11 and as C++17.
 *
 * Standard input is a sequence of files, each behind its length in eight bytes, little-endian. For each it prints the verdict
 * and the XXH3-128 of the text on a line; with the argument `text` the texts themselves. A file as an argument is opened. */
#include "wavetune_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *said;
static size_t said_length, said_room;

static void add(const void *bytes, size_t length) {
    if (said_length + length > said_room) {
        said_room = 2 * (said_length + length);
        said = (char *)realloc(said, said_room);
        if (said == NULL) abort();
    }
    if (length != 0) memcpy(said + said_length, bytes, length);
    said_length += length;
}

static void addf(const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add(line, (size_t)length);
}

static void add_text(wavetune_text text) {
    addf(" %zu:", text.length);
    add(text.text, text.length);
}

static void check(bool is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static uint64_t bits(bool is_there, double value) {
    uint64_t number = 0;
    if (is_there) memcpy(&number, &value, sizeof number);
    return number;
}

static void say_entry(const wavetune_table *table, uint32_t index) {
    wavetune_entry entry = wavetune_table_entry(table, index), found;
    wavetune_text key = wavetune_entry_key(entry);
    check(wavetune_table_lookup(table, key.text, key.length, &found) && found.record == index, "an entry is not found");
    uint32_t place;
    wavetune_family family = wavetune_entry_family(entry, &place);
    check(wavetune_family_entry(family, place).record == index, "an entry is not in its family");
    addf("entry");
    add_text(key);
    add_text(wavetune_entry_configuration(entry));
    add_text(wavetune_entry_attributes(entry));
    add_text(wavetune_entry_generator(entry));
    add_text(wavetune_entry_provenance(entry));
    add_text(wavetune_family_text(family));
    double default_time = 0, bound = 0;
    bool has_default = wavetune_entry_default_time_us(entry, &default_time);
    bool has_bound = wavetune_entry_bound_us(entry, &bound);
    addf(" %x", wavetune_entry_status(entry) == WAVETUNE_TIE ? 1u : 0u);
    addf(" %" PRIx64, bits(true, wavetune_entry_time_us(entry)));
    addf(" %" PRIx64 " %" PRIx64, bits(has_default, default_time), bits(has_bound, bound));
    addf(" %" PRIx64 " %" PRIx32, (uint64_t)wavetune_entry_study(entry), wavetune_entry_ordinal(entry));
    for (uint32_t size = 0; size < family.dimensions; size++)
        addf(" %" PRIx64, wavetune_family_size(family, place, size));
    addf("\n");
    /* A key that is none of the table's, unless it is. */
    char *other = (char *)malloc(key.length + 1);
    if (other == NULL) abort();
    memcpy(other, key.text, key.length);
    other[key.length] = '.';
    if (wavetune_table_lookup(table, other, key.length + 1, &found)) {
        wavetune_text its = wavetune_entry_key(found);
        check(its.length == key.length + 1 && memcmp(its.text, other, its.length) == 0, "another entry is found");
    }
    free(other);
}

static void say_family(const wavetune_table *table, uint32_t index) {
    wavetune_family family = wavetune_table_family_at(table, index), found;
    wavetune_text text = wavetune_family_text(family);
    check(wavetune_table_find_family(table, text.text, text.length, &found) && found.index == index, "a family is not found");
    addf("family");
    add_text(text);
    addf("\n");
    for (uint32_t place = 0; place < family.count; place++) {
        uint64_t sizes[WAVETUNE_TABLE_SIZES] = {0, 0, 0, 0};
        for (uint32_t size = 0; size < family.dimensions; size++) sizes[size] = wavetune_family_size(family, place, size);
        addf("%" PRIu32 " %" PRIu32 "\n", wavetune_family_entry(family, place).record,
             wavetune_family_place_of(family, sizes));
    }
}

static void say(const wavetune_table *table, wavetune_table_verdict verdict) {
    said_length = 0;
    addf("%s %" PRIu64 "\n", wavetune_table_verdict_name(verdict), table->fault_at);
    if (verdict != WAVETUNE_TABLE_OK) return;
    for (uint32_t index = 0; index < wavetune_table_metadata(table); index++) {
        wavetune_text value, name = wavetune_table_metadatum(table, index, &value);
        addf("metadatum");
        add_text(name);
        add_text(value);
        addf("\n");
    }
    for (uint32_t index = 0; index < wavetune_table_entries(table); index++) say_entry(table, index);
    for (uint32_t index = 0; index < wavetune_table_families(table); index++) say_family(table, index);
}

int main(int count, char **arguments) {
    bool is_text = count > 1 && strcmp(arguments[1], "text") == 0;
    wavetune_table table;
    if (count > 1 && !is_text) {
        wavetune_table_verdict verdict = wavetune_table_open(&table, arguments[1]);
        say(&table, verdict);
        fwrite(said, 1, said_length, stdout);
        if (verdict == WAVETUNE_TABLE_OK) wavetune_table_close(&table);
        check(wavetune_table_reason(verdict)[0] != 0, "no reason");
    }
    unsigned char prefix[8];
    while ((count == 1 || is_text) && fread(prefix, sizeof prefix, 1, stdin) == 1) {
        size_t length = (size_t)wavetune_table_u64(prefix);
        /* As long as the file, so that a byte read behind its end is noticed. */
        void *file = malloc(length != 0 ? length : 1);
        if (file == NULL || fread(file, 1, length, stdin) != length) abort();
        wavetune_table_verdict verdict = wavetune_table_read(&table, file, length);
        say(&table, verdict);
        if (is_text) {
            fwrite(said, 1, said_length, stdout);
        } else {
            XXH128_hash_t hash = XXH3_128bits(said, said_length);
            printf("%s %016" PRIx64 "%016" PRIx64 "\n", wavetune_table_verdict_name(verdict), hash.high64, hash.low64);
        }
        fflush(stdout);
        free(file);
    }
    free(said);
    return 0;
}
