/* akunu: language models in your own process. Made by crates/capi/tests/header.rs; do not edit.
 *
 * Every function that can fail returns an akunu_status: AKUNU_OK, or a code whose message, with what to do
 * about it, is akunu_last_error() until the next call on that thread. No function exits the process.
 *
 * Handles (akunu_model *, ...) are numbers and no addresses: one that was freed, or never was one, is
 * AKUNU_ERROR_HANDLE, never undefined behaviour. Each must be freed once; freeing NULL does nothing. What
 * a handle needs stays alive until it is freed: a model may be freed before its sessions.
 *
 * All functions may be called from any thread. A session, an answer, a transcriber and a profile serve one call at a time (another is
 * AKUNU_ERROR_BUSY), except for *_cancel and *_free.
 *
 * Text is UTF-8. A length of AKUNU_NUL says that it ends at its first NUL. Structs with a `size` are filled in by the
 * function `*_init` of their name, and then changed; a program that was built with a smaller struct goes on working.
 *
 * Callbacks run on the thread that is named there. They must return: a longjmp over the library's frames is undefined, an
 * exception that leaves one ends the process (catch it, keep it, return 1, and throw it again after the call).
 */

#ifndef AKUNU_H
#define AKUNU_H

#include <stddef.h>
#include <stdint.h>

// The length of a text that ends at its first NUL.
#define AKUNU_NUL ((size_t)-1)

// It has worked.
#define AKUNU_OK 0

// An argument or option that means nothing, or that this model or device does not know.
#define AKUNU_ERROR_ARGUMENT 1

// A handle that was freed, or never was one of this kind.
#define AKUNU_ERROR_HANDLE 2

// Another thread uses it now, or a callback of its own call does.
#define AKUNU_ERROR_BUSY 3

// A model's file that is not there, cannot be fetched, is broken, or is of a kind that is not supported.
#define AKUNU_ERROR_MODEL 4

// The device, or its driver.
#define AKUNU_ERROR_DEVICE 5

// Not enough memory, or no room in the KV cache.
#define AKUNU_ERROR_MEMORY 6

// More tokens than the context holds.
#define AKUNU_ERROR_CONTEXT_FULL 7

// Too many requests wait.
#define AKUNU_ERROR_QUEUE_FULL 8

// The engine has ended.
#define AKUNU_ERROR_STOPPED 9

// The output cannot follow the grammar.
#define AKUNU_ERROR_GRAMMAR 10

// The model's output is not a number.
#define AKUNU_ERROR_NOT_FINITE 11

// A cancel ended it.
#define AKUNU_ERROR_CANCELLED 12

// A session's file.
#define AKUNU_ERROR_SESSION_FILE 13

// A buffer that is too small; the size that it needs was written.
#define AKUNU_ERROR_BUFFER 14

// The handle is from before a fork; load anew in the child, or load after forking.
#define AKUNU_ERROR_FORKED 15

// A bug in the library; please report the message.
#define AKUNU_ERROR_PANIC 16

// Nothing comes any more.
#define AKUNU_DONE 100

// Nothing has come in that time.
#define AKUNU_TIMED_OUT 101

// The number of the interface that this header describes.
#define AKUNU_ABI_VERSION 1

// A note that most people want to see.
#define AKUNU_LOG_INFO 1

// Something that is probably not as it should be.
#define AKUNU_LOG_WARN 2

// Written at load, then only read.
#define AKUNU_REGION_WEIGHTS 0

// Lives as long as a session.
#define AKUNU_REGION_PERSISTENT 1

// Has no meaning between steps.
#define AKUNU_REGION_SCRATCH 2

// Written by the host while the device runs.
#define AKUNU_REGION_MAILBOX 3

// Lives as long as a session, and is filled little by little: keys and values.
#define AKUNU_REGION_CACHE 4

// Names of control tokens in the text are those tokens (`<|im_end|>`).
#define AKUNU_ENCODE_SPECIAL 1

// The beginning-of-sequence token comes first, where the model wants one.
#define AKUNU_ENCODE_BOS 2

// A JSON schema; `{}` is any JSON.
#define AKUNU_GRAMMAR_JSON_SCHEMA 1

// A regular expression that the whole text matches.
#define AKUNU_GRAMMAR_REGEX 2

// llama.cpp's GBNF.
#define AKUNU_GRAMMAR_GBNF 3

// llguidance's variant of Lark.
#define AKUNU_GRAMMAR_LARK 4

// Generation ends with `AKUNU_FINISH_CONTEXT_FULL` where the context is full.
#define AKUNU_OVERFLOW_END 0

// Tokens are dropped, the rest moves down in the KV cache, and generation goes on.
#define AKUNU_OVERFLOW_SHIFT 1

