// An evidence as tables that joins read.
//
//   d<type>(c, v)              constants by number; v: the whole number or the text
//   p<predicate>(a0, …, truth) facts; truth: -1, 0, 1
//   f<function>(a0, …, r)      values
#pragma once
#include "logic/atom_space.h"
#include "sql/logic/ground_watch.h"
#include "sql/sqlite_calls.h"

namespace croft {

//   watch : which ends it, and all joins over the tables later on; must outlive them.  nullptr:
//           Ctrl-C alone does
SqliteHandle evidence_tables(const AtomSpace& space, const GroundWatch* watch = nullptr);

}  // namespace croft
