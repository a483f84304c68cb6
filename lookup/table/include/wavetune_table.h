/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wavetune_table.h: reads table files of wavetune (*.wtab), from C11 or C++17, with nothing to link.
 *
 *     wavetune_table table;
 *     wavetune_table_verdict verdict = wavetune_table_open(&table, "gfx942.wtab");
 *     if (verdict != WAVETUNE_TABLE_OK) {
 *         fprintf(stderr, "%s (byte %llu)\n", wavetune_table_reason(verdict), (unsigned long long)table.fault_at);
 *         return 1;
 *     }
 *     wavetune_entry entry;
 *     if (wavetune_table_lookup(&table, key, key_length, &entry)) {
 *         wavetune_text configuration = wavetune_entry_configuration(entry);
 *         printf("%.*s\n", (int)configuration.length, configuration.text);
 *     }
 *     wavetune_table_close(&table);
 *
 * It needs xxhash.h, 0.8 or newer (libxxhash-dev of Debian and Ubuntu), on the path of includes. It allocates nothing: the
 * handle is yours. A table is validated once, when it is opened, and what is refused is not followed; from then on no call
 * fails. Texts have a length and no NUL at their end, are UTF-8, and live as long as the table is open. Any number of threads
 * may read one table at once; opening and closing are for one of them. While a file is open no program may write into it:
 * wavetune writes another and renames it. docs/table.md of wavetune describes the bytes.
 *
 * WAVETUNE_TABLE_NO_FILES leaves out what needs POSIX: wavetune_table_open.
 */
#ifndef WAVETUNE_TABLE_H
#define WAVETUNE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#if !defined(WAVETUNE_TABLE_NO_FILES)
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The format that this header reads. */
#define WAVETUNE_TABLE_VERSION 1u
/* The most sizes of an entry. */
#define WAVETUNE_TABLE_SIZES 4u

/* The faults of a file, in the order of the checks. fault_at is the byte of the file at which that begins: 0 of the
   first three, the version's for another one, and so on. */
typedef enum wavetune_table_verdict {
    WAVETUNE_TABLE_OK = 0,
    WAVETUNE_TABLE_IO = 1,        /* The system cannot read it, or it is not a file; errno has the reason. */
    WAVETUNE_TABLE_SHORT = 2,     /* It is shorter than a header. */
    WAVETUNE_TABLE_FOREIGN = 3,   /* It is not a table. */
    WAVETUNE_TABLE_OTHER = 4,     /* It has another version of the format. */
    WAVETUNE_TABLE_LENGTH = 5,    /* It was cut off, or something follows it. */
    WAVETUNE_TABLE_CHECKSUM = 6,  /* A byte differs from the written one. */
    /* From here on the checksum is correct, and the writer made a mistake. */
    WAVETUNE_TABLE_HEADER = 7,
    WAVETUNE_TABLE_TEXT = 8,
    WAVETUNE_TABLE_REFERENCE = 9,
    WAVETUNE_TABLE_SLOT = 10,
    WAVETUNE_TABLE_RECORD = 11,
    WAVETUNE_TABLE_FAMILY = 12,
    WAVETUNE_TABLE_METADATA = 13
} wavetune_table_verdict;

/* A text without a NUL at its end. */
typedef struct wavetune_text {
    const char *text;
    size_t length;
} wavetune_text;

/* An open table. Its fields are read by the functions below; fault_at is yours. */
typedef struct wavetune_table {
    const unsigned char *bytes;
    size_t length;
    const unsigned char *records, *slots, *sizes, *families, *metadata, *strings, *keys, *pool;
    uint64_t slot_count, homes, key_bytes, pool_bytes;
    uint32_t entry_count, family_count, metadata_count, string_count;
    /* The offset of the fault in a rejected file. */
    uint64_t fault_at;
    bool is_mapped;
} wavetune_table;

/* An entry: a place in a table. */
typedef struct wavetune_entry {
    const wavetune_table *table;
    uint32_t record;
} wavetune_entry;

/* The entries of problems that differ only in their sizes, ordered by sizes and then by key. */
typedef struct wavetune_family {
    const wavetune_table *table;
    uint32_t index;
    uint32_t first;
    /* The number of its entries. */
    uint32_t count;
    /* The number of sizes of each entry. */
    uint32_t dimensions;
} wavetune_family;

typedef enum wavetune_status {
    WAVETUNE_RIGHT = 0, /* Its results are those of the fold. */
    /*
     * It gives another index on ties. If its provenance has "is_best_unasked":true, what its generator does unasked gives the right one:
     * then use no configuration, unless any index will do.
     */
    WAVETUNE_TIE = 1
} wavetune_status;