// No thoughts at all, in `reasoning_budget`.
#define AKUNU_NO_THOUGHTS UINT32_MAX

// The model ended its answer.
#define AKUNU_FINISH_EOS 1

// The token limit.
#define AKUNU_FINISH_LENGTH 2

// A stop string.
#define AKUNU_FINISH_STOP_STRING 3

// A callback asked for it, or a cancel.
#define AKUNU_FINISH_CANCELLED 4

// The context is full.
#define AKUNU_FINISH_CONTEXT_FULL 5

// No logit was finite.
#define AKUNU_FINISH_NOT_FINITE 6

// The grammar went beyond its limits in the middle of the text.
#define AKUNU_FINISH_STUCK 7

// The request runs; `reused_tokens` of its prompt were found in the KV cache.
#define AKUNU_EVENT_STARTED 1

// A token was drawn: `token`, and its log-probabilities where they were asked for. What of its text is final comes after it.
#define AKUNU_EVENT_TOKEN 2

// Text that is final: whole characters that no stop string can swallow any more.
#define AKUNU_EVENT_TEXT 3

// Thoughts before the answer, of a conversation.
#define AKUNU_EVENT_THOUGHT 4

// A tool is to be called: `name`, and in `text` its arguments, a JSON object.
#define AKUNU_EVENT_CALL 5

// The last event: `finish`, and counts and times.
#define AKUNU_EVENT_END 6

// The answer to one request.
typedef struct akunu_answer akunu_answer;

// Makes vectors of texts, for one thread at a time; others wait.
typedef struct akunu_embedder akunu_embedder;

// Runs any number of requests at once, on a thread of its own.
typedef struct akunu_engine akunu_engine;

// A compiled grammar, for any number of texts of one model.
typedef struct akunu_grammar akunu_grammar;

// A loaded model: weights on a device, and a tokenizer.
typedef struct akunu_model akunu_model;

// A measured step.
typedef struct akunu_profile akunu_profile;

// One sequence: tokens and a KV cache. Draws what comes after its tokens, again and again.
typedef struct akunu_session akunu_session;

// A model's tokenizer.
typedef struct akunu_tokenizer akunu_tokenizer;

// Makes text of audio, for one call at a time.
typedef struct akunu_transcriber akunu_transcriber;

// What a function returns: `AKUNU_OK`, an error, or one of the two codes that are none (`AKUNU_DONE`, `AKUNU_TIMED_OUT`).
typedef int32_t akunu_status;

// Takes a line, which is valid until it returns. Called from any thread, several at a time, that makes a call of the library, which it must not call itself.
typedef void (*akunu_log_fn)(uint32_t level, const char *message, void *user_data);

// Told how far loading has come, in bytes; `total` is 0 where it is not known. Anything but 0 ends the loading with
// `AKUNU_ERROR_CANCELLED` before its next step. On the thread that loads.
typedef int32_t (*akunu_progress_fn)(uint64_t done, uint64_t total, void *user_data);

// How to load. All zero but for the size is the default.
typedef struct akunu_load_options {
  // Bytes of this struct.
  size_t size;
  // `auto`, `cpu`, `cuda`, `cuda:1`, `vulkan`, …; NULL is `auto`.
  const char *device;
  // Context length in tokens; 0 is the smaller of what the model was trained for and what fits.
  uint32_t context;
  // Worker threads on the CPU; 0 is what the system grants.
  uint32_t threads;
  // Format of the keys in the KV cache: `f16`, `bf16`, `q8_0`, `f32` (CPU); NULL is the device's own.
  const char *cache_type_k;
  // The same of the values.
  const char *cache_type_v;
  // 1 leaves weights in their file, for models that are larger than the memory (CPU).
  uint32_t weights_in_file;
  // Rows of logits that are computed at once where logits of a text are asked for; 0 is 1.
  uint32_t logits_rows;
  // Told of progress; may be NULL.
  akunu_progress_fn progress;
  // Handed to it.
  void *user_data;
} akunu_load_options;

// What a model is.
typedef struct akunu_model_info {
  // Bytes of this struct.
  size_t size;
  // The architecture (`llama`), valid until the model is freed.
  const char *architecture;
  // The device, one line for people, valid until the model is freed.
  const char *device;
  // The most tokens of a sequence.
  uint32_t context;
  // Tokens of the vocabulary, which is also the number of logits.
  uint32_t vocabulary;
  // Layers.
  uint32_t layers;
  // Width of the residual stream, and of an encoder's vectors.
  uint32_t width;
  // 1 where the model makes vectors of texts and draws no tokens.
  uint32_t is_encoder;
  // 1 where it has a chat template that can be used.
  uint32_t has_chat_template;
} akunu_model_info;

