// croft inspect
#include "cli/common.h"
namespace croft::cli {
void add_inspect(Program&) {}
}  // namespace croft::cli
