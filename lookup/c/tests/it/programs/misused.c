/* Misuses of the library: each returns an error, reads no invalid pointer and leaks nothing. Begun with a table that can be opened. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetune_lookup.h>

static wavetune_lookup_error error;

static void check(wavetune_lookup_result result, const char *words, const char *verdict) {
    if (result != WAVETUNE_LOOKUP_FAILED || strstr(error.message, words) == NULL || strcmp(error.verdict, verdict) != 0) {
        fprintf(stderr, "%s: %d, %s\n", words, (int)result, result == WAVETUNE_LOOKUP_FAILED ? error.message : "");
        exit(1);
    }
    wavetune_lookup_free(error.message);
}

static void need(bool is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    wavetune_lookup_table *table = NULL;
    check(wavetune_lookup_open(NULL, &table, &error), "the path is NULL", "");
    check(wavetune_lookup_open(arguments[1], NULL, &error), "the pointer to the table is NULL", "");
    check(wavetune_lookup_open("/nowhere/\xff.wtab", &table, &error), "cannot be read", "io");
    need(wavetune_lookup_open("/nowhere", &table, NULL) == WAVETUNE_LOOKUP_FAILED, "no error is wanted");
    check(wavetune_lookup_read(NULL, 4, &table, &error), "NULL", "");
    check(wavetune_lookup_read(table, SIZE_MAX, &table, &error), "NULL", "");
    check(wavetune_lookup_read("abc", 3, &table, &error), "Copy or export it again", "short");
    need(table == NULL, "nothing is given");

    need(wavetune_lookup_open(arguments[1], &table, &error) == WAVETUNE_LOOKUP_OK, "it is opened");
    char *answer = NULL;
    wavetune_lookup_question question = {"argmax:4x[32000]xf32", NULL, NULL, NULL, NULL};
    check(wavetune_lookup_answer(NULL, &question, &answer, &error), "the table is NULL", "");
    check(wavetune_lookup_answer(table, NULL, &answer, &error), "the question is NULL", "");
    check(wavetune_lookup_answer(table, &question, NULL, &error), "the pointer to the answer is NULL", "");
    question.problem = NULL;
    check(wavetune_lookup_answer(table, &question, &answer, &error), "the problem is NULL", "");
    question.problem = "arg\xff";
    check(wavetune_lookup_answer(table, &question, &answer, &error), "the problem is not UTF-8", "");
    question.problem = "argmax:4x[x]xf32";
    check(wavetune_lookup_answer(table, &question, &answer, &error), "argmax:4x[x]xf32", "");
    question.problem = "argmax:4x[32000]xf32";
    question.target = "gfx000";
    check(wavetune_lookup_answer(table, &question, &answer, &error), "gfx000", "");
    question.target = NULL;
    question.generator = "triton";
    check(wavetune_lookup_answer(table, &question, &answer, &error), "triton", "");
    question.generator = NULL;
    question.at_least = "best";
    check(wavetune_lookup_answer(table, &question, &answer, &error), "neighbour", "");
    need(answer == NULL, "no answer is given");

    size_t index = 7;
    wavetune_lookup_entry entry;
    wavetune_lookup_text name;
    check(wavetune_lookup_find(table, NULL, 0, &index, &error), "the key is NULL", "");
    check(wavetune_lookup_find(table, "\xff", 1, &index, &error), "the key is not UTF-8", "");
    check(wavetune_lookup_find(NULL, "a", 1, &index, &error), "the table is NULL", "");
    need(wavetune_lookup_find(table, "a", 1, &index, &error) == WAVETUNE_LOOKUP_ABSENT && index == 7, "it is absent");
    size_t entries = wavetune_lookup_count(table);
    need(entries > 0 && wavetune_lookup_count(NULL) == 0, "entries are counted");
    need(wavetune_lookup_entry_at(table, entries, &entry, &error) == WAVETUNE_LOOKUP_ABSENT, "the last one is the last");
    check(wavetune_lookup_entry_at(table, 0, NULL, &error), "the pointer to the entry is NULL", "");
    check(wavetune_lookup_metadatum(table, 0, &name, NULL, &error), "the pointer to the value is NULL", "");
    need(wavetune_lookup_metadatum(table, SIZE_MAX, &name, &name, &error) == WAVETUNE_LOOKUP_ABSENT, "there are not so many");
    for (size_t each = 0; each < entries; each++) {
        need(wavetune_lookup_entry_at(table, each, &entry, &error) == WAVETUNE_LOOKUP_OK, "an entry is read");
        need(wavetune_lookup_find(table, entry.key.text, entry.key.length, &index, &error) == WAVETUNE_LOOKUP_OK, "it is found");
        need(index == each, "it has its number");
    }
    wavetune_lookup_close(table);
    wavetune_lookup_close(NULL);
    wavetune_lookup_free(NULL);
    return 0;
}
