/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wavetune_lookup.h: asks table files of wavetune (*.wtab) by its whole ladder, from C or C++. Link with libwavetune_lookup.
 * docs/bindings.md of wavetune has an example. Made by cbindgen from lookup/c/src; do not change it by hand.
 */

#ifndef WAVETUNE_LOOKUP_H
#define WAVETUNE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The result of a call.
 */
typedef enum wavetune_lookup_result {
  /**
   * The call has given its result.
   */
  WAVETUNE_LOOKUP_OK = 0,
  /**
   * The table has no such thing; no result is given.
   */
  WAVETUNE_LOOKUP_ABSENT = 1,
  /**
   * The call has failed, and the error has the reason; no result is given.
   */
  WAVETUNE_LOOKUP_FAILED = 2,
} wavetune_lookup_result;

/**
 * An open table. Any number of threads may read it; only one may open or close it.
 */
typedef struct wavetune_lookup_table wavetune_lookup_table;

/**
 * The reason of a failed call. A call that succeeds does not change it.
 */
typedef struct wavetune_lookup_error {
  /**
   * One line with the fault and the remedy, ended by NUL. The caller frees it with
   * wavetune_lookup_free.
   */
  char *message;
  /**
   * The fault of a file, in a word of docs/table.md such as "checksum", ended by NUL; "" if no
   * file is the reason.
   */
  char verdict[16];
  /**
   * The byte of the file at which the fault begins; 0 for the whole file, or if no file is the
   * reason.
   */
  uint64_t at;
} wavetune_lookup_error;

/**
 * A question. Texts are UTF-8 and ended by NUL; NULL allows any.
 */
typedef struct wavetune_lookup_question {
  /**
   * The problem, such as `argmax:4x[32000]xf32`. It must not be NULL.
   */
  const char *problem;
  /**
   * The instruction set, such as "gfx942"; NULL for that of the table, if it has only one.
   */
  const char *target;
  /**
   * The device of the answer. The answer of another device of the target is a sibling's.
   */
  const char *device;
  /**
   * The generator of the kernel: "native" or "iree".
   */
  const char *generator;
  /**
   * The lowest rung that may answer: "exact", "sibling", "neighbour", "predicted" or
   * "default", which is the default.
   */
  const char *at_least;
} wavetune_lookup_question;

/**
 * A text in UTF-8, not ended by NUL. It is valid while its table is open.
 */
typedef struct wavetune_lookup_text {
  /**
   * The first byte.
   */
  const char *text;
  /**
   * The number of bytes.
   */
  size_t length;
} wavetune_lookup_text;

/**
 * An entry of a table. Times are in microseconds; an unknown time is 0.
 */
typedef struct wavetune_lookup_entry {
  /**
   * The key: the problem's canonical text, a NUL, and the target.
   */
  struct wavetune_lookup_text key;
  /**
   * The configuration, as JSON.
   */
  struct wavetune_lookup_text configuration;
  /**
   * The configuration as attributes of a compiler, or empty.
   */
  struct wavetune_lookup_text attributes;
  /**
   * The generator of the configuration.
   */
  struct wavetune_lookup_text generator;
  /**
   * The provenance of the numbers, as JSON.
   */
  struct wavetune_lookup_text provenance;
  /**
   * The text of the family.
   */
  struct wavetune_lookup_text family;
  /**
   * The time.
   */
  double time_us;
  /**
   * The time of the generator's default.
   */
  double default_time_us;
  /**
   * The least time that any kernel needs.
   */
  double bound_us;
  /**
   * The number of the trial's study.
   */
  int64_t study;
  /**
   * The sizes; those beyond size_count are 0.
   */
  uint64_t sizes[4];
  /**
   * The number of sizes.
   */
  uint32_t size_count;
  /**
   * The ordinal of the trial in its study.
   */
  uint32_t ordinal;
  /**
   * True for another tie-break than the fold's. If the provenance has
   * `"is_best_unasked":true`, only the generator's default is correct: then use no
   * configuration, unless any index is acceptable.
   */
  bool is_tie;
} wavetune_lookup_entry;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens and validates the table at a path. The caller closes `*table`; it is NULL if the file is
 * refused.
 *
 * No program may write into the file while it is open; wavetune writes a new file and renames
 * it.
 *
 * The caller promises:
 *
 * Each pointer is NULL or points to a value of its type; a NUL ends the path. The error may be
 * NULL if the caller needs no reason.
 */
