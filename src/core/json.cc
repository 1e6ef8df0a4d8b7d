#include "core/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/unicode.h"

namespace croft {

using Fault = JsonError::Fault;

// ---------------------------------------------------------------------------------------- values

struct Json::Object {
  // Each has a place of its own: references to values stay valid as keys are added.
  std::vector<std::unique_ptr<Member>> members;
  KeyOrder order = KeyOrder::sorted;

  // Where the key is, or where it would be added.
  std::size_t place(std::string_view key) const {
    if (order == KeyOrder::as_written) {
      const auto is_it = [&](const auto& m) { return m->key == key; };
      return static_cast<std::size_t>(std::ranges::find_if(members, is_it) - members.begin());
    }
    if (!members.empty() && members.back()->key < key) return members.size();
    const auto before = [](const auto& m, std::string_view k) { return m->key < k; };
    return static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), key, before) -
                                    members.begin());
  }
  bool is_at(std::size_t k, std::string_view key) const {
    return k < members.size() && members[k]->key == key;
  }
};

Json::Json(std::string value) : type_(Type::string) {
  held_.string = new std::string(std::move(value));
}

Json Json::array() {
  Json value;
  value.held_.array = new std::vector<Json>();
  value.type_ = Type::array;
  return value;
}

Json Json::object(KeyOrder order) {
  Json value;
  value.held_.object = new Object{{}, order};
  value.type_ = Type::object;
  return value;
}

Json::Json(std::initializer_list<Part> parts) {
  if (!std::ranges::all_of(parts, &Part::is_pair)) {
    *this = array();
    held_.array->reserve(parts.size());
    for (const Part& each : parts) held_.array->push_back(std::move(each.value_));
    return;
  }
  *this = object();
  for (const Part& each : parts) {
    bool added = false;
    Json& value = insert(each.value_[0].string(), added);
    if (added) value = std::move(each.value_[1]);
  }
}

Json::Json(const Json& other) : held_(other.held_) {
  if (other.type_ == Type::string) held_.string = new std::string(*other.held_.string);
  if (other.type_ == Type::array) held_.array = new std::vector<Json>(*other.held_.array);
  if (other.type_ == Type::object) {
    auto copy = std::make_unique<Object>();
    copy->order = other.held_.object->order;
    for (const auto& m : other.held_.object->members) {
      copy->members.push_back(std::make_unique<Member>(*m));
    }
    held_.object = copy.release();
  }
  type_ = other.type_;
}

void Json::release() {
  if (type_ == Type::string) delete held_.string;
  if (type_ == Type::array) delete held_.array;
  if (type_ == Type::object) delete held_.object;
}

void Json::fail(const char* wanted) const {
  constexpr std::array kNames = {"null",     "a truth value", "a whole number", "a whole number",
                                 "a number", "a string",      "a list",         "an object"};
  throw JsonError(std::string("JSON: ") + kNames[static_cast<std::size_t>(type_)] + " where " +
                  wanted + " is expected");
}

const std::string& Json::string() const {
  require(Type::string, "a string");
  return *held_.string;
}

double Json::number() const {
  if (type_ == Type::real) return held_.real;
  if (type_ == Type::natural) return static_cast<double>(held_.natural);
  require(Type::integer, "a number");
  return static_cast<double>(held_.integer);
}

// A double is a whole number where it has no fraction.
std::int64_t Json::integer(std::int64_t lowest, std::int64_t largest) const {
  std::int64_t value = held_.integer;
  bool fits = is_number() && (type_ != Type::natural || std::in_range<std::int64_t>(held_.natural));
  if (type_ == Type::real) {
    fits = std::abs(held_.real) < 0x1p63 && std::trunc(held_.real) == held_.real;
    if (fits) value = static_cast<std::int64_t>(held_.real);
  }
  if (!fits || value < lowest || value > largest) fail("a whole number in its range");
  return value;
}

std::uint64_t Json::natural(std::uint64_t largest) const {
  std::uint64_t value = held_.natural;
  bool fits = type_ == Type::natural || (type_ == Type::integer && held_.integer >= 0);
  if (type_ == Type::real) {
    fits = held_.real >= 0 && held_.real < 0x1p64 && std::trunc(held_.real) == held_.real;
    if (fits) value = static_cast<std::uint64_t>(held_.real);
  }
  if (!fits || value > largest) fail("a whole number in its range");
  return value;
}

