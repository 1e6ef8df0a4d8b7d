/* What include/croft/c.h promises, in C.  Arguments: a model of columns. */
#include <croft/c.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const kWords[] = {"2", "cups", "whole-wheat", "flour", ",", "sifted"};
enum { kLength = sizeof kWords / sizeof *kWords, kThreads = 4, kTimes = 200 };

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, croft_error()); \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

static void add_words(croft_tagger* tagger) {
  for (size_t t = 0; t < kLength; ++t) CHECK(croft_add_row(tagger, kWords[t]) == CROFT_OK);
}

static void files_that_are_wrong_are_statuses_with_a_text(const char* path) {
  croft_model* model = NULL;
  CHECK(croft_open("/no/such/file.croft", NULL, &model) == CROFT_FAILED);
  CHECK(model == NULL && strstr(croft_error(), "/no/such/file.croft") != NULL);
  CHECK(croft_open_memory("x", (size_t)-1, NULL, NULL, &model) == CROFT_USAGE && model == NULL);
  CHECK(croft_kind(NULL) == NULL && croft_format(NULL) == NULL && croft_label_count(NULL) == 0 &&
        croft_label(NULL, 0) == NULL);
  CHECK(croft_length(NULL) == 0 && croft_labels(NULL) == NULL && croft_marginals(NULL) == NULL &&
        isnan(croft_log_probability(NULL)) && isnan(croft_entropy(NULL)));
  CHECK(croft_k_best_count(NULL) == 0 && croft_k_best_labels(NULL, 0) == NULL &&
        isnan(croft_k_best_log_probability(NULL, 0)) && croft_span_count(NULL) == 0 &&
        croft_spans(NULL) == NULL);
  CHECK(croft_open_memory("not a model", 11, NULL, NULL, &model) == CROFT_FAILED && model == NULL);
  CHECK(croft_open(NULL, NULL, &model) == CROFT_USAGE &&
        croft_open(path, NULL, NULL) == CROFT_USAGE);
  const char* const rules[] = {"no rule at all ("};
  croft_limits limits = {sizeof limits, CROFT_VITERBI, NULL, NULL, rules, 1, 0};
  CHECK(croft_open(path, &limits, &model) == CROFT_USAGE && model == NULL);
  limits = (croft_limits){.size = sizeof limits, .constrain = "/no/such/constraint"};
  CHECK(croft_open(path, &limits, &model) != CROFT_OK && model == NULL);
  limits = (croft_limits){.size = sizeof limits, .decode = (croft_decode)5};
  CHECK(croft_open(path, &limits, &model) == CROFT_USAGE && model == NULL);
  limits.size = 4;
  CHECK(croft_open(path, &limits, &model) == CROFT_USAGE && model == NULL);
}

static void answers_agree_with_each_other(const croft_model* model) {
  croft_tagger* tagger = NULL;
  CHECK(croft_tagger_new(model, &tagger) == CROFT_OK);
  CHECK(croft_length(tagger) == 0 && croft_labels(tagger) == NULL &&
        croft_marginals(tagger) == NULL);
  CHECK(croft_ask(tagger, CROFT_MARGINALS, 1) == CROFT_OK &&
        croft_ask(tagger, CROFT_K_BEST, 5) == CROFT_OK);
  CHECK(croft_ask(tagger, CROFT_ENTROPY, 1) == CROFT_OK &&
        croft_ask(tagger, CROFT_PROBABILITY, 1) == CROFT_OK);
  add_words(tagger);
  CHECK(croft_tag(tagger) == CROFT_OK && croft_length(tagger) == kLength);
  const size_t labels = croft_label_count(model);
  for (size_t t = 0; t < kLength; ++t) {
    double sum = 0;
    for (size_t j = 0; j < labels; ++j) sum += croft_marginals(tagger)[t * labels + j];
    CHECK(fabs(sum - 1) < 1e-9);
  }
  CHECK(croft_k_best_count(tagger) == 5 && croft_k_best_labels(tagger, 5) == NULL);
  CHECK(isnan(croft_k_best_log_probability(tagger, 5)));
  CHECK(croft_ask(tagger, CROFT_K_BEST, (size_t)1 << 40) == CROFT_USAGE);
  CHECK(memcmp(croft_k_best_labels(tagger, 0), croft_labels(tagger), kLength * sizeof(uint32_t)) ==
        0);
  CHECK(fabs(croft_k_best_log_probability(tagger, 0) - croft_log_probability(tagger)) < 1e-9);
  for (size_t k = 1; k < 5; ++k) {
    CHECK(croft_k_best_log_probability(tagger, k) <= croft_k_best_log_probability(tagger, k - 1));
  }
  CHECK(croft_entropy(tagger) > 0 && croft_label(model, (uint32_t)labels) == NULL);
  croft_tagger_free(tagger);
}

