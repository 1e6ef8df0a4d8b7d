// How much memory this process may plan with.
#pragma once

namespace croft {

// Bytes: half of what the machine has, or of what a control group or `ulimit -v` leaves of it.  The
// same in every run on a machine, whatever else goes on there.
double usable_memory();

}  // namespace croft
