#include "croft/app/model.h"

#include <utility>

#include "app/label/tag_files.h"
#include "app/label/tagger.h"
#include "croft/core/error.h"
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
    Shared(const std::string& path, const Limits& limits)
        : model(open_model(path)), plan(*model, request_of(limits, *model)) {}
    std::shared_ptr<const SequenceModel> model;
    TagPlan plan;
  };

  explicit Parts(std::shared_ptr<const Shared> of) : shared(std::move(of)), tagger(shared->plan) {}

  std::shared_ptr<const Shared> shared;
  Tagger tagger;
  Extractor::Scratch scratch;
  TextSequence text;
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
  return Model(std::make_unique<Parts>(std::make_shared<const Parts::Shared>(path, limits)));
}

const std::string& Model::kind() const { return parts_->shared->model->kind(); }
std::size_t Model::labels() const { return parts_->shared->model->labels(); }
const std::string& Model::label(Label y) const { return parts_->shared->model->label(y); }

const Tagging& Model::tag(const std::vector<std::string>& rows, const TagOptions& options) {
  Parts& p = *parts_;
  const Extractor& extractor = p.shared->model->extractor();
  if (extractor.config().format != InputFormat::columns) {
    throw UsageError("the model was trained on data without columns: give tag() attributes");
  }
  ColumnSequence columns;
  for (const std::string& row : rows) columns.append_row(row);
  extractor.extract(columns, /*labelled=*/false, p.scratch, p.text);
  return p.tagger.tag({.text = p.text, .rows = &columns}, options);
}

const Tagging& Model::tag(const TextSequence& attributes, const TagOptions& options) {
  return parts_->tagger.tag(attributes, options);
}

}  // namespace croft
