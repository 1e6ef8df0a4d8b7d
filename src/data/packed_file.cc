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
#include <utility>
#include <vector>

#include "croft/core/error.h"
#include "croft/core/interrupt.h"

namespace croft {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

[[noreturn]] void fail_damaged(const std::string& name, std::string_view reason,
                               std::string_view kind) {
  throw Error(name, ": cannot unpack: ", reason, "; is it a whole ", kind, " file?");
}

// Blocks of the file as it stands, behind what of it was read already.
class Blocks {
 public:
  Blocks(int descriptor, std::string name, std::string begun)
      : descriptor_(descriptor), name_(std::move(name)), begun_(std::move(begun)), block_(kBlock) {}
  ~Blocks() {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  // Empty at the end.
  std::string_view next() {
    if (!begun_.empty()) {
      first_.swap(begun_);
      begun_.clear();
      return first_;
    }
    ssize_t got = 0;
    do {
      if (interruption) throw Interrupted(name_ + ": interrupted while reading");
      got = ::read(descriptor_, block_.data(), block_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw Error(name_ + ": cannot read: " + std::strerror(errno));
    return {block_.data(), static_cast<std::size_t>(got)};
  }
  const std::string& name() const { return name_; }

 private:
  int descriptor_;
  std::string name_, begun_, first_;
  std::vector<char> block_;
};

// One member after the other.
class GzipFile final : public PackedFile {
 public:
  explicit GzipFile(Blocks& blocks) : blocks_(blocks) {
    constexpr int kGzipOnly = 16;
    if (::inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      throw Error(blocks_.name() + ": cannot unpack: out of memory");
    }
  }
  ~GzipFile() override { ::inflateEnd(&stream_); }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    size = std::min(size, kMost);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) {
        block_ = blocks_.next();
        if (block_.empty()) {
          if (open_) fail_damaged(blocks_.name(), "the file ends too early", ".gz");
          return 0;
        }
        stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
        stream_.avail_in = static_cast<uInt>(block_.size());
      }
      if (!open_) {
        if (ended_ && is_padding()) continue;
        open_ = true;
      }
      const int status = ::inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        open_ = false;
        ended_ = true;
        ::inflateReset(&stream_);
      } else if (status != Z_OK) {
        fail_damaged(blocks_.name(), stream_.msg != nullptr ? stream_.msg : "it is damaged", ".gz");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  // Takes zeros, which may stand behind the last member.  False: another one follows.
  bool is_padding() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return true;
    if (*stream_.next_in == 0x1f) return false;
    fail_damaged(blocks_.name(), "something else stands behind what was packed", ".gz");
  }

  Blocks& blocks_;
  std::string block_;
  z_stream stream_{};
  bool open_ = false, ended_ = false;  // in the middle of a member; behind one
};

class XzFile final : public PackedFile {
 public:
  explicit XzFile(Blocks& blocks) : blocks_(blocks) {
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
  Blocks& blocks_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool end_ = false, done_ = false;
};

class ZstdFile final : public PackedFile {
 public:
  explicit ZstdFile(Blocks& blocks) : blocks_(blocks), stream_(::ZSTD_createDStream()) {
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
  Blocks& blocks_;
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

// The blocks, and what unpacks them.
class Unpacked final : public PackedFile {
 public:
  Unpacked(Kind kind, int descriptor, const std::string& name, std::string begun)
      : blocks_(descriptor, name, std::move(begun)) {
    if (kind == Kind::gzip) file_ = std::make_unique<GzipFile>(blocks_);
    if (kind == Kind::xz) file_ = std::make_unique<XzFile>(blocks_);
    if (kind == Kind::zstd) file_ = std::make_unique<ZstdFile>(blocks_);
  }
  std::size_t read(char* to, std::size_t size) override { return file_->read(to, size); }

 private:
  Blocks blocks_;
  std::unique_ptr<PackedFile> file_;
};

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
  if (kind_of(head) == Kind::plain) {
    for (const auto& [packed, begin] : {std::pair(".gz", kGzip), {".xz", kXz}, {".zst", kZstd}}) {
      if (head.empty() || !name.ends_with(packed) || !begin.starts_with(head)) continue;
      ::close(descriptor);
      fail_damaged(name, "the file ends too early", packed);
    }
    return nullptr;
  }
  return std::make_unique<Unpacked>(kind_of(head), descriptor, name, "");
}

std::unique_ptr<PackedFile> open_packed(int descriptor, const std::string& name,
                                        std::string_view begun) {
  if (kind_of(begun) == Kind::plain) return nullptr;
  return std::make_unique<Unpacked>(kind_of(begun), descriptor, name, std::string(begun));
}

}  // namespace croft
