// Training of a maximum-entropy model with joint features, from files to a model file, or from
// sequences of a program.
#pragma once
#include <string>

#include "croft/app/train.h"
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

// Trains on the sequences of `input`, whose extractor is that of joint_extraction(); of the
// request, files are not looked at.
TrainedModel train_joint_on(const TrainRequest& request, const JointTemplates& templates,
                            const LabelClasses& classes, TrainingInput& input,
                            const TrainWatcher& watcher);

// Reads, trains, writes the model (temporary, sync, rename); its bytes depend on the data and the
// request alone.  Throws UsageError for options that contradict each other, and Error where the
// output cannot be written, before anything is read; InputError for bad data, templates or classes.
TrainResult train_joint(const JointRequest& request, const TrainWatcher& watcher);

}  // namespace croft
