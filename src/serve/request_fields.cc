#include "serve/request_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace croft::serve {
namespace {

std::string_view type_in_words(FieldType type) {
  switch (type) {
    case FieldType::text:
      return "a text";
    case FieldType::whole:
      return "a whole number";
    case FieldType::number:
      return "a number";
    case FieldType::flag:
      return "true or false";
    case FieldType::texts:
      return "a list of texts";
    case FieldType::rows:
      return "a list of lists of texts";
    case FieldType::wholes:
      return "a list of whole numbers";
    case FieldType::observed:
      return "an object of states, or of lists of likelihoods";
    case FieldType::settings:
      return "an object of texts";
    case FieldType::anything:
      return "anything";
  }
  return "";
}

bool all_of(const Json& list, bool (*holds)(const Json&)) {
  return list.is_array() && std::all_of(list.begin(), list.end(), holds);
}

bool is_text(const Json& value) { return value.is_string(); }
bool is_whole(const Json& value) { return value.is_number_unsigned(); }
bool is_number(const Json& value) { return value.is_number(); }

bool all_members(const Json& object, bool (*holds)(const Json&)) {
  if (!object.is_object()) return false;
  for (const auto& [key, value] : object.items()) {
    if (!holds(value)) return false;
  }
  return true;
}

bool fits(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::whole:
      return value.is_number_unsigned();
    case FieldType::number:
      return value.is_number();
    case FieldType::flag:
      return value.is_boolean();
    case FieldType::texts:
      return all_of(value, is_text);
    case FieldType::rows:
      return all_of(value, [](const Json& row) { return all_of(row, is_text); });
    case FieldType::wholes:
      return all_of(value, is_whole);
    case FieldType::observed:
      return all_members(value,
                         [](const Json& v) { return v.is_string() || all_of(v, is_number); });
    case FieldType::settings:
      return all_members(value, is_text);
    case FieldType::anything:
      return true;
  }
  return false;
}

[[noreturn]] void fail(const std::string& message) { throw RequestError(400, message); }

void check(const std::string& key, const Json& value, const RequestField& field) {
  if (!fits(value, field.type)) fail(fmt::format("{}: must be {}", key, type_in_words(field.type)));
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number < field.low || (field.high > 0 && number > field.high)) {
      fail(field.high > 0 ? fmt::format("{}: must be {} to {}", key, field.low, field.high)
                          : fmt::format("{}: must be {} or more", key, field.low));
    }
  }
  if (value.is_string() && field.high > 0 &&
      static_cast<double>(value.string().size()) > field.high) {
    fail(fmt::format("{}: must have {} bytes at most", key, field.high));
  }
  if (field.choices.empty()) return;
  if (std::ranges::find(field.choices, value.string()) == field.choices.end()) {
    std::string message = key + ": must be one of";
    for (const std::string_view each : field.choices) message += fmt::format(" \"{}\"", each);
    fail(message);
  }
}

Json schema_of_type(FieldType type) {
  const Json text = {{"type", "string"}};
  const Json texts = {{"type", "array"}, {"items", text}};
  switch (type) {
    case FieldType::text:
      return text;
    case FieldType::whole:
      return {{"type", "integer"}};
    case FieldType::number:
      return {{"type", "number"}};
    case FieldType::flag:
      return {{"type", "boolean"}};
    case FieldType::texts:
      return texts;
    case FieldType::rows:
      return {{"type", "array"}, {"items", texts}};
    case FieldType::wholes: {
      const Json whole = {{"type", "integer"}, {"minimum", 0}};
      return {{"type", "array"}, {"items", whole}};
    }
    case FieldType::observed: {
      const Json number = {{"type", "number"}};
      const Json numbers = {{"type", "array"}, {"items", number}};
      Json either = Json::array();
      either.push_back(text);
      either.push_back(numbers);
      const Json values = {{"anyOf", either}};
      return {{"type", "object"}, {"additionalProperties", values}};
    }
    case FieldType::settings:
      return {{"type", "object"}, {"additionalProperties", text}};
    case FieldType::anything:
      return Json::object();
  }
  return {};
}

void check_members(const Json& read, std::span<const RequestField> fields) {
  for (const auto& [key, value] : read.items()) {
    auto field = std::ranges::find(fields, key, &RequestField::name);
    if (field == fields.end()) field = std::ranges::find(fields, "*", &RequestField::name);
    if (field == fields.end()) {
      std::string message = in_quotes(key) + " is no member of this request";
      if (!fields.empty()) message += fields.size() == 1 ? "; there is" : "; there are";
      for (const RequestField& each : fields) message += fmt::format(" {}", each.name);
      fail(message);
    }
    check(in_quotes(key), value, *field);
  }
}

[[noreturn]] void fail_twice(std::string_view key) {
  fail(in_quotes(key) + " stands twice in the request");
}

}  // namespace

std::string in_members(const Error& error) {
  return error.message().spelled([](std::string_view name) {
    // An option that is given several times is one member, with a list.
    if (name == "rule") return std::string("\"rules\"");
    if (name == "set") return std::string("\"settings\"");
    std::string member(name);
    std::ranges::replace(member, '-', '_');
    return "\"" + member + "\"";
  });
}

Json read_query(const HttpRequest& request, std::span<const RequestField> fields) {
  const auto pairs = request.parameters();
  if (!pairs) fail("what stands behind \"?\" is not of the form NAME=VALUE&NAME=VALUE");
  Json read = Json::object();
  for (const auto& [name, value] : *pairs) {
    if (read.contains(name)) fail_twice(name);
    read[name] = value;
  }
  check_members(read, fields);
  return read;
}

Json read_fields(std::string_view body, std::span<const RequestField> fields) {
  if (body.empty()) return Json::object();
  Json read;
  try {
    read = parse_json(body, {.refuse_repeated_keys = true, .depth = 16});
  } catch (const JsonError& error) {
    if (error.fault() == JsonError::Fault::repeated_key) fail_twice(error.what());
    fail(fmt::format("the body is no JSON: {}", error.what()));
  }
  if (!read.is_object()) fail("the body is no JSON object");
  check_members(read, fields);
  return read;
}

Json schema_of(std::span<const RequestField> fields) {
  Json properties = Json::object(KeyOrder::as_written);
  bool open = false;
  for (const RequestField& field : fields) {
    open = open || field.name == "*";
    if (field.name == "*") continue;
    Json one = schema_of_type(field.type);
    one["description"] = field.help;
    if (field.type == FieldType::whole || field.type == FieldType::number) {
      one["minimum"] = field.low;
      if (field.high > 0) one["maximum"] = field.high;
    }
    if (field.type == FieldType::text && field.high > 0) one["maxLength"] = field.high;
    for (const std::string_view each : field.choices) one["enum"].push_back(each);
    properties[field.name] = one;
  }
  return {{"type", "object"}, {"additionalProperties", open}, {"properties", properties}};
}

}  // namespace croft::serve
