#include "app/evaluate/confusion_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "app/infer/svg_text.h"

namespace croft {
namespace {

// Can be told apart without red and green.
constexpr std::string_view kRightColour = "#0072B2", kWrongColour = "#D55E00";
constexpr std::size_t kMostLabels = 60, kMostOfName = 24, kMostOfTitle = 60;
constexpr double kEdge = 16, kHeadingHeight = 44, kLetterWidth = 7.2, kTotalsWidth = 52;

struct Square {
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> count;  // [gold][predicted]
};

// Labels by name, the rarest of too many as the last one together.
Square square_of(const std::vector<Confusion>& cells) {
  std::map<std::string, std::size_t> seen;
  for (const Confusion& each : cells) {
    seen[each.gold] += each.count;
    seen[each.predicted] += each.count;
  }
  std::vector<std::pair<std::string, std::size_t>> order(seen.begin(), seen.end());
  const bool too_many = order.size() > kMostLabels;
  if (too_many) {
    std::ranges::stable_sort(order, std::greater(), [](const auto& each) { return each.second; });
    order.resize(kMostLabels - 1);
    std::ranges::sort(order);
  }
  Square square;
  std::map<std::string, std::size_t> number;
  for (const auto& [name, count] : order) {
    number[name] = square.names.size();
    square.names.push_back(name);
  }
  if (too_many) {
    square.names.push_back(fmt::format("({} others)", seen.size() - order.size()));
  }
  const std::size_t size = square.names.size();
  square.count.assign(size, std::vector<std::size_t>(size));
  const auto at = [&](const std::string& name) {
    const auto found = number.find(name);
    return found == number.end() ? size - 1 : found->second;
  };
  for (const Confusion& each : cells) {
    square.count[at(each.gold)][at(each.predicted)] += each.count;
  }
  return square;
}

// A drawing of a square, and where its parts are.
class SquarePlot {
 public:
  SquarePlot(const Square& square, double top, std::string_view heading)
      : square_(square), top_(top), heading_(heading) {
    const std::size_t size = square.names.size();
    cell_ = size <= 6 ? 56 : size <= 15 ? 40 : size <= 26 ? 30 : 23;
    std::size_t longest = 4;
    for (const std::string& name : square.names) longest = std::max(longest, name.size());
    names_ = 12 + kLetterWidth * static_cast<double>(std::min(longest, kMostOfName));
    left_ = kEdge + 22 + names_;
    first_ = top_ + kHeadingHeight + names_;
  }
  double width() const { return left_ + side() + kTotalsWidth + kEdge; }
  double bottom() const { return first_ + side() + kEdge; }

  void append(std::string& out) const {
    out += svg_text_at(kEdge, top_ + 14, "font-weight=\"bold\"", heading_);
    out += svg_text_at(left_ + side() / 2, top_ + 32, "text-anchor=\"middle\" fill=\"#444\"",
                       "predicted");
    const double middle = first_ + side() / 2;
    out += fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" transform=\"rotate(-90 {0:.1f} {1:.1f})\" "
        "text-anchor=\"middle\" fill=\"#444\">in the data</text>\n",
        kEdge + 10, middle);
    out += svg_text_at(left_ + side() + 8, first_ - 8, "fill=\"#444\" font-size=\"11\"", "all");
    for (std::size_t k = 0; k < square_.names.size(); ++k) append_names(k, out);
    for (std::size_t k = 0; k < square_.names.size(); ++k) append_row(k, out);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
        "stroke=\"#333\"/>\n",
        left_, first_, side(), side());
  }

 private:
  double side() const { return cell_ * static_cast<double>(square_.names.size()); }
  double at(double from, std::size_t k) const { return from + cell_ * static_cast<double>(k); }

