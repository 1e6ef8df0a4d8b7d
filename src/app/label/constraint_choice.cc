#include "app/label/constraint_choice.h"

#include "data/settings/constraint_file.h"

namespace croft {

ChainConstraint choose_constraint(const std::string& choice, std::span<const std::string> names) {
  if (choice == "bio") return bio_constraint(names);
  if (choice == "bioes") return bioes_constraint(names);
  return read_constraint(LineReader(choice), names);
}

}  // namespace croft
