/* Labels a line of words, given as arguments, with a model of columns.
 *   cc label.c -lcroft -lm -o label && ./label words.croft 2 cups flour */
#include <croft/c.h>
#include <math.h>
#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "%s\n", croft_error());
  return 1;
}

static int label(croft_tagger* tagger, const croft_model* model, int count, char** words) {
  for (int k = 0; k < count; ++k) {
    if (croft_add_row(tagger, words[k])) return fail();
  }
  if (croft_tag(tagger)) return fail();
  const size_t labels = croft_label_count(model);
  const uint32_t* y = croft_labels(tagger);
  const double* p = croft_marginals(tagger);
  for (size_t t = 0; t < croft_length(tagger); ++t) {
    printf("%s\t%s\t%.6f\n", words[t], croft_label(model, y[t]), p[t * labels + y[t]]);
  }
  for (size_t k = 0; k < croft_k_best_count(tagger); ++k) {
    printf("%.6f", exp(croft_k_best_log_probability(tagger, k)));
    const uint32_t* best = croft_k_best_labels(tagger, k);
    for (size_t t = 0; t < croft_length(tagger); ++t) printf(" %s", croft_label(model, best[t]));
    printf("\n");
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: label MODEL WORD ...\n");
    return 2;
  }
  croft_model* model = NULL;
  croft_tagger* tagger = NULL;
  if (croft_open(arguments[1], NULL, &model)) return fail();
  int status = 1;
  if (croft_tagger_new(model, &tagger) || croft_ask(tagger, CROFT_MARGINALS, 1) ||
      croft_ask(tagger, CROFT_K_BEST, 3)) {
    fail();
  } else {
    status = label(tagger, model, count - 2, arguments + 2);
  }
  croft_tagger_free(tagger);
  croft_model_free(model);
  return status;
}
