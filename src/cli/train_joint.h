// croft train --model maxent --joint-template FILE: its options, and the call.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "app/train/train_joint.h"
#include "cli/common.h"
#include "cli/train_methods.h"

namespace croft::cli {

struct JointCommand {
  std::string joint_template, label_classes;
};

// The options that only joint features have.
void add_joint_options(CLI::App& verb, JointCommand& command);

// Of all options of the verb, those that a training of joint features takes notice of: names
// without dashes.
std::span<const std::string_view> joint_option_names();

// Trains; `shared` has what the kinds have in common.  Returns the exit status.
int run_joint(const JointCommand& command, const TrainRequest& shared, const std::string& log,
              bool quiet);

}  // namespace croft::cli
