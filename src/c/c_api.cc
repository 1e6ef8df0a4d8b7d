// include/croft/c.h: the library's Model behind handles; exceptions become statuses with a text.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "croft/app/model.h"
#include "croft/c.h"
#include "croft/core/error.h"

// What a handle points to.
struct croft_model {
  croft::Model model;
};

struct croft_tagger {
  explicit croft_tagger(const croft::Model& of) : model(of) {}

  // Which of the calls has said what the sequence is.
  enum class Input { none, rows, attributes, text };

  // Begins a sequence where the last one has been labelled; throws where it mixes inputs.
  void add(Input kind) {
    if (labelled) clear();
    if (input != Input::none && input != kind) {
      throw croft::UsageError(
          "one sequence is given by rows, by attributes or as a text, not by two of them");
    }
    input = kind;
  }
  void clear() {
    rows.clear();
    attributes.clear();
    text.clear();
    input = Input::none;
    open = labelled = false;
    forget();
  }
  void forget() {
    tagging = nullptr;
    marginals.clear();
    spans.clear();
    types.clear();
  }
  void tag();
  const croft::Tagging& answer();
  std::size_t length() const { return tagging != nullptr ? tagging->y.size() : 0; }

  croft::Model model;  // its own handle of the shared one
  croft::TagOptions questions;
  Input input = Input::none;
  bool open = false;      // attributes of a position that has not ended
  bool labelled = false;  // what is asked next is about a new sequence
  std::vector<std::string> rows;
  croft::TextSequence attributes;
  std::string text;
  const croft::Tagging* tagging = nullptr;  // null: none, or none allowed
  bool has_p = false, has_entropy = false;  // it was asked for
  std::vector<double> marginals;            // [T][L] without gaps
  std::vector<std::string> types;           // of the spans, with NUL
  std::vector<croft_span> spans;
};

// A sequence that nothing was added to is empty, in the form of the model's data.
const croft::Tagging& croft_tagger::answer() {
  switch (input) {
    case Input::rows:
      return model.tag(rows, questions);
    case Input::attributes:
      return model.tag(attributes, questions);
    case Input::text:
      return model.tag_text(text, questions);
    case Input::none:
      break;
  }
  if (model.format() == "text") throw croft::UsageError("there is no text: croft_set_text()");
  return model.format() == "columns" ? model.tag(rows, questions)
                                     : model.tag(attributes, questions);
}

void croft_tagger::tag() {
  if (open) throw croft::UsageError("the last position has attributes and no croft_end_position()");
  forget();
  labelled = true;
  const croft::Tagging& found = answer();
  const croft::TagOptions& ask = questions;
  has_p = ask.probability || ask.marginals || ask.spans || ask.entropy || ask.k_best > 0;
  has_entropy = ask.entropy;
  if (!found.outcome.found) return;
  tagging = &found;
  if (questions.marginals) {
    for (std::size_t t = 0; t < found.marginals.rows(); ++t) {
      const double* row = found.marginals.row(t);
      marginals.insert(marginals.end(), row, row + model.labels());
    }
  }
  for (const croft::SpanProbability& span : found.spans) types.emplace_back(span.type);
  for (std::size_t k = 0; k < types.size(); ++k) {
    const croft::SpanProbability& span = found.spans[k];
    spans.push_back({span.begin, span.end, types[k].c_str(), span.probability});
  }
}

namespace {

thread_local std::string last_error;

croft_status fail(croft_status status, const char* what) noexcept {
  try {
    last_error = what;
  } catch (...) {
    last_error.clear();  // no memory even for that
  }
  return status;
}

// work(), and what it throws as a status.
template <class Work>
croft_status guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(CROFT_MEMORY, "memory does not suffice");
  } catch (const croft::UsageError& error) {
    return fail(CROFT_USAGE, error.what());
  } catch (const std::exception& error) {
    return fail(CROFT_FAILED, error.what());
  } catch (...) {
    return fail(CROFT_FAILED, "an unknown error");
  }
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw croft::UsageError(std::string(what) + " is NULL");
}