/* Returns the verdict as a word, the same as that of the reader in Rust. */
static inline const char *wavetune_table_verdict_name(wavetune_table_verdict verdict) {
    static const char *const names[] = {"ok",        "io",   "short",     "foreign", "version", "length", "checksum",
                                        "header",    "text", "reference", "slot",    "record",  "family", "metadata"};
    return (unsigned)verdict < sizeof names / sizeof *names ? names[(unsigned)verdict] : "unknown";
}

/* Returns the reason for a rejection, and the remedy. */
static inline const char *wavetune_table_reason(wavetune_table_verdict verdict) {
    switch (verdict) {
    case WAVETUNE_TABLE_OK: return "it is a table";
    case WAVETUNE_TABLE_IO: return "cannot be read; errno has the reason";
    case WAVETUNE_TABLE_SHORT: return "is truncated: it is shorter than a header. Copy or export it again";
    case WAVETUNE_TABLE_FOREIGN: return "is not a table: its first bytes are wrong. Give a .wtab file, copied in binary mode";
    case WAVETUNE_TABLE_OTHER: return "has another format than this program reads; use a newer program, or export the table again";
    case WAVETUNE_TABLE_LENGTH: return "has another length than its header says. Copy or export it again";
    case WAVETUNE_TABLE_CHECKSUM: return "is damaged: its checksum does not match. Copy or export it again";
    case WAVETUNE_TABLE_HEADER: return "is invalid: a length in the header does not match the rest. Export it again";
    case WAVETUNE_TABLE_TEXT: return "is invalid: a text is not UTF-8. Export it again";
    case WAVETUNE_TABLE_REFERENCE: return "is invalid: a reference has no target. Export it again";
    case WAVETUNE_TABLE_SLOT: return "is invalid: a slot does not refer to its key. Export it again";
    case WAVETUNE_TABLE_RECORD: return "is invalid: a record has an invalid number. Export it again";
    case WAVETUNE_TABLE_FAMILY: return "is invalid: the entries of a family are out of order. Export it again";
    case WAVETUNE_TABLE_METADATA: return "is invalid: the metadata are out of order. Export it again";
    }
    return "unknown verdict";
}

/* ---- Bytes: little-endian, at any alignment. ---- */

