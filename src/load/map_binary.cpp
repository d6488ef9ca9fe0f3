/// Maps as arrays of numbers: NumPy's .npy [NEP 1] and MuJoCo's height field file.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "load/map.h"
#include "load/map_formats.h"

namespace gradus {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

template <class T>
T number_at(std::string_view bytes, std::size_t offset) {
  T x;
  std::memcpy(&x, bytes.data() + offset, sizeof x);
  return x;
}

/// Copies the heights; an infinity is reported with its byte.
template <class T>
void copy_heights(std::string_view bytes, std::size_t offset, std::size_t count, const Place& file, RawMap& map,
                  ProblemList& problems) {
  map.z.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    map.z[i] = static_cast<double>(number_at<T>(bytes, offset + i * sizeof(T)));
    if (std::isinf(map.z[i]) && !problems.full())
      problems.error(file, fmt::format("byte {}: the height is infinite", offset + i * sizeof(T)),
                     "use NaN where it is unknown");
  }
}

/// Text behind 'key': in the header's Python dictionary, without blanks; "" if it is not there.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  const std::size_t colon = header.find(':', at);
  if (colon == std::string_view::npos) return {};
  const std::size_t start = header.find_first_not_of(' ', colon + 1);
  return start == std::string_view::npos ? std::string_view{} : header.substr(start);
}

/// "(71, 122)"
bool read_shape(std::string_view text, std::size_t (&size)[2]) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  for (int k = 0; k < 2; ++k) {
    const std::size_t end = text.find_first_of(",)"), start = text.find_first_not_of(' ');
    if (end == std::string_view::npos || start >= end) return false;
    const std::optional<double> n = parse_number(text.substr(start, end - start));
    if (!n || !(*n >= 0 && *n <= 1e9) || *n != std::floor(*n)) return false;
    size[k] = static_cast<std::size_t>(*n);
    const bool closed = text[end] == ')';
    text.remove_prefix(end + 1);
    if (closed != (k == 1)) return false;
  }
  return true;
}

/// The text between the first bytes and the heights: it begins at `first`. None: reported.
std::optional<std::string_view> npy_header(std::string_view bytes, const Place& file, std::size_t& first,
                                           ProblemList& problems) {
  const auto refuse = [&](const std::string& text, const char* suggestion) -> std::optional<std::string_view> {
    problems.error(file, text, suggestion);
    return std::nullopt;
  };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY"))
    return refuse("byte 0: this is not a .npy file", "write it with numpy.save");
  const int version = bytes[6];
  if (version != 1 && version != 2) return refuse(fmt::format("byte 6: version {} is not known", version), "");
  first = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? number_at<std::uint16_t>(bytes, 8) : number_at<std::uint32_t>(bytes, 8);
  if (length > bytes.size() - first)
    return refuse(fmt::format("byte 8: a header of {} bytes in a file of {}", length, bytes.size()), "");
  return bytes.substr(first, length);
}

}  // namespace

void read_npy_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems) {
  std::size_t first = 0;
  const std::optional<std::string_view> found = npy_header(bytes, file, first, problems);
  if (!found) return;
  const std::string_view header = *found, type = value_of(header, "descr").substr(0, 5);
  std::size_t size[2] = {0, 0};
  if (!read_shape(value_of(header, "shape"), size))
    return problems.error(file, fmt::format("byte {}: the array does not have two dimensions", first),
                          "save a matrix of heights");
  const bool by_columns = value_of(header, "fortran_order").starts_with("True");
  const std::size_t width = type == "'<f8'" ? 8 : type == "'<f4'" ? 4 : type == "'<i2'" ? 2 : 0;
  if (width == 0)
    return problems.error(file, fmt::format("byte {}: the type {} is not read", first, in_quotes(type)),
                          "save float32, float64 or int16, little endian");
  if (!allowed_size(size[1], size[0], file, problems)) return;
  const std::size_t count = size[0] * size[1], data = first + header.size();
  if (bytes.size() - data != count * width)
    return problems.error(file,
                          fmt::format("byte {}: {} bytes of heights, {} × {} need {}", data, bytes.size() - data,
                                      size[0], size[1], count * width),
                          "");
  map.ny = static_cast<int>(size[0]), map.nx = static_cast<int>(size[1]);
  if (width == 8)
    copy_heights<double>(bytes, data, count, file, map, problems);
  else if (width == 4)
    copy_heights<float>(bytes, data, count, file, map, problems);
  else
    copy_heights<std::int16_t>(bytes, data, count, file, map, problems);
  if (!by_columns || map.z.size() != count) return;
  const std::vector<double> stored = map.z;
  for (std::size_t row = 0; row < size[0]; ++row)
    for (std::size_t column = 0; column < size[1]; ++column) map.z[row * size[1] + column] = stored[column * size[0] + row];
}

void read_hfield_map(std::string_view bytes, const Place& file, RawMap& map, ProblemList& problems) {
  if (bytes.size() < 8) return problems.error(file, "byte 0: no room for rows and columns", "");
  const auto rows = number_at<std::int32_t>(bytes, 0), columns = number_at<std::int32_t>(bytes, 4);
  if (rows < 0 || columns < 0)
    return problems.error(file, fmt::format("byte 0: {} rows and {} columns", rows, columns), "");
  const auto ny = static_cast<std::size_t>(rows), nx = static_cast<std::size_t>(columns);
  if (!allowed_size(nx, ny, file, problems)) return;
  if (bytes.size() - 8 != 4 * nx * ny)
    return problems.error(
        file, fmt::format("byte 8: {} bytes of heights, {} × {} need {}", bytes.size() - 8, rows, columns, 4 * nx * ny),
        "");
  map.nx = columns, map.ny = rows;
  map.is_fraction = true;
  copy_heights<float>(bytes, 8, nx * ny, file, map, problems);
  double low = INFINITY, high = -INFINITY;
  for (const double z : map.z)
    if (std::isfinite(z)) low = std::min(low, z), high = std::max(high, z);
  for (double& z : map.z) z = high > low ? (z - low) / (high - low) : z - low;
}

}  // namespace gradus
