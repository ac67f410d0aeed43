/* Makes the calls that it reads and prints their results: the C runner of the contract suite (tests/contract).
 * Lines of `key value` are a case, an empty line ends it; in values \n and \\ are a line end and a backslash. */
#include <akunu.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

typedef struct {
    char *model, *prompt, *messages, *schema, *regex;
    uint32_t context;
    char *audio, *language, *initial_prompt;
    int in_memory, translate, word_timestamps;
    /* Given in memory, only so many bytes; -1 is all. */
    long first_bytes;
    float temperatures[16];
    size_t temperature_count;
    char *stop[8];
    size_t stops;
    uint32_t tokens[MOST];
    size_t token_count;
    int has_tokens;
    int threads;
    uint32_t cancel_after;
    /* Options by name; sampling is filled in when the model is there. */
    char *names[MOST], *values[MOST];
    size_t options;
} test_case;

typedef struct {
    const test_case *c;
    akunu_engine *engine;
    akunu_model *model;
    char *out;
    size_t length, capacity;
} job;

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static void put(job *j, const char *text, size_t n) {
    if (j->length + n + 1 > j->capacity) {
        j->capacity = 2 * (j->length + n + 1);
        if (!(j->out = realloc(j->out, j->capacity))) die("no memory");
    }
    memcpy(j->out + j->length, text, n);
    j->length += n;
    j->out[j->length] = 0;
}

static void puts_(job *j, const char *text) { put(j, text, strlen(text)); }

static void put_escaped(job *j, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n') puts_(j, "\\n");
        else if (text[i] == '\\') puts_(j, "\\\\");
        else put(j, text + i, 1);
    }
}

static int fail(job *j, akunu_status status) {
    char line[64];
    snprintf(line, sizeof line, "error %d\nmessage ", (int)status);
    puts_(j, line);
    put_escaped(j, akunu_last_error(), strlen(akunu_last_error()));
    puts_(j, "\n");
    return 0;
}

static void option(akunu_sampling *s, akunu_generate_options *o, const char *name, const char *value) {
    double d = strtod(value, NULL);
    if (!strcmp(name, "max_tokens")) o->max_tokens = (uint32_t)d;
    else if (!strcmp(name, "seed")) s->seed = strtoull(value, NULL, 10);
    else if (!strcmp(name, "temperature")) s->temperature = (float)d;
    else if (!strcmp(name, "top_k")) s->top_k = (uint32_t)d;
    else if (!strcmp(name, "top_p")) s->top_p = (float)d;
    else if (!strcmp(name, "min_p")) s->min_p = (float)d;
    else if (!strcmp(name, "typical_p")) s->typical_p = (float)d;
    else if (!strcmp(name, "repeat_penalty")) s->repeat_penalty = (float)d;
    else if (!strcmp(name, "presence_penalty")) s->presence_penalty = (float)d;
    else if (!strcmp(name, "frequency_penalty")) s->frequency_penalty = (float)d;
    else if (!strcmp(name, "logprobs")) s->logprobs = (int32_t)d;
    else die(name);
}

/* Reads an answer to its end. */
static int read_answer(job *j, akunu_answer *answer) {
    const uint32_t cancel = j->c->cancel_after;
    uint32_t drawn = 0;
    char number[64];
    job text = {0}, probs = {0};
    puts_(&text, "");
    puts_(&probs, "");
    puts_(j, "tokens");
    akunu_event e;
    akunu_status status;
    memset(&e, 0, sizeof e);
    e.size = sizeof e;
    while ((status = akunu_answer_next(answer, -1, &e)) == AKUNU_OK) {
        if (e.kind == AKUNU_EVENT_TOKEN) {
            if (cancel == 0 || drawn < cancel) {
                snprintf(number, sizeof number, " %u", e.token);
                puts_(j, number);
            }
            if (e.has_logprob) {
                snprintf(number, sizeof number, " %.4f", e.logprob);
                puts_(&probs, number);
                for (uint32_t i = 0; i < e.top_count; i++) {
                    snprintf(number, sizeof number, ",%u:%.4f", e.top_tokens[i], e.top_logprobs[i]);
                    puts_(&probs, number);
                }
            }
            if (++drawn == cancel) akunu_answer_cancel(answer);
        } else if (e.kind == AKUNU_EVENT_TEXT) {
            put_escaped(&text, e.text, e.text_length);
        } else if (e.kind == AKUNU_EVENT_END) {
            snprintf(number, sizeof number, "\nfinish %u\nprompt_tokens %u\n", e.finish, e.prompt_tokens);
            puts_(j, number);
            if (cancel == 0) {
                puts_(j, "text ");
                puts_(j, text.out);
                puts_(j, "\n");
            }
            if (probs.length) {
                puts_(j, "logprobs");
                puts_(j, probs.out);
                puts_(j, "\n");
            }
        }
    }
    free(text.out);
    free(probs.out);
    if (status != AKUNU_DONE) {
        puts_(j, "\n");
        return fail(j, status);
    }
    return 0;
}

