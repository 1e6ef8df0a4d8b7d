// A small XML document as a tree.  Expat reads it.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "croft/data/line_reader.h"

namespace croft {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::string text = {};  // its own, without that of the elements in it
  std::vector<XmlElement> children = {};
  Location where = {};  // of its begin

  const std::string* attribute(std::string_view wanted) const;  // nullptr: there is none
  const XmlElement* child(std::string_view wanted) const;       // the first; likewise
  // Throws InputError where there is none.
  const std::string& need_attribute(std::string_view wanted) const;
  const XmlElement& need_child(std::string_view wanted) const;
};

// The text without the blanks around it.
std::string_view xml_trimmed(std::string_view text);

// The root.  Throws InputError (file, line, column) for what is no well-formed document, for one
// that defines entities or needs some that it does not define, and for elements that are nested
// more than 64 deep.  Nothing but the text is read: no external document type.
XmlElement read_xml(LineReader lines);

}  // namespace croft