// What a model takes in memory, in bytes.
typedef struct akunu_memory {
  // Bytes of this struct.
  size_t size;
  // The weights, once for all that runs the model.
  uint64_t weights;
  // Keys and values of one session.
  uint64_t session_cache;
  // Everything else of one session.
  uint64_t session_other;
  // What the device has free now; 0 where that is not known.
  uint64_t device_free;
  // What the device has in all; 0 where that is not known.
  uint64_t device_total;
} akunu_memory;

// One buffer of a model, or of a session.
typedef struct akunu_region {
  // Bytes of this struct.
  size_t size;
  // Bytes of the buffer.
  uint64_t bytes;
  // `AKUNU_REGION_*`.
  uint32_t kind;
  // Its name (`k_cache`), with a NUL at its end.
  char name[32];
} akunu_region;

// Added to a token's logit; minus infinity bans the token.
typedef struct akunu_logit_bias {
  // The token.
  uint32_t token;
  // What is added.
  float bias;
} akunu_logit_bias;

// How a token is drawn: llama.cpp's samplers, with its names. Fill it in with `akunu_sampling_init`, then change fields.
typedef struct akunu_sampling {
  // Bytes of this struct.
  size_t size;
  // The draw is a function of seed, position and token.
  uint64_t seed;
  // Softmax temperature; 0 takes the likeliest token.
  float temperature;
  // Keep so many of the likeliest tokens; 0 keeps all.
  uint32_t top_k;
  // Keep the likeliest tokens up to this share of probability; 1 keeps all.
  float top_p;
  // Keep tokens with at least this share of the best one's probability; 0 keeps all.
  float min_p;
  // Keep the tokens of most typical surprise up to this share; 1 keeps all.
  float typical_p;
  // Keep logits within so many standard deviations of the best; 0 or less keeps all.
  float top_n_sigma;
  // In this share of draws, drop all tokens above `xtc_threshold` but the least likely of them.
  float xtc_probability;
  // That probability; above 0.5 nothing is dropped.
  float xtc_threshold;
  // Divides positive logits of tokens among the last ones, and multiplies others; 1 is off.
  float repeat_penalty;
  // Tokens that penalties look back on, at most 4096; -1 is as many as there may be.
  int32_t repeat_last_n;
  // Taken from the logit of a token among the last ones; 0 is off.
  float presence_penalty;
  // Taken from it for each time that it is there; 0 is off.
  float frequency_penalty;
  // DRY: what a repetition of `dry_allowed_length` tokens costs; 0 is off.
  float dry_multiplier;
  // DRY: by how much more each further token costs.
  float dry_base;
  // DRY: the shortest repetition that costs something.
  uint32_t dry_allowed_length;
  // DRY: tokens that it looks back on, at most 4096; -1 is as many as there may be.
  int32_t dry_penalty_last_n;
  // Mirostat of this version, 2, in the place of all samplers but the temperature; 0 is off.
  uint32_t mirostat;
  // The surprise that it aims at, in bits.
  float mirostat_tau;
  // How fast its bound follows.
  float mirostat_eta;
  // Log-probabilities with each token: -1 none, 0 the token's own, else those of so many of the likeliest too, at most 20.
  int32_t logprobs;
  // Biases, each token once, at most 1024; may be NULL.
  const struct akunu_logit_bias *logit_bias;
  // How many.
  size_t logit_bias_count;
  // The samplers that take part, in their order, with `;` between them; NULL is all in llama.cpp's order.
  const char *samplers;
  // What the text must follow; NULL is nothing. The call takes what it needs of it.
  const struct akunu_grammar *grammar;
} akunu_sampling;

// How to generate. All zero but for the size is the default: to the end of the answer or of the context, as the model's author recommends.
typedef struct akunu_generate_options {
  // Bytes of this struct.
  size_t size;
  // The most tokens to draw; 0 is no limit.
  uint32_t max_tokens;
  // 1 takes end-of-sequence tokens for tokens like any other.
  uint32_t ignore_eos;
  // How to draw; NULL is as the model's author recommends.
  const struct akunu_sampling *sampling;
  // Strings that end the text and are not part of it; may be NULL.
  const char *const *stop;
  // How many, at most 64.
  size_t stop_count;
  // What happens where the context is full: `AKUNU_OVERFLOW_*`.
  uint32_t overflow;
  // With `AKUNU_OVERFLOW_SHIFT`: tokens at the beginning that stay.
  uint32_t keep;
  // Tokens of thoughts before the answer, at most; 0 is as many as the model likes, `AKUNU_NO_THOUGHTS` none.
  uint32_t reasoning_budget;
  // Of an engine: higher goes first.
  int32_t priority;
} akunu_generate_options;

