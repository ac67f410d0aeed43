/* A text goes on, piece by piece:
 *
 *     cc complete.c $(pkg-config --cflags --libs akunu) -o complete
 *     ./complete smollm2 "The capital of France is"
 */
#include <akunu.h>
#include <stdio.h>
#include <stdlib.h>

static void check(akunu_status status) {
    if (status != AKUNU_OK) {
        fprintf(stderr, "error: %s\n", akunu_last_error());
        exit(1);
    }
}

int main(int argc, char **argv) {
    akunu_model *model;
    akunu_session *session;
    if (argc != 3) {
        fprintf(stderr, "usage: complete MODEL TEXT\n");
        return 2;
    }
    check(akunu_model_load(argv[1], NULL, &model));
    check(akunu_session_new(model, NULL, &session));
    check(akunu_session_append_text(session, argv[2], AKUNU_NUL));

    akunu_generate_options options;
    akunu_sampling sampling;
    check(akunu_generate_options_init(&options, sizeof options));
    check(akunu_sampling_init(&sampling, sizeof sampling, model));
    options.max_tokens = 8;
    options.sampling = &sampling;
    sampling.temperature = 0;

    uint32_t tokens[8];
    akunu_generation result = {.size = sizeof result};
    check(akunu_session_decode(session, &options, tokens, 8, &result));

    akunu_tokenizer *tokenizer;
    char text[1024];
    check(akunu_tokenizer_new(model, &tokenizer));
    check(akunu_tokenizer_decode(tokenizer, tokens, result.tokens, text, sizeof text, NULL));
    printf("%s%s\n", argv[2], text);

    akunu_tokenizer_free(tokenizer);
    akunu_session_free(session);
    akunu_model_free(model);
    return 0;
}
