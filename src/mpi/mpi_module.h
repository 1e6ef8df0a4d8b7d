// What the module has that `croft` loads where MPI has started it.
#pragma once
#include "croft/core/ranks.h"

extern "C" {
// Joins the other processes.  The ranks are good until the end of the program.
croft::Ranks* croft_mpi_start(int* argc, char*** argv);
// The name of the machine that this process runs on.
const char* croft_mpi_host();
// To be called once, by every process, with its exit status.  Returns when all have come; does not
// return, and ends all processes, where this one has failed and others do not come within some
// seconds: they wait for it.  Before that it writes `message` to the file descriptor, if any.
void croft_mpi_end(int status, const char* message, int descriptor);
}
