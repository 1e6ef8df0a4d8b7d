// What the training of a maximum-entropy model with joint features is asked for.
#pragma once
#include <string>

#include "app/train/train_request.h"
#include "train/kinds/joint_training.h"

namespace croft {

struct JointRequest {
  // Data (columns), output, weights, features (default: observed), seed, and the options of
  // features, penalties, optimiser and stopping are looked at; the rest is to be left at its
  // default.
  TrainRequest train;
  std::string template_path;  // the joint templates
  std::string classes_path;   // lines LABEL CLASS; empty: none
};

// How the data of these templates becomes strings, columns not yet counted.
ExtractionConfig joint_extraction(const JointTemplates& templates, const std::string& name);

}  // namespace croft