  void append_names(std::size_t k, std::string& out) const {
    const std::string name = svg_shortened(square_.names[k], kMostOfName);
    out += svg_text_at(left_ - 6, at(first_, k) + cell_ / 2 + 4,
                       "text-anchor=\"end\" font-size=\"11\"", name);
    out += fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" transform=\"rotate(-90 {0:.1f} {1:.1f})\" "
        "font-size=\"11\">{2}</text>\n",
        at(left_, k) + cell_ / 2 + 4, first_ - 6, svg_escaped(name));
  }

  void append_row(std::size_t row, std::string& out) const {
    const std::vector<std::size_t>& counts = square_.count[row];
    std::size_t all = 0;
    for (const std::size_t count : counts) all += count;
    out += svg_text_at(left_ + side() + 8, at(first_, row) + cell_ / 2 + 4,
                       "font-size=\"11\" fill=\"#444\"", fmt::format("{}", all));
    for (std::size_t column = 0; column < counts.size(); ++column) {
      append_cell(row, column, counts[column], all, out);
    }
  }

  // The size of letters with which a number fits into a cell.
  double room_for(const std::string& text) const {
    return (cell_ - 3) / (0.6 * static_cast<double>(text.size()));
  }

  // The number is as large as the cell allows, in thousands where it is too long; the whole is what
  // a pointer on it shows.
  void append_cell(std::size_t row, std::size_t column, std::size_t count, std::size_t all,
                   std::string& out) const {
    const double share = ratio(count, all);
    const double x = at(left_, column), y = at(first_, row);
    const bool right = row == column;
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
        "fill-opacity=\"{:.3f}\" stroke=\"#ddd\" stroke-width=\"0.5\"><title>{} as {}: {} of {}, "
        "{:.1f} %</title></rect>\n",
        x, y, cell_, cell_, right ? kRightColour : kWrongColour,
        count == 0 ? 0 : 0.08 + 0.82 * share, svg_escaped(square_.names[row]),
        svg_escaped(square_.names[column]), count, all, 100 * share);
    if (count == 0) return;
    constexpr double kReadable = 7.5;
    std::string text = fmt::format("{}", count);
    double room = room_for(text);
    if (room < kReadable) {
      const auto number = static_cast<double>(count);
      text = number < 999.5e3 ? fmt::format("{:.0f}k", number / 1e3)
                              : fmt::format("{:.0f}M", number / 1e6);
      room = room_for(text);
    }
    out += svg_text_at(x + cell_ / 2, y + cell_ / 2 + 0.35 * std::min(room, 12.0),
                       fmt::format("text-anchor=\"middle\" font-size=\"{:.1f}\" fill=\"{}\"",
                                   std::min(room, 12.0), share > 0.55 ? "#ffffff" : "#222222"),
                       text);
  }

  const Square& square_;
  double top_;
  std::string_view heading_;
  double cell_, names_, left_, first_;
};

}  // namespace

std::string confusion_svg(const EvaluationSummary& summary, std::string_view title) {
  constexpr double kTop = 48;
  const Square labels = square_of(*summary.confusion);
  const SquarePlot first(labels, kTop, "Labels");
  const bool chunks = summary.chunk && !summary.chunk->confusion.empty();
  const Square types = chunks ? square_of(summary.chunk->confusion) : Square();
  const SquarePlot second(types, first.bottom() + 16, "Chunks of the same extent");
  const std::string heading = "Confusion: " + svg_shortened(title, kMostOfTitle);
  const double width = std::max({first.width(), chunks ? second.width() : 0.0,
                                 2 * kEdge + 8 * static_cast<double>(heading.size())});
  const double height = (chunks ? second.bottom() : first.bottom()) + 8;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n<title>Confusion: {2}</title>\n"
      "<rect x=\"0\" y=\"0\" width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height, svg_escaped(title));
  out += svg_text_at(kEdge, 26, "font-size=\"14\" font-weight=\"bold\"", heading);
  first.append(out);
  if (chunks) second.append(out);
  return out + "</svg>\n";
}

}  // namespace croft
