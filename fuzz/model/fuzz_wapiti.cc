// Any bytes as a Wapiti model: an InputError, or a model that labels a sequence, and that is the
// same when it is written and read again.
#include "model/foreign/foreign_chain.h"
#include "support/foreign_model.h"
#include "support/target.h"

namespace fuzz_wapiti {

CROFT_FUZZ_TARGET(fuzz_wapiti) {
  croft::fuzz::read_foreign(data, size, croft::read_wapiti, croft::write_wapiti);
  return 0;
}

}  // namespace fuzz_wapiti