static inline uint32_t wavetune_table_u32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t wavetune_table_u64(const unsigned char *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 |
           (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static inline double wavetune_table_f64(const unsigned char *at) {
    uint64_t bits = wavetune_table_u64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The part of a key in its slot: 96 bits of its XXH3-128. */
typedef struct wavetune_table_tag {
    uint64_t high;
    uint32_t low;
} wavetune_table_tag;

static inline wavetune_table_tag wavetune_table_tag_of(const char *key, size_t length) {
    XXH128_hash_t hash = XXH3_128bits(length != 0 ? key : "", length);
    wavetune_table_tag tag;
    tag.high = hash.high64;
    tag.low = (uint32_t)hash.low64;
    return tag;
}

static inline wavetune_table_tag wavetune_table_tag_at(const unsigned char *slot) {
    wavetune_table_tag tag;
    tag.high = wavetune_table_u64(slot);
    tag.low = wavetune_table_u32(slot + 8);
    return tag;
}

static inline bool wavetune_table_tag_below(wavetune_table_tag one, wavetune_table_tag other) {
    return one.high < other.high || (one.high == other.high && one.low < other.low);
}

/* Returns the first slot of a search for a key: the upper half of a product of 64 bits by 32. */
static inline uint64_t wavetune_table_home(wavetune_table_tag tag, uint64_t homes) {
    uint64_t low = (tag.high & 0xffffffffu) * homes;
    return ((tag.high >> 32) * homes + (low >> 32)) >> 32;
}

/* ---- Validation. ---- */

#define WAVETUNE_TABLE_HEADER_BYTES 128u
#define WAVETUNE_TABLE_RECORD_BYTES 64u
#define WAVETUNE_TABLE_SLOT_BYTES 16u
#define WAVETUNE_TABLE_SIZES_BYTES 32u
#define WAVETUNE_TABLE_FAMILY_BYTES 16u
#define WAVETUNE_TABLE_METADATUM_BYTES 8u
#define WAVETUNE_TABLE_STRING_BYTES 4u
/* The number of keys that are hashed before their slots are searched. */
#define WAVETUNE_TABLE_BLOCK 64u

static inline wavetune_table_verdict wavetune_table_refused(wavetune_table *table, wavetune_table_verdict verdict,
                                                            uint64_t at) {
    table->fault_at = at;
    return verdict;
}

/* Returns the number of leading bytes that are UTF-8; all bytes of a valid text. */
static inline size_t wavetune_table_utf8(const unsigned char *text, size_t length) {
    size_t at = 0;
    while (at < length) {
        uint64_t words[2];
        if (length - at >= sizeof words) {
            memcpy(words, text + at, sizeof words);
            if (((words[0] | words[1]) & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof words;
                continue;
            }
        }
        unsigned char lead = text[at];
        if (lead < 0x80) {
            at++;
            continue;
        }
        /* The second byte has other limits next to overlong forms, surrogates and the end of Unicode. */
        unsigned char least = 0x80, most = 0xbf;
        size_t more;
        if (lead >= 0xc2 && lead <= 0xdf) {
            more = 1;
        } else if (lead >= 0xe0 && lead <= 0xef) {
            more = 2;
            if (lead == 0xe0) least = 0xa0;
            if (lead == 0xed) most = 0x9f;
        } else if (lead >= 0xf0 && lead <= 0xf4) {
            more = 3;
            if (lead == 0xf0) least = 0x90;
            if (lead == 0xf4) most = 0x8f;
        } else {
            return at;
        }
        if (length - at <= more || text[at + 1] < least || text[at + 1] > most) return at;
        for (size_t next = 2; next <= more; next++) {
            if ((text[at + next] & 0xc0) != 0x80) return at;
        }
        at += more + 1;
    }
    return at;
}

/* Returns true if all bytes are zero. */
static inline bool wavetune_table_zero(const unsigned char *bytes, size_t length) {
    for (size_t at = 0; at < length; at++) {
        if (bytes[at] != 0) return false;
    }
    return true;
}

/* Texts as bytes: less than, equal, more than zero. */
static inline int wavetune_table_compare(wavetune_text one, wavetune_text other) {
    size_t both = one.length < other.length ? one.length : other.length;
    int order = both != 0 ? memcmp(one.text, other.text, both) : 0;
    if (order != 0) return order;
    return (one.length > other.length) - (one.length < other.length);
}

/* The string with this number. */
static inline wavetune_text wavetune_table_string(const wavetune_table *table, uint32_t number) {
    const unsigned char *at = table->strings + (size_t)number * WAVETUNE_TABLE_STRING_BYTES;
    wavetune_text text;
    text.text = (const char *)table->pool + wavetune_table_u32(at);
    text.length = wavetune_table_u32(at + 4) - wavetune_table_u32(at);
    return text;
}

/* The key that begins there with its length. */
static inline wavetune_text wavetune_table_key(const wavetune_table *table, uint32_t at) {
    wavetune_text key;
    key.text = (const char *)table->keys + at + 4;
    key.length = wavetune_table_u32(table->keys + at);
    return key;
}

static inline bool wavetune_table_is_time(const unsigned char *at) {
    uint64_t bits = wavetune_table_u64(at);
    /* More than zero and less than infinity; the sign is the highest bit. */
    return bits > 0 && bits < UINT64_C(0x7ff0000000000000);
}

static inline uint64_t wavetune_table_at(const wavetune_table *table, const unsigned char *place) {
    return (uint64_t)(place - table->bytes);
}

static inline wavetune_table_verdict wavetune_table_check_lengths(wavetune_table *table) {
    static const struct {
        unsigned char at;
        uint64_t most;
    } limits[] = {
        {40, UINT64_C(1) << 28},  {48, 0}, {56, 0}, {64, 65536}, {72, UINT64_C(1) << 31}, {80, UINT32_MAX}, {88, UINT32_MAX},
    };
    const unsigned char *bytes = table->bytes;
    if (wavetune_table_u32(bytes + 12) != WAVETUNE_TABLE_HEADER_BYTES)
        return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, 12);
    uint64_t entries = wavetune_table_u64(bytes + 40);
    uint64_t homes = entries + entries / 2 + 1;
    for (size_t field = 0; field < sizeof limits / sizeof *limits; field++) {
        uint64_t most = limits[field].most;
        if (limits[field].at == 48) most = homes + entries + 1;
        if (limits[field].at == 56) most = entries;
        if (wavetune_table_u64(bytes + limits[field].at) > most)
            return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, limits[field].at);
    }
    if (!wavetune_table_zero(bytes + 96, 32)) return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, 96);
    table->slot_count = wavetune_table_u64(bytes + 48);
    table->homes = homes;
    table->entry_count = (uint32_t)entries;
    table->family_count = (uint32_t)wavetune_table_u64(bytes + 56);
    table->metadata_count = (uint32_t)wavetune_table_u64(bytes + 64);
    table->string_count = (uint32_t)wavetune_table_u64(bytes + 72);
    table->key_bytes = wavetune_table_u64(bytes + 80);
    table->pool_bytes = wavetune_table_u64(bytes + 88);
    /* Each product is below 2^37, so the sum is below 2^40. */
    uint64_t records = WAVETUNE_TABLE_HEADER_BYTES;
    uint64_t slots = records + entries * WAVETUNE_TABLE_RECORD_BYTES;
    uint64_t sizes = slots + table->slot_count * WAVETUNE_TABLE_SLOT_BYTES;
    uint64_t families = sizes + entries * WAVETUNE_TABLE_SIZES_BYTES;
    uint64_t metadata = families + table->family_count * (uint64_t)WAVETUNE_TABLE_FAMILY_BYTES;
    uint64_t strings = metadata + table->metadata_count * (uint64_t)WAVETUNE_TABLE_METADATUM_BYTES;
    uint64_t keys = strings + (table->string_count + UINT64_C(1)) * WAVETUNE_TABLE_STRING_BYTES;
    uint64_t pool = keys + table->key_bytes;
    if (pool + table->pool_bytes != table->length) return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, 32);
    table->records = bytes + records;
    table->slots = bytes + slots;
    table->sizes = bytes + sizes;
    table->families = bytes + families;
    table->metadata = bytes + metadata;
    table->strings = bytes + strings;
    table->keys = bytes + keys;
    table->pool = bytes + pool;
    return WAVETUNE_TABLE_OK;
}

