/* Croft in plain C: a trained model labels sequences.  Link with -lcroft.
 *
 *   croft_model* model;
 *   croft_tagger* tagger;
 *   if (croft_open("words.croft", NULL, &model) || croft_tagger_new(model, &tagger)) {
 *     puts(croft_error());
 *     return 1;
 *   }
 *   croft_add_row(tagger, "2");
 *   croft_add_row(tagger, "cups");
 *   if (croft_tag(tagger)) puts(croft_error());
 *   for (size_t t = 0; t < croft_length(tagger); ++t) {
 *     puts(croft_label(model, croft_labels(tagger)[t]));
 *   }
 *   croft_tagger_free(tagger);
 *   croft_model_free(model);
 *
 * A handle that is NULL gets CROFT_USAGE, and from functions without a status 0, NULL or NaN.
 *
 * Texts are bytes that end with NUL, UTF-8 by convention.  No exception leaves a function.  A model
 * may be shared by threads; a tagger belongs to one at a time, and keeps its model.
 *
 * ABI: the library is libcroft.so.0.  Functions, and numbers in enumerations, are added and never
 * changed or taken away under that number; every symbol has the version CROFT_0 or a later one. */
#ifndef CROFT_C_H
#define CROFT_C_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CROFT_API __attribute__((visibility("default")))
#else
#define CROFT_API
#endif

typedef struct croft_model croft_model;
typedef struct croft_tagger croft_tagger;

typedef enum {
  CROFT_OK = 0,
  CROFT_FAILED = 1, /* a file, an input or a model that is wrong */
  CROFT_USAGE = 2,  /* a question or an argument that has no meaning here */
  CROFT_MEMORY = 3,
  CROFT_NONE = 4 /* nothing is allowed: no labelling, by the constraint or the rules */
} croft_status;

/* What the last function that failed on this thread said; "" before. Valid until this thread's next
 * call. */
CROFT_API const char* croft_error(void);
CROFT_API const char* croft_version(void);

/* --- models */

/* Which labelling is chosen, and what it is limited to: docs/predict.md, docs/constraints.md. */
typedef enum {
  CROFT_BY_KIND = 0, /* the most probable labelling; of hidden states the most probable labels */
  CROFT_VITERBI = 1,
  CROFT_MARGINAL = 2, /* at each position the most probable label */
  CROFT_RISK = 3,     /* the fewest errors expected among allowed labellings */
  CROFT_LABELLING = 4 /* of hidden states: the most probable labelling, by a search */
} croft_decode;
typedef struct {
  size_t size; /* sizeof(croft_limits): a later version may have more members */
  croft_decode decode;
  const char* constrain;    /* "bio", "bioes" or a constraint file; NULL: as it was trained */
  const char* penalties;    /* a penalty file; NULL: none */
  const char* const* rules; /* [rule_count] as `croft predict --rule` takes them */
  size_t rule_count;
  size_t limit; /* steps of a search, where rules or the decoding need one; 0: 10,000 */
} croft_limits;

/* Opens a model file, as `croft predict -m` does.  *model is set only with CROFT_OK.
 *   limits : NULL: none */
CROFT_API croft_status croft_open(const char* path, const croft_limits* limits,
                                  croft_model** model);
/* From the bytes of a file, which are copied.  `name` stands for the path in messages. */
CROFT_API croft_status croft_open_memory(const void* bytes, size_t size, const char* name,
                                         const croft_limits* limits, croft_model** model);
CROFT_API void croft_model_free(croft_model* model); /* NULL is allowed */

/* As `croft train --model` names it. */
CROFT_API const char* croft_kind(const croft_model* model);
/* Of its data: columns, attributes, text, svmlight or csv. */
CROFT_API const char* croft_format(const croft_model* model);
CROFT_API size_t croft_label_count(const croft_model* model);
/* NULL where y >= croft_label_count(). */
CROFT_API const char* croft_label(const croft_model* model, uint32_t y);

/* --- taggers */

CROFT_API croft_status croft_tagger_new(const croft_model* model, croft_tagger** tagger);
CROFT_API void croft_tagger_free(croft_tagger* tagger); /* NULL is allowed */

/* What is asked besides the labelling, until it is asked otherwise. */
typedef enum {
  CROFT_PROBABILITY = 1, /* value 1 or 0, here and where nothing else is said */
  CROFT_MARGINALS = 2,
  CROFT_SPANS = 3,
  CROFT_ENTROPY = 4,
  CROFT_K_BEST = 5 /* value: so many of the most probable labellings, a million at most */
} croft_question;
CROFT_API croft_status croft_ask(croft_tagger* tagger, croft_question question, size_t value);

/* The sequence, position by position, in the model's own format.  The first of these calls after
 * croft_tag() or croft_clear() begins a new sequence. */
CROFT_API croft_status croft_clear(croft_tagger* tagger);
/* columns: a position's observed columns with blanks between, as in a line of a file: it is not
 * empty, begins with no blank and has no end of line in it. */
CROFT_API croft_status croft_add_row(croft_tagger* tagger, const char* row);
/* attributes: one of the position that croft_end_position() ends, with a value from -1e15 to 1e15:
 * 1 unless the data says otherwise.  A name is not empty and does not begin with byte 1. */
CROFT_API croft_status croft_add_attribute(croft_tagger* tagger, const char* name, double value);
CROFT_API croft_status croft_end_position(croft_tagger* tagger);
/* text: a document, which has one label. */
CROFT_API croft_status croft_set_text(croft_tagger* tagger, const char* text);

/* Labels the sequence; what it answers is valid until the tagger's next sequence begins.  One that
 * nothing was added to has no positions.  CROFT_NONE: croft_length() is 0.  CROFT_FAILED also where
 * the model's file was overwritten, which would make wrong labels.
 * Cost: O(T L^2), and a look-up for each attribute. */
CROFT_API croft_status croft_tag(croft_tagger* tagger);

/* --- answers to the last croft_tag() */

CROFT_API size_t croft_length(const croft_tagger* tagger);          /* T */
CROFT_API const uint32_t* croft_labels(const croft_tagger* tagger); /* [T] */
/* log p(y|x), with any question to p; else NaN. */
CROFT_API double croft_log_probability(const croft_tagger* tagger);
/* Nats, with CROFT_ENTROPY; else NaN. */
CROFT_API double croft_entropy(const croft_tagger* tagger);
/* [T][L], with CROFT_MARGINALS; else NULL. */
CROFT_API const double* croft_marginals(const croft_tagger* tagger);

CROFT_API size_t croft_k_best_count(const croft_tagger* tagger);
/* [T]; NULL where k >= croft_k_best_count().  The most probable first. */
CROFT_API const uint32_t* croft_k_best_labels(const croft_tagger* tagger, size_t k);
/* NaN where k >= croft_k_best_count(). */
CROFT_API double croft_k_best_log_probability(const croft_tagger* tagger, size_t k);

typedef struct {
  size_t begin, end;  /* positions [begin, end) */
  const char* type;   /* of the chunk */
  double probability; /* that exactly this chunk is there */
} croft_span;
/* Of the labelling, with CROFT_SPANS. */
CROFT_API size_t croft_span_count(const croft_tagger* tagger);
CROFT_API const croft_span* croft_spans(const croft_tagger* tagger);

#ifdef __cplusplus
}
#endif
#endif
