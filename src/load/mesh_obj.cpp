/// Wavefront OBJ: `v x y z` and `f a b c …`, where a corner is v, v/t, v//n or v/t/n and v counts from 1 or, negative,
/// back from the last vertex so far. A backslash at the end of a line continues it. All other statements are ignored.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "load/mesh.h"
#include "load/mesh_builder.h"

namespace gradus {

namespace {

constexpr const char* kBlank = " \t\r\v\f";

class ObjReader {
 public:
  ObjReader(std::string_view text, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems)
      : text_(text), lines_(lines), mesh_(mesh), problems_(problems) {}

  void read() {
    while (at_ < text_.size() && !too_large()) {
      const std::string_view keyword = next_word();
      if (keyword == "v") read_vertex();
      if (keyword == "f") read_face();
      skip_rest();
      ++at_;  // the line break
    }
    if (too_large()) {
      problems_.error(lines_.whole_file(), fmt::format("the mesh has more than {} triangles", kMeshTriangleLimit),
                      "simplify it");
    }
    if (problems_.error_count() == 0) add_triangles();
  }

 private:
  struct Corner {
    std::int64_t vertex;  // from 0; may still lie behind the last vertex read so far
    std::size_t offset;   // of the corner in the text, for messages
  };

  /// A face of n corners makes n − 2 triangles, so as many corners or vertices cannot belong to an allowed mesh.
  bool too_large() const { return std::max(corners_.size(), vertices_.size()) > 3 * kMeshTriangleLimit; }

  Place place(std::size_t offset) const { return problems_.full() ? Place{} : lines_.at(offset); }

  /// Next word of the statement, empty at its end; then at_ stands on the line break.
  std::string_view next_word() {
    while (at_ < text_.size()) {
      const std::size_t start = std::min(text_.find_first_not_of(kBlank, at_), text_.size());
      if (is_continuation(start)) {
        at_ = std::min(text_.find('\n', start), text_.size() - 1) + 1;
        continue;
      }
      if (start == text_.size() || text_[start] == '\n' || text_[start] == '#') break;
      word_start_ = start;
      at_ = std::min(text_.find_first_of(" \t\r\v\f\n", start), text_.size());
      return text_.substr(start, at_ - start);
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    word_start_ = at_;
    return {};
  }

  bool is_continuation(std::size_t at) const {
    const std::string_view rest = text_.substr(at, 3);
    return rest.starts_with("\\\n") || rest.starts_with("\\\r\n");
  }

  /// A fourth number (weight) and colours after it are ignored.
  void read_vertex() {
    const std::size_t start = word_start_;
    Vec3 p{0, 0, 0};
    for (double* x : {&p.x, &p.y, &p.z}) {
      const std::string_view word = next_word();
      const std::optional<double> number = parse_number(word);
      if (word.empty()) {
        problems_.error(place(start), "the vertex has fewer than three coordinates", "write v x y z");
        break;
      }
      if (!number || !std::isfinite(*number)) {
        problems_.error(place(word_start_),
                        in_quotes(word) + (number ? " is not a finite number" : " is not a number"));
        break;
      }
      *x = *number;
    }
    vertices_.push_back(p);
  }

  void read_face() {
    const std::size_t face_start = word_start_, first = corners_.size();
    for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
      const std::string_view index = word.substr(0, word.find('/'));
      std::int64_t i = 0;
      const auto [end, failure] = std::from_chars(index.data(), index.data() + index.size(), i);
      if (failure != std::errc{} || end != index.data() + index.size() || i == 0) {
        problems_.error(place(word_start_), in_quotes(word) + " is not a corner of a face",
                        "corners are v, v/t, v//n or v/t/n with v from 1, or negative");
        return;
      }
      corners_.push_back({i > 0 ? i - 1 : static_cast<std::int64_t>(vertices_.size()) + i, word_start_});
    }
    const std::size_t count = corners_.size() - first;
    if (count < 3) {
      problems_.error(place(face_start),
                      fmt::format("the face has {} corner{}, it needs three", count, count == 1 ? "" : "s"), "");
    }
    face_ends_.push_back(corners_.size());
  }

  void skip_rest() {
    while (!next_word().empty()) {
    }
  }

  void add_triangles() {
    for (const Corner& c : corners_) {
      if (c.vertex >= 0 && c.vertex < static_cast<std::int64_t>(vertices_.size())) continue;
      problems_.error(place(c.offset),
                      fmt::format("the face uses a vertex that is not there; the file has {}", vertices_.size()),
                      "vertices count from 1");
    }
    if (problems_.error_count() > 0) return;
    std::size_t first = 0;
    for (const std::size_t end : face_ends_) {
      for (std::size_t i = first + 2; i < end && !mesh_.full(); ++i) add_triangle(first, i - 1, i);
      first = end;
    }
  }

  void add_triangle(std::size_t a, std::size_t b, std::size_t c) {
    const auto p = [&](std::size_t i) { return vertices_[static_cast<std::size_t>(corners_[i].vertex)]; };
    if (!mesh_.add_triangle({p(a), p(b), p(c)})) {
      problems_.error(place(corners_[a].offset), "the scaled face is too large for a number");
    }
  }

  std::string_view text_;
  const LineMap& lines_;
  MeshBuilder& mesh_;
  ProblemList& problems_;
  std::size_t at_ = 0, word_start_ = 0;
  std::vector<Vec3> vertices_;
  std::vector<Corner> corners_;         // of all faces, one after the other
  std::vector<std::size_t> face_ends_;  // one past each face's last corner
};

}  // namespace

void read_obj(std::string_view bytes, const LineMap& lines, MeshBuilder& mesh, ProblemList& problems) {
  ObjReader(bytes, lines, mesh, problems).read();
}

}  // namespace gradus