static inline bool wavetune_table_is_string(const wavetune_table *table, const unsigned char *at) {
    return wavetune_table_u32(at) < table->string_count;
}

/* The pool, and the ends of its strings. */
static inline wavetune_table_verdict wavetune_table_check_strings(wavetune_table *table) {
    size_t valid = wavetune_table_utf8(table->pool, (size_t)table->pool_bytes);
    if (valid != table->pool_bytes)
        return wavetune_table_refused(table, WAVETUNE_TABLE_TEXT, wavetune_table_at(table, table->pool) + valid);
    uint32_t before = 0;
    for (uint64_t index = 0; index <= table->string_count; index++) {
        const unsigned char *at = table->strings + index * WAVETUNE_TABLE_STRING_BYTES;
        uint32_t end = wavetune_table_u32(at);
        bool cuts = end < table->pool_bytes && (table->pool[end] & 0xc0) == 0x80;
        if (before > end || end > table->pool_bytes || cuts || (index == 0 && end != 0) ||
            (index == table->string_count && end != table->pool_bytes))
            return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, wavetune_table_at(table, at));
        before = end;
    }
    return WAVETUNE_TABLE_OK;
}

static inline wavetune_table_verdict wavetune_table_check_metadata(wavetune_table *table) {
    for (uint32_t index = 0; index < table->metadata_count; index++) {
        const unsigned char *row = table->metadata + (size_t)index * WAVETUNE_TABLE_METADATUM_BYTES;
        for (unsigned text = 0; text < 8; text += 4) {
            if (!wavetune_table_is_string(table, row + text))
                return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, wavetune_table_at(table, row + text));
        }
        if (index > 0 && wavetune_table_compare(
                             wavetune_table_string(table, wavetune_table_u32(row - WAVETUNE_TABLE_METADATUM_BYTES)),
                             wavetune_table_string(table, wavetune_table_u32(row))) >= 0)
            return wavetune_table_refused(table, WAVETUNE_TABLE_METADATA, wavetune_table_at(table, row));
    }
    return WAVETUNE_TABLE_OK;
}

/* A record with its key at `key`, and its fields. */
static inline wavetune_table_verdict wavetune_table_check_record(wavetune_table *table, const unsigned char *record,
                                                                 uint64_t key) {
    uint64_t at = wavetune_table_at(table, record), key_at = wavetune_table_at(table, table->keys) + key;
    if (wavetune_table_u32(record) != key) return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, at);
    if (key + 4 > table->key_bytes) return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, key_at);
    wavetune_text text = wavetune_table_key(table, (uint32_t)key);
    if (text.length > table->key_bytes - key - 4) return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, key_at);
    size_t valid = wavetune_table_utf8((const unsigned char *)text.text, text.length);
    if (valid != text.length) return wavetune_table_refused(table, WAVETUNE_TABLE_TEXT, key_at + 4 + valid);
    for (unsigned field = 8; field < 24; field += 4) {
        if (!wavetune_table_is_string(table, record + field))
            return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, at + field);
    }
    unsigned char status = record[28], present = record[29];
    bool is_meant = wavetune_table_is_time(record + 40) && status <= 1 && present <= 3;
    is_meant = is_meant && ((present & 1) != 0 ? wavetune_table_is_time(record + 48) : wavetune_table_zero(record + 48, 8));
    is_meant = is_meant && ((present & 2) != 0 ? wavetune_table_is_time(record + 56) : wavetune_table_zero(record + 56, 8));
    if (!is_meant || !wavetune_table_zero(record + 30, 2)) return wavetune_table_refused(table, WAVETUNE_TABLE_RECORD, at);
    return WAVETUNE_TABLE_OK;
}