std::size_t Json::size() const {
  if (type_ == Type::array) return held_.array->size();
  if (type_ == Type::object) return held_.object->members.size();
  return is_null() ? 0 : 1;
}

const Json& Json::at(std::size_t k) const {
  require(Type::array, "a list");
  if (k >= size()) {
    throw JsonError("JSON: entry " + std::to_string(k) + " of a list of " + std::to_string(size()));
  }
  return (*held_.array)[k];
}

Json& Json::emplace_back(Json value) {
  if (is_null()) *this = array();
  require(Type::array, "a list");
  return held_.array->emplace_back(std::move(value));
}

const Json* Json::begin() const {
  if (is_null()) return nullptr;
  require(Type::array, "a list");
  return held_.array->data();
}

const Json* Json::get_if(std::string_view key) const {
  if (!is_object()) return nullptr;
  const std::size_t k = held_.object->place(key);
  return held_.object->is_at(k, key) ? &held_.object->members[k]->value : nullptr;
}

const Json& Json::at(std::string_view key) const {
  require(Type::object, "an object");
  const Json* const found = get_if(key);
  if (found == nullptr) throw JsonError("JSON: an object without the key " + in_quotes(key));
  return *found;
}

Json& Json::insert(std::string_view key, bool& added) {
  if (is_null()) *this = object();
  require(Type::object, "an object");
  auto& members = held_.object->members;
  const std::size_t k = held_.object->place(key);
  added = !held_.object->is_at(k, key);
  if (added) {
    members.insert(members.begin() + static_cast<std::ptrdiff_t>(k),
                   std::make_unique<Member>(std::string(key), Json()));
  }
  return members[k]->value;
}

Json& Json::operator[](std::string_view key) {
  bool added = false;
  return insert(key, added);
}

void Json::erase(std::string_view key) {
  require(Type::object, "an object");
  const std::size_t k = held_.object->place(key);
  auto& members = held_.object->members;
  if (held_.object->is_at(k, key)) members.erase(members.begin() + static_cast<std::ptrdiff_t>(k));
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

Json::Items Json::items() const {
  require(Type::object, "an object");
  return Items(held_.object->members);
}

bool operator==(const Json& a, const Json& b) {
  using Type = Json::Type;
  if (a.is_number() && b.is_number()) {
    const bool real = a.type_ == Type::real || b.type_ == Type::real;
    if (real) return a.number() == b.number();
    const auto is_negative = [](const Json& x) {
      return x.type_ == Type::integer && x.held_.integer < 0;
    };
    return is_negative(a) == is_negative(b) && a.held_.natural == b.held_.natural;
  }
  if (a.type_ != b.type_ || a.size() != b.size()) return false;
  if (a.type_ == Type::null) return true;
  if (a.type_ == Type::boolean) return a.held_.boolean == b.held_.boolean;
  if (a.type_ == Type::string) return *a.held_.string == *b.held_.string;
  if (a.type_ == Type::array) return *a.held_.array == *b.held_.array;
  return std::ranges::equal(a.held_.object->members, b.held_.object->members,
                            [](const auto& one, const auto& other) {
                              return one->key == other->key && one->value == other->value;
                            });
}

std::ostream& operator<<(std::ostream& out, const Json& value) {
  return out << value.dump(-1, InvalidUtf8::replace);
}

// --------------------------------------------------------------------------------------- writing

namespace {

void append_escape(char c, std::string& out) {
  constexpr std::string_view kPlain = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (const std::size_t k = kPlain.find(c); k != kPlain.npos) {
    (out += '\\') += kLetters[k];
  } else {
    const auto code = static_cast<unsigned>(c);
    ((out += "\\u00") += kDigits[code >> 4]) += kDigits[code & 15];
  }
}

// What stands for a byte that is not UTF-8.
void append_fault(char byte, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  (out += "\xEF\xBF\xBD") += {kHex[value >> 4], kHex[value & 15]};
}

void append_quoted(std::string_view text, InvalidUtf8 invalid, std::string& out) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const DecodedCharacter character = decode(text, at);
    if (c < 0x20 || c == '"' || c == '\\') {
      append_escape(text[at], out);
    } else if (character.value != kInvalidByte) {
      out += text.substr(at, character.size);
    } else if (invalid == InvalidUtf8::refuse) {
      throw JsonError("text that is not UTF-8 cannot be written as JSON: " + in_quotes(text));
    } else {
      append_fault(text[at], out);
    }
    at += character.size;
  }
  out += '"';
}

