#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kCopied = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int operator*() const { return number_; }

 private:
  int number_;
};

// What a signal handler may look at: mapped pieces of memory, and whether one was cut off.
struct Piece {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> taken{false}, cut{false};
};
std::array<Piece, 256> pieces;
struct sigaction before_ours;

// Where the file behind a piece has become shorter, the page is no longer there.  All of the piece
// becomes zeros, which check_unchanged() reports; any other SIGBUS is none of ours.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Piece& piece : pieces) {
    const std::uintptr_t begin = piece.begin, end = piece.end;
    if (address < begin || address >= end) continue;
    piece.cut = true;
    const int reason = errno;
    void* const zeros = ::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = reason;
    if (zeros != MAP_FAILED) return;
  }
  if ((before_ours.sa_flags & SA_SIGINFO) != 0)
    return before_ours.sa_sigaction(signal, info, context);
  if (before_ours.sa_handler != SIG_DFL && before_ours.sa_handler != SIG_IGN) {
    return before_ours.sa_handler(signal);
  }
  ::signal(SIGBUS, SIG_DFL);  // the instruction is tried again, and ends the process
}

void guard_against_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    ::sigaction(SIGBUS, &ours, &before_ours);
  });
}

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int reason) {
  throw Error(path.string() + ": cannot " + what + ": " + std::strerror(reason));
}

std::unique_ptr<std::byte[]> copy_of(const std::filesystem::path& path, int descriptor,
                                     std::size_t size) {
  auto bytes = std::make_unique<std::byte[]>(size);
  std::size_t at = 0;
  while (at < size) {
    const ssize_t got = ::pread(descriptor, bytes.get() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read", errno);
    if (got == 0) throw Error(path.string() + ": it became shorter while it was read; try again");
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

struct MappedFile::Mapping {
  std::filesystem::path path;
  Descriptor descriptor;
  off_t size;
  timespec written;
  Piece* piece;

  Mapping(std::filesystem::path from, Descriptor opened, const struct stat& status, Piece* place,
          void* data)
      : path(std::move(from)),
        descriptor(std::move(opened)),
        size(status.st_size),
        written(status.st_mtim),
        piece(place) {
    piece->cut = false;
    piece->begin = reinterpret_cast<std::uintptr_t>(data);
    piece->end = piece->begin + static_cast<std::uintptr_t>(size);
    const std::lock_guard lock(mutex);
    all.insert(this);
  }
  ~Mapping() {
    {
      const std::lock_guard lock(mutex);
      all.erase(this);
    }
    void* const data = reinterpret_cast<void*>(piece->begin.exchange(0));
    piece->end = 0;
    ::munmap(data, static_cast<std::size_t>(size));
    piece->taken = false;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  void check_unchanged() const {
    struct stat now;
    if (!piece->cut && ::fstat(*descriptor, &now) == 0 && now.st_size == size &&
        same_time(now.st_mtim, written)) {
      return;
    }
    throw Error(path.string() +
                ": the file was changed while it was in use, so that the last results would be "
                "wrong; open it again, and replace a file as a whole: mv NEW FILE, not cp");
  }

  static inline std::mutex mutex;
  static inline std::set<const Mapping*> all;
};

MappedFile::MappedFile(const std::filesystem::path& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (*descriptor < 0) fail(path, "open", errno);
  struct stat status;
  if (::fstat(*descriptor, &status) != 0) fail(path, "read", errno);
  if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode)) {
    throw Error(path.string() + ": cannot read: this is a pipe or a device; give a file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto free_piece = [] {
    for (Piece& piece : pieces) {
      if (!piece.taken.exchange(true)) return &piece;
    }
    return static_cast<Piece*>(nullptr);
  };
  Piece* const piece = size > kCopied ? free_piece() : nullptr;
  if (piece == nullptr) {
    copy_ = copy_of(path, *descriptor, size);
    bytes_ = {copy_.get(), size};
    return;
  }
  guard_against_bus_errors();
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, *descriptor, 0);
  if (data == MAP_FAILED) {
    piece->taken = false;
    fail(path, "map", errno);
  }
  mapping_ = std::make_unique<Mapping>(path, std::move(descriptor), status, piece, data);
  bytes_ = {static_cast<const std::byte*>(data), size};
}

MappedFile::MappedFile() = default;
MappedFile::~MappedFile() = default;

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(copy_, other.copy_);
  std::swap(mapping_, other.mapping_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void MappedFile::check_unchanged() const {
  if (mapping_) mapping_->check_unchanged();
}

void check_mapped_files() {
  const std::lock_guard lock(MappedFile::Mapping::mutex);
  for (const MappedFile::Mapping* mapping : MappedFile::Mapping::all) mapping->check_unchanged();
}

}  // namespace croft
