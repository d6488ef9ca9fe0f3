#include "io/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gradus {
namespace {

constexpr int kLeastCells = 10;     // a shorter bar says nothing
constexpr int kMostCells = 60;      // a longer one neither
constexpr double kBarPeriod = 0.1;  // [s]
constexpr double kLinePeriod = 1;   // [s]
constexpr const char* kHideCursor = "\x1b[?25l";
constexpr const char* kShowCursor = "\x1b[?25h";
constexpr const char* kEraseLine = "\r\x1b[K";

double fraction(const ProgressSample& s) { return s.total > 0 ? std::clamp(s.done / s.total, 0.0, 1.0) : 0; }

/// Rounded down: 100 % means done.
int percent(const ProgressSample& s) { return static_cast<int>(std::floor(100 * fraction(s))); }

std::string amount_text(const ProgressSample& s, const ProgressLabels& labels) {
  if (s.total > 0) return fmt::format("{:.6g} of {:.6g} {}", s.done, s.total, labels.unit);
  return fmt::format("{:.6g} {}", s.done, labels.unit);
}

std::string rate_text(const ProgressSample& s, const ProgressLabels& labels) {
  return fmt::format("{:.3g}{}", s.elapsed > 0 ? s.done / s.elapsed : 0.0, labels.rate);
}

/// At the mean rate so far: elapsed / done per unit, times what is left.
std::string left_text(const ProgressSample& s) {
  const bool known = s.done > 0 && s.elapsed > 0;
  return format_duration(known ? s.elapsed * std::max(0.0, s.total - s.done) / s.done : -1) + " left";
}

std::string bar_text(double part, int cells) {
  const int full = static_cast<int>(std::floor(part * cells));
  std::string bar(static_cast<std::size_t>(full), '=');
  if (full < cells) bar += '>';
  bar.resize(static_cast<std::size_t>(cells), ' ');
  return fmt::format("[{}]", bar);
}

}  // namespace

std::string format_duration(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "-:--";
  const auto s = static_cast<long>(std::llround(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string format_progress_line(const ProgressSample& s, const ProgressLabels& labels) {
  const std::string amount = amount_text(s, labels), rate = rate_text(s, labels);
  if (s.total <= 0) return fmt::format("{}, {}", amount, rate);
  return fmt::format("{} ({} %), {}, {}", amount, percent(s), rate, left_text(s));
}

std::string format_progress_bar(const ProgressSample& s, const ProgressLabels& labels, int width) {
  const auto room = static_cast<std::size_t>(std::max(width, 0));
  const std::string amount = amount_text(s, labels), rate = rate_text(s, labels);
  if (s.total <= 0) return fmt::format("{}, {}", amount, rate).substr(0, room);
  const std::string head = fmt::format("{:3} %", percent(s)), left = left_text(s);
  const std::string all = fmt::format("{}, {}, {}", amount, rate, left);
  const int cells = std::min(width - static_cast<int>(head.size() + all.size()) - 4, kMostCells);
  if (cells >= kLeastCells) return fmt::format("{} {} {}", head, bar_text(fraction(s), cells), all);
  for (const std::string& text : {head + " " + all, fmt::format("{} {}, {}", head, rate, left), head + " " + left}) {
    if (text.size() <= room) return text;
  }
  return head.substr(0, room);
}

ProgressStyle progress_style(std::FILE* out) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return isatty(fileno(out)) != 0 && !dumb ? ProgressStyle::bar : ProgressStyle::lines;
}

int terminal_width(std::FILE* out) {
  winsize size{};
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Progress::Progress(ProgressSetup setup) : setup_(std::move(setup)) {
  if (!setup_.now) setup_.style = ProgressStyle::silent;
  if (!setup_.width) setup_.width = [out = setup_.out] { return terminal_width(out); };
  if (setup_.style != ProgressStyle::silent) start_ = last_drawn_ = setup_.now();
}

Progress::~Progress() { finish(); }

void Progress::update(double done) {
  done_ = done;
  if (setup_.style == ProgressStyle::silent || finished_) return;
  const double now = setup_.now();
  if (now - last_drawn_ >= (setup_.style == ProgressStyle::bar ? kBarPeriod : kLinePeriod)) draw(now);
}

void Progress::draw(double now) {
  last_drawn_ = now;
  const ProgressSample sample{done_, setup_.total, now - start_};
  if (setup_.style == ProgressStyle::lines) {
    std::fputs(format_progress_line(sample, setup_.labels).append(1, '\n').c_str(), setup_.out);
  } else {
    // One column stays free: a character in the last one makes some terminals begin a new line.
    const std::string bar = format_progress_bar(sample, setup_.labels, setup_.width() - 1);
    if (!cursor_hidden_) std::fputs(kHideCursor, setup_.out);
    std::fputs(kEraseLine, setup_.out);
    std::fputs(bar.c_str(), setup_.out);
    cursor_hidden_ = true;
  }
  std::fflush(setup_.out);
}

void Progress::clear() {
  if (!cursor_hidden_) return;
  std::fputs(kEraseLine, setup_.out);
  std::fflush(setup_.out);
}

void Progress::finish() {
  if (finished_ || setup_.style == ProgressStyle::silent) return;
  finished_ = true;
  draw(setup_.now());
  if (!cursor_hidden_) return;
  std::fputs("\n", setup_.out);
  std::fputs(kShowCursor, setup_.out);
  std::fflush(setup_.out);
}

}  // namespace gradus
