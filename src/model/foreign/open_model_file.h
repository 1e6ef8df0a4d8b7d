// The file of a model, whichever program wrote it: Croft, or one of foreign_chain.h.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "model/file/container.h"

namespace croft {

// As a Croft model; the file of another program is read whole and becomes one in memory.  Every
// verb opens its model here.
// Throws Error as Container::open(), and InputError where another program's file is damaged.
Container open_model_file(const std::filesystem::path& path);
// All of it in memory, with every checksum looked at: what happens to the file later changes
// nothing.
Container read_model_file(const std::filesystem::path& path);
// The same of a file's bytes.
//   name : stands for the path in messages
Container model_file_of(std::vector<std::byte> bytes, std::string name);

}  // namespace croft
