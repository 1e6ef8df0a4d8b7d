// A model file taken apart, to be changed and put together again with good checksums: what its
// readers make of files that are damaged on purpose.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "croft/core/random.h"
#include "model/file/container.h"

namespace croft::testing_support {

// A place in JSON: a value, or a member of an object.
struct JsonPlace {
  std::string path;  // "extraction.columns", "functions[0].slope"
  Json* value;
  Json* parent;     // null: it is the root
  std::string key;  // of an object; empty: parent is a list
};

inline void add_places(Json& value, Json* parent, const std::string& key, const std::string& path,
                       std::vector<JsonPlace>& out) {
  out.push_back({path, &value, parent, key});
  if (value.is_object()) {
    std::vector<std::string> keys;
    for (const auto& [name, inner] : value.items()) keys.push_back(name);
    for (const std::string& name : keys) {
      add_places(value[name], &value, name, path + (path.empty() ? "" : ".") + name, out);
    }
  } else if (value.is_array()) {
    for (std::size_t k = 0; k < value.size(); ++k) {
      add_places(value[k], &value, "", path + "[" + std::to_string(k) + "]", out);
    }
  }
}

// Every value in `root`, itself first.  Valid until it changes.
inline std::vector<JsonPlace> places_of(Json& root) {
  std::vector<JsonPlace> out;
  add_places(root, nullptr, "", "", out);
  return out;
}

// What a number, a text or anything else may be that no writer wrote.
inline const std::vector<Json>& hostile_values() {
  static const std::vector<Json> kValues = {nullptr,
                                            true,
                                            0,
                                            1,
                                            -1,
                                            2,
                                            2.5,
                                            1e300,
                                            -1e18,
                                            1e9,
                                            255,
                                            4294967295.0,
                                            18446744073709551615ull,
                                            "",
                                            "x",
                                            "\xff\xfe",
                                            Json::array(),
                                            Json::object()};
  return kValues;
}

class ModelSections {
 public:
  struct Section {
    std::string name;
    std::vector<std::byte> bytes;
    ContainerWriter::Kind kind;

    std::string_view text() const {
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    // The section as JSON; none where it is something else.
    std::optional<Json> json() const {
      if (!text().starts_with('{')) return std::nullopt;
      Json found = parse_json_or_null(text());
      if (!found.is_object()) return std::nullopt;
      return found;
    }
    void set_text(std::string_view text) {
      const auto* begin = reinterpret_cast<const std::byte*>(text.data());
      bytes.assign(begin, begin + text.size());
    }
    void set_json(const Json& value) { set_text(value.dump(1, InvalidUtf8::replace)); }
    template <class T>
    void set_numbers(const std::vector<T>& numbers) {
      bytes.resize(numbers.size() * sizeof(T));
      if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    }
    template <class T>
    std::vector<T> numbers() const {
      std::vector<T> found(bytes.size() / sizeof(T));
      if (!found.empty()) std::memcpy(found.data(), bytes.data(), found.size() * sizeof(T));
      return found;
    }
  };

  // Throws Error where `file` is no container.
  explicit ModelSections(const Container& file) {
    using Kind = ContainerWriter::Kind;
    for (const Container::Entry& entry : file.entries()) {
      const auto bytes = file.section(entry.name);
      sections.push_back({entry.name,
                          {bytes.begin(), bytes.end()},
                          entry.required ? Kind::required
                          : entry.bulk   ? Kind::bulk
                                         : Kind::small});
    }
  }

  bool has(std::string_view name) const { return find(name) < sections.size(); }
  Section& operator[](std::string_view name) { return sections.at(find(name)); }
  void erase(std::string_view name) {
    sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(find(name)));
  }
  // Of the section meta, or another of JSON.
  void set_value(std::string_view path, const Json& value, std::string_view section = "meta") {
    Json all = *(*this)[section].json();
    for (JsonPlace& place : places_of(all)) {
      if (place.path != path) continue;
      *place.value = value;
      (*this)[section].set_json(all);
      return;
    }
    throw std::out_of_range(std::string(path));
  }

  // The file, sealed: sizes, places and checksums are right.
  std::vector<std::byte> bytes() const {
    ContainerWriter out;
    for (const Section& each : sections) out.add(each.name, each.bytes, each.kind);
    return out.bytes();
  }

  std::vector<Section> sections;

 private:
  std::size_t find(std::string_view name) const {
    std::size_t k = 0;
    while (k < sections.size() && sections[k].name != name) ++k;
    return k;
  }
};

// One change that keeps the file a container: a value of JSON, a number or a byte, the size of a
// section, a section gone or another's in its place.
inline void damage(ModelSections& model, Random& random) {
  if (model.sections.empty()) return;
  ModelSections::Section& section = model.sections[random.below(model.sections.size())];
  if (std::optional<Json> json = section.json(); json && random.below(8) > 0) {
    std::vector<JsonPlace> places = places_of(*json);
    JsonPlace& at = places[random.below(places.size())];
    const std::vector<Json>& values = hostile_values();
    const std::uint64_t how = random.below(values.size() + 2);
    if (how == values.size() && at.parent != nullptr && !at.key.empty()) {
      at.parent->erase(at.key);
    } else if (how > values.size()) {
      *at.value = Json(*places[random.below(places.size())].value);
    } else {
      *at.value = Json(values[std::min<std::size_t>(how, values.size() - 1)]);
    }
    section.set_json(*json);
    return;
  }
  std::vector<std::byte>& bytes = section.bytes;
  const auto put = [&](const auto& value) {
    if (bytes.size() < sizeof value) return;
    // Most often where numbers of this size stand.
    std::size_t at = random.below(bytes.size() / sizeof value) * sizeof value;
    if (random.below(8) == 0) at = random.below(bytes.size() - sizeof value + 1);
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  static constexpr std::array<std::uint32_t, 10> kWhole = {
      0, 1, 2, 3, 7, 255, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  static constexpr std::array<double, 8> kReal = {0,    -1,    1e300,    -1e300,
                                                  3e38, 1e-40, HUGE_VAL, -HUGE_VAL};
  const double real = random.below(8) == 0 ? NAN : kReal[random.below(kReal.size())];
  switch (random.below(10)) {
    case 0:
    case 1:
      return put(static_cast<std::uint8_t>(random.below(256)));
    case 2:
    case 3:
      return put(kWhole[random.below(kWhole.size())]);
    case 4:
      return put(std::uint64_t{kWhole[random.below(kWhole.size())]} << random.below(33));
    case 5:
      return put(static_cast<float>(real));
    case 6:
      return put(real);
    case 7:
      bytes.resize(random.below(2 * bytes.size() + 9));
      return;
    case 8:
      bytes = model.sections[random.below(model.sections.size())].bytes;
      return;
    default:
      if (random.below(4) == 0) model.erase(std::string(section.name));
  }
}

}  // namespace croft::testing_support
