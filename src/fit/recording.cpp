#include "fit/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace gradus::fit {
namespace {

std::vector<std::string> cells(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  std::vector<std::string> out;
  std::stringstream text(line + ",");
  for (std::string cell; std::getline(text, cell, ',');) out.push_back(cell);
  return out;
}

int column_of(const std::vector<std::string>& header, const std::string& name) {
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == name) return static_cast<int>(i);
  return -1;
}

/// NaN if there is no such cell or no number in it.
double number(const std::vector<std::string>& row, int column) {
  if (column < 0 || column >= static_cast<int>(row.size())) return NAN;
  const std::string& cell = row[static_cast<std::size_t>(column)];
  const std::size_t begin = cell.find_first_not_of(" \t");
  if (begin == cell.npos) return NAN;
  double x = NAN;
  std::from_chars(cell.data() + begin, cell.data() + cell.size(), x);
  return x;
}
double number_or_0(const std::vector<std::string>& row, int column) {
  const double x = number(row, column);
  return std::isfinite(x) ? x : 0;
}

bool is_constant(const std::vector<double>& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  return *high - *low < 1e-9;
}

}  // namespace

std::string read_recording(const std::string& path, Recording& r) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "is not there";
  std::ifstream file(path);
  std::string line;
  if (!file) return "cannot be read";
  if (!std::getline(file, line)) return "is empty";
  const std::vector<std::string> header = cells(line);
  const bool torque = column_of(header, "torque_Nm") >= 0 && column_of(header, "pos_error_rad") >= 0;
  const std::vector<std::string> names = torque ? std::vector<std::string>{"t_s", "pos_error_rad", "vel_rad_s", "torque_Nm"}
                                                : std::vector<std::string>{"t_s", "goal_rad", "pos_rad"};
  std::vector<int> columns;
  for (const std::string& name : names) {
    columns.push_back(column_of(header, name));
    if (columns.back() < 0) return fmt::format("has no column {}; {}", name, did_you_mean_or(name, header, "the first line names the columns"));
  }
  const int on = column_of(header, "torque_on");
  for (std::size_t rows = 1; std::getline(file, line); ++rows) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (r.t.size() >= 10'000'000) return "has more than ten million samples";
    const std::vector<std::string> row = cells(line);
    double x[4] = {0, 0, 0, 0};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      x[i] = number(row, columns[i]);
      if (!std::isfinite(x[i])) return fmt::format("has no number in column {} of line {}", names[i], rows + 1);
    }
    if (!r.t.empty() && !(x[0] > r.t.back())) return fmt::format("has a time in line {} that does not grow", rows + 1);
    if (torque) {
      const double before = r.t.empty() ? 0 : 0.5 * (r.speed.back() + x[2]) * (x[0] - r.t.back());
      r.pos.push_back(r.pos.empty() ? 0 : r.pos.back() + before);
      r.goal.push_back(r.pos.back() + x[1]);
      r.speed.push_back(x[2]), r.torque.push_back(x[3]);
    } else {
      r.goal.push_back(x[1]), r.pos.push_back(x[2]);
    }
    r.t.push_back(x[0]);
    r.on.push_back(on < 0 || number(row, on) != 0);
  }
  if (r.t.size() < 10) return "has fewer than ten samples";
  if (is_constant(r.measured()))
    return torque ? "has a torque that never changes: nothing can be learned from it" : "has a position that never changes: nothing can be learned from it";
  return "";
}

bool is_index(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && column_of(cells(line), "file") >= 0;
}

Result<std::vector<Recording>> read_index(const std::string& path, const std::string& only) {
  std::ifstream index(path);
  std::string line;
  if (!std::getline(index, line)) return file_error(path, "the index cannot be read");
  const std::vector<std::string> header = cells(line);
  const int file = column_of(header, "file");
  if (file < 0) return file_error(path, "the index has no column file");
  std::vector<Recording> out;
  Diagnostics faults;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  for (int row_number = 2; std::getline(index, line); ++row_number) {
    const std::vector<std::string> row = cells(line);
    if (file >= static_cast<int>(row.size())) continue;
    Recording r;
    r.file = row[static_cast<std::size_t>(file)];
    if (!r.file.starts_with(only)) continue;
    if (const int c = column_of(header, "trajectory"); c >= 0 && c < static_cast<int>(row.size()))
      r.trajectory = row[static_cast<std::size_t>(c)];
    r.kp = number_or_0(row, column_of(header, "kp"));
    r.kd = number_or_0(row, column_of(header, "kd"));
    r.mass = number_or_0(row, column_of(header, "mass"));
    r.arm = number_or_0(row, column_of(header, "arm_mass"));
    r.length = number_or_0(row, column_of(header, "length"));
    r.inertia = number_or_0(row, column_of(header, "load_inertia_kgm2"));
    r.volts = number_or_0(row, column_of(header, "vin"));
    const std::string at = (folder.empty() ? "" : folder + "/") + r.file;
    if (const std::string wrong = read_recording(at, r); !wrong.empty()) {
      faults.push_back({{path, row_number, 1}, Severity::error, at + " " + wrong, ""});
      continue;
    }
    out.push_back(std::move(r));
  }
  if (!faults.empty()) return faults;
  if (out.empty()) return file_error(path, only.empty() ? "the index names no recording" : "the index names no recording that begins with '" + only + "'");
  return out;
}

std::size_t Recording::first_judged() const {
  constexpr double kMemory = 0.035;  // [s] the longest delay that is searched for, and a lag
  if (!measures_torque() || t.back() - t.front() < 4 * kMemory) return 0;
  return static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), t.front() + kMemory) - t.begin());
}

Recording part_of(const Recording& r, double from, double to) {
  Recording out = r;
  const std::size_t n = r.t.size(), a = static_cast<std::size_t>(from * static_cast<double>(n)),
                    b = std::min(n, static_cast<std::size_t>(to * static_cast<double>(n)));
  auto cut = [&](auto& x) {
    if (!x.empty()) x = std::remove_reference_t<decltype(x)>(x.begin() + static_cast<std::ptrdiff_t>(a), x.begin() + static_cast<std::ptrdiff_t>(b));
  };
  cut(out.t), cut(out.goal), cut(out.pos), cut(out.on), cut(out.speed), cut(out.torque);
  return out;
}

}  // namespace gradus::fit
