#include "croft/app/model.h"

#include <optional>
#include <utility>

#include "app/label/documents.h"
#include "app/label/tag_files.h"
#include "app/label/tagger.h"
#include "croft/core/error.h"
#include "model/foreign/open_model_file.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

TagRequest request_of(const Limits& limits, const SequenceModel& model) {
  TagRequest request;
  request.rules = limits.rules;
  request.limit = limits.limit;
  request.decode = limits.decode;
  read_limits(model, limits.constrain, limits.penalties, request);
  return request;
}

}  // namespace

struct Model::Parts {
  struct Shared {
    Shared(std::shared_ptr<const SequenceModel> opened, const Limits& limits)
        : model(std::move(opened)), plan(*model, request_of(limits, *model)) {}
    std::shared_ptr<const SequenceModel> model;
    TagPlan plan;
  };

  explicit Parts(std::shared_ptr<const Shared> of) : shared(std::move(of)), tagger(shared->plan) {
    if (shared->model->first_pass() != nullptr) documents.emplace(*shared->model);
  }

  const Extractor& extractor() const { return shared->model->extractor(); }
  // Throws Error where the model's file was overwritten meanwhile: the labels may be wrong then.
  const Tagging& tag(const TagInput& input, const TagOptions& options) {
    const Tagging& tagging = tagger.tag(input, options);
    shared->model->container().check_unchanged();
    return tagging;
  }

  std::shared_ptr<const Shared> shared;
  Tagger tagger;
  Extractor::Scratch scratch;
  TextSequence text;
  std::optional<DocumentContext> documents;  // of a model that looks at them: one sequence is one
  ThreadPool alone;
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::Model(const Model& other) : parts_(std::make_unique<Parts>(other.parts_->shared)) {}
Model::Model(Model&&) noexcept = default;
Model::~Model() = default;

Model& Model::operator=(Model other) noexcept {
  parts_.swap(other.parts_);
  return *this;
}

Model Model::open(const std::string& path, const Limits& limits) {
  return Model(
      std::make_unique<Parts>(std::make_shared<const Parts::Shared>(open_model(path), limits)));
}

Model Model::from_bytes(std::vector<std::byte> bytes, const std::string& name,
                        const Limits& limits) {
  return Model(std::make_unique<Parts>(std::make_shared<const Parts::Shared>(
      read_model(model_file_of(std::move(bytes), name)), limits)));
}

const std::string& Model::kind() const { return parts_->shared->model->kind(); }
std::string_view Model::format() const {
  return format_name(parts_->shared->model->extractor().config().format);
}
std::size_t Model::labels() const { return parts_->shared->model->labels(); }
const std::string& Model::label(Label y) const { return parts_->shared->model->label(y); }

const Tagging& Model::tag(const std::vector<std::string>& rows, const TagOptions& options) {
  Parts& p = *parts_;
  const Extractor& extractor = p.extractor();
  if (extractor.config().format != InputFormat::columns) {
    throw UsageError("the model was trained on data without columns: give tag() attributes");
  }
  ColumnSequence columns;
  for (const std::string& row : rows) columns.append_row(row);
  extractor.check_cells(columns, "rows");
  if (p.documents) {
    ColumnSequence* const document[] = {&columns};
    p.documents->complete(document, p.alone);
  }
  extractor.extract(columns, /*labelled=*/false, p.scratch, p.text);
  return p.tag({.text = p.text, .rows = &columns}, options);
}

const Tagging& Model::tag(const TextSequence& attributes, const TagOptions& options) {
  Parts& p = *parts_;
  const Extractor& extractor = p.extractor();
  if (extractor.config().format != InputFormat::attributes) return p.tag({attributes}, options);
  p.text = attributes;
  extractor.complete(p.text, p.scratch);
  return p.tag({p.text}, options);
}

const Tagging& Model::tag_text(std::string_view document, const TagOptions& options) {
  Parts& p = *parts_;
  const Extractor& extractor = p.extractor();
  if (extractor.config().format != InputFormat::text) {
    throw UsageError("the model was not trained on texts: give it rows or attributes");
  }
  LabelledText whole;
  whole.text = document;
  extractor.extract(whole, p.scratch, p.text);
  return p.tag({p.text}, options);
}

}  // namespace croft
