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
 * How a call ended.
 */
typedef enum wavetune_lookup_result {
  /**
   * It has given what it was asked for.
   */
  WAVETUNE_LOOKUP_OK = 0,
  /**
   * There is nothing of the kind in the table; nothing is given.
   */
  WAVETUNE_LOOKUP_ABSENT = 1,
  /**
   * The error says why; nothing is given.
   */
  WAVETUNE_LOOKUP_FAILED = 2,
} wavetune_lookup_result;

/**
 * An open table. Any number of threads may ask one; opening and closing are for one of them.
 */
typedef struct wavetune_lookup_table wavetune_lookup_table;

/**
 * Why a call has failed. A call that has not leaves it alone.
 */
typedef struct wavetune_lookup_error {
  /**
   * One line that says what to do, ended by NUL. It is the caller's, who gives it to wavetune_lookup_free.
   */
  char *message;
  /**
   * What is wrong with a file, in a word of docs/table.md such as "checksum", ended by NUL; "" where a file is not the reason.
   */
  char verdict[16];
  /**
   * The byte of the file at which what is wrong begins; 0 where that is the whole file, or where a file is not the reason.
   */
  uint64_t at;
} wavetune_lookup_error;

/**
 * A question. Texts are UTF-8 and ended by NUL; NULL means that it is not insisted on.
 */
typedef struct wavetune_lookup_question {
  /**
   * The problem, such as `argmax:4x[32000]xf32`. It may not be NULL.
   */
  const char *problem;
  /**
   * The instruction set, such as "gfx942"; NULL for that of the table, if it has one alone.
   */
  const char *target;
  /**
   * The device that the answer is for: what was tuned on another one of the target is a sibling's.
   */
  const char *device;
  /**
   * Only kernels of this generator: "native" or "iree".
   */
  const char *generator;
  /**
   * The lowest rung that may answer: "exact", "sibling", "neighbour" or "default", which is the default.
   */
  const char *at_least;
} wavetune_lookup_question;

/**
 * A text in UTF-8: not ended by NUL, and alive as long as its table is open.
 */
typedef struct wavetune_lookup_text {
  /**
   * Its first byte.
   */
  const char *text;
  /**
   * Its bytes.
   */
  size_t length;
} wavetune_lookup_text;

/**
 * An entry of a table. Times are in microseconds; one that is not known is 0, which is no time.
 */
typedef struct wavetune_lookup_entry {
  /**
   * What it is found by: the problem's canonical text, a NUL, and the target.
   */
  struct wavetune_lookup_text key;
  /**
   * The configuration, as JSON.
   */
  struct wavetune_lookup_text configuration;
  /**
   * The configuration as a compiler's attributes, or empty.
   */
  struct wavetune_lookup_text attributes;
  /**
   * The generator that the configuration belongs to.
   */
  struct wavetune_lookup_text generator;
  /**
   * What made the numbers, as JSON.
   */
  struct wavetune_lookup_text provenance;
  /**
   * The text of its family.
   */
  struct wavetune_lookup_text family;
  /**
   * Its time.
   */
  double time_us;
  /**
   * That of the generator's default.
   */
  double default_time_us;
  /**
   * The least time that any kernel could take.
   */
  double bound_us;
  /**
   * The study of its trial.
   */
  int64_t study;
  /**
   * Its sizes; those beyond size_count are 0.
   */
  uint64_t sizes[4];
  /**
   * How many sizes it has.
   */
  uint32_t size_count;
  /**
   * Ordinal of its trial in the study.
   */
  uint32_t ordinal;
  /**
   * Whether it gives another index on ties. If its provenance has `"is_best_unasked":true`, what its generator does unasked gives the
   * right one: then use no configuration, unless any index will do.
   */
  bool is_tie;
} wavetune_lookup_entry;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens the table at a path and validates it. `*table` is then the caller's, who closes it; it is NULL where the file is refused.
 *
 * While it is open no program may write into the file; wavetune writes another and renames it.
 *
 * The caller promises:
 *
 * Each pointer is NULL or leads to what its type says; the path is ended by NUL. The error may be NULL for who wants no reason.
 */
enum wavetune_lookup_result wavetune_lookup_open(const char *path,
                                                 struct wavetune_lookup_table **table,
                                                 struct wavetune_lookup_error *error);

/**
 * As wavetune_lookup_open, of bytes that are in memory. They are copied.
 *
 * The caller promises:
 *
 * As there; at `bytes` there are `length` bytes.
 */
enum wavetune_lookup_result wavetune_lookup_read(const void *bytes,
                                                 size_t length,
                                                 struct wavetune_lookup_table **table,
                                                 struct wavetune_lookup_error *error);

/**
 * Closes a table; none where it is NULL. What it has given of its texts is gone then.
 *
 * The caller promises:
 *
 * It came from wavetune_lookup_open or wavetune_lookup_read, and nobody uses it any more.
 */
void wavetune_lookup_close(struct wavetune_lookup_table *table);

/**
 * Frees a text that a call has given: an answer, or the message of an error. NULL is none.
 *
 * The caller promises:
 *
 * It came from a call here, and nobody uses it any more.
 */
void wavetune_lookup_free(char *text);

/**
 * Answers a question by the ladder: exact, sibling, neighbour, default. `*answer` is one line of JSON, that of `wavetune table lookup
 * --output-format json`, ended by NUL; its "answer" is the rung, or "none" where there is no configuration. It is the caller's, who gives
 * it to wavetune_lookup_free.
 *
 * The caller promises:
 *
 * Each pointer is NULL or leads to what its type says. The error may be NULL for who wants no reason.
 */
enum wavetune_lookup_result wavetune_lookup_answer(const struct wavetune_lookup_table *table,
                                                   const struct wavetune_lookup_question *question,
                                                   char **answer,
                                                   struct wavetune_lookup_error *error);

/**
 * How many entries a table has; 0 where it is NULL. They are numbered from 0, family by family.
 *
 * The caller promises:
 *
 * The table is NULL or open.
 */
size_t wavetune_lookup_count(const struct wavetune_lookup_table *table);

/**
 * Finds an entry by its key: the problem's canonical text, a NUL, and the target. It is told by 96 bits of a hash; who wants to know for
 * certain compares the key of the entry. `*index` is its number.
 *
 * The caller promises:
 *
 * As wavetune_lookup_answer; at `key` there are `length` bytes.
 */
enum wavetune_lookup_result wavetune_lookup_find(const struct wavetune_lookup_table *table,
                                                 const char *key,
                                                 size_t length,
                                                 size_t *index,
                                                 struct wavetune_lookup_error *error);

/**
 * Reads the entry with a number. Beyond the last one there is none.
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
 * Reads what is noted of the whole table, by number, in the order of names. Beyond the last one there is none.
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
