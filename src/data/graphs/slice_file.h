// A dynamic Bayesian network as a network of two slices: any file whose variables are named alike
// but for what a name ends in.
//
//   rain_0          of the first slice; its parents are there, too
//   rain_1          of the next; its parents are there, or in the first
//
// The first slice's tables are those of the first slice of time, the next one's those of all later
// slices.
#pragma once
#include <string>
#include <string_view>

#include "croft/data/graph_file.h"
#include "croft/structure/slice_network.h"

namespace croft {

struct SliceEndings {
  std::string first = "_0", next = "_1";  // one of them may be empty

  // "_0,_1".  Throws UsageError for what is no two different endings.
  static SliceEndings read(std::string_view text);
};

struct SliceFile {
  SliceNetwork net;
  GraphNames names;  // [n], without the endings

  // The first slice with these names: what a table of evidence is read with.
  GraphFile slice() const;
};

// Throws UsageError for a graph that is no network of two slices: among others for a variable with
// neither ending or in one slice only, for states that differ, and for an edge back in time.
SliceFile slice_file(const GraphFile& two, const SliceEndings& endings = {});

// Bytes that a slice of the plain network takes, with its names, about.
double unrolled_bytes(const SliceFile& file);
// The plain network of so many slices, of variables rain_0, rain_1, rain_2 …
GraphFile unrolled(const SliceFile& file, std::size_t slices);

}  // namespace croft