croft::Limits limits_of(const croft_limits* given) {
  croft::Limits limits;
  if (given == nullptr) return limits;
  if (given->size != sizeof *given) {
    throw croft::UsageError("limits.size is not sizeof(croft_limits) of this library's croft/c.h");
  }
  constexpr croft::Decode kDecodes[] = {croft::Decode::viterbi, croft::Decode::marginal,
                                        croft::Decode::risk, croft::Decode::labelling};
  const int decode = given->decode;
  if (decode < CROFT_BY_KIND || decode > CROFT_LABELLING) {
    throw croft::UsageError("limits.decode has no meaning: ", decode);
  }
  if (decode != CROFT_BY_KIND) limits.decode = kDecodes[decode - 1];
  if (given->constrain != nullptr) limits.constrain = given->constrain;
  if (given->penalties != nullptr) limits.penalties = given->penalties;
  if (given->rule_count > 0) require(given->rules, "limits.rules");
  for (std::size_t k = 0; k < given->rule_count; ++k) {
    require(given->rules[k], "a rule");
    limits.rules.emplace_back(given->rules[k]);
  }
  if (given->limit > 0) limits.limit = given->limit;
  return limits;
}

}  // namespace

const char* croft_error(void) { return last_error.c_str(); }
const char* croft_version(void) { return CROFT_VERSION; }

croft_status croft_open(const char* path, const croft_limits* limits, croft_model** model) {
  return guarded([&] {
    require(path, "path");
    require(model, "model");
    *model = new croft_model{croft::Model::open(path, limits_of(limits))};
    return CROFT_OK;
  });
}

croft_status croft_open_memory(const void* bytes, size_t size, const char* name,
                               const croft_limits* limits, croft_model** model) {
  return guarded([&] {
    require(bytes, "bytes");
    require(model, "model");
    if (size > PTRDIFF_MAX) throw croft::UsageError("no memory has ", size, " bytes");
    const auto* first = static_cast<const std::byte*>(bytes);
    *model = new croft_model{croft::Model::from_bytes(
        {first, first + size}, name == nullptr ? "memory" : name, limits_of(limits))};
    return CROFT_OK;
  });
}

void croft_model_free(croft_model* model) { delete model; }

const char* croft_kind(const croft_model* model) {
  return model != nullptr ? model->model.kind().c_str() : nullptr;
}
const char* croft_format(const croft_model* model) {
  return model != nullptr ? model->model.format().data() : nullptr;
}
size_t croft_label_count(const croft_model* model) {
  return model != nullptr ? model->model.labels() : 0;
}
const char* croft_label(const croft_model* model, uint32_t y) {
  return y < croft_label_count(model) ? model->model.label(y).c_str() : nullptr;
}

croft_status croft_tagger_new(const croft_model* model, croft_tagger** tagger) {
  return guarded([&] {
    require(model, "model");
    require(tagger, "tagger");
    *tagger = new croft_tagger(model->model);
    return CROFT_OK;
  });
}

void croft_tagger_free(croft_tagger* tagger) { delete tagger; }

croft_status croft_ask(croft_tagger* tagger, croft_question question, size_t value) {
  return guarded([&] {
    require(tagger, "tagger");
    croft::TagOptions& ask = tagger->questions;
    if (question != CROFT_K_BEST && value > 1) {
      throw croft::UsageError("a question is asked with 1, or not with 0; it was ", value);
    }
    switch (question) {
      case CROFT_PROBABILITY:
        ask.probability = value == 1;
        break;
      case CROFT_MARGINALS:
        ask.marginals = value == 1;
        break;
      case CROFT_SPANS:
        ask.spans = value == 1;
        break;
      case CROFT_ENTROPY:
        ask.entropy = value == 1;
        break;
      case CROFT_K_BEST:
        if (value > croft::kMostLabellings) {
          throw croft::UsageError("the ", value, " best labellings are asked for; ",
                                  croft::kMostLabellings, " are the most");
        }
        ask.k_best = value;
        break;
      default:
        throw croft::UsageError("no question has the number ", static_cast<int>(question));
    }
    return CROFT_OK;
  });
}

croft_status croft_clear(croft_tagger* tagger) {
  return guarded([&] {
    require(tagger, "tagger");
    tagger->clear();
    return CROFT_OK;
  });
}

