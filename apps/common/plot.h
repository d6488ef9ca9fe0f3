/// Line charts of the experiments as SVG files that open in any browser, and their numbers as CSV.
#pragma once
#include <string>
#include <vector>

namespace gradus::cli {

struct Series {
  std::string name;
  std::vector<double> x, y;  // of equal length; a value that is not finite breaks the line
  bool dots = false;         // single marks instead of a line
};

struct Plot {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool equal_scales = false;  // a path in the plane: one metre is as long in x as in y
};

/// The picture as text; several: one below the other.
std::string to_svg(const std::vector<Plot>& plots);
/// DIR/NAME.svg and DIR/NAME.csv; the folder is made. False, with the reason on standard error, if that fails.
/// In the CSV each series has two columns, its x and its y.
bool write_plot(const Plot& plot, const std::string& dir, const std::string& name);

}  // namespace gradus::cli
