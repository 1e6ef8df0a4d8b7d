#include "model/file/record.h"

#include <cmath>

#include "core/json.h"

namespace croft {

Record Record::part(std::string path, const Json& value) const {
  Record found(*container_, section_, value);
  found.path_ = std::move(path);
  return found;
}

std::optional<Record> Record::find(std::string_view key) const {
  const Json* const value = object().value_->get_if(key);
  if (value == nullptr) return std::nullopt;
  return part(path_ + (path_.empty() ? "" : ".") + std::string(key), *value);
}

Record Record::at(std::string_view key) const {
  if (std::optional<Record> found = find(key)) return *std::move(found);
  container_->fail_section(section_,
                           "there is no " + path_ + (path_.empty() ? "" : ".") + std::string(key));
}

std::vector<Record> Record::list() const {
  if (!value_->is_array()) fail("a list");
  std::vector<Record> values;
  values.reserve(value_->size());
  for (const Json& each : *value_) {
    values.push_back(part(path_ + "[" + std::to_string(values.size()) + "]", each));
  }
  return values;
}

const Record& Record::object() const {
  if (!value_->is_object()) fail("an object");
  return *this;
}

bool Record::is_null() const { return value_->is_null(); }
bool Record::is_text() const { return value_->is_string(); }

bool Record::flag() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

const std::string& Record::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->string();
}

std::vector<std::string> Record::texts() const {
  std::vector<std::string> values;
  for (const Record& each : list()) values.push_back(each.text());
  return values;
}

double Record::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) fail("a number");
  return value_->get<double>();
}

bool Record::is_fraction() const { return value_->is_number_float(); }

std::vector<double> Record::numbers() const {
  std::vector<double> values;
  for (const Record& each : list()) values.push_back(each.number());
  return values;
}

std::int64_t Record::integer(std::int64_t least, std::int64_t most) const {
  try {
    const auto value = value_->get<std::int64_t>();
    if (value >= least && value <= most) return value;
  } catch (const JsonError&) {  // said below
  }
  fail("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

void Record::fail(std::string_view expected) const {
  constexpr std::size_t kShown = 40;
  const std::string shown = value_->is_string()   ? in_quotes(value_->string(), kShown)
                            : value_->is_object() ? "an object"
                            : value_->is_array()  ? "a list"
                                                  : value_->dump();
  container_->fail_section(section_, (path_.empty() ? "its content" : path_) + " is " + shown +
                                         ", and " + std::string(expected) + " was expected");
}

}  // namespace croft