// One command of a measured step. Texts are valid until the profile is freed.
typedef struct akunu_profile_row {
  // Bytes of this struct.
  size_t size;
  // Which command: `layers.3.attention.qkv`.
  const char *label;
  // What it is a part of in every layer: `attention.qkv`.
  const char *group;
  // The kernel.
  const char *kernel;
  // Median seconds.
  double seconds;
  // The least bytes that it must read and write.
  uint64_t bytes;
  // The least operations.
  uint64_t flops;
} akunu_profile_row;

// How a session works. All zero but for the size is the default.
typedef struct akunu_session_options {
  // Bytes of this struct.
  size_t size;
  // The most tokens that a step drafts by look-up in the session's own text, where that is faster; the text is the same. 0 is none,
  // and 7 is usual. Such a session gives no logits of a text.
  uint32_t draft_tokens;
  // Must be 0.
  uint32_t reserved;
} akunu_session_options;

// A drawn token. All pointers are valid until the callback returns.
typedef struct akunu_token {
  // Bytes of this struct.
  size_t size;
  // Its id.
  uint32_t token;
  // How many of the likeliest tokens come with it.
  uint32_t top_count;
  // Text that is final now, without a NUL at the end: whole characters that no stop string can swallow any more; often empty. Text that
  // was held back when a generation ends comes in one more call with the last token's id.
  const char *text;
  // Bytes of it.
  size_t text_length;
  // Its log-probability, where the sampling asks for it, else 0.
  float logprob;
  // 1 where that was asked for.
  uint32_t has_logprob;
  // The likeliest tokens, best first.
  const uint32_t *top_tokens;
  // Their log-probabilities.
  const float *top_logprobs;
} akunu_token;

// Takes a token as it is drawn; anything but 0 ends the generation after it. On the thread that generates. It may use other handles, and
// of this session's functions `akunu_session_cancel`.
typedef int32_t (*akunu_token_fn)(const struct akunu_token *token, void *user_data);

// How a generation has gone.
typedef struct akunu_generation {
  // Bytes of this struct.
  size_t size;
  // Why it ended: `AKUNU_FINISH_*`.
  uint32_t finish;
  // Tokens drawn.
  uint32_t tokens;
  // Tokens that were run before the first draw.
  uint32_t prompt_tokens;
  // How often the context was full and room was made.
  uint32_t shifts;
  // Seconds until the first token.
  double prompt_seconds;
  // Seconds from there on.
  double decode_seconds;
  // Tokens that were drafted and verified.
  uint64_t drafted;
  // Those of them that were drawn.
  uint64_t accepted;
} akunu_generation;

// Something that has happened to an answer. Pointers are valid until the next `akunu_answer_next` or `akunu_answer_free` of this answer.
typedef struct akunu_event {
  // Bytes of this struct.
  size_t size;
  // What: `AKUNU_EVENT_*`. A program should pass over those that it does not know.
  uint32_t kind;
  // The token.
  uint32_t token;
  // The text, without a NUL at its end.
  const char *text;
  // Bytes of it.
  size_t text_length;
  // The name of the tool, without a NUL at its end.
  const char *name;
  // Bytes of it.
  size_t name_length;
  // The token's log-probability.
  float logprob;
  // 1 where that was asked for.
  uint32_t has_logprob;
  // The likeliest tokens in its place, best first.
  const uint32_t *top_tokens;
  // Their log-probabilities.
  const float *top_logprobs;
  // How many.
  uint32_t top_count;
  // Why it ended: `AKUNU_FINISH_*`.
  uint32_t finish;
  // Tokens of the prompt.
  uint32_t prompt_tokens;
  // Those of them that were found in the KV cache.
  uint32_t reused_tokens;
  // Tokens drawn.
  uint32_t tokens;
  // Nothing.
  uint32_t reserved;
  // Seconds until it first ran.
  double queue_seconds;
  // From then to the first token.
  double prompt_seconds;
  // From there to its end.
  double decode_seconds;
} akunu_event;

// How an engine works. All zero but for the size is the default.
typedef struct akunu_engine_options {
  // Bytes of this struct.
  size_t size;
  // Tokens that the KV cache holds, of all sequences together; 0 is one context and a little on the CPU, most of the memory on a GPU.
  uint64_t cache_tokens;
  // The most requests that run at a time; 0 is 16 on the CPU, 256 on GPUs, or fewer where these do not fit.
  uint32_t sequences;
  // The most requests that wait; 0 is 4096.
  uint32_t queue;
  // 1 makes a request's tokens independent of what else runs; a single request is slower then.
  uint32_t deterministic;
  // The most tokens that a step drafts by look-up while few requests run; 0 is none, 7 is usual.
  uint32_t draft_tokens;
} akunu_engine_options;

