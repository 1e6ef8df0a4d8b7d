// Feature templates: CRF++'s template language and Wapiti's pattern language, read and expanded.
//
// A template at position t becomes one string, with its macros replaced by cells (or by what a
// regular expression says of a cell) at positions relative to t.  docs/templates.md defines both
// languages.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/columns.h"

namespace croft {

// wapiti_bytes: Wapiti's language as Wapiti carries it out, where a character is a byte and classes
// and letters are those of ASCII.
enum class TemplateLanguage { automatic, crfpp, wapiti, wapiti_bytes };

class TemplateSet {
 public:
  // Parses a template file.  `name` is for messages.  `automatic`: CRF++'s language, unless the
  // text contains something that only Wapiti's has.  Throws InputError quoting the line at an
  // unknown macro, a bad row or column, a bad regular expression, a line that starts with none of
  // U, B (u, b, *); and when there is no template at all.  A macro may call column k by names[k],
  // too, where that is not empty: %x[0,brown.6].  About 2 ms for each class of characters
  // (\a, \U, ...) in a regular expression, next to nothing otherwise.
  static TemplateSet parse(std::string_view text, const std::string& name,
                           TemplateLanguage language = TemplateLanguage::automatic,
                           std::span<const std::string> names = {});

  struct Template;  // one line: literal pieces and macros
  TemplateSet();
  ~TemplateSet();
  TemplateSet(TemplateSet&&) noexcept;
  TemplateSet& operator=(TemplateSet&&) noexcept;

  TemplateLanguage language() const;             // as decided, not automatic
  const std::string& text() const;               // the source, for the model file
  std::size_t size() const;                      // templates (a Wapiti * line counts once)
  const std::string& line(std::size_t k) const;  // as written, without comment
  bool on_nodes(std::size_t k) const;            // U, u, *
  bool on_edges(std::size_t k) const;            // B, b, *
  bool is_constant(std::size_t k) const;         // no macro: the same string at every position
  std::size_t columns_needed() const;            // 1 + the largest column named
  bool uses_column(std::size_t column) const;    // whether a macro names it

  struct CellAt {
    std::int32_t row;  // from the position on
    std::uint32_t column;
  };
  // The cells that decide what template k becomes, in the order of its macros; nothing where one is
  // in an absolute row.
  std::optional<std::vector<CellAt>> cells_of(std::size_t k) const;

  // Throws InputError quoting the template line that names a column >= columns.
  void check_columns(std::size_t columns) const;

  // Appends the expansion of template k at position t <= rows.rows() to `out`.  Every row must have
  // columns_needed() cells; no other is read.  For t = rows.rows() (the position of STOP) macros
  // reach back as usual.  About 30 ns, and 60 to 100 ns more for a regular expression; no
  // allocation but of `out`.  Safe from many threads at once.
  void expand(std::size_t k, const ColumnSequence& rows, std::size_t t, std::string& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace croft