/* Returns true if an entry may follow its predecessor in the family: by sizes, then by key. */
static inline bool wavetune_table_follows(const wavetune_table *table, uint32_t index) {
    const unsigned char *sizes = table->sizes + (size_t)index * WAVETUNE_TABLE_SIZES_BYTES;
    const unsigned char *record = table->records + (size_t)index * WAVETUNE_TABLE_RECORD_BYTES;
    for (unsigned size = 0; size < WAVETUNE_TABLE_SIZES_BYTES; size += 8) {
        uint64_t before = wavetune_table_u64(sizes - WAVETUNE_TABLE_SIZES_BYTES + size);
        uint64_t here = wavetune_table_u64(sizes + size);
        if (before != here) return before < here;
    }
    return wavetune_table_compare(wavetune_table_key(table, wavetune_table_u32(record - WAVETUNE_TABLE_RECORD_BYTES)),
                                  wavetune_table_key(table, wavetune_table_u32(record))) < 0;
}

/* Families with their records and keys, which have one order. */
static inline wavetune_table_verdict wavetune_table_check_families(wavetune_table *table) {
    uint64_t first = 0, key = 0;
    for (uint32_t index = 0; index < table->family_count; index++) {
        const unsigned char *row = table->families + (size_t)index * WAVETUNE_TABLE_FAMILY_BYTES;
        uint64_t at = wavetune_table_at(table, row);
        if (!wavetune_table_is_string(table, row)) return wavetune_table_refused(table, WAVETUNE_TABLE_REFERENCE, at);
        uint64_t count = wavetune_table_u32(row + 8);
        uint32_t sizes = wavetune_table_u32(row + 12);
        bool is_later = index == 0 || wavetune_table_compare(
                                          wavetune_table_string(table, wavetune_table_u32(row - WAVETUNE_TABLE_FAMILY_BYTES)),
                                          wavetune_table_string(table, wavetune_table_u32(row))) < 0;
        if (!is_later || wavetune_table_u32(row + 4) != first || count == 0 || count > table->entry_count - first ||
            sizes > WAVETUNE_TABLE_SIZES)
            return wavetune_table_refused(table, WAVETUNE_TABLE_FAMILY, at);
        for (uint64_t place = 0; place < count; place++) {
            uint32_t entry = (uint32_t)(first + place);
            const unsigned char *record = table->records + (size_t)entry * WAVETUNE_TABLE_RECORD_BYTES;
            const unsigned char *free_sizes = table->sizes + (size_t)entry * WAVETUNE_TABLE_SIZES_BYTES + 8 * sizes;
            wavetune_table_verdict verdict = wavetune_table_check_record(table, record, key);
            if (verdict != WAVETUNE_TABLE_OK) return verdict;
            if (wavetune_table_u32(record + 4) != index ||
                !wavetune_table_zero(free_sizes, 8 * (WAVETUNE_TABLE_SIZES - sizes)) ||
                (place > 0 && !wavetune_table_follows(table, entry)))
                return wavetune_table_refused(table, WAVETUNE_TABLE_FAMILY, wavetune_table_at(table, record));
            key += 4 + wavetune_table_key(table, (uint32_t)key).length;
        }
        first += count;
    }
    if (first != table->entry_count)
        return wavetune_table_refused(table, WAVETUNE_TABLE_FAMILY, wavetune_table_at(table, table->metadata));
    if (key != table->key_bytes) return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, 80);
    return WAVETUNE_TABLE_OK;
}

/* Tags rise, each slot is the first free one from its home on, and each entry has a slot. */
static inline wavetune_table_verdict wavetune_table_check_slots(wavetune_table *table) {
    wavetune_table_tag before = {0, 0};
    uint64_t taken = 0, vacant = 0; /* their number, and the first vacant slot behind them */
    for (uint64_t index = 0; index < table->slot_count; index++) {
        const unsigned char *slot = table->slots + index * WAVETUNE_TABLE_SLOT_BYTES;
        wavetune_table_tag tag = wavetune_table_tag_at(slot);
        uint32_t record = wavetune_table_u32(slot + 12);
        if (tag.high == UINT64_MAX && tag.low == UINT32_MAX && record == UINT32_MAX) continue;
        uint64_t home = wavetune_table_home(tag, table->homes);
        if ((taken > 0 && !wavetune_table_tag_below(before, tag)) || index != (home > vacant ? home : vacant) ||
            record >= table->entry_count)
            return wavetune_table_refused(table, WAVETUNE_TABLE_SLOT, wavetune_table_at(table, slot));
        before = tag;
        taken++;
        vacant = index + 1;
    }
    if (taken != table->entry_count)
        return wavetune_table_refused(table, WAVETUNE_TABLE_SLOT, wavetune_table_at(table, table->sizes));
    /* An empty slot ends each search. */
    if (table->slot_count != (table->homes > vacant ? table->homes : vacant) + 1)
        return wavetune_table_refused(table, WAVETUNE_TABLE_HEADER, 48);
    return WAVETUNE_TABLE_OK;
}

/* Returns the first slot from a tag's home on with this tag or a larger one. The last slot is empty and has the largest. */
static inline const unsigned char *wavetune_table_slot(const wavetune_table *table, wavetune_table_tag tag) {
    const unsigned char *slot = table->slots + wavetune_table_home(tag, table->homes) * WAVETUNE_TABLE_SLOT_BYTES;
    while (wavetune_table_tag_below(wavetune_table_tag_at(slot), tag)) slot += WAVETUNE_TABLE_SLOT_BYTES;
    return slot;
}

