// What verbs that write a file ask of its name.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace croft {

// Whether both are names of one file, or will be once it is there.
bool same_file(const std::string& a, const std::string& b);

// Throws UsageError where `path`, which an option names, would replace one of `inputs` (empty ones
// are none).
//   what : the message asks to give "the picture " another name
void check_not_read(std::span<const std::string> inputs, std::string_view option,
                    const std::string& path, std::string_view what = {});

// The same of --output, a model unless `what` says otherwise; and where standard input (-) is read
// twice.
void check_files(std::span<const std::string> inputs, const std::string& output,
                 std::string_view what = "the model ");

// Throws UsageError where two options write one file.  Empty names write nothing.
struct WrittenFile {
  std::string_view option;
  std::string path;
};
void check_written(std::initializer_list<WrittenFile> files);

}  // namespace croft
