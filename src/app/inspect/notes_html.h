// What an author says of a model, in Markdown, as part of a page.
#pragma once
#include <string>
#include <string_view>

namespace croft {

// Headings (one level lower: the page has a title), paragraphs, flat lists, blocks and words of
// code, emphasis, and links to http, https and mailto or without a scheme.  All else is text, HTML
// too.
std::string notes_html(std::string_view markdown);

}  // namespace croft
