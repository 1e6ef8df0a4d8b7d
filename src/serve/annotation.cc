#include "serve/annotation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "app/convert/texts/convert_texts.h"
#include "app/label/row_reader.h"
#include "app/label/sequence_source.h"
#include "core/files.h"
#include "croft/core/error.h"
#include "serve/request_fields.h"

namespace croft::serve {
namespace {

constexpr std::size_t kLongestLabel = 200;  // bytes
constexpr std::chrono::seconds kShownToOthers{120};

[[noreturn]] void fail_file(const std::string& path, const char* what) {
  throw Error(path + ": cannot " + what + ": " + std::strerror(errno));
}

std::vector<std::string> rows_of(const InputSequence& input, std::size_t columns) {
  if (input.rows.rows() == 0) return {input.document.text};
  std::vector<std::string> rows;
  for (std::size_t t = 0; t < input.rows.rows(); ++t) {
    rows.push_back(cells_before_label(input.rows, t, columns));
  }
  return rows;
}

SequenceSource source_of(LineReader lines, const ServedModel& model, Labels labels) {
  return {std::move(lines), *model.sequences, labels, model.spans};
}

// The sequences of a queue: data as the model reads it, or what croft suggest wrote.
LineReader queue_lines(const std::string& path, const ServedModel& model, bool columns) {
  if (model.spans || !is_suggested(path)) return LineReader(path);
  return converted_lines(path, "suggested", columns ? "columns" : "text", {});
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == text.npos; }

// The size of a file; 0 where there is none.
std::uint64_t size_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) return static_cast<std::uint64_t>(found.st_size);
  if (errno != ENOENT) fail_file(path, "read");
  return 0;
}

// At most the last two bytes of a file.
std::string end_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  std::string end(static_cast<std::size_t>(std::min<std::streamoff>(size, 2)), ' ');
  file.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end);
  file.read(end.data(), static_cast<std::streamsize>(end.size()));
  return end;
}

}  // namespace

Annotation::Annotation(AnnotationFiles files, ModelStore& models)
    : files_(std::move(files)), models_(models) {
  const ModelPointer model = models.find(files_.model);
  if (model == nullptr || model->sequences == nullptr ||
      (model->format != "columns" && model->format != "text")) {
    throw UsageError("--queue is for a model of columns or texts, and ", in_quotes(files_.model),
                     " is none");
  }
  columns_ = model->format == "columns";
  read_queue(*model);
  size_ = size_of(files_.labelled);
  if (size_ > 0) read_labelled(*model);
  const int file = ::open(files_.labelled.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail_file(files_.labelled, "write");
  ::close(file);
  models.keep_data(files_.model);
}

void Annotation::read_queue(const ServedModel& model) {
  SequenceSource source =
      source_of(queue_lines(files_.queue, model, columns_), model, Labels::optional);
  const std::size_t columns = model.sequences->extractor().config().columns;
  InputSequence input;
  while (source.next(input)) {
    if (columns_ ? input.rows.rows() == 0 : is_blank(input.document.text)) continue;
    queue_.emplace_back().rows = rows_of(input, columns);
  }
}

// What the file has already: of sequences of the queue, each of them once, and of others.
void Annotation::read_labelled(const ServedModel& model) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> ids;  // the first comes last
  for (std::size_t id = queue_.size(); id-- > 0;) ids[queue_[id].rows].push_back(id);
  SequenceSource source = source_of(LineReader(files_.labelled), model, Labels::required);
  const std::size_t columns = model.sequences->extractor().config().columns;
  InputSequence input;
  Extractor::Scratch scratch;
  std::set<std::string> known;  // labels, the last one of the file left out
  for (Label y = 0; y < model.sequences->labels(); ++y) known.insert(model.sequences->label(y));
  std::vector<std::string> rows, labels;
  while (source.next(input)) {
    if (columns_ && input.rows.rows() == 0) continue;
    known.insert(labels.begin(), labels.end());
    source.extract(input, scratch);
    rows = rows_of(input, columns);
    labels.clear();
    for (std::size_t t = 0; t < rows.size(); ++t) labels.emplace_back(input.text.labels.item(t));
    Block& block = blocks_.emplace_back();
    block.text = this->block(rows, labels);
    const auto found = ids.find(rows);
    if (found == ids.end() || found->second.empty()) continue;
    block.id = found->second.back();
    found->second.pop_back();
    queue_[*block.id].labels = labels;
    queue_[*block.id].version = 1;
    ++labelled_;
  }
  if (!labels.empty()) {
    known.insert(labels.begin(), labels.end() - 1);
    check_end(rows, labels.back(), known);
  }
  // A file that somebody has written may end in the middle of a line or of a sequence.
  ends_whole_ = false;
}

