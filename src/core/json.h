// A value of JSON: what models keep in their sections of text, and reports and logs are written in.
//
//   Json report = {{"labels", names}, {"accuracy", 0.5}};   // an object: pairs that begin with a
//   key report["folds"].push_back({{"fold", 1}, {"score", 0.25}}); report.dump(2);
//
// An object has its keys sorted, or (KeyOrder::as_written) in the order in which they came.
// Whole numbers are exact; a double is written so that reading gives it back; what is no finite
// number is written as null.
// A value that is not there or of another type is a JsonError.
// Threads: const calls may run at once.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/core/error.h"

namespace croft {

class JsonError : public Error {
 public:
  enum class Fault : std::uint8_t { value, syntax, number_range, depth, repeated_key };

  explicit JsonError(const std::string& what, Fault fault = Fault::value, std::size_t byte = 0)
      : Error(what), fault_(fault), byte_(byte) {}

  Fault fault() const { return fault_; }
  // Of a fault in a text: the byte at which it was found, from 1 on.
  std::size_t byte() const { return byte_; }

 private:
  Fault fault_;
  std::size_t byte_;
};

// What stands for a byte that is not UTF-8: an error; or U+FFFD and the byte in two hexadecimal
// digits, so that texts that differ stay different.
enum class InvalidUtf8 : std::uint8_t { refuse, replace };
enum class KeyOrder : std::uint8_t { sorted, as_written };

class Json {
 public:
  struct Member;
  class Part;
  class Items;

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Json(T value) : type_(Type::boolean) {
    held_.boolean = value;
  }
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value)
      : type_(std::signed_integral<T> ? Type::integer : Type::natural) {
    held_.natural = static_cast<std::uint64_t>(value);
  }
  template <std::floating_point T>
  Json(T value) : type_(Type::real) {
    held_.real = static_cast<double>(value);
  }
  Json(std::string value);
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  template <class T>
  Json(const std::vector<T>& values);
  // Pairs that begin with a string are an object, in which the first of two equal keys counts;
  // anything else is an array.
  Json(std::initializer_list<Part> parts);

