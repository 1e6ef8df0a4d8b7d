// A page that stands for itself: texts, their spans in colour with the names of their labels.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "app/convert/texts/text_writers.h"
#include "app/infer/svg_text.h"

namespace croft {
namespace {

constexpr std::size_t kColours = 8;  // further labels take them again

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ground: #fff; --text: #1b1f24; }
body { background: var(--ground); color: var(--text); font: 16px/1.8 system-ui, sans-serif;
  max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
p { margin: .6rem 0; white-space: pre-wrap; }
mark { color: inherit; background: none; padding: .1rem .2rem; border-radius: .2rem;
  border-bottom: .25rem solid; }
mark small { font-size: .7em; font-weight: 600; padding-left: .3rem; }
.k0 { border-color: #2f7ed8; } .k1 { border-color: #d86a2f; } .k2 { border-color: #2f9e5b; }
.k3 { border-color: #a14fc4; } .k4 { border-color: #c43b62; } .k5 { border-color: #8a7a1f; }
.k6 { border-color: #1f8a8a; } .k7 { border-color: #7a7f86; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --text: #e8ebee; } }
)";

class HtmlWriter final : public TextWriter {
 public:
  HtmlWriter(const TextWriting& writing, WriteText write)
      : write_(std::move(write)), title_(svg_escaped(writing.title)) {}

  // The text as it stands; of tokens alone a blank between them.
  void add(const TextRecord& record) override {
    begin();
    const bool has_text = !record.places.empty();
    std::string out = "<p>";
    std::size_t at = 0;  // bytes of the text that are written
    const auto spans = record.spans.value_or(std::vector<LabelledSpan>());
    std::size_t k = 0;
    for (std::size_t t = 0; t < record.length(); ++t) {
      if (has_text) {
        out += svg_escaped(std::string_view(record.text).substr(at, record.places[t].begin - at));
        at = record.places[t].end;
      } else if (t > 0) {
        out += ' ';
      }
      if (k < spans.size() && spans[k].begin == t) {
        out += fmt::format("<mark class=\"k{}\">", colour_of(spans[k].label));
      }
      out += svg_escaped(record.cells[t * record.columns]);
      if (k < spans.size() && spans[k].end == t + 1) {
        out += "<small>" + svg_escaped(spans[k].label) + "</small></mark>";
        ++k;
      }
    }
    if (has_text) out += svg_escaped(std::string_view(record.text).substr(at));
    write_(out + "</p>\n");
  }

  void end() override {
    begin();
    write_("</body>\n</html>\n");
  }

 private:
  // Once there is something to show: data that cannot be read is no half of a page.
  void begin() {
    if (std::exchange(begun_, true)) return;
    write_(
        fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{0}"
                    "</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
                    title_, kStyle));
  }
  std::size_t colour_of(const std::string& label) {
    return colours_.emplace(label, colours_.size() % kColours).first->second;
  }
  WriteText write_;
  std::string title_;
  bool begun_ = false;
  std::map<std::string, std::size_t> colours_;
};

}  // namespace

std::unique_ptr<TextWriter> open_html(const TextWriting& writing, WriteText write) {
  return std::make_unique<HtmlWriter>(writing, std::move(write));
}

}  // namespace croft
