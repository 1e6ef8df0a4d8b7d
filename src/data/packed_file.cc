#include "data/packed_file.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "croft/core/error.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

[[noreturn]] void fail_damaged(const std::string& name, std::string_view reason,
                               std::string_view kind) {
  throw Error(name, ": cannot unpack: ", reason, "; is it a whole ", kind, " file?");
}

// Blocks of the file as it stands.
class Blocks {
 public:
  Blocks(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)), block_(kBlock) {}
  ~Blocks() { ::close(descriptor_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Empty at the end.
  std::string_view next() {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, block_.data(), block_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error(name_ + ": cannot read: " + std::strerror(errno));
    return {block_.data(), static_cast<std::size_t>(got)};
  }
  const std::string& name() const { return name_; }

 private:
  int descriptor_;
  std::string name_;
  std::vector<char> block_;
};

// Of zlib, whose calls are for files that are read from the start to the end.
class GzipFile final : public PackedFile {
 public:
  GzipFile(int descriptor, std::string name) : name_(std::move(name)) {
    file_ = ::gzdopen(descriptor, "rb");
    if (file_ == nullptr) throw Error(name_ + ": cannot open: " + std::strerror(ENOMEM));
  }
  ~GzipFile() override { ::gzclose(file_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const int got = ::gzread(file_, to, static_cast<unsigned>(std::min(size, kMost)));
    int status = Z_OK;
    const char* reason = ::gzerror(file_, &status);
    if (got < 0 || status == Z_BUF_ERROR) {
      if (status == Z_ERRNO) throw Error(name_ + ": cannot read: " + std::strerror(errno));
      fail_damaged(name_, status == Z_BUF_ERROR ? "the file ends too early" : reason, ".gz");
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::string name_;
  gzFile file_ = nullptr;
};

class XzFile final : public PackedFile {
 public:
  XzFile(int descriptor, std::string name) : blocks_(descriptor, std::move(name)) {
    if (::lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      throw Error(blocks_.name() + ": cannot unpack: out of memory");
    }
  }
  ~XzFile() override { ::lzma_end(&stream_); }
  XzFile(const XzFile&) = delete;
  XzFile& operator=(const XzFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = size;
    while (stream_.avail_out == size && !done_) {
      if (stream_.avail_in == 0 && !end_) {
        const std::string_view block = blocks_.next();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(block.data());
        stream_.avail_in = block.size();
        end_ = block.empty();
      }
      const lzma_ret status = ::lzma_code(&stream_, end_ ? LZMA_FINISH : LZMA_RUN);
      if (status == LZMA_STREAM_END) {
        done_ = true;
      } else if (status == LZMA_BUF_ERROR && end_) {
        fail_damaged(blocks_.name(), "the file ends too early", ".xz");
      } else if (status != LZMA_OK) {
        fail_damaged(blocks_.name(), "it is damaged", ".xz");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  Blocks blocks_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool end_ = false, done_ = false;
};

class ZstdFile final : public PackedFile {
 public:
  ZstdFile(int descriptor, std::string name)
      : blocks_(descriptor, std::move(name)), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw Error(blocks_.name() + ": cannot unpack: out of memory");
  }
  ~ZstdFile() override { ::ZSTD_freeDStream(stream_); }
  ZstdFile(const ZstdFile&) = delete;
  ZstdFile& operator=(const ZstdFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !full_) {
        const std::string_view block = blocks_.next();
        if (block.empty()) {
          if (open_) fail_damaged(blocks_.name(), "the file ends too early", ".zst");
          return 0;
        }
        in_ = {block.data(), block.size(), 0};
      }
      const std::size_t left = ::ZSTD_decompressStream(stream_, &out, &in_);
      if (::ZSTD_isError(left) != 0) {
        fail_damaged(blocks_.name(), ::ZSTD_getErrorName(left), ".zst");
      }
      full_ = out.pos == out.size;  // there may be more without more input
      open_ = left != 0;            // in the middle of a frame
    }
    return out.pos;
  }

 private:
  Blocks blocks_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool open_ = false, full_ = false;
};

constexpr std::string_view kGzip = "\x1f\x8b",
                           kXz{"\xfd"
                               "7zXZ\0",
                               6},
                           kZstd = "\x28\xb5\x2f\xfd";
enum class Kind { plain, gzip, xz, zstd };
Kind kind_of(std::string_view begin) {
  if (begin.starts_with(kGzip)) return Kind::gzip;
  if (begin.starts_with(kXz)) return Kind::xz;
  return begin.starts_with(kZstd) ? Kind::zstd : Kind::plain;
}

// The first bytes of a regular file, wherever it is read.
std::string head_of(int descriptor) {
  std::array<char, 64> head{};
  const ssize_t got = ::pread(descriptor, head.data(), head.size(), 0);
  return {head.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

constexpr std::string_view kLfs = "version https://git-lfs.github.com/spec/";

}  // namespace

bool is_packed(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat status;
  const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const std::string head = regular ? head_of(descriptor) : std::string();
  ::close(descriptor);
  return kind_of(head) != Kind::plain;
}

std::unique_ptr<PackedFile> open_packed(int descriptor, const std::string& name) {
  const std::string head = head_of(descriptor);
  if (head.starts_with(kLfs)) {
    ::close(descriptor);
    throw Error(name, ": a pointer of Git LFS, and not the file: fetch it with `git lfs pull`");
  }
  switch (kind_of(head)) {
    case Kind::gzip:
      return std::make_unique<GzipFile>(descriptor, name);
    case Kind::xz:
      return std::make_unique<XzFile>(descriptor, name);
    case Kind::zstd:
      return std::make_unique<ZstdFile>(descriptor, name);
    case Kind::plain:
      break;
  }
  return nullptr;
}

}  // namespace croft
