#include "common/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

namespace gradus::cli {
namespace {

constexpr double kWidth = 860, kHeight = 440, kLeft = 74, kRight = 180, kTop = 40, kBottom = 52;
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;
// Distinguishable also for colour-blind readers [Okabe, Ito 2008].
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555"};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void take(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double width() const { return high - low; }
};

/// Never empty, with a little air around the data.
Range padded(Range r) {
  if (!(r.low <= r.high)) return {0, 1};
  const double pad = r.width() > 0 ? 0.04 * r.width() : std::max(1e-6, 0.1 * std::abs(r.low));
  return {r.low - pad, r.high + pad};
}

struct Axes {
  Range x, y;
  double px(double v) const { return kLeft + (v - x.low) / x.width() * kInnerWidth; }
  double py(double v) const { return kTop + (y.high - v) / y.width() * kInnerHeight; }
};

void widen(Range& r, double width) {
  const double middle = 0.5 * (r.low + r.high);
  r = {middle - 0.5 * width, middle + 0.5 * width};
}

Axes axes_of(const Plot& plot) {
  Axes a;
  for (const Series& s : plot.series)
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) continue;
      a.x.take(s.x[i]);
      a.y.take(s.y[i]);
    }
  a.x = padded(a.x);
  a.y = padded(a.y);
  if (!plot.equal_scales) return a;
  const double scale = std::max(a.x.width() / kInnerWidth, a.y.width() / kInnerHeight);
  widen(a.x, scale * kInnerWidth);
  widen(a.y, scale * kInnerHeight);
  return a;
}

/// Distance between two marks: 1, 2 or 5 times a power of ten, about six marks in the range.
double tick_step(double width) {
  const double rough = width / 6, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double m : {1.0, 2.0, 5.0})
    if (rough <= m * power) return m * power;
  return 10 * power;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

/// Without the sign of −0.
std::string number(double x) { return fmt::format("{:.6g}", x + 0.0); }

/// Marks, grid lines and numbers of both axes.
std::string grid(const Axes& a) {
  std::string out;
  const double sx = tick_step(a.x.width()), sy = tick_step(a.y.width());
  for (double i = std::ceil(a.x.low / sx); i * sx <= a.x.high; ++i) {
    const double p = a.px(i * sx);
    out += fmt::format("<line class=\"g\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>\n", p, kTop,
                       kTop + kInnerHeight);
    out += text_at(p, kTop + kInnerHeight + 18, "middle", number(i * sx));
  }
  for (double i = std::ceil(a.y.low / sy); i * sy <= a.y.high; ++i) {
    const double p = a.py(i * sy);
    out += fmt::format("<line class=\"g\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1}\" x2=\"{2}\"/>\n", p, kLeft,
                       kLeft + kInnerWidth);
    out += text_at(kLeft - 6, p + 4, "end", number(i * sy));
  }
  return out;
}

std::string dots_of(const Series& s, const Axes& a, const char* colour) {
  std::string out;
  for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
    if (std::isfinite(s.x[i]) && std::isfinite(s.y[i]))
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", a.px(s.x[i]), a.py(s.y[i]),
                         colour);
  return out;
}

/// A path of at most a few thousand points: more are not visible, but make the file large.
std::string line_of(const Series& s, const Axes& a, const char* colour) {
  const std::size_t n = std::min(s.x.size(), s.y.size()), stride = std::max<std::size_t>(1, n / 3000);
  std::string path;
  bool down = false;
  for (std::size_t i = 0; i < n; i += stride) {
    if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) {
      down = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", down ? 'L' : 'M', a.px(s.x[i]), a.py(s.y[i]));
    down = true;
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", path, colour);
}

/// Names beside the picture, where they cover no line.
std::string legend(const Plot& plot) {
  std::string out;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const double y = kTop + 10 + 18 * static_cast<double>(i), x = kLeft + kInnerWidth + 12;
    out += text_at(x + 24, y + 4, "start", plot.series[i].name);
    out += fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"3\"/>\n", x,
                       x + 16, y, y, kColours[i % std::size(kColours)]);
  }
  return out;
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "error: %s: cannot be written\n", path.string().c_str());
  return static_cast<bool>(file);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string to_csv(const Plot& plot) {
  std::string out;
  std::size_t rows = 0;
  for (const Series& s : plot.series) {
    out += fmt::format("{}{},{}", out.empty() ? "" : ",", quoted(s.name + ": " + plot.x_label),
                       quoted(s.name + ": " + plot.y_label));
    rows = std::max(rows, std::min(s.x.size(), s.y.size()));
  }
  out += '\n';
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < plot.series.size(); ++k) {
      const Series& s = plot.series[k];
      if (k) out += ',';
      out += i < std::min(s.x.size(), s.y.size()) ? fmt::format("{:.9g},{:.9g}", s.x[i], s.y[i]) : ",";
    }
    out += '\n';
  }
  return out;
}

}  // namespace

namespace {

/// All names of the legend are inside the picture, long paths of properties too (about 6.6 pixels a letter).
double width_of(const Plot& plot) {
  double width = kWidth;
  for (const Series& s : plot.series)
    width = std::max(width, kLeft + kInnerWidth + 44 + 6.6 * static_cast<double>(s.name.size()));
  return width;
}

std::string panel(const Plot& plot) {
  const Axes a = axes_of(plot);
  std::string out = grid(a);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n", kLeft,
                     kTop, kInnerWidth, kInnerHeight);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    out += plot.series[i].dots ? dots_of(plot.series[i], a, colour) : line_of(plot.series[i], a, colour);
  }
  out += legend(plot);
  out += text_at(kLeft + kInnerWidth / 2, 24, "middle", plot.title, "font-size=\"15\" font-weight=\"bold\"");
  out += text_at(kLeft + kInnerWidth / 2, kHeight - 12, "middle", plot.x_label);
  out += text_at(0, 0, "middle", plot.y_label,
                 fmt::format("transform=\"translate(18 {:.1f}) rotate(-90)\"", kTop + kInnerHeight / 2).c_str());
  return out;
}

}  // namespace

std::string to_svg(const std::vector<Plot>& plots) {
  double width = kWidth;
  for (const Plot& p : plots) width = std::max(width, width_of(p));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1}\" width=\"{0:.0f}\" height=\"{1}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"12\">\n<style>.g{{stroke:#ddd}}</style>\n<rect width=\"{0:.0f}\" height=\"{1}\" fill=\"white\"/>\n",
      width, kHeight * static_cast<double>(plots.size()));
  if (plots.size() == 1) return out + panel(plots.front()) + "</svg>\n";
  for (std::size_t i = 0; i < plots.size(); ++i)
    out +=
        fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", kHeight * static_cast<double>(i), panel(plots[i]));
  return out + "</svg>\n";
}

bool write_plot(const Plot& plot, const std::string& dir, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    std::fprintf(stderr, "error: %s: %s\n", dir.c_str(), error.message().c_str());
    return false;
  }
  const std::filesystem::path folder(dir);
  return write_file(folder / (name + ".svg"), to_svg({plot})) && write_file(folder / (name + ".csv"), to_csv(plot));
}

}  // namespace gradus::cli
