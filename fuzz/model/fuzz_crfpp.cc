// Any bytes as a CRF++ model, in either form: an InputError, or a model that labels a sequence, and
// that is the same when it is written and read again.
#include "model/foreign/foreign_chain.h"
#include "support/foreign_model.h"
#include "support/target.h"

namespace fuzz_crfpp {

CROFT_FUZZ_TARGET(fuzz_crfpp) {
  const bool text = size > 0 && data[0] == 'v';
  croft::fuzz::read_foreign(data, size, text ? croft::read_crfpp_text : croft::read_crfpp,
                            croft::write_crfpp);
  return 0;
}

}  // namespace fuzz_crfpp
