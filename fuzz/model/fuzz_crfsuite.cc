// Any bytes as a CRFsuite model: an InputError, or a model that labels a sequence, and that is the
// same when it is written and read again.
#include "model/foreign/foreign_chain.h"
#include "support/foreign_model.h"
#include "support/target.h"

namespace fuzz_crfsuite {

CROFT_FUZZ_TARGET(fuzz_crfsuite) {
  croft::fuzz::read_foreign(data, size, croft::read_crfsuite, croft::write_crfsuite);
  return 0;
}

}  // namespace fuzz_crfsuite