// As models have always kept their numbers: the digits of std::to_chars differ now and then.
void append_number(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 64> digits;
  char* const end = nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

template <class Whole>
void append_number(Whole value, std::string& out) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace

class JsonWriter {
 public:
  JsonWriter(int indent, InvalidUtf8 invalid, std::string& out)
      : indent_(indent), invalid_(invalid), out_(out) {}

  void write(const Json& value) {
    using Type = Json::Type;
    switch (value.type_) {
      case Type::null:
        out_ += "null";
        break;
      case Type::boolean:
        out_ += value.held_.boolean ? "true" : "false";
        break;
      case Type::integer:
        append_number(value.held_.integer, out_);
        break;
      case Type::natural:
        append_number(value.held_.natural, out_);
        break;
      case Type::real:
        append_number(value.held_.real, out_);
        break;
      case Type::string:
        append_quoted(*value.held_.string, invalid_, out_);
        break;
      case Type::array:
        write_all('[', *value.held_.array, ']', [&](const Json& each) { write(each); });
        break;
      case Type::object:
        write_all('{', value.held_.object->members, '}', [&](const auto& member) {
          append_quoted(member->key, invalid_, out_);
          out_ += indent_ < 0 ? ":" : ": ";
          write(member->value);
        });
        break;
    }
  }

 private:
  template <class Values, class Write>
  void write_all(char open, const Values& values, char close, const Write& write_one) {
    out_ += open;
    ++depth_;
    for (const auto& each : values) {
      if (&each != values.data()) out_ += ',';
      begin_line();
      write_one(each);
    }
    --depth_;
    if (!values.empty()) begin_line();
    out_ += close;
  }

  void begin_line() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(depth_ * static_cast<std::size_t>(indent_), ' ');
  }

  int indent_;
  InvalidUtf8 invalid_;
  std::string& out_;
  std::size_t depth_ = 0;
};

std::string Json::dump(int indent, InvalidUtf8 invalid) const {
  std::string out;
  JsonWriter(indent, invalid, out).write(*this);
  return out;
}

// --------------------------------------------------------------------------------------- reading

namespace {

// Builds the value from what the parser meets.
class Builder {
 public:
  explicit Builder(const JsonParseOptions& options) : options_(options) {}

  Json take() { return std::move(root_); }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // JSON has none

  bool start_object(std::size_t) { return open(Json::object(options_.order)); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(const std::string& key) {
    check_depth();
    Json& object = *open_.back();
    if (options_.refuse_repeated_keys && object.contains(key)) {
      throw JsonError(key, Fault::repeated_key);
    }
    place_ = &object[key];
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) {
    const bool overflow = error.id == 406;
    std::string text = error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
    text.erase(0, text.starts_with('[') ? text.find("] ") + 2 : 0);
    throw JsonError(text, overflow ? Fault::number_range : Fault::syntax, byte);
  }

 private:
  void check_depth() const {
    if (open_.size() > options_.depth) throw JsonError("JSON: nested too deep", Fault::depth);
  }

  Json& put(Json value) {
    check_depth();
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_array()) return open_.back()->emplace_back(std::move(value));
    return *place_ = std::move(value);
  }

  bool add(Json value) {
    put(std::move(value));
    return true;
  }

  bool open(Json value) {
    open_.push_back(&put(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const JsonParseOptions& options_;
  Json root_;
  // An array grows only where no array or object of its own is open: these stay where they are.
  std::vector<Json*> open_;
  Json* place_ = nullptr;  // of the key read last
};

}  // namespace

Json parse_json(std::string_view text, const JsonParseOptions& options) {
  Builder builder(options);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

Json parse_json_or_null(std::string_view text) {
  try {
    return parse_json(text);
  } catch (const JsonError&) {
    return nullptr;
  }
}

}  // namespace croft