/* Hashes a block of keys before it searches their slots, so that the processor loads many slots at once. */
static inline wavetune_table_verdict wavetune_table_check_keys(wavetune_table *table) {
    wavetune_table_tag tags[WAVETUNE_TABLE_BLOCK];
    uint64_t key = 0;
    for (uint32_t first = 0; first < table->entry_count; first += WAVETUNE_TABLE_BLOCK) {
        uint32_t count = table->entry_count - first;
        if (count > WAVETUNE_TABLE_BLOCK) count = WAVETUNE_TABLE_BLOCK;
        for (uint32_t index = 0; index < count; index++) {
            wavetune_text text = wavetune_table_key(table, (uint32_t)key);
            tags[index] = wavetune_table_tag_of(text.text, text.length);
            key += 4 + text.length;
        }
        for (uint32_t index = 0; index < count; index++) {
            const unsigned char *slot = wavetune_table_slot(table, tags[index]);
            wavetune_table_tag tag = wavetune_table_tag_at(slot);
            if (tag.high != tags[index].high || tag.low != tags[index].low ||
                wavetune_table_u32(slot + 12) != first + index) {
                const unsigned char *record = table->records + (size_t)(first + index) * WAVETUNE_TABLE_RECORD_BYTES;
                return wavetune_table_refused(table, WAVETUNE_TABLE_SLOT, wavetune_table_at(table, record));
            }
        }
    }
    return WAVETUNE_TABLE_OK;
}

/* ---- Opening and closing. ---- */

/* Checks the first bytes of a file of this length: at least a header, unless the file is shorter. */
static inline wavetune_table_verdict wavetune_table_begins(wavetune_table *table, const unsigned char *first, uint64_t length) {
    static const unsigned char magic[8] = {0x89, 'W', 'T', 'A', 'B', '\r', '\n', 0x1a};
    if (length < WAVETUNE_TABLE_HEADER_BYTES) return WAVETUNE_TABLE_SHORT;
    if (memcmp(first, magic, sizeof magic) != 0) return WAVETUNE_TABLE_FOREIGN;
    if (wavetune_table_u32(first + 8) != WAVETUNE_TABLE_VERSION) return wavetune_table_refused(table, WAVETUNE_TABLE_OTHER, 8);
    if (wavetune_table_u64(first + 32) != length) return wavetune_table_refused(table, WAVETUNE_TABLE_LENGTH, 32);
    return WAVETUNE_TABLE_OK;
}

/*
 * Validates a table in memory, which must stay there, unchanged, while the table is used. After a refusal table->fault_at says
 * where, and there is nothing to close.
 */
static inline wavetune_table_verdict wavetune_table_read(wavetune_table *table, const void *bytes, size_t length) {
    unsigned char checksum[16];
    memset(table, 0, sizeof *table);
    table->bytes = (const unsigned char *)bytes;
    table->length = length;
    wavetune_table_verdict verdict = wavetune_table_begins(table, table->bytes, length);
    if (verdict != WAVETUNE_TABLE_OK) return verdict;
    XXH128_hash_t found = XXH3_128bits(table->bytes + 32, length - 32);
    for (unsigned byte = 0; byte < 8; byte++) {
        checksum[byte] = (unsigned char)(found.low64 >> (8 * byte));
        checksum[byte + 8] = (unsigned char)(found.high64 >> (8 * byte));
    }
    if (memcmp(checksum, table->bytes + 16, sizeof checksum) != 0)
        return wavetune_table_refused(table, WAVETUNE_TABLE_CHECKSUM, 16);
    verdict = wavetune_table_check_lengths(table);
    if (verdict == WAVETUNE_TABLE_OK) verdict = wavetune_table_check_strings(table);
    if (verdict == WAVETUNE_TABLE_OK) verdict = wavetune_table_check_metadata(table);
    if (verdict == WAVETUNE_TABLE_OK) verdict = wavetune_table_check_families(table);
    if (verdict == WAVETUNE_TABLE_OK) verdict = wavetune_table_check_slots(table);
    if (verdict == WAVETUNE_TABLE_OK) verdict = wavetune_table_check_keys(table);
    return verdict;
}

/* Closes a table. Its entries and texts become invalid. */
static inline void wavetune_table_close(wavetune_table *table) {
#if !defined(WAVETUNE_TABLE_NO_FILES)
    if (table->is_mapped) munmap((void *)(uintptr_t)table->bytes, table->length);
#endif
    memset(table, 0, sizeof *table);
}