  Json(const Json& other);
  Json(Json&& other) noexcept : type_(std::exchange(other.type_, Type::null)), held_(other.held_) {}
  Json& operator=(Json other) noexcept {
    std::swap(type_, other.type_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~Json() {
    if (type_ >= Type::string) release();
  }

  static Json array();
  static Json object(KeyOrder order = KeyOrder::sorted);

  bool is_null() const { return type_ == Type::null; }
  bool is_boolean() const { return type_ == Type::boolean; }
  bool is_number() const { return type_ >= Type::integer && type_ <= Type::real; }
  bool is_number_float() const { return type_ == Type::real; }
  // A whole number that came as unsigned, as all do that are read and are not negative.
  bool is_number_unsigned() const { return type_ == Type::natural; }
  bool is_string() const { return type_ == Type::string; }
  bool is_array() const { return type_ == Type::array; }
  bool is_object() const { return type_ == Type::object; }

  // bool, a number, std::string, Json, or a vector of these.  A whole number must fit T.
  template <class T>
  T get() const;
  const std::string& string() const;

  // Of an array or object; null has none, anything else is one.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Arrays; null becomes one by adding to it.
  const Json& at(std::size_t k) const;
  const Json& operator[](std::size_t k) const { return at(k); }
  Json& operator[](std::size_t k) { return const_cast<Json&>(std::as_const(*this).at(k)); }
  Json& emplace_back(Json value);
  void push_back(Json value) { emplace_back(std::move(value)); }
  const Json* begin() const;
  const Json* end() const { return begin() + size(); }
  Json* begin() { return const_cast<Json*>(std::as_const(*this).begin()); }
  Json* end() { return begin() + size(); }

  // Objects; null becomes one by asking for a key.  References to values outlive added keys.
  const Json* get_if(std::string_view key) const;  // null where there is none
  bool contains(std::string_view key) const { return get_if(key) != nullptr; }
  const Json& at(std::string_view key) const;
  const Json& operator[](std::string_view key) const { return at(key); }
  Json& operator[](std::string_view key);
  template <class T>
  T value(std::string_view key, T otherwise) const;
  void erase(std::string_view key);
  void update(const Json& other);  // the members of another object, which win
  Items items() const;

  // indent < 0: one line.
  std::string dump(int indent = -1, InvalidUtf8 invalid = InvalidUtf8::refuse) const;

  // Numbers by their values, whatever they are kept as.
  friend bool operator==(const Json& a, const Json& b);
  friend std::ostream& operator<<(std::ostream& out, const Json& value);

 private:
  enum class Type : std::uint8_t { null, boolean, integer, natural, real, string, array, object };
  struct Object;
  friend class JsonWriter;

  [[noreturn]] void fail(const char* wanted) const;
  void require(Type type, const char* wanted) const {
    if (type_ != type) fail(wanted);
  }
  void release();
  double number() const;
  std::int64_t integer(std::int64_t lowest, std::int64_t largest) const;
  std::uint64_t natural(std::uint64_t largest) const;
  Json& insert(std::string_view key, bool& added);

  Type type_ = Type::null;
  union Held {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural = 0;
    double real;
    std::string* string;
    std::vector<Json>* array;
    Object* object;
  } held_;
};

struct Json::Member {
  std::string key;
  Json value;
};

// for (const auto& [key, value] : object.items())
class Json::Items {
 public:
  class Iterator {
   public:
    explicit Iterator(const std::unique_ptr<Member>* at) : at_(at) {}
    const Member& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const std::unique_ptr<Member>* at_;
  };

  explicit Items(const std::vector<std::unique_ptr<Member>>& members) : members_(members) {}
  Iterator begin() const { return Iterator(members_.data()); }
  Iterator end() const { return Iterator(members_.data() + members_.size()); }

 private:
  const std::vector<std::unique_ptr<Member>>& members_;
};

// What stands between braces: moved into the value, where it is a temporary.
class Json::Part {
 public:
  template <class T>
  Part(T&& value) : value_(std::forward<T>(value)) {}
  Part(std::initializer_list<Part> parts) : value_(parts) {}

 private:
  friend class Json;
  bool is_pair() const { return value_.is_array() && value_.size() == 2 && value_[0].is_string(); }
  mutable Json value_;
};

template <class T>
Json::Json(const std::vector<T>& values) : Json(array()) {
  held_.array->reserve(values.size());
  for (const auto& each : values) held_.array->emplace_back(each);
}

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, Json>) {
    return *this;
  } else if constexpr (std::same_as<T, bool>) {
    require(Type::boolean, "true or false");
    return held_.boolean;
  } else if constexpr (std::same_as<T, std::string>) {
    return string();
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number());
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(natural(std::numeric_limits<T>::max()));
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<T>(integer(std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()));
  } else {
    require(Type::array, "a list");
    T values;
    values.reserve(size());
    for (const Json& each : *this) values.push_back(each.get<typename T::value_type>());
    return values;
  }
}

template <class T>
T Json::value(std::string_view key, T otherwise) const {
  require(Type::object, "an object");
  const Json* const found = get_if(key);
  return found == nullptr ? std::move(otherwise) : found->get<T>();
}

struct JsonParseOptions {
  KeyOrder order = KeyOrder::sorted;
  // false: the last of two equal keys of an object counts; true: it is a fault.
  bool refuse_repeated_keys = false;
  // A fault: a value within more arrays and objects than this, each in the other.
  std::size_t depth = 500;
};

// The one value that `text` holds.  Throws JsonError.
Json parse_json(std::string_view text, const JsonParseOptions& options = {});
// null where `text` is not JSON.
Json parse_json_or_null(std::string_view text);

}  // namespace croft
