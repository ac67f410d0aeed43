/* Tokens per second as a C program sees them, for tools/bindings_speed.py: ./speed MODEL TOKENS PROMPT
 * Prints seconds of loading, to the first token, and from there to the last. */
#include <akunu.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(akunu_status status) {
    if (status != AKUNU_OK) {
        fprintf(stderr, "error: %s\n", akunu_last_error());
        exit(1);
    }
}

typedef struct {
    double first, last;
} times;

static int on_token(const akunu_token *token, void *user_data) {
    times *t = user_data;
    t->last = now();
    if (t->first == 0) t->first = t->last;
    return token->size == 0;
}

int main(int argc, char **argv) {
    akunu_model *model;
    akunu_session *session;
    akunu_generate_options options;
    akunu_sampling sampling;
    akunu_generation result = {.size = sizeof result};
    times t = {0, 0};
    if (argc != 4) return 2;
    const double start = now();
    check(akunu_model_load(argv[1], NULL, &model));
    check(akunu_session_new(model, NULL, &session));
    const double loaded = now();
    check(akunu_generate_options_init(&options, sizeof options));
    check(akunu_sampling_init(&sampling, sizeof sampling, model));
    sampling.temperature = 0;
    options.sampling = &sampling;
    options.max_tokens = (uint32_t)atoi(argv[2]);
    options.ignore_eos = 1;
    check(akunu_session_append_text(session, argv[3], AKUNU_NUL));
    check(akunu_session_generate(session, &options, on_token, &t, &result));
    printf("{\"load\": %.6f, \"first\": %.6f, \"decode\": %.6f, \"tokens\": %u}\n", loaded - start, t.first - loaded,
           t.last - t.first, result.tokens);
    akunu_session_free(session);
    akunu_model_free(model);
    return 0;
}