#if !defined(WAVETUNE_TABLE_NO_FILES)
/* Maps a file and validates it. After a refusal there is nothing to close. */
static inline wavetune_table_verdict wavetune_table_open(wavetune_table *table, const char *path) {
    struct stat status;
    void *bytes = MAP_FAILED;
    int mode = O_RDONLY, flags = MAP_PRIVATE;
#ifdef O_CLOEXEC
    mode |= O_CLOEXEC;
#endif
#ifdef O_NONBLOCK
    /* Opening a pipe would wait for its writer. */
    mode |= O_NONBLOCK;
#endif
    memset(table, 0, sizeof *table);
    int file = open(path, mode);
    if (file < 0) return WAVETUNE_TABLE_IO;
    if (fstat(file, &status) != 0) {
        close(file);
        return WAVETUNE_TABLE_IO;
    }
    if (!S_ISREG(status.st_mode)) {
        close(file);
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return WAVETUNE_TABLE_IO;
    }
    /* A large file that is no table is not read any further. */
    unsigned char first[WAVETUNE_TABLE_HEADER_BYTES] = {0};
    wavetune_table_verdict verdict = WAVETUNE_TABLE_IO;
    uint64_t length = (uint64_t)status.st_size;
    if (length < sizeof first || read(file, first, sizeof first) == (ssize_t)sizeof first)
        verdict = wavetune_table_begins(table, first, length);
    if (verdict != WAVETUNE_TABLE_OK) {
        close(file);
        return verdict;
    }
#ifdef MAP_POPULATE
    /* The checksum reads the whole file at once: the system is faster with one request. */
    flags |= MAP_POPULATE;
#endif
    if ((uint64_t)status.st_size <= SIZE_MAX) bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, flags, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return WAVETUNE_TABLE_IO;
    verdict = wavetune_table_read(table, bytes, (size_t)status.st_size);
    table->is_mapped = true;
    if (verdict != WAVETUNE_TABLE_OK) {
        uint64_t at = table->fault_at;
        wavetune_table_close(table);
        table->fault_at = at;
    }
    return verdict;
}
#endif

/* ---- Questions. ---- */

static inline const unsigned char *wavetune_table_record(wavetune_entry entry) {
    return entry.table->records + (size_t)entry.record * WAVETUNE_TABLE_RECORD_BYTES;
}

/*
 * Finds the entry with this key. False where there is none. A key is told by 96 bits of its XXH3-128: a table of a million
 * entries takes another key for one of its own one time in 2^76. Compare wavetune_entry_key where that is not enough.
 */
static inline bool wavetune_table_lookup(const wavetune_table *table, const char *key, size_t key_length,
                                         wavetune_entry *entry) {
    wavetune_table_tag tag = wavetune_table_tag_of(key, key_length);
    const unsigned char *slot = wavetune_table_slot(table, tag);
    uint32_t record = wavetune_table_u32(slot + 12);
    if (wavetune_table_u64(slot) != tag.high || wavetune_table_u32(slot + 8) != tag.low || record == UINT32_MAX)
        return false;
    entry->table = table;
    entry->record = record;
    return true;
}

/* Returns the number of entries; wavetune_table_entry returns each, family by family. */
static inline uint32_t wavetune_table_entries(const wavetune_table *table) { return table->entry_count; }

/* The entry at a place below wavetune_table_entries. */
static inline wavetune_entry wavetune_table_entry(const wavetune_table *table, uint32_t place) {
    wavetune_entry entry;
    entry.table = table;
    entry.record = place;
    return entry;
}

static inline wavetune_text wavetune_entry_key(wavetune_entry entry) {
    return wavetune_table_key(entry.table, wavetune_table_u32(wavetune_table_record(entry)));
}

/* The configuration, as JSON. */
static inline wavetune_text wavetune_entry_configuration(wavetune_entry entry) {
    return wavetune_table_string(entry.table, wavetune_table_u32(wavetune_table_record(entry) + 8));
}

/* The configuration as a compiler's attributes; may be empty. */
static inline wavetune_text wavetune_entry_attributes(wavetune_entry entry) {
    return wavetune_table_string(entry.table, wavetune_table_u32(wavetune_table_record(entry) + 12));
}

/* The generator that the configuration belongs to. */
static inline wavetune_text wavetune_entry_generator(wavetune_entry entry) {
    return wavetune_table_string(entry.table, wavetune_table_u32(wavetune_table_record(entry) + 16));
}

/* The provenance of the numbers, as JSON. */
static inline wavetune_text wavetune_entry_provenance(wavetune_entry entry) {
    return wavetune_table_string(entry.table, wavetune_table_u32(wavetune_table_record(entry) + 20));
}

static inline wavetune_status wavetune_entry_status(wavetune_entry entry) {
    return wavetune_table_record(entry)[28] == 0 ? WAVETUNE_RIGHT : WAVETUNE_TIE;
}

/* Its time in microseconds. */
static inline double wavetune_entry_time_us(wavetune_entry entry) {
    return wavetune_table_f64(wavetune_table_record(entry) + 40);
}

