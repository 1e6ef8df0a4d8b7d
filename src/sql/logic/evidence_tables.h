// An evidence as tables that joins read.
//
//   d<type>(c, v)              constants by number; v: the whole number or the text
//   p<predicate>(a0, …, truth) facts; truth: -1, 0, 1
//   f<function>(a0, …, r)      values
#pragma once
#include "logic/atom_space.h"
#include "sql/sqlite_calls.h"

namespace croft {

SqliteHandle evidence_tables(const AtomSpace& space);

}  // namespace croft
