// Any bytes as data of each format: blocks that are the same when written and cut again.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "app/train/data_blocks.h"
#include "support/target.h"

namespace fuzz_data_blocks {

CROFT_FUZZ_TARGET(fuzz_data_blocks) {
  using croft::BlockForm, croft::InputFormat;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const BlockForm& form :
       {BlockForm{InputFormat::columns}, BlockForm{InputFormat::attributes},
        BlockForm{InputFormat::text}, BlockForm{.format = InputFormat::text, .spans = true},
        BlockForm{InputFormat::svmlight}, BlockForm{InputFormat::csv}}) {
    croft::DataBlocks blocks, again;
    croft::LineReader lines(text, "fuzz");
    croft::append_blocks(lines, form, blocks);
    std::vector<std::size_t> all(blocks.blocks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::string written = blocks.text(all);
    // A byte order mark is passed over once, wherever the text is read from.
    if (written.starts_with("\xEF\xBB\xBF")) continue;
    croft::LineReader rewritten(written, "fuzz");
    croft::append_blocks(rewritten, form, again);
    if (again.blocks != blocks.blocks || again.header() != blocks.header()) {
      throw std::logic_error("blocks are others when they are cut again");
    }
  }
  return 0;
}

}  // namespace fuzz_data_blocks
