// What the targets for the files of other programs share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "croft/core/error.h"
#include "model/foreign/foreign_chain.h"
#include "model/kinds/chain_model.h"
#include "support/model_bytes.h"
#include "support/model_text.h"

namespace croft::fuzz {

inline ChainModel foreign_model(const ForeignChain& chain) {
  return ChainModel(
      Container::from_bytes(make_foreign_model(chain, "fuzz", "fuzz.model").bytes(), "fuzz.model"));
}

// An InputError, or a model that labels a sequence; and what the program's file can say of it is
// the same when it is written, read and written again.
inline void read_foreign(const std::uint8_t* data, std::size_t size,
                         ForeignChain (*read)(std::string_view, const std::string&),
                         std::string (*write)(const ForeignChain&, const std::string&)) {
  const std::string name = "fuzz.model";
  try {
    const ForeignChain chain = read({reinterpret_cast<const char*>(data), size}, name);
    if (chain.labels.size() > kMostLabels) return;
    const ChainModel model = foreign_model(chain);
    const bool rows = chain.extraction.format == InputFormat::columns;
    if (rows && model.extractor().config().columns > kMostLabels) return;
    const TextSequence text =
        rows ? text_of_rows(model.extractor(), {"a", "b", "c"}) : text_of({"a", "b", "c"}, 0.5);
    Tagger tagger(model);
    check_labels(tagger.tag(text, {.probability = true, .marginals = true}).y, model.labels());
    const std::string written = write(foreign_chain(model), name);
    const std::string again = write(foreign_chain(foreign_model(read(written, name))), name);
    if (again != written) throw std::logic_error("not the same again");
  } catch (const Error&) {
  }
}

}  // namespace croft::fuzz
