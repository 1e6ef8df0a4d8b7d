#include "python/read/token_features.h"

namespace croft::python {

namespace py = pybind11;

namespace {

// Of tokens that are kept: their number, a kilobyte each as a rule, and the bytes of them and of
// what is said of them.
constexpr std::size_t kMostTokens = std::size_t{1} << 16, kMostBytes = std::size_t{1} << 26;

// Whether it is compared by its text alone, and by no method of the caller's.
bool is_text(PyObject* token) {
  if (PyUnicode_CheckExact(token)) return true;
  if (!PyTuple_CheckExact(token)) return false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(token); ++k) {
    if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(token, k))) return false;
  }
  return true;
}

// Of a text, or of a tuple of texts.
std::size_t bytes_of(PyObject* token) {
  constexpr std::size_t kObject = 64;
  if (!PyTuple_Check(token)) {
    return kObject + static_cast<std::size_t>(PyUnicode_GET_LENGTH(token)) * PyUnicode_KIND(token);
  }
  std::size_t bytes = kObject;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(token); ++k) {
    bytes += bytes_of(PyTuple_GET_ITEM(token, k));
  }
  return bytes;
}

std::size_t bytes_of(const FoundRows& said) {
  return sizeof said + said.rows.capacity() * sizeof(FoundRow) +
         said.end.capacity() * sizeof(std::size_t);
}

}  // namespace

TokenFeatures::TokenFeatures(std::shared_ptr<PythonModel> model, const py::list& before,
                             const py::list& after, const py::object& first, const py::object& last,
                             bool marked)
    : model_(std::move(model)), before_(before.size()), marked_(marked) {
  if (!model_->sums_given_attributes()) {
    throw py::value_error("the model does more with attributes than add up their weights");
  }
  for (const py::list& part : {before, after}) {
    for (const py::handle prefix : part) prefixes_.append(prefix);
  }
  if (!first.is_none()) first_ = read_roles(first.ptr(), first.ptr(), {"first", {}});
  if (!last.is_none()) last_ = read_roles(last.ptr(), last.ptr(), {"last", {}});
}

TokenFeatures::Said TokenFeatures::read_roles(PyObject* own, PyObject* as_neighbour,
                                              const InputPlace& place) {
  if (!memo_ || memo_->full()) {
    memo_ = std::make_shared<AttributeMemo>(model_->chain().node());
  }
  const auto memo = memo_;  // methods of the objects may come back here
  auto said = std::make_shared<FoundRows>();
  for (std::size_t role = 0; role <= prefixes_.size(); ++role) {
    MemoSink sink(*memo, place);
    sink.leave_out_zeros(attributes_.known());
    if (role > 0) sink.enter(py::object(prefixes_[role - 1]).ptr());
    PositionReader(sink, place).read(role > 0 ? as_neighbour : own);
    sink.end_position();
    for (const std::uint32_t node : sink.nodes()) {
      if (attributes_.known()) break;
      attributes_.look(*model_->model, memo->name(node));
    }
    sink.take(*said);
  }
  said->rows.resize(said->count());
  said->rows.shrink_to_fit();
  said->end.shrink_to_fit();
  return said;
}

TokenFeatures::Said TokenFeatures::of_token(const py::object& token, const py::object& f,
                                            const py::object& neighbour, const InputPlace& place) {
  const bool keeps = is_text(token.ptr());
  if (keeps) {
    PyObject* const number = PyDict_GetItemWithError(number_.ptr(), token.ptr());
    if (number != nullptr) return said_[PyLong_AsSize_t(number)];
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }
  const py::object own = called(f, token, place.words());
  const py::object as_neighbour =
      neighbour.is(f) || prefixes_.empty() ? own : called(neighbour, token, place.words());
  Said said = read_roles(own.ptr(), as_neighbour.ptr(), place);
  if (!keeps) return said;
  const std::size_t bytes = bytes_of(token.ptr()) + bytes_of(*said);
  if (bytes > kMostBytes) return said;
  if (said_.size() >= kMostTokens || bytes_ + bytes > kMostBytes) {
    number_.clear();
    said_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  number_[token] = said_.size();
  said_.push_back(said);
  return said;
}

void TokenFeatures::read(PyObject* tokens, const py::object& f, const py::object& neighbour,
                         InputPlace& place, FoundRows& out) {
  const Elements list(
      tokens, [&] { return place.sequence(); }, "a list of tokens");
  const std::size_t length = list.size();
  std::vector<Said> said;
  said.reserve(length);
  for (place.position = 0; place.position < length; ++place.position) {
    said.push_back(of_token(list[place.position], f, neighbour, place));
  }
  std::size_t at = out.count();
  const auto copy = [&](const FoundRows& from, std::size_t role) {
    const std::size_t begin = role > 0 ? from.end[role - 1] : 0, count = from.end[role] - begin;
    out.make_room(at + count);
    std::copy_n(from.rows.data() + begin, count, out.rows.data() + at);
    at += count;
  };
  const auto append = [&](std::size_t role, std::size_t token) {
    copy(*said[token], role);
    if (role > 0 && !marked_) return;
    if (token == 0 && first_) copy(*first_, role);
    if (token + 1 == length && last_) copy(*last_, role);
  };
  for (std::size_t t = 0; t < length; ++t) {
    append(0, t);
    for (std::size_t d = 1; d <= std::min(before_, t); ++d) append(d, t - d);
    const std::size_t after = std::min(prefixes_.size() - before_, length - 1 - t);
    for (std::size_t d = 1; d <= after; ++d) append(before_ + d, t + d);
    out.end.push_back(at);
  }
}

}  // namespace croft::python
