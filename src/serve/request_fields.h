// The members of a request's JSON, described once: they are checked by this, and OpenAPI is made of
// it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "croft/core/error.h"
#include "serve/http_message.h"

namespace croft::serve {

// A refusal that has a status of its own.
class RequestError : public Error {
 public:
  RequestError(int status, const std::string& message) : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

// A message of the library, with members of the request where it names options.
std::string in_members(const Error& error);

enum class FieldType : std::uint8_t {
  text,
  whole,
  number,
  flag,
  texts,
  rows,
  wholes,
  observed,
  settings,
  anything
};

struct RequestField {
  std::string_view name;  // "*": members of other names are let through
  FieldType type = FieldType::text;
  std::string_view help{};
  double low = 0, high = 0;                 // of a number, or bytes of a text; high 0: no limit
  std::vector<std::string_view> choices{};  // of a text; empty: any
};

// Of the request's JSON; empty bodies are {}.  Throws RequestError, 400: no JSON, no object, a
// member that is no field, stands twice or is of another type, a number out of range or a text that
// is too long.
Json read_fields(std::string_view body, std::span<const RequestField> fields);
// The same of what stands behind the path: "model=a&…", all of it texts.
Json read_query(const HttpRequest& request, std::span<const RequestField> fields);
// The schema of such an object, as OpenAPI 3.1 has it.
Json schema_of(std::span<const RequestField> fields);

}  // namespace croft::serve
