/* Tokens per second as a C program sees them, for tools/bindings_speed.py: ./speed MODEL session|engine TOKENS PROMPT
 * Measures what crates/engine/examples/speed.rs does, once for each line of standard input. */
#include <akunu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static int on_token(const akunu_token *token, void *user_data) {
    *(size_t *)user_data += token->text_length;
    return 0;
}

static double by_session(akunu_session *session, akunu_generate_options *options, uint32_t tokens, const char *prompt) {
    size_t bytes = 0;
    check(akunu_session_rewind(session, 0));
    check(akunu_session_append_text(session, prompt, AKUNU_NUL));
    options->max_tokens = 1;
    check(akunu_session_generate(session, options, on_token, &bytes, NULL));
    options->max_tokens = tokens;
    const double start = now();
    check(akunu_session_generate(session, options, on_token, &bytes, NULL));
    return tokens / (now() - start);
}

static double by_engine(akunu_engine *engine, akunu_generate_options *options, uint32_t tokens, const char *prompt) {
    akunu_answer *answer;
    akunu_event event;
    akunu_status status;
    double first = 0;
    uint32_t after = 0;
    memset(&event, 0, sizeof event);
    event.size = sizeof event;
    options->max_tokens = tokens + 1;
    check(akunu_engine_submit_text(engine, prompt, AKUNU_NUL, options, &answer));
    while ((status = akunu_answer_next(answer, -1, &event)) == AKUNU_OK) {
        if (event.kind != AKUNU_EVENT_TOKEN) continue;
        if (first == 0) first = now();
        else after++;
    }
    if (status != AKUNU_DONE) check(status);
    const double rate = after / (now() - first);
    akunu_answer_free(answer);
    return rate;
}

int main(int argc, char **argv) {
    akunu_model *model;
    akunu_session *session = NULL;
    akunu_engine *engine = NULL;
    akunu_generate_options options;
    akunu_sampling sampling;
    char line[8];
    if (argc != 5) return 2;
    const uint32_t tokens = (uint32_t)atoi(argv[3]);
    check(akunu_model_load(argv[1], NULL, &model));
    check(akunu_generate_options_init(&options, sizeof options));
    check(akunu_sampling_init(&sampling, sizeof sampling, model));
    sampling.temperature = 0;
    options.sampling = &sampling;
    options.ignore_eos = 1;
    if (strcmp(argv[2], "engine")) check(akunu_session_new(model, NULL, &session));
    else check(akunu_engine_new(model, NULL, &engine));
    while (fgets(line, sizeof line, stdin)) {
        printf("%.3f\n", session ? by_session(session, &options, tokens, argv[4]) : by_engine(engine, &options, tokens, argv[4]));
        fflush(stdout);
    }
    akunu_engine_free(engine);
    akunu_session_free(session);
    akunu_model_free(model);
    return 0;
}