static int take_segment(const akunu_segment *s, void *data) {
    job *j = data;
    char number[128];
    snprintf(number, sizeof number, "segment %.3f %.3f %.4f %.4f %.4f %.4f [", s->start, s->end, s->temperature, s->avg_logprob,
             s->compression_ratio, s->no_speech_prob);
    puts_(j, number);
    for (size_t i = 0; i < s->token_count; i++) {
        snprintf(number, sizeof number, i ? ",%u" : "%u", s->tokens[i]);
        puts_(j, number);
    }
    puts_(j, "] ");
    put_escaped(j, s->text, s->text_length);
    puts_(j, "\n");
    for (size_t i = 0; i < s->word_count; i++) {
        const akunu_word *w = s->words[i];
        snprintf(number, sizeof number, "word %.3f %.3f %.4f ", w->start, w->end, w->probability);
        puts_(j, number);
        put_escaped(j, w->text, w->text_length);
        puts_(j, "\n");
    }
    return 0;
}

static akunu_status hear_bytes(const test_case *c, akunu_transcriber *t, job *segments, akunu_transcript *whole) {
    const size_t most = 1 << 20;
    FILE *file = fopen(c->audio, "rb");
    char *bytes = malloc(most);
    if (!file || !bytes) die(c->audio);
    size_t n = fread(bytes, 1, most, file);
    fclose(file);
    if (c->first_bytes >= 0 && (size_t)c->first_bytes < n) n = (size_t)c->first_bytes;
    akunu_status status = akunu_transcriber_bytes(t, bytes, n, take_segment, segments, whole);
    free(bytes);
    return status;
}

/* What is heard in a recording. */
static void hear(job *j) {
    const test_case *c = j->c;
    akunu_transcribe_options options;
    akunu_transcriber *t = NULL;
    akunu_transcript whole;
    job segments = {0};
    char line[96];
    if (akunu_transcribe_options_init(&options, sizeof options)) die(akunu_last_error());
    options.language = c->language;
    options.initial_prompt = c->initial_prompt;
    options.translate = (uint32_t)c->translate;
    options.word_timestamps = (uint32_t)c->word_timestamps;
    options.temperatures = c->temperatures;
    options.temperature_count = c->temperature_count;
    for (size_t i = 0; i < c->options; i++) {
        if (!strcmp(c->names[i], "beams")) options.beams = (uint32_t)strtoul(c->values[i], NULL, 10);
        else if (!strcmp(c->names[i], "batch")) options.batch = (uint32_t)strtoul(c->values[i], NULL, 10);
        else if (!strcmp(c->names[i], "seed")) options.seed = strtoull(c->values[i], NULL, 10);
        else die(c->names[i]);
    }
    memset(&whole, 0, sizeof whole);
    whole.size = sizeof whole;
    akunu_status status = akunu_transcriber_new(j->model, &options, &t);
    if (!status && c->in_memory) status = hear_bytes(c, t, &segments, &whole);
    else if (!status) status = akunu_transcriber_file(t, c->audio, take_segment, &segments, &whole);
    if (status) {
        fail(j, status);
    } else {
        snprintf(line, sizeof line, "language %s\nseconds %.3f\ndamaged %u\nsegments \n", whole.language, whole.seconds, whole.damaged);
        puts_(j, line);
        if (segments.length) put(j, segments.out, segments.length);
    }
    free(segments.out);
    akunu_transcriber_free(t);
}

static void *run(void *data) {
    job *j = data;
    const test_case *c = j->c;
    if (c->audio) {
        hear(j);
        return NULL;
    }
    akunu_sampling sampling;
    akunu_generate_options options;
    akunu_grammar *grammar = NULL;
    akunu_answer *answer = NULL;
    akunu_status status;
    if (akunu_sampling_init(&sampling, sizeof sampling, j->model) || akunu_generate_options_init(&options, sizeof options))
        die(akunu_last_error());
    for (size_t i = 0; i < c->options; i++) option(&sampling, &options, c->names[i], c->values[i]);
    options.sampling = &sampling;
    options.stop = (const char *const *)c->stop;
    options.stop_count = c->stops;
    if (c->schema || c->regex) {
        const uint32_t kind = c->schema ? AKUNU_GRAMMAR_JSON_SCHEMA : AKUNU_GRAMMAR_REGEX;
        status = akunu_grammar_new(j->model, kind, c->schema ? c->schema : c->regex, AKUNU_NUL, &grammar);
        if (status) {
            fail(j, status);
            return NULL;
        }
        sampling.grammar = grammar;
    }
    if (c->messages) status = akunu_engine_submit_chat(j->engine, c->messages, NULL, NULL, &options, &answer);
    else if (c->has_tokens) status = akunu_engine_submit(j->engine, c->tokens, c->token_count, &options, &answer);
    else status = akunu_engine_submit_text(j->engine, c->prompt, AKUNU_NUL, &options, &answer);
    if (status) fail(j, status);
    else read_answer(j, answer);
    akunu_answer_free(answer);
    akunu_grammar_free(grammar);
    return NULL;
}

