// What the training of a segment model (a semi-Markov CRF) is asked for.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/train/train_request.h"
#include "train/kinds/segment_training.h"

namespace croft {

struct SegmentRequest {
  // Data (columns, spans or attributes), output, template, weights, features, partial labels,
  // hold-out, init, prior, variances, checkpoint, seed, cost, and the options of features,
  // penalties, optimiser and stopping are looked at; the rest is to be left at its default.
  TrainRequest train;
  std::string segment_template;  // file; "none": no features of whole segments; empty: the default
  std::optional<std::string> segment_template_text;  // the template itself, where it is in no file
  std::vector<std::string> gazetteers;               // FILE or NAME=FILE (data/name_list_file.h)
  std::vector<NameList> lists;                       // further ones
  std::vector<std::string> longest;                  // N or LABEL=N
  std::string
      text_attribute;  // data of attributes: what the one with a position's word starts with
  ChunkScheme scheme = ChunkScheme::automatic;  // how labels spell segments
};

// Files that a request names beside those of training: templates and lists.
std::vector<std::string> segment_files(const SegmentRequest& request);
// Throws UsageError for a format that segments are not read from.
//   kind : of the model, for the message
void check_segment_input(const SegmentRequest& request, std::string_view kind);

// Templates, lists and lengths of a request, read and checked.  Throws UsageError for what
// contradicts itself, InputError for bad files.
//   init : to start from, whose templates and lists are taken where none are given; may be null
SegmentOptions segment_options(const SegmentRequest& request, const SegmentModel* init = nullptr);

// How the data of a request becomes strings, columns not yet counted.
ExtractionConfig segment_extraction(const SegmentRequest& request, const SegmentOptions& options,
                                    const SegmentModel* init = nullptr);

}  // namespace croft
