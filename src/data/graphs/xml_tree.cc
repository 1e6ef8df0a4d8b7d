#include "data/graphs/xml_tree.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kDeepest = 64;

class Reading {
 public:
  explicit Reading(const std::string& file) : file_(file), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &on_begin, &on_end);
    XML_SetCharacterDataHandler(parser_.get(), &on_text);
    XML_SetEntityDeclHandler(parser_.get(), &on_entity);
    XML_SetSkippedEntityHandler(parser_.get(), &on_skipped);
  }

  // A piece of the text.
  void add(std::string_view text, bool last) {
    const auto status = XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()),
                                  last ? XML_TRUE : XML_FALSE);
    if (error_) std::rethrow_exception(error_);
    if (status == XML_STATUS_OK) return;
    const XML_Error code = XML_GetErrorCode(parser_.get());
    if (code == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    throw InputError(here(), std::string("this is no XML: ") + XML_ErrorString(code), "", "");
  }
  XmlElement root() && { return std::move(root_); }

 private:
  Location here() const {
    return {file_, XML_GetCurrentLineNumber(parser_.get()),
            XML_GetCurrentColumnNumber(parser_.get()) + 1};
  }

  // No exception passes through Expat, which is C.
  template <class Work>
  static void guarded(void* data, const Work& work) {
    auto& self = *static_cast<Reading*>(data);
    if (self.error_) return;
    try {
      work(self);
    } catch (...) {
      self.error_ = std::current_exception();
      XML_StopParser(self.parser_.get(), XML_FALSE);
    }
  }

  static void XMLCALL on_begin(void* data, const XML_Char* name, const XML_Char** attributes) {
    guarded(data, [&](Reading& self) {
      if (self.open_.size() == kDeepest) {
        throw InputError(self.here(), "elements are nested more than 64 deep", name, "");
      }
      XmlElement element{.name = name};
      element.where = self.here();
      for (; *attributes != nullptr; attributes += 2) {
        element.attributes.emplace_back(attributes[0], attributes[1]);
      }
      self.open_.push_back(std::move(element));
    });
  }
  static void XMLCALL on_end(void* data, const XML_Char*) {
    guarded(data, [](Reading& self) {
      XmlElement element = std::move(self.open_.back());
      self.open_.pop_back();
      (self.open_.empty() ? self.root_ : self.open_.back().children.emplace_back()) =
          std::move(element);
    });
  }
  static void XMLCALL on_text(void* data, const XML_Char* text, int size) {
    guarded(data, [&](Reading& self) {
      if (!self.open_.empty()) self.open_.back().text.append(text, static_cast<std::size_t>(size));
    });
  }
  static void XMLCALL on_entity(void* data, const XML_Char* name, int, const XML_Char*, int,
                                const XML_Char*, const XML_Char*, const XML_Char*,
                                const XML_Char*) {
    guarded(data, [&](Reading& self) {
      throw InputError(self.here(), "a document that defines entities", name,
                       "write what they stand for in their places");
    });
  }
  static void XMLCALL on_skipped(void* data, const XML_Char* name, int) {
    guarded(data, [&](Reading& self) {
      throw InputError(self.here(), "an entity that the document does not define", name, "");
    });
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  const std::string& file_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::vector<XmlElement> open_;
  XmlElement root_;
  std::exception_ptr error_;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes) {
    if (key == wanted) return &value;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  const auto at = std::ranges::find(children, wanted, &XmlElement::name);
  return at == children.end() ? nullptr : &*at;
}

const std::string& XmlElement::need_attribute(std::string_view wanted) const {
  if (const std::string* found = attribute(wanted)) return *found;
  throw InputError(where, "element " + name + " has no attribute", wanted, "");
}

const XmlElement& XmlElement::need_child(std::string_view wanted) const {
  if (const XmlElement* found = child(wanted)) return *found;
  throw InputError(where, "element " + name + " has no element in it of the name", wanted, "");
}

std::string_view xml_trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

XmlElement read_xml(LineReader lines) {
  const std::string name = lines.name();
  Reading reading(name);
  std::string_view line;
  while (lines.next(line)) {
    // A piece is at most as long as an int can say.
    for (; line.size() > (1 << 20); line.remove_prefix(1 << 20)) {
      reading.add(line.substr(0, 1 << 20), false);
    }
    reading.add(line, false);
    reading.add("\n", false);
  }
  reading.add("", true);
  return std::move(reading).root();
}

}  // namespace croft
