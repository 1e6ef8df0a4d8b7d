// Any bytes as a CRFsuite model: an InputError, or a model that labels a sequence, and that is the
// same when it is written and read again.
#include "model/foreign/foreign_chain.h"
#include "support/foreign_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  croft::fuzz::read_foreign(data, size, croft::read_crfsuite, croft::write_crfsuite);
  return 0;
}