/* The time of the generator's default in microseconds. Returns false if it is unknown. */
static inline bool wavetune_entry_default_time_us(wavetune_entry entry, double *time_us) {
    if ((wavetune_table_record(entry)[29] & 1) == 0) return false;
    *time_us = wavetune_table_f64(wavetune_table_record(entry) + 48);
    return true;
}

/* The lower bound of any kernel's time, in microseconds. Returns false if it is unknown. */
static inline bool wavetune_entry_bound_us(wavetune_entry entry, double *bound_us) {
    if ((wavetune_table_record(entry)[29] & 2) == 0) return false;
    *bound_us = wavetune_table_f64(wavetune_table_record(entry) + 56);
    return true;
}

/* The study of its trial. */
static inline int64_t wavetune_entry_study(wavetune_entry entry) {
    uint64_t bits = wavetune_table_u64(wavetune_table_record(entry) + 32);
    int64_t study;
    memcpy(&study, &bits, sizeof study);
    return study;
}

/* Its trial's place in the study. */
static inline uint32_t wavetune_entry_ordinal(wavetune_entry entry) {
    return wavetune_table_u32(wavetune_table_record(entry) + 24);
}

/* Returns the number of families; wavetune_table_family_at returns each, ordered by text. */
static inline uint32_t wavetune_table_families(const wavetune_table *table) { return table->family_count; }

/* The family at a place below wavetune_table_families. */
static inline wavetune_family wavetune_table_family_at(const wavetune_table *table, uint32_t index) {
    const unsigned char *row = table->families + (size_t)index * WAVETUNE_TABLE_FAMILY_BYTES;
    wavetune_family family;
    family.table = table;
    family.index = index;
    family.first = wavetune_table_u32(row + 4);
    family.count = wavetune_table_u32(row + 8);
    family.dimensions = wavetune_table_u32(row + 12);
    return family;
}

/* The text of a family: the part of the problem that its entries share. */
static inline wavetune_text wavetune_family_text(wavetune_family family) {
    const unsigned char *row = family.table->families + (size_t)family.index * WAVETUNE_TABLE_FAMILY_BYTES;
    return wavetune_table_string(family.table, wavetune_table_u32(row));
}

/* Finds the family with this text. Returns false if there is none. */
static inline bool wavetune_table_find_family(const wavetune_table *table, const char *text, size_t length,
                                              wavetune_family *family) {
    uint32_t low = 0, high = table->family_count;
    wavetune_text wanted;
    wanted.text = text;
    wanted.length = length;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        wavetune_family found = wavetune_table_family_at(table, middle);
        int order = wavetune_table_compare(wavetune_family_text(found), wanted);
        if (order == 0) {
            *family = found;
            return true;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

/* The entry at a place below family.count. */
static inline wavetune_entry wavetune_family_entry(wavetune_family family, uint32_t place) {
    return wavetune_table_entry(family.table, family.first + place);
}

/* Size number `size`, below family.dimensions, of the entry at a place below family.count. */
static inline uint64_t wavetune_family_size(wavetune_family family, uint32_t place, uint32_t size) {
    const unsigned char *sizes = family.table->sizes + ((size_t)family.first + place) * WAVETUNE_TABLE_SIZES_BYTES;
    return wavetune_table_u64(sizes + 8 * (size_t)size);
}

/* Returns the first place with sizes not below these family.dimensions: the start of a search for the nearest. */
static inline uint32_t wavetune_family_place_of(wavetune_family family, const uint64_t *sizes) {
    uint32_t low = 0, high = family.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, size = 0;
        while (size < family.dimensions && wavetune_family_size(family, middle, size) == sizes[size]) size++;
        if (size < family.dimensions && wavetune_family_size(family, middle, size) < sizes[size]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The family of an entry, and in *place the entry's place in it. */
static inline wavetune_family wavetune_entry_family(wavetune_entry entry, uint32_t *place) {
    uint32_t index = wavetune_table_u32(wavetune_table_record(entry) + 4);
    wavetune_family family = wavetune_table_family_at(entry.table, index);
    *place = entry.record - family.first;
    return family;
}

/* Returns the number of metadata; wavetune_table_metadatum returns each, ordered by name. */
static inline uint32_t wavetune_table_metadata(const wavetune_table *table) { return table->metadata_count; }

/* The metadatum at a place below wavetune_table_metadata: its name, and in *value its text. */
static inline wavetune_text wavetune_table_metadatum(const wavetune_table *table, uint32_t index, wavetune_text *value) {
    const unsigned char *row = table->metadata + (size_t)index * WAVETUNE_TABLE_METADATUM_BYTES;
    *value = wavetune_table_string(table, wavetune_table_u32(row + 4));
    return wavetune_table_string(table, wavetune_table_u32(row));
}

#ifdef __cplusplus
}
#endif

#endif