// A process that was killed while it wrote leaves half a line or half a sequence, which says
// something else.  As from an editor, a last line without an end is taken if no label goes on where
// it ends.
//   rows, last : of the last sequence; its last label
void Annotation::check_end(const std::vector<std::string>& rows, const std::string& last,
                           const std::set<std::string>& known) const {
  const std::string end = end_of(files_.labelled);
  const auto fail = [&](const char* what) {
    throw Error(files_.labelled + ": the last " + what +
                " has no end and may be half written; complete it, or remove it, and start the "
                "server again");
  };
  const bool goes_on = std::ranges::any_of(known, [&](const std::string& each) {
    return each.size() > last.size() && each.starts_with(last);
  });
  if (!end.ends_with('\n') && (goes_on || !known.contains(last))) fail("line");
  if (!columns_ || end == "\n\n" ||
      std::ranges::any_of(queue_, [&](const Entry& each) { return each.rows == rows; })) {
    return;
  }
  const bool begins_one = std::ranges::any_of(queue_, [&](const Entry& each) {
    return each.rows.size() > rows.size() &&
           std::ranges::equal(rows, std::span(each.rows).first(rows.size()));
  });
  if (begins_one) fail("sequence");
}

// A sequence as training reads it.
std::string Annotation::block(const std::vector<std::string>& rows,
                              const std::vector<std::string>& labels) const {
  if (!columns_) return labels[0] + "\t" + rows[0] + "\n";
  std::string text;
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const char gap = rows[t].find('\t') != std::string::npos ? '\t' : ' ';
    text += rows[t] + gap + labels[t] + "\n";
  }
  return text + "\n";
}

Annotation::Counts Annotation::counts() const {
  const std::lock_guard lock(mutex_);
  return {labelled_, queue_.size()};
}

void Annotation::check_size() const {
  if (size_of(files_.labelled) == size_) return;
  throw RequestError(
      409, files_.labelled + " has been changed by another program; start the server again");
}

void Annotation::check_unchanged() const {
  const std::lock_guard lock(mutex_);
  check_size();
}

Annotation::Item Annotation::item_of(std::size_t id) const {
  if (id >= queue_.size()) {
    throw RequestError(404, "there is no sequence " + std::to_string(id) + " in the queue");
  }
  const Entry& entry = queue_[id];
  return {id, entry.version, entry.rows, entry.labels};
}

Annotation::Item Annotation::item(std::size_t id) const {
  const std::lock_guard lock(mutex_);
  return item_of(id);
}

// Of what has no labels now; what gets some is passed over, and what loses them comes last.
void Annotation::rank(const ServedModel& model, Uncertainty by) {
  std::vector<std::size_t> left;
  std::string text;
  for (std::size_t id = 0; id < queue_.size(); ++id) {
    if (!queue_[id].labels.empty()) continue;
    left.push_back(id);
    for (const std::string& row : queue_[id].rows) text += (columns_ ? "" : "\t") + row + "\n";
    if (columns_) text += "\n";
  }
  order_.clear();
  if (!model.sequences->has_probabilities() || left.empty()) {
    for (const std::size_t id : left) order_.emplace_back(id, std::nullopt);
  } else {
    SequenceSource source = source_of(LineReader(text, files_.queue), model, Labels::optional);
    const std::atomic<bool> stop = false;
    for (const Suggestion& each : suggest(*model.plan, source, by, left.size(), stop)) {
      order_.emplace_back(left[each.sequence], each.score);
    }
  }
  order_version_ = model.version;
  order_by_ = by;
}

