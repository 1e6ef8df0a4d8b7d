// The processes that MPI has started beside this one (mpirun, srun); usually none.
#pragma once
#include <string>

#include "croft/core/ranks.h"

namespace croft::cli {

// To be called first.  Where MPI has started the program it joins the others; from then on the
// first process alone writes to the standard streams.  Throws Error where the program was built
// without MPI.
void start_processes(int* argc, char*** argv);
Ranks& processes();     // no_other_ranks() before
bool started_by_mpi();  // also as the only process
// Throws UsageError where there are others: `what` is for one alone.
void require_one_process(const std::string& what);
// To be called last, with the exit status, and with the message of a failure; see mpi/mpi_module.h.
void end_processes(int status, const std::string& message);

}  // namespace croft::cli