croft_status croft_add_row(croft_tagger* tagger, const char* row) {
  return guarded([&] {
    require(tagger, "tagger");
    require(row, "row");
    constexpr std::string_view kBlanks = " \t";
    const std::string_view text = row;
    if (text.empty() || text.find_first_of("\r\n") != text.npos ||
        kBlanks.find(text.front()) != kBlanks.npos) {
      throw croft::UsageError("the row ", croft::in_quotes(text),
                              " is no line of a file: it is empty, begins with a blank or has an "
                              "end of line in it");
    }
    tagger->add(croft_tagger::Input::rows);
    tagger->rows.emplace_back(row);
    return CROFT_OK;
  });
}

croft_status croft_add_attribute(croft_tagger* tagger, const char* name, double value) {
  return guarded([&] {
    require(tagger, "tagger");
    require(name, "name");
    if (*name == '\0' || *name == '\x01') {
      throw croft::UsageError(
          "an attribute's name is empty or begins with byte 1, which is reserved");
    }
    if (!(std::abs(value) <= 1e15)) {
      throw croft::UsageError("the value of attribute ", croft::in_quotes(name),
                              " is no number from -1e15 to 1e15");
    }
    tagger->add(croft_tagger::Input::attributes);
    tagger->attributes.node.append(name, value);
    tagger->open = true;
    return CROFT_OK;
  });
}

croft_status croft_end_position(croft_tagger* tagger) {
  return guarded([&] {
    require(tagger, "tagger");
    tagger->add(croft_tagger::Input::attributes);
    tagger->attributes.node.end_list();
    tagger->open = false;
    return CROFT_OK;
  });
}

croft_status croft_set_text(croft_tagger* tagger, const char* text) {
  return guarded([&] {
    require(tagger, "tagger");
    require(text, "text");
    tagger->add(croft_tagger::Input::text);
    tagger->text = text;
    return CROFT_OK;
  });
}

croft_status croft_tag(croft_tagger* tagger) {
  return guarded([&] {
    require(tagger, "tagger");
    tagger->tag();
    if (tagger->tagging != nullptr) return CROFT_OK;
    return fail(CROFT_NONE,
                "no labelling of this sequence is allowed, or none was found within the limit");
  });
}

namespace {

// Gives the answer to the last sequence; null: nothing, or there is no tagger.
const croft::Tagging* tagging_of(const croft_tagger* tagger) {
  return tagger != nullptr ? tagger->tagging : nullptr;
}

template <class T>
const T* first_of(const std::vector<T>& list) {
  return list.empty() ? nullptr : list.data();
}

}  // namespace

size_t croft_length(const croft_tagger* tagger) {
  return tagging_of(tagger) != nullptr ? tagger->length() : 0;
}
const uint32_t* croft_labels(const croft_tagger* tagger) {
  return tagging_of(tagger) != nullptr ? tagger->tagging->y.data() : nullptr;
}
double croft_log_probability(const croft_tagger* tagger) {
  if (tagging_of(tagger) == nullptr || !tagger->has_p) return std::nan("");
  return tagger->tagging->log_probability;
}
double croft_entropy(const croft_tagger* tagger) {
  if (tagging_of(tagger) == nullptr || !tagger->has_entropy) return std::nan("");
  return tagger->tagging->entropy;
}
const double* croft_marginals(const croft_tagger* tagger) {
  return tagger != nullptr ? first_of(tagger->marginals) : nullptr;
}

size_t croft_k_best_count(const croft_tagger* tagger) {
  return tagging_of(tagger) != nullptr ? tagger->tagging->k_best.size() : 0;
}
const uint32_t* croft_k_best_labels(const croft_tagger* tagger, size_t k) {
  return k < croft_k_best_count(tagger) ? tagger->tagging->k_best[k].labels.data() : nullptr;
}
double croft_k_best_log_probability(const croft_tagger* tagger, size_t k) {
  if (k >= croft_k_best_count(tagger)) return std::nan("");
  return std::min(0.0, tagger->tagging->k_best[k].score - tagger->tagging->log_partition);
}

size_t croft_span_count(const croft_tagger* tagger) {
  return tagger != nullptr ? tagger->spans.size() : 0;
}
const croft_span* croft_spans(const croft_tagger* tagger) {
  return tagger != nullptr ? first_of(tagger->spans) : nullptr;
}
