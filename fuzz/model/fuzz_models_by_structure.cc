// Model files of every kind, changed by their structure (values of their records, numbers of their
// tables, sizes of sections) and sealed again: an Error that names the file, or a model that is
// inspected, labels, is evaluated and explained.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "croft/core/error.h"
#include "support/model_bytes.h"
#include "support/model_sections.h"
#include "support/target.h"
#include "support/use_model.h"

namespace fuzz_models_by_structure {

namespace {

using croft::Container;
using croft::testing_support::ModelSections;
using croft::testing_support::ModelUse;

constexpr const char* kName = "fuzz.croft";

Container container_of(const std::uint8_t* data, std::size_t size) {
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  return Container::from_bytes({begin, begin + size}, kName);
}

}  // namespace

CROFT_FUZZ_MUTATOR(fuzz_models_by_structure) {
  try {
    ModelSections model(container_of(data, size));
    croft::Random random(seed);
    for (std::size_t changes = 1 + random.below(3); changes-- > 0;) damage(model, random);
    const std::vector<std::byte> bytes = model.bytes();
    if (bytes.size() <= most) {
      std::memcpy(data, bytes.data(), bytes.size());
      return bytes.size();
    }
  } catch (const croft::Error&) {  // no container: any change is as good as another
  }
  return LLVMFuzzerMutate(data, size, most);
}

CROFT_FUZZ_TARGET(fuzz_models_by_structure) {
  static const croft::testing_support::TokenFile tokens;
  static ModelUse use({tokens.path()});
  std::shared_ptr<const croft::StoredModel> model;
  try {
    Container container = container_of(data, size);
    if (croft::fuzz::has_many_labels(container)) return 0;
    model = croft::read_stored_model(std::move(container));
  } catch (const croft::Error& error) {
    if (!std::string_view(error.what()).starts_with(kName)) {
      throw std::logic_error("an error that does not name the file");
    }
    return 0;
  }
  use.use(model);
  return 0;
}

}  // namespace fuzz_models_by_structure
