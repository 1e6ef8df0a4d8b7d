// The file of --log: one JSON object a line.
#pragma once
#include <cstdio>
#include <memory>
#include <string>

namespace croft {
class Json;
}

namespace croft::cli {

class JsonLog {
 public:
  // Empties the file; an empty path is no log.  Throws Error where it cannot be written.
  explicit JsonLog(std::string path);
  // Written through, so that the last line of a process that dies is whole.  Throws Error.
  void write(const Json& line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace croft::cli
