/* Semantic search: the lines of a file that are nearest in meaning to a question, by an encoder's vectors.
 *
 *     cc search.c $(pkg-config --cflags --libs akunu) -lm -o search
 *     ./search ./all-MiniLM-L6-v2 notes.txt "when does the shop open?"
 */
#include <akunu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 4096, BEST = 3 };

static void check(akunu_status status) {
    if (status != AKUNU_OK) {
        fprintf(stderr, "error: %s\n", akunu_last_error());
        exit(1);
    }
}

int main(int argc, char **argv) {
    static char *lines[LINES];
    static char line[1 << 12];
    size_t n = 0;
    akunu_model *model;
    akunu_embedder *embedder;
    uint32_t width;
    FILE *f = argc == 4 ? fopen(argv[2], "r") : NULL;
    if (!f) {
        fprintf(stderr, "usage: search ENCODER FILE QUESTION\n");
        return 2;
    }
    while (n < LINES - 1 && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && (lines[n] = malloc(strlen(line) + 1))) strcpy(lines[n++], line);
    }
    fclose(f);
    lines[n] = argv[3];

    akunu_embedder_options options;
    check(akunu_embedder_options_init(&options, sizeof options));
    options.truncate = 1;
    check(akunu_model_load(argv[1], NULL, &model));
    check(akunu_embedder_new(model, &options, &embedder));
    check(akunu_embedder_dimensions(embedder, &width));
    float *vectors = malloc((n + 1) * width * sizeof *vectors);
    if (!vectors) return 1;
    check(akunu_embedder_embed(embedder, (const char *const *)lines, n + 1, vectors, (n + 1) * width));

    /* Vectors have length 1, so a product is the cosine of an angle. */
    for (int k = 0; k < BEST; k++) {
        size_t best = n;
        float most = -2;
        for (size_t i = 0; i < n; i++) {
            float product = 0;
            for (uint32_t j = 0; lines[i] && j < width; j++) product += vectors[i * width + j] * vectors[n * width + j];
            if (lines[i] && product > most) most = product, best = i;
        }
        if (best == n) break;
        printf("%.3f %s\n", most, lines[best]);
        free(lines[best]);
        lines[best] = NULL;
    }
    for (size_t i = 0; i < n; i++) free(lines[i]);
    free(vectors);
    akunu_embedder_free(embedder);
    akunu_model_free(model);
    return 0;
}