enum wavetune_lookup_result wavetune_lookup_open(const char *path,
                                                 struct wavetune_lookup_table **table,
                                                 struct wavetune_lookup_error *error);

/**
 * Opens a table of bytes in memory, as wavetune_lookup_open does of a file. Copies the bytes.
 *
 * The caller promises:
 *
 * As wavetune_lookup_open; `bytes` points to `length` bytes.
 */
enum wavetune_lookup_result wavetune_lookup_read(const void *bytes,
                                                 size_t length,
                                                 struct wavetune_lookup_table **table,
                                                 struct wavetune_lookup_error *error);

/**
 * Closes a table; does nothing for NULL. The texts of its entries become invalid.
 *
 * The caller promises:
 *
 * The table came from wavetune_lookup_open or wavetune_lookup_read, and is no longer in use.
 */
void wavetune_lookup_close(struct wavetune_lookup_table *table);

/**
 * Frees a text that a call has returned: an answer, or the message of an error. Does nothing for
 * NULL.
 *
 * The caller promises:
 *
 * The text came from a call of this library, and is no longer in use.
 */
void wavetune_lookup_free(char *text);

/**
 * Answers a question by the ladder: exact, sibling, neighbour, predicted, default.
 *
 * `*answer` is the JSON line of `wavetune table lookup --output-format json`, ended by NUL. Its
 * "answer" is the rung, or "none" without a configuration. The caller frees it with
 * wavetune_lookup_free.
 *
 * The caller promises:
 *
 * Each pointer is NULL or points to a value of its type. The error may be NULL if the caller
 * needs no reason.
 */
enum wavetune_lookup_result wavetune_lookup_answer(const struct wavetune_lookup_table *table,
                                                   const struct wavetune_lookup_question *question,
                                                   char **answer,
                                                   struct wavetune_lookup_error *error);

/**
 * Returns the number of a table's entries; 0 for NULL. Entries are numbered from 0, family by
 * family.
 *
 * The caller promises:
 *
 * The table is NULL or open.
 */
size_t wavetune_lookup_count(const struct wavetune_lookup_table *table);

/**
 * Finds an entry by its key: the problem's canonical text, a NUL, and the target. `*index` is
 * its number.
 *
 * The search compares 96 bits of a hash. Compare the key of the entry for certainty.
 *
 * The caller promises:
 *
 * As wavetune_lookup_answer; `key` points to `length` bytes.
 */
enum wavetune_lookup_result wavetune_lookup_find(const struct wavetune_lookup_table *table,
                                                 const char *key,
                                                 size_t length,
                                                 size_t *index,
                                                 struct wavetune_lookup_error *error);

/**
 * Reads the entry with a number. Returns WAVETUNE_LOOKUP_ABSENT beyond the last one.
 *
 * The caller promises:
 *
 * As wavetune_lookup_answer.
 */
enum wavetune_lookup_result wavetune_lookup_entry_at(const struct wavetune_lookup_table *table,
                                                     size_t index,
                                                     struct wavetune_lookup_entry *into,
                                                     struct wavetune_lookup_error *error);

/**
 * Reads a metadatum by number, in the order of names. Returns WAVETUNE_LOOKUP_ABSENT beyond the
 * last one.
 *
 * The caller promises:
 *
 * As wavetune_lookup_answer.
 */
enum wavetune_lookup_result wavetune_lookup_metadatum(const struct wavetune_lookup_table *table,
                                                      size_t index,
                                                      struct wavetune_lookup_text *name,
                                                      struct wavetune_lookup_text *value,
                                                      struct wavetune_lookup_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAVETUNE_LOOKUP_H */
