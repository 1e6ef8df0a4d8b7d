// Draws as files of other programs.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bugs/sampling.h"

namespace croft::bugs {

// CODA files, which R's coda, and ArviZ, read: STEMindex.txt has a line "name first last" for each
// number, STEMchain1.txt a line "iteration value" for each draw.  Written one after the other, each
// whole or not at all.  Throws Error where a file cannot be written.
void write_coda(const std::vector<const Trace*>& traces, const std::string& stem);

// The draws of a trace up to an iteration, from 1.
Trace up_to(const Trace& trace, std::size_t iteration);

// A header "chain,iteration,NAME,…" and a line for each iteration of which something is kept; a
// cell is empty where a number is not kept there.
std::string draws_csv(const std::vector<Trace>& traces);

// Whether a name is asked for: "theta" asks for theta and theta[1]; "theta[1]" for that.
bool is_of(std::string_view name, std::string_view asked);

}  // namespace croft::bugs