std::vector<Annotation::Item> Annotation::next(std::string_view viewer, Uncertainty by,
                                               const std::vector<std::size_t>& skipped,
                                               std::size_t count) {
  const ModelPointer model = models_.find(files_.model);
  const std::lock_guard lock(mutex_);
  if (order_version_ != model->version || order_by_ != by) rank(*model, by);
  const auto now = std::chrono::steady_clock::now();
  std::vector<Item> found, shown_to_others;
  for (const auto& [id, uncertainty] : order_) {
    if (found.size() == count) break;
    Entry& entry = queue_[id];
    if (!entry.labels.empty() || std::ranges::find(skipped, id) != skipped.end()) continue;
    const bool others =
        !entry.viewer.empty() && entry.viewer != viewer && now - entry.shown < kShownToOthers;
    (others ? shown_to_others : found).push_back(item_of(id));
    (others ? shown_to_others : found).back().uncertainty = uncertainty;
  }
  for (Item& each : shown_to_others) {
    if (found.size() < count) found.push_back(std::move(each));
  }
  for (const Item& each : found) {
    queue_[each.id].viewer = viewer;
    queue_[each.id].shown = now;
  }
  return found;
}

void Annotation::check(const Entry& entry, const std::vector<std::string>& labels) const {
  if (!labels.empty() && labels.size() != entry.rows.size()) {
    throw RequestError(400, "the sequence has " + std::to_string(entry.rows.size()) +
                                " positions, and there are " + std::to_string(labels.size()) +
                                " labels");
  }
  for (const std::string& label : labels) {
    const bool broken = std::ranges::any_of(
        label, [&](unsigned char c) { return c < ' ' || c == 0x7f || (columns_ && c == ' '); });
    if (is_blank(label) || label.size() > kLongestLabel || broken) {
      throw RequestError(400, in_quotes(label) + " can be no label: give 1 to 200 bytes without " +
                                  (columns_ ? "blanks" : "TABs"));
    }
  }
}

void Annotation::append(const std::string& text) {
  const int file = ::open(files_.labelled.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail_file(files_.labelled, "write");
  const std::string all = (ends_whole_ ? "" : columns_ ? "\n\n" : "\n") + text;
  std::string_view rest = all;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool synced = rest.empty() && ::fsync(file) == 0;
  const int failure = errno;
  // Half a sequence would be another one.
  const bool cut = synced || ::ftruncate(file, static_cast<off_t>(size_)) == 0;
  ::close(file);
  errno = failure;
  if (!synced) fail_file(files_.labelled, cut ? "write" : "write, and has half a sequence now");
  size_ += all.size();
  ends_whole_ = true;
}

void Annotation::rewrite(const std::vector<Block>& blocks) {
  AtomicFile file(files_.labelled);
  std::uint64_t size = 0;
  for (const Block& each : blocks) {
    file.write(each.text);
    size += each.text.size();
  }
  file.commit();
  size_ = size;
  ends_whole_ = true;
}

Annotation::Item Annotation::label(std::size_t id, std::uint64_t version,
                                   const std::vector<std::string>& labels) {
  const std::lock_guard lock(mutex_);
  item_of(id);
  Entry& entry = queue_[id];
  check(entry, labels);
  if (entry.version != version) {
    throw RequestError(409, "somebody else has changed the labels of this sequence meanwhile");
  }
  check_size();
  if (entry.labels.empty() && !labels.empty()) {
    Block added{id, block(entry.rows, labels)};
    append(added.text);
    blocks_.push_back(std::move(added));
    ++labelled_;
  } else if (!entry.labels.empty()) {
    std::vector<Block> changed = blocks_;
    const auto at = std::ranges::find(changed, std::optional(id), &Block::id);
    if (labels.empty()) {
      changed.erase(at);
    } else {
      at->text = block(entry.rows, labels);
    }
    rewrite(changed);
    blocks_ = std::move(changed);
    if (labels.empty()) --labelled_;
    const bool listed = std::ranges::any_of(order_, [&](const auto& e) { return e.first == id; });
    if (labels.empty() && !listed) order_.emplace_back(id, std::nullopt);
  }
  entry.labels = labels;
  ++entry.version;
  return item_of(id);
}

}  // namespace croft::serve