// What an engine does now, and has done.
typedef struct akunu_engine_status {
  // Bytes of this struct.
  size_t size;
  // Requests that run.
  uint32_t running;
  // Requests that wait.
  uint32_t waiting;
  // Tokens of prompts that were computed.
  uint64_t prompt_tokens;
  // Tokens of prompts that were found in the KV cache.
  uint64_t reused_tokens;
  // Tokens drawn.
  uint64_t drawn_tokens;
  // Tokens drafted and verified.
  uint64_t drafted_tokens;
  // Those of them that were drawn.
  uint64_t accepted_tokens;
} akunu_engine_status;

// How texts become vectors. All zero but for the size is the default.
typedef struct akunu_embedder_options {
  // Bytes of this struct.
  size_t size;
  // The first so many values of each vector, for models that were trained for that; 0 is all.
  uint32_t dimensions;
  // 1 cuts a text that is longer than the model reads, 0 refuses it.
  uint32_t truncate;
  // The name of the model's prompt that comes before every text; NULL is the model's own.
  const char *prompt;
} akunu_embedder_options;

// How audio becomes text. All zero but for the size is the default.
typedef struct akunu_transcribe_options {
  // Bytes of this struct.
  size_t size;
  // Two or three letters, as `en`; NULL asks the model, which hears the beginning for it.
  const char *language;
  // Text that stands before the first window: names, spelling, style; may be NULL.
  const char *initial_prompt;
  // Temperatures that are tried in turn until a window of 30 seconds went well; NULL is 0, 0.2 and so on to 1.
  const float *temperatures;
  // How many, at most 16.
  size_t temperature_count;
  // 1 makes an English text, whatever is spoken.
  uint32_t translate;
  // 1 decodes each window without the text before it.
  uint32_t no_context;
  // Texts that are followed beside each other at temperature 0; 0 and 1 are greedy.
  uint32_t beams;
  // 1 says of each word when it is spoken (`akunu_segment.words`); the text stays as it is.
  uint32_t word_timestamps;
  // Seed of the draws above temperature 0.
  uint64_t seed;
  // Pieces of a file that are heard at once, at most 128: it is cut in pauses first, into pieces of 30 seconds at most, of which each stands
  // for itself. 0 hears window after window, each from where the speech of the last one ended.
  uint32_t batch;
  // 0.
  uint32_t reserved;
} akunu_transcribe_options;

// A word and when it is spoken.
typedef struct akunu_word {
  // Bytes of this struct.
  size_t size;
  // Where it begins, in seconds.
  double start;
  // Where it ends.
  double end;
  // The word with the marks around it, as a rule with a space before it, without a NUL at the end.
  const char *text;
  // Bytes of it.
  size_t text_length;
  // How sure the model was: the mean of the probabilities of its tokens as they were drawn. Marks around the word do not count.
  float probability;
} akunu_word;

// A stretch of speech and its text. All pointers are valid until the callback returns.
typedef struct akunu_segment {
  // Bytes of this struct.
  size_t size;
  // Where it begins, in seconds.
  double start;
  // Where it ends.
  double end;
  // Its text, as a rule with a space before it, without a NUL at the end.
  const char *text;
  // Bytes of it.
  size_t text_length;
  // Its tokens, those of time among them.
  const uint32_t *tokens;
  // How many.
  size_t token_count;
  // The temperature that its window was decoded at.
  float temperature;
  // Mean log-probability of the window's tokens.
  float avg_logprob;
  // How much gzip shrinks the window's text.
  float compression_ratio;
  // Probability that nobody speaks in the window.
  float no_speech_prob;
  // Where each of its words is, in time; NULL where there are none, or `akunu_transcribe_options.word_timestamps` was 0. Their texts joined are
  // the segment's, which begins and ends with them.
  const struct akunu_word *const *words;
  // How many.
  size_t word_count;
} akunu_segment;

// Takes a segment that is complete; anything but 0 ends the transcription after it. On the thread that transcribes. It may use other
// handles, and of this transcriber's functions `akunu_transcriber_cancel`.
typedef int32_t (*akunu_segment_fn)(const struct akunu_segment *segment, void *user_data);

// How a transcription has gone.
typedef struct akunu_transcript {
  // Bytes of this struct.
  size_t size;
  // Seconds of audio that were heard.
  double seconds;
  // Segments.
  uint64_t segments;
  // The language, as two or three letters and a NUL; empty where nothing was heard.
  char language[8];
  // 1 where it ended before the audio: a callback asked for it, or a cancel.
  uint32_t cancelled;
  // 1 where not all of the audio could be decoded; a warning (`akunu_set_log`) says what.
  uint32_t damaged;
} akunu_transcript;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The code of the last error on this thread; `AKUNU_OK` before the first one.
akunu_status akunu_last_error_code(void);

