// Sequences in the formats of other programs: one table, which writers are found by.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/convert/texts/text_record.h"
#include "app/label/chunks.h"
#include "app/view.h"

namespace croft {

// What writers have to be told.
struct TextWriting {
  ChunkScheme scheme = ChunkScheme::automatic;  // of labels: how they spell spans
  std::string title;                            // of a page
};

class TextWriter {
 public:
  virtual ~TextWriter() = default;
  // Throws InputError for what the format cannot say.
  virtual void add(const TextRecord& record) = 0;
  virtual void end() {}
};

struct TextOutput {
  std::string_view name, help;
  std::unique_ptr<TextWriter> (*open)(const TextWriting& writing, WriteText write);
  bool labels_tokens = false;  // and not spans
};
std::span<const TextOutput> text_outputs();
const TextOutput* find_text_output(std::string_view name);  // null: there is none

// What the format of spans has of a record, with "text" and "offsets" (in characters) where there
// is a text; and the same as a line.
Json span_object_of(const TextRecord& record);
std::string span_line_of(const TextRecord& record);

std::unique_ptr<TextWriter> open_segmented(const TextWriting& writing, WriteText write);
std::unique_ptr<TextWriter> open_html(const TextWriting& writing, WriteText write);

}  // namespace croft
