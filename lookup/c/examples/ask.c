/* Asks a table for a problem, by the whole ladder: ask FILE.wtab PROBLEM [TARGET] */
#include <stdio.h>
#include <wavetune_lookup.h>

int main(int count, char **arguments) {
    if (count < 3) return 2;
    wavetune_lookup_table *table;
    wavetune_lookup_error error;
    char *answer;
    wavetune_lookup_question question = {0};
    question.problem = arguments[2];
    question.target = count > 3 ? arguments[3] : NULL;
    if (wavetune_lookup_open(arguments[1], &table, &error) != WAVETUNE_LOOKUP_OK) goto failed;
    if (wavetune_lookup_answer(table, &question, &answer, &error) != WAVETUNE_LOOKUP_OK) goto failed;
    printf("%s\n", answer);
    wavetune_lookup_free(answer);
    wavetune_lookup_close(table);
    return 0;

failed:
    fprintf(stderr, "%s\n", error.message);
    wavetune_lookup_free(error.message);
    wavetune_lookup_close(table);
    return 1;
}
