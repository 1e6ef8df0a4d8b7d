#include "serve/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace croft::serve {
namespace {

constexpr int kWindow = 15 + 16;  // the largest, in gzip's format

Bytef* bytes_of(std::string_view text) {  // zlib does not write to its input
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

}  // namespace

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 5, Z_DEFLATED, kWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::optional<std::string> gunzipped(std::string_view bytes, std::size_t most) {
  z_stream stream{};
  if (inflateInit2(&stream, kWindow) != Z_OK) throw std::bad_alloc();
  std::string out;
  stream.next_in = bytes_of(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    const std::size_t before = out.size();
    out.resize(std::min(std::max<std::size_t>(2 * before, 64 << 10), most + 1));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(stream.total_out);
    if (state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      state = Z_DATA_ERROR;  // the end is missing
    }
  }
  const bool whole = state == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole && out.size() <= most) return std::nullopt;
  return out;
}

}  // namespace croft::serve