static void inputs_do_not_mix(const croft_model* model) {
  croft_tagger* tagger = NULL;
  CHECK(croft_tagger_new(model, &tagger) == CROFT_OK);
  CHECK(croft_add_row(tagger, "2") == CROFT_OK &&
        croft_add_attribute(tagger, "w=2", 1) == CROFT_USAGE);
  CHECK(croft_clear(tagger) == CROFT_OK && croft_add_attribute(tagger, "w=2", 1) == CROFT_OK);
  CHECK(croft_tag(tagger) == CROFT_USAGE); /* the position has not ended */
  CHECK(croft_end_position(tagger) == CROFT_OK && croft_tag(tagger) == CROFT_OK &&
        croft_length(tagger) == 1);
  CHECK(croft_set_text(tagger, "two cups") == CROFT_OK && croft_tag(tagger) == CROFT_USAGE);
  CHECK(croft_ask(tagger, (croft_question)99, 1) == CROFT_USAGE);
  CHECK(croft_ask(tagger, CROFT_MARGINALS, 2) == CROFT_USAGE);
  CHECK(croft_add_row(tagger, NULL) == CROFT_USAGE && croft_add_row(NULL, "2") == CROFT_USAGE);
  croft_tagger_free(tagger);
  croft_tagger_free(NULL);
}

static void attributes_that_no_data_could_have_are_refused(const croft_model* model) {
  croft_tagger* tagger = NULL;
  CHECK(croft_tagger_new(model, &tagger) == CROFT_OK);
  CHECK(croft_add_attribute(tagger, "", 1) == CROFT_USAGE);
  CHECK(croft_add_attribute(tagger, "\x01START\x01", 1) == CROFT_USAGE);
  CHECK(croft_add_attribute(tagger, "w=2", NAN) == CROFT_USAGE);
  CHECK(croft_add_attribute(tagger, "w=2", INFINITY) == CROFT_USAGE);
  CHECK(croft_tag(tagger) == CROFT_OK && croft_length(tagger) == 0); /* nothing was added */
  croft_tagger_free(tagger);
}

static void a_model_from_memory_labels_like_its_file(const croft_model* model, const char* path) {
  FILE* file = fopen(path, "rb");
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
  const size_t size = (size_t)ftell(file);
  char* bytes = malloc(size);
  rewind(file);
  CHECK(fread(bytes, 1, size, file) == size);
  fclose(file);
  croft_model* copy = NULL;
  CHECK(croft_open_memory(bytes, size, "copy", NULL, &copy) == CROFT_OK);
  memset(bytes, 0, size);
  free(bytes);
  croft_tagger *one = NULL, *other = NULL;
  CHECK(croft_tagger_new(model, &one) == CROFT_OK && croft_tagger_new(copy, &other) == CROFT_OK);
  croft_model_free(copy); /* its tagger keeps it */
  add_words(one);
  add_words(other);
  CHECK(croft_tag(one) == CROFT_OK && croft_tag(other) == CROFT_OK);
  CHECK(memcmp(croft_labels(one), croft_labels(other), kLength * sizeof(uint32_t)) == 0);
  croft_tagger_free(one);
  croft_tagger_free(other);
}

static void* label_often(void* of) {
  const croft_model* model = of;
  croft_tagger* tagger = NULL;
  CHECK(croft_tagger_new(model, &tagger) == CROFT_OK);
  uint32_t first[kLength];
  for (size_t n = 0; n < kTimes; ++n) {
    add_words(tagger);
    CHECK(croft_tag(tagger) == CROFT_OK);
    if (n == 0) memcpy(first, croft_labels(tagger), sizeof first);
    CHECK(memcmp(first, croft_labels(tagger), sizeof first) == 0);
  }
  CHECK(croft_open("/no/such/file", NULL, NULL) == CROFT_USAGE); /* its own last error */
  croft_tagger_free(tagger);
  return NULL;
}

static void threads_share_a_model(croft_model* model) {
  pthread_t threads[kThreads];
  for (size_t k = 0; k < kThreads; ++k)
    CHECK(pthread_create(&threads[k], NULL, label_often, model) == 0);
  for (size_t k = 0; k < kThreads; ++k) CHECK(pthread_join(threads[k], NULL) == 0);
}

int main(int count, char** arguments) {
  CHECK(count == 2);
  croft_model* model = NULL;
  CHECK(croft_open(arguments[1], NULL, &model) == CROFT_OK);
  CHECK(strcmp(croft_kind(model), "chain") == 0 && strcmp(croft_format(model), "columns") == 0);
  CHECK(strlen(croft_version()) > 0);
  files_that_are_wrong_are_statuses_with_a_text(arguments[1]);
  answers_agree_with_each_other(model);
  inputs_do_not_mix(model);
  attributes_that_no_data_could_have_are_refused(model);
  a_model_from_memory_labels_like_its_file(model, arguments[1]);
  threads_share_a_model(model);
  croft_model_free(model);
  return 0;
}