// The message of the last error on this thread: what, where and what to do next, in one line; empty before the first one. Valid until
// the next call on this thread that fails.
const char *akunu_last_error(void);

// The number of this interface. A program that was built with the same number, or a smaller one, works with this library.
uint32_t akunu_abi_version(void);

// The library's version, `0.1.0`.
const char *akunu_version(void);

// Sends notes to a function from now on; NULL drops them, as at the beginning. When it returns, the function before is not running
// any more and will not be called again, so it must not be called from within one.
akunu_status akunu_set_log(akunu_log_fn function,
                           void *user_data);

// Fills in the defaults. `size` is `sizeof(akunu_load_options)`.
akunu_status akunu_load_options_init(struct akunu_load_options *options, size_t size);

// Loads a model: a GGUF file, a directory of safetensors files, an alias (`smollm2`), `hf:owner/repo[:file]`, which is downloaded unless
// it was before, or `synthetic:SHAPE:DTYPE` (`synthetic:tiny-llama:q8_0`), random weights without a tokenizer. `options` may be NULL.
akunu_status akunu_model_load(const char *name,
                              const struct akunu_load_options *options,
                              struct akunu_model **model);

// Frees a model. Sessions, engines and whatever else was made of it go on working and keep its weights until they are freed.
void akunu_model_free(struct akunu_model *model);

// What the model is. Set `info->size` to `sizeof(akunu_model_info)` before.
akunu_status akunu_model_get_info(const struct akunu_model *model, struct akunu_model_info *info);

// What the model takes in memory. Set `memory->size` to `sizeof(akunu_memory)` before.
akunu_status akunu_model_get_memory(const struct akunu_model *model, struct akunu_memory *memory);

// The buffer with that number, from 0 on; `AKUNU_DONE` after the last one. Set `region->size` to `sizeof(akunu_region)` before.
akunu_status akunu_model_get_region(const struct akunu_model *model,
                                    size_t index,
                                    struct akunu_region *region);

// Writes a conversation as the model's chat template does, the beginning of the answer after it. `messages` is JSON, a list of objects with
// `role` and `content`; `tools` is a list of functions as OpenAI writes them, or NULL. Writes at most `capacity` bytes with a NUL at the end;
// `*length` is what there are without it (may be NULL).
akunu_status akunu_model_render_chat(const struct akunu_model *model,
                                     const char *messages,
                                     const char *tools,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *length);

// The tokenizer of a model of that name (`akunu_model_load`), without its weights.
akunu_status akunu_tokenizer_load(const char *name, struct akunu_tokenizer **tokenizer);

// The tokenizer of a loaded model.
akunu_status akunu_tokenizer_new(const struct akunu_model *model,
                                 struct akunu_tokenizer **tokenizer);

// Frees a tokenizer.
void akunu_tokenizer_free(struct akunu_tokenizer *tokenizer);

// The tokens of a text. `flags` is a sum of `AKUNU_ENCODE_*`; prompts of one's own want both. Writes them if they are at most `capacity`;
// `*count` is how many there are (may be NULL).
akunu_status akunu_tokenizer_encode(const struct akunu_tokenizer *tokenizer,
                                    const char *text,
                                    size_t length,
                                    uint32_t flags,
                                    uint32_t *tokens,
                                    size_t capacity,
                                    size_t *count);

// The text of tokens; control tokens have none. Writes at most `capacity` bytes with a NUL at the end; `*length` is what there are without
// it (may be NULL).
akunu_status akunu_tokenizer_decode(const struct akunu_tokenizer *tokenizer,
                                    const uint32_t *tokens,
                                    size_t count,
                                    char *buffer,
                                    size_t capacity,
                                    size_t *length);

// The tokens that end an answer. Writes them if they are at most `capacity`; `*count` is how many there are (may be NULL).
akunu_status akunu_tokenizer_eos(const struct akunu_tokenizer *tokenizer,
                                 uint32_t *tokens,
                                 size_t capacity,
                                 size_t *count);

// Compiles a grammar of a kind (`AKUNU_GRAMMAR_*`).
akunu_status akunu_grammar_new(const struct akunu_model *model,
                               uint32_t kind,
                               const char *source,
                               size_t length,
                               struct akunu_grammar **grammar);

// Frees a grammar. Texts under way go on following it.
void akunu_grammar_free(struct akunu_grammar *grammar);

// Fills in what the model's author recommends, or llama.cpp's defaults where `model` is NULL. The seed is 0: the same text each time.
// `size` is `sizeof(akunu_sampling)`.
akunu_status akunu_sampling_init(struct akunu_sampling *sampling,
                                 size_t size,
                                 const struct akunu_model *model);

