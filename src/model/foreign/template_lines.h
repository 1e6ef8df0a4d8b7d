// Lines of templates in the files of other programs, and the same lines in another language.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "features/extraction.h"

namespace croft {

// How often an edge without macros has this string: a program that counts a line that is there
// twice twice adds its weights as often, and Croft once (Extractor::tied_names()).
std::size_t times_at_edges(const TemplateSet& templates, std::string_view name);

// Whether a template of edges with macros can become this string, whatever the cells are.
bool may_make_at_edges(const TemplateSet& templates, std::string_view name);

// A macro in a line that TemplateSet has read.
struct MacroPlace {
  std::size_t begin = 0, end = 0;          // from its "%" to behind its "]"
  std::size_t row_begin = 0, row_end = 0;  // the digits of its row, with a "-"
  std::size_t column_begin = 0, column_end = 0;
  bool absolute = false;
};
std::vector<MacroPlace> macros_of(std::string_view line);

// Whether Wapiti reads a row in another base than ten: 010 is 8 there.
bool has_octal_row(std::string_view line);

std::string_view program_of(TemplateLanguage language);  // that has it: CRF++ or Wapiti

// Throws UsageError for what makes attributes beside templates and data, but for an intercept.
void require_plain_extraction(const ExtractionConfig& config, TemplateLanguage to,
                              const std::string& file);

// The features of a model under the names that another program gives them.
class TemplateTranslation {
 public:
  //   to   : crfpp or wapiti_bytes
  //   file : of the model, for messages
  // Throws UsageError for a template that the other language cannot say, for a model without one,
  // and for attributes that no template makes.
  TemplateTranslation(const ExtractionConfig& from, TemplateLanguage to, const std::string& file);

  // In the order of the lines that they are made of; those of nodes first for crfpp.
  const std::vector<std::string>& lines() const { return lines_; }
  const TemplateSet& templates() const { return from_; }  // as the model has them
  // The name of an attribute of a position, or of an edge.
  std::string of_node(std::string_view name) const { return renamed(name, 'U', 'u'); }
  std::string of_edge(std::string_view name) const { return renamed(name, 'B', 'b'); }

 private:
  void to_crfpp();
  void to_wapiti();
  [[noreturn]] void refuse(std::string_view line, const std::string& why) const;
  std::string renamed(std::string_view name, char crfpp, char wapiti) const;

  std::string file_;
  TemplateSet from_;
  TemplateLanguage to_;
  std::vector<std::string> lines_;
};

}  // namespace croft
