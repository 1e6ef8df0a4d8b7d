#include "croft/core/state_archive.h"

#include "croft/core/error.h"

namespace croft {

void StateArchive::damaged() {
  throw Error("the saved state is damaged, or of another version of the program");
}

void StateArchive::copy(void* value, std::size_t bytes) {
  if (bytes == 0) return;
  if (!reading_) {
    if (!forgets_) out_.append(static_cast<const char*>(value), bytes);
    return;
  }
  if (in_.size() < bytes) damaged();
  std::memcpy(value, in_.data(), bytes);
  in_.remove_prefix(bytes);
}

std::size_t StateArchive::size(std::size_t count, std::size_t bytes) {
  std::uint64_t number = count;
  (*this)(number);
  if (reading_ && number > in_.size() / bytes) damaged();
  return static_cast<std::size_t>(number);
}

void StateArchive::operator()(bool& value) {
  std::uint8_t byte = value ? 1 : 0;
  copy(&byte, 1);
  if (byte > 1) damaged();
  value = byte == 1;
}

void StateArchive::operator()(std::vector<bool>& values) {
  values.resize(size(values.size(), 1));
  for (std::size_t k = 0; k < values.size(); ++k) {
    bool value = values[k];
    (*this)(value);
    values[k] = value;
  }
}

void StateArchive::finish() const {
  if (reading_ && !in_.empty()) damaged();
}

}  // namespace croft