// Fills in the defaults. `size` is `sizeof(akunu_generate_options)`.
akunu_status akunu_generate_options_init(struct akunu_generate_options *options, size_t size);

// The command with that number, from 0 on; `AKUNU_DONE` after the last one. Set `row->size` to `sizeof(akunu_profile_row)` before.
akunu_status akunu_profile_get_row(const struct akunu_profile *profile,
                                   size_t index,
                                   struct akunu_profile_row *row);

// Median seconds of the whole step as it runs, without clocks between its commands; 0 for a handle that is none.
double akunu_profile_step_seconds(const struct akunu_profile *profile);

// Frees a profile.
void akunu_profile_free(struct akunu_profile *profile);

// Fills in the defaults. `size` is `sizeof(akunu_session_options)`.
akunu_status akunu_session_options_init(struct akunu_session_options *options, size_t size);

// A session with memory of its own (`akunu_model_get_memory`). `options` may be NULL.
akunu_status akunu_session_new(const struct akunu_model *model,
                               const struct akunu_session_options *options,
                               struct akunu_session **session);

// Frees a session. What another thread runs in it is cancelled.
void akunu_session_free(struct akunu_session *session);

// Ends what runs in the session, or what runs next where nothing does, as if its callback had asked for that. From any thread.
akunu_status akunu_session_cancel(const struct akunu_session *session);

// Appends tokens. Nothing runs before the next `akunu_session_decode` or `akunu_session_generate`.
akunu_status akunu_session_append(const struct akunu_session *session,
                                  const uint32_t *tokens,
                                  size_t count);

// Appends a text, with the model's own rule for a beginning-of-sequence token where the session is empty. Names of control tokens in it
// are those tokens.
akunu_status akunu_session_append_text(const struct akunu_session *session,
                                       const char *text,
                                       size_t length);

// Draws what comes after the session's tokens, as text, and calls `on_token` (may be NULL) with each. What is pending is run first.
// However it ends, the session stands at the last drawn token, and a next call goes on from there. `options` and `result` may be NULL.
akunu_status akunu_session_generate(const struct akunu_session *session,
                                    const struct akunu_generate_options *options,
                                    akunu_token_fn on_token,
                                    void *user_data,
                                    struct akunu_generation *result);

// Draws at most `capacity` tokens and writes them. As `akunu_session_generate`, but without text, so without stop strings, bounded thoughts
// and `AKUNU_OVERFLOW_SHIFT`; a model without a tokenizer can do it. `result` may be NULL.
akunu_status akunu_session_decode(const struct akunu_session *session,
                                  const struct akunu_generate_options *options,
                                  uint32_t *tokens,
                                  size_t capacity,
                                  struct akunu_generation *result);

// Runs all pending tokens but the last. Useful where the prompt is known before the question.
akunu_status akunu_session_prefill(const struct akunu_session *session);

// The session's tokens. Writes them if they are at most `capacity`; `*count` is how many there are (may be NULL).
akunu_status akunu_session_tokens(const struct akunu_session *session,
                                  uint32_t *tokens,
                                  size_t capacity,
                                  size_t *count);

// Drops all tokens from that position on.
akunu_status akunu_session_rewind(const struct akunu_session *session, uint32_t position);

// Drops `count` tokens after the first `keep`, and moves the rest down with their keys rotated to their new positions.
akunu_status akunu_session_shift(const struct akunu_session *session,
                                 uint32_t keep,
                                 uint32_t count);

// The logits of what comes after the session's tokens, one for each token of the vocabulary. What is pending is run. Writes them if they are
// at most `capacity`; `*count` is how many there are (may be NULL).
akunu_status akunu_session_logits(const struct akunu_session *session,
                                  float *logits,
                                  size_t capacity,
                                  size_t *count);

// Saves the session's tokens and what was computed of them into a file.
akunu_status akunu_session_save(const struct akunu_session *session, const char *path);

// Takes the place of what the session has with what a file has, which was saved by a session of the same model.
akunu_status akunu_session_load(const struct akunu_session *session,
                                const char *path);

// Measures a step of `rows` tokens that ends at position `position`, command by command, `repeats` times. The session is emptied.
akunu_status akunu_session_profile(const struct akunu_session *session,
                                   uint32_t rows,
                                   uint32_t position,
                                   uint32_t repeats,
                                   struct akunu_profile **profile);

// Waits for the next event, `timeout_ms` milliseconds at most, or for as long as it takes where that is negative. `AKUNU_TIMED_OUT` where
// nothing has come, `AKUNU_DONE` after the last event; an error where the request has failed, and `AKUNU_DONE` after that. Set
// `event->size` to `sizeof(akunu_event)` before.
akunu_status akunu_answer_next(const struct akunu_answer *answer,
                               int64_t timeout_ms,
                               struct akunu_event *event);

