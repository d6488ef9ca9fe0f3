/// STL. Binary: 80 bytes of header, a 32-bit count, then 50 bytes a triangle (normal, three corners, 16 bits of
/// attribute), little endian. ASCII: solid { facet normal x y z outer loop vertex x y z … endloop endfacet } endsolid.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "load/mesh_builder.h"

namespace gradus {

namespace {

constexpr std::size_t kHeader = 84, kRecord = 50;  // [byte]
static_assert(std::endian::native == std::endian::little, "binary STL is read by memcpy");

std::uint32_t claimed_count(std::string_view bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kHeader) std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

/// Many binary files begin with "solid" too, so the size decides first; a NUL never stands in an ASCII file.
bool is_binary(std::string_view bytes) {
  if (bytes.size() >= kHeader && bytes.size() == kHeader + kRecord * std::uint64_t{claimed_count(bytes)}) return true;
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  const std::string_view body = start == std::string_view::npos ? std::string_view{} : bytes.substr(start);
  return !body.starts_with("solid") || bytes.substr(0, 1024).find('\0') != std::string_view::npos;
}

void read_binary(std::string_view bytes, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems) {
  const Place place = lines.whole_file();
  if (bytes.size() < kHeader) {
    problems.error(place,
                   fmt::format("this is no STL file: {} bytes, but the header alone has {}", bytes.size(), kHeader),
                   "export the mesh again");
    return;
  }
  const std::uint64_t count = claimed_count(bytes), room = (bytes.size() - kHeader) / kRecord;
  if (count > room) {
    problems.error(place, fmt::format("the header says {} triangles, but the file ends after {}", count, room),
                   "the file is cut off or not STL: export the mesh again");
    return;
  }
  const std::size_t rest = bytes.size() - kHeader - kRecord * count;
  if (rest > 0)
    problems.warning(place, fmt::format("{} bytes after the last of {} triangles are ignored", rest, count));
  std::uint64_t bad = 0, first_bad = 0;
  for (std::uint64_t i = 0; i < count && !mesh.full(); ++i) {
    float f[12];  // normal, corners
    std::memcpy(f, bytes.data() + kHeader + kRecord * i, sizeof f);
    const bool added = mesh.add_triangle({Vec3{f[3], f[4], f[5]}, Vec3{f[6], f[7], f[8]}, Vec3{f[9], f[10], f[11]}});
    if (!added && ++bad == 1) first_bad = i + 1;
  }
  if (bad > 0) {
    problems.error(place,
                   fmt::format("{} of {} triangles have a coordinate that is not a finite number, first triangle {}",
                               bad, count, first_bad),
                   "repair the mesh and export it again");
  }
}

/// Words of an ASCII file, with their places.
class Words {
 public:
  Words(std::string_view text, const LineMap& lines) : text_(text), lines_(lines) {}
  std::string_view next() {
    const std::size_t start = std::min(text_.find_first_not_of(kBlank, end_), text_.size());
    end_ = std::min(text_.find_first_of(kBlank, start), text_.size());
    start_ = start;
    return text_.substr(start, end_ - start);
  }
  void skip_line() { end_ = std::min(text_.find('\n', end_), text_.size()); }
  std::size_t start() const { return start_; }  // offset of the last word
  Place place(std::size_t offset) const { return lines_.at(offset); }
  Place place() const { return place(start_); }

 private:
  static constexpr const char* kBlank = " \t\r\n\v\f";
  std::string_view text_;
  const LineMap& lines_;
  std::size_t start_ = 0, end_ = 0;
};

bool same_word(std::string_view word, std::string_view lower_case) {
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

class AsciiStl {
 public:
  AsciiStl(std::string_view text, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems)
      : words_(text, lines), mesh_(mesh), problems_(problems) {}

  /// Stops at the first word that is out of place: what follows would only be complaints about the consequences.
  void read() {
    while (!mesh_.full()) {
      const std::string_view word = words_.next();
      if (word.empty()) break;
      if (!same_word(word, "solid")) return complain(word, "solid");
      words_.skip_line();
      if (!read_solid()) return;
    }
  }

 private:
  bool read_solid() {
    while (!mesh_.full()) {
      const std::string_view word = words_.next();
      if (same_word(word, "endsolid")) {
        words_.skip_line();
        return true;
      }
      if (!same_word(word, "facet")) return complain(word, "facet' or 'endsolid"), false;
      if (!read_facet()) return false;
    }
    return true;
  }

  bool read_facet() {
    Vec3 normal;
    if (!expect("normal") || !read_numbers(normal) || !expect("outer") || !expect("loop")) return false;
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners) {
      if (!expect("vertex")) return false;
      const std::size_t start = words_.start();
      if (!read_numbers(corner)) return false;
      if (!std::isfinite(corner.x) || !std::isfinite(corner.y) || !std::isfinite(corner.z)) {
        problems_.error(problems_.full() ? Place{} : words_.place(start),
                        "the vertex has a coordinate that is not a finite number", "repair the mesh");
        corner = {0, 0, 0};
      }
    }
    if (!expect("endloop") || !expect("endfacet")) return false;
    if (!mesh_.add_triangle(corners)) problems_.error(words_.place(), "the scaled triangle is too large for a number");
    return true;
  }

  bool read_numbers(Vec3& v) {
    for (double* x : {&v.x, &v.y, &v.z}) {
      const std::string_view word = words_.next();
      const std::optional<double> number = parse_number(word);
      if (!number) {
        if (word.empty()) return complain(word, "a number"), false;
        problems_.error(words_.place(), in_quotes(word) + " is not a number");
        return false;
      }
      *x = *number;
    }
    return true;
  }

  bool expect(std::string_view expected) {
    const std::string_view word = words_.next();
    if (same_word(word, expected)) return true;
    return complain(word, expected), false;
  }

  void complain(std::string_view word, std::string_view expected) {
    if (word.empty()) {
      problems_.error(words_.place(), fmt::format("the file ends where '{}' is due", expected),
                      "it is cut off: export it again");
    } else {
      problems_.error(words_.place(), fmt::format("{} where '{}' is due", in_quotes(word), expected),
                      "export the mesh again");
    }
  }

  Words words_;
  MeshBuilder& mesh_;
  ProblemList& problems_;
};

}  // namespace

void read_stl(std::string_view bytes, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems) {
  if (is_binary(bytes)) {
    read_binary(bytes, lines, mesh, problems);
  } else {
    AsciiStl(bytes, lines, mesh, problems).read();
  }
}

}  // namespace gradus