/* Models by path, loaded once, with an engine each. */
static struct {
    char *path;
    akunu_model *model;
    akunu_engine *engine;
} loaded[4];
static size_t loads;

/* Those of a case; there is no engine without a context, since such a model draws no text. */
static size_t load(const char *path, uint32_t context) {
    for (size_t i = 0; i < loads; i++)
        if (!strcmp(loaded[i].path, path)) return i;
    akunu_load_options o;
    if (loads == 4 || akunu_load_options_init(&o, sizeof o)) die("load");
    o.context = context;
    loaded[loads].path = strdup(path);
    if (akunu_model_load(path, &o, &loaded[loads].model)) die(akunu_last_error());
    if (!context) return loads++;
    akunu_engine_options eo;
    if (akunu_engine_options_init(&eo, sizeof eo)) die(akunu_last_error());
    eo.deterministic = 1;
    if (akunu_engine_new(loaded[loads].model, &eo, &loaded[loads].engine)) die(akunu_last_error());
    return loads++;
}

static void finish(test_case *c) {
    size_t at = load(c->model, c->context);
    pthread_t threads[16];
    job jobs[16];
    int n = c->threads ? c->threads : 1;
    if (n > 16) die("threads");
    for (int i = 0; i < n; i++) {
        jobs[i] = (job){c, loaded[at].engine, loaded[at].model, NULL, 0, 0};
        if (pthread_create(&threads[i], NULL, run, &jobs[i])) die("pthread_create");
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        if (i > 0 && strcmp(jobs[0].out, jobs[i].out)) printf("differs %d\n", i);
    }
    fputs(jobs[0].out, stdout);
    puts("");
    for (int i = 0; i < n; i++) free(jobs[i].out);
    for (size_t i = 0; i < c->options; i++) free(c->names[i]), free(c->values[i]);
    for (size_t i = 0; i < c->stops; i++) free(c->stop[i]);
    free(c->model), free(c->prompt), free(c->messages), free(c->schema), free(c->regex);
    free(c->audio), free(c->language), free(c->initial_prompt);
    *c = (test_case){.first_bytes = -1};
}

static void take(test_case *c, const char *key, char *value) {
    char *to = value;
    for (char *from = value; *from; from++)
        *to++ = *from != '\\' ? *from : *++from == 'n' ? '\n' : '\\';
    *to = 0;
    char *copy = strdup(value);
    if (!strcmp(key, "model")) c->model = copy;
    else if (!strcmp(key, "prompt")) c->prompt = copy;
    else if (!strcmp(key, "messages")) c->messages = copy;
    else if (!strcmp(key, "schema")) c->schema = copy;
    else if (!strcmp(key, "regex")) c->regex = copy;
    else if (!strcmp(key, "audio")) c->audio = copy;
    else if (!strcmp(key, "language")) c->language = copy;
    else if (!strcmp(key, "initial_prompt")) c->initial_prompt = copy;
    else if (!strcmp(key, "in_memory")) c->in_memory = 1, free(copy);
    else if (!strcmp(key, "translate")) c->translate = 1, free(copy);
    else if (!strcmp(key, "word_timestamps")) c->word_timestamps = 1, free(copy);
    else if (!strcmp(key, "first_bytes")) c->in_memory = 1, c->first_bytes = atol(copy), free(copy);
    else if (!strcmp(key, "context")) c->context = (uint32_t)atoi(copy), free(copy);
    else if (!strcmp(key, "stop") && c->stops < 8) c->stop[c->stops++] = copy;
    else if (!strcmp(key, "threads")) c->threads = atoi(copy), free(copy);
    else if (!strcmp(key, "cancel_after")) c->cancel_after = (uint32_t)atoi(copy), free(copy);
    else if (!strcmp(key, "tokens")) {
        c->has_tokens = 1;
        for (char *t = strtok(copy, " "); t && c->token_count < MOST; t = strtok(NULL, " "))
            c->tokens[c->token_count++] = (uint32_t)strtoul(t, NULL, 10);
        free(copy);
    } else if (!strcmp(key, "temperatures")) {
        for (char *t = strtok(copy, " "); t && c->temperature_count < 16; t = strtok(NULL, " "))
            c->temperatures[c->temperature_count++] = strtof(t, NULL);
        free(copy);
    } else if (c->options < MOST) {
        c->names[c->options] = strdup(key);
        c->values[c->options++] = copy;
    }
}

int main(void) {
    static char line[1 << 16];
    test_case c = {.first_bytes = -1};
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *value = strchr(line, ' ');
        if (!value) finish(&c);
        else {
            *value = 0;
            take(&c, line, value + 1);
        }
    }
    for (size_t i = 0; i < loads; i++) {
        akunu_engine_free(loaded[i].engine);
        akunu_model_free(loaded[i].model);
        free(loaded[i].path);
    }
    return 0;
}
