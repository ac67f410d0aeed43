/* Fields of invoices into JSON: each file becomes one line, whose form a schema gives. All are read at once.
 *
 *     cc invoice.c $(pkg-config --cflags --libs akunu) -o invoice
 *     ./invoice smollm2 first.txt second.txt
 */
#include <akunu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SCHEMA[] =
    "{\"type\": \"object\", \"properties\": {"
    "  \"number\": {\"type\": \"string\", \"maxLength\": 24},"
    "  \"date\": {\"type\": \"string\", \"format\": \"date\"},"
    "  \"total\": {\"type\": \"number\"},"
    "  \"currency\": {\"enum\": [\"EUR\", \"USD\", \"GBP\", \"CHF\"]}},"
    " \"required\": [\"number\", \"date\", \"total\", \"currency\"], \"additionalProperties\": false}";

static void check(akunu_status status) {
    if (status != AKUNU_OK) {
        fprintf(stderr, "error: %s\n", akunu_last_error());
        exit(1);
    }
}

/* The prompt for a file's text, in memory of its own. */
static char *prompt(const char *path) {
    static const char before[] = "An invoice:\n\n", after[] = "\n\nIts number, date, total and currency as JSON: ";
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    char *text = malloc(sizeof before + sizeof after + (1 << 16));
    if (!text) exit(1);
    strcpy(text, before);
    size_t n = fread(text + strlen(before), 1, 1 << 16, f);
    text[strlen(before) + n] = 0;
    fclose(f);
    return strcat(text, after);
}

int main(int argc, char **argv) {
    akunu_model *model;
    akunu_engine *engine;
    akunu_grammar *grammar;
    if (argc < 3 || argc > 66) {
        fprintf(stderr, "usage: invoice MODEL FILE...\n");
        return 2;
    }
    check(akunu_model_load(argv[1], NULL, &model));
    check(akunu_engine_new(model, NULL, &engine));
    check(akunu_grammar_new(model, AKUNU_GRAMMAR_JSON_SCHEMA, SCHEMA, AKUNU_NUL, &grammar));

    akunu_generate_options options;
    akunu_sampling sampling;
    check(akunu_generate_options_init(&options, sizeof options));
    check(akunu_sampling_init(&sampling, sizeof sampling, model));
    sampling.temperature = 0;
    sampling.grammar = grammar;
    options.sampling = &sampling;
    options.max_tokens = 200;

    akunu_answer *answers[64];
    for (int i = 2; i < argc; i++) {
        char *text = prompt(argv[i]);
        check(akunu_engine_submit_text(engine, text, AKUNU_NUL, &options, &answers[i - 2]));
        free(text);
    }
    for (int i = 2; i < argc; i++) {
        akunu_event event = {.size = sizeof event};
        akunu_status status;
        while ((status = akunu_answer_next(answers[i - 2], -1, &event)) == AKUNU_OK)
            /* White space between values may be line ends; within strings there are none. */
            for (size_t k = 0; event.kind == AKUNU_EVENT_TEXT && k < event.text_length; k++)
                putchar(event.text[k] == '\n' ? ' ' : event.text[k]);
        if (status != AKUNU_DONE) check(status);
        putchar('\n');
        akunu_answer_free(answers[i - 2]);
    }
    akunu_grammar_free(grammar);
    akunu_engine_free(engine);
    akunu_model_free(model);
    return 0;
}