// Ends the request after the step under way, from any thread. Its last event, with `AKUNU_FINISH_CANCELLED`, still comes.
akunu_status akunu_answer_cancel(const struct akunu_answer *answer);

// Frees an answer; a request under way is cancelled.
void akunu_answer_free(struct akunu_answer *answer);

// Fills in the defaults. `size` is `sizeof(akunu_engine_options)`.
akunu_status akunu_engine_options_init(struct akunu_engine_options *options, size_t size);

// An engine with memory of its own. `options` may be NULL.
akunu_status akunu_engine_new(const struct akunu_model *model,
                              const struct akunu_engine_options *options,
                              struct akunu_engine **engine);

// Frees an engine. Answers under way end with `AKUNU_ERROR_STOPPED`, or as cancelled.
void akunu_engine_free(struct akunu_engine *engine);

// Submits a request that goes on from these tokens. `options` may be NULL.
akunu_status akunu_engine_submit(const struct akunu_engine *engine,
                                 const uint32_t *tokens,
                                 size_t count,
                                 const struct akunu_generate_options *options,
                                 struct akunu_answer **answer);

// Submits a request that goes on from this text: a plain continuation. `options` may be NULL.
akunu_status akunu_engine_submit_text(const struct akunu_engine *engine,
                                      const char *text,
                                      size_t length,
                                      const struct akunu_generate_options *options,
                                      struct akunu_answer **answer);

// Submits the next turn of a conversation. `messages` is JSON, a list of objects with `role` and `content`. `tools` is JSON, a list of
// functions as OpenAI writes them, or NULL. `tool_choice` is NULL or `auto` (as the model likes), `required`, or the name of the tool
// that must be called. `options` may be NULL.
akunu_status akunu_engine_submit_chat(const struct akunu_engine *engine,
                                      const char *messages,
                                      const char *tools,
                                      const char *tool_choice,
                                      const struct akunu_generate_options *options,
                                      struct akunu_answer **answer);

// What the engine does now, as of its last step. Set `status->size` to `sizeof(akunu_engine_status)` before.
akunu_status akunu_engine_get_status(const struct akunu_engine *engine,
                                     struct akunu_engine_status *status);

// Fills in the defaults. `size` is `sizeof(akunu_embedder_options)`.
akunu_status akunu_embedder_options_init(struct akunu_embedder_options *options, size_t size);

// What makes vectors, of a model that is an encoder. `options` may be NULL.
akunu_status akunu_embedder_new(const struct akunu_model *model,
                                const struct akunu_embedder_options *options,
                                struct akunu_embedder **embedder);

// Frees an embedder.
void akunu_embedder_free(struct akunu_embedder *embedder);

// How many values a vector has.
akunu_status akunu_embedder_dimensions(const struct akunu_embedder *embedder, uint32_t *dimensions);

// Vectors of texts that end with NUL, one after the other: `count` times as many values as `akunu_embedder_dimensions` says.
akunu_status akunu_embedder_embed(const struct akunu_embedder *embedder,
                                  const char *const *texts,
                                  size_t count,
                                  float *vectors,
                                  size_t capacity);

// Fills in the defaults. `size` is `sizeof(akunu_transcribe_options)`.
akunu_status akunu_transcribe_options_init(struct akunu_transcribe_options *options, size_t size);

// What makes text of audio, of a model of speech. `options` may be NULL.
akunu_status akunu_transcriber_new(const struct akunu_model *model,
                                   const struct akunu_transcribe_options *options,
                                   struct akunu_transcriber **transcriber);

// Frees a transcriber. What another thread runs in it is cancelled.
void akunu_transcriber_free(struct akunu_transcriber *transcriber);

// Ends what runs in the transcriber, or what runs next where nothing does, after the window under way. From any thread.
akunu_status akunu_transcriber_cancel(const struct akunu_transcriber *transcriber);

// Transcribes a file: WAV, FLAC, MP3, Ogg Vorbis, M4A. `on_segment` (may be NULL) is called with each segment as it is complete. `result`
// may be NULL.
akunu_status akunu_transcriber_file(const struct akunu_transcriber *transcriber,
                                    const char *path,
                                    akunu_segment_fn on_segment,
                                    void *user_data,
                                    struct akunu_transcript *result);

// The same with what such a file contains, `length` bytes, which are copied.
akunu_status akunu_transcriber_bytes(const struct akunu_transcriber *transcriber,
                                     const void *bytes,
                                     size_t length,
                                     akunu_segment_fn on_segment,
                                     void *user_data,
                                     struct akunu_transcript *result);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AKUNU_H */
