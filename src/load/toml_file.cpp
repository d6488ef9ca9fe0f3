#include "load/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "load/source_text.h"

namespace gradus {
namespace {

void add(Diagnostics& out, Place place, std::string text, std::string suggestion = "") {
  out.push_back({std::move(place), Severity::error, std::move(text), std::move(suggestion)});
}

Place in_file(const std::string& path, int line = 0, int column = 0) { return {path, line, column}; }

/// End of the string that begins at text[i], a quote.
std::size_t skip_string(std::string_view text, std::size_t i) {
  const char quote = text[i];
  const std::string three(3, quote);
  const bool many_lines = text.substr(i, 3) == three;
  i += many_lines ? 3 : 1;
  for (; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (many_lines ? text.substr(i, 3) == three : text[i] == quote || text[i] == '\n') {
      return i + (many_lines ? 3 : 1);
    }
  }
  return i;
}

/// A key with a thousand dots would become a thousand nested tables, and freeing those recurses. So dots are counted
/// before the parser sees the text; a number between two separators has one at most.
bool check_dots(std::string_view text, const std::string& path, Diagnostics& out) {
  int line = 1, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(skip_string(text, i), text.size());
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                          text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end;
      continue;
    }
    if (c == '#') i = std::min(text.find('\n', i), text.size());
    if (i >= text.size()) break;
    if (text[i] == '\n') ++line;
    dots = text[i] == '.' ? dots + 1 : std::string_view("=,[]{}\n").find(text[i]) != std::string_view::npos ? 0 : dots;
    if (dots >= kMaxDepth) {
      add(out, in_file(path, line, 1), fmt::format("a key here has more than {} parts", kMaxDepth), "");
      return false;
    }
    ++i;
  }
  return true;
}

const toml::node* too_deep(const toml::node& node, int depth) {
  if (depth > kMaxDepth) return &node;
  if (const toml::table* t = node.as_table()) {
    for (const auto& [key, value] : *t) {
      if (const toml::node* bad = too_deep(value, depth + 1)) return bad;
    }
  } else if (const toml::array* a = node.as_array()) {
    for (const toml::node& value : *a) {
      if (const toml::node* bad = too_deep(value, depth + 1)) return bad;
    }
  }
  return nullptr;
}

const char* name_of_type(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

void wrong_type(const toml::node& node, const std::string& what, const std::string& due, Diagnostics& log) {
  add(log, place_of(node), fmt::format("{}: {} is due here, not {}", what, due, name_of_type(node)));
}

}  // namespace

std::optional<toml::table> parse_toml(std::string_view text, const std::string& path, Diagnostics& out) {
  if (const std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos) {
    add(out, LineMap(path, text).at(bad), "this byte is not UTF-8 text", "save the file as UTF-8");
    return std::nullopt;
  }
  if (!check_dots(text, path, out)) return std::nullopt;
  try {
    toml::table table = toml::parse(text, path);
    if (const toml::node* bad = too_deep(table, 0)) {
      add(out, place_of(*bad), fmt::format("tables or arrays are more than {} deep here", kMaxDepth));
      return std::nullopt;
    }
    return table;
  } catch (const toml::parse_error& e) {
    Place place = place_of(e.source());
    place.file = path;
    add(out, std::move(place), std::string(e.description()), "the file is not TOML from here on");
    return std::nullopt;
  }
}

std::optional<toml::table> read_toml(const std::string& path, Diagnostics& out) {
  const Result<std::string> text = read_bytes(path, kMaxFileBytes);
  out.insert(out.end(), text.notes().begin(), text.notes().end());
  return text ? parse_toml(*text, path, out) : std::nullopt;
}

Place place_of(const toml::source_region& region) {
  return {region.path ? *region.path : std::string(), static_cast<int>(region.begin.line),
          static_cast<int>(region.begin.column)};
}

Diagnostics tidy(Diagnostics notes, const std::string& file) {
  std::stable_sort(notes.begin(), notes.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.place.file, a.place.line, a.place.column) < std::tie(b.place.file, b.place.line, b.place.column);
  });
  // a copied robot repeats what was wrong with the original
  const auto same = [](const Diagnostic& a, const Diagnostic& b) { return to_string(a) == to_string(b); };
  notes.erase(std::unique(notes.begin(), notes.end(), same), notes.end());
  ProblemList list;
  list.append(notes);
  return std::move(list).take({file, 0, 0});
}

bool read_number(const toml::node& node, const std::string& what, double& out, Diagnostics& log) {
  if (!node.is_number()) {
    wrong_type(node, what, "a bare number", log);
    return false;
  }
  const double x = *node.value<double>();
  if (!std::isfinite(x)) {
    add(log, place_of(node), fmt::format("{}: {} is not a finite number", what, x));
    return false;
  }
  out = x;
  return true;
}

bool read_quantity(const toml::node& node, const std::string& what, Dimension due, double& out, Diagnostics& log) {
  if (due == dimension::kNumber) return read_number(node, what, out, log);
  std::optional<UnitFault> fault;
  if (node.is_number()) {
    fault = missing_unit(fmt::format("{}", *node.value<double>()), due);
  } else if (node.is_string()) {
    fault = parse_quantity(node.ref<std::string>(), due, out);
  } else {
    wrong_type(node, what, fmt::format("{} such as \"1 {}\"", name_of(due), unit_of(due)), log);
    return false;
  }
  if (fault) add(log, place_of(node), what + ": " + fault->text, fault->suggestion);
  return !fault;
}

bool read_quantities(const toml::node& node, const std::string& what, Dimension due, std::size_t count, double* out,
                     Diagnostics& log) {
  const toml::array* a = node.as_array();
  if (a == nullptr || a->size() != count) {
    add(log, place_of(node), fmt::format("{}: an array of {} values is due here", what, count));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) good = read_quantity((*a)[i], what, due, out[i], log) && good;
  return good;
}

void TableReader::fault(const Place& at, std::string text, std::string suggestion) {
  add(out_, at, std::move(text), std::move(suggestion));
}

const toml::node* TableReader::get(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  return table_.get(key);
}

Place TableReader::place(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node != nullptr ? place_of(*node) : place();
}

bool TableReader::text(std::string_view key, std::string& out) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  if (!node->is_string()) {
    wrong_type(*node, std::string(key), "a text in quotes", out_);
    return false;
  }
  out = node->ref<std::string>();
  return true;
}

bool TableReader::boolean(std::string_view key, bool& out) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  if (!node->is_boolean()) {
    wrong_type(*node, std::string(key), "true or false", out_);
    return false;
  }
  out = node->ref<bool>();
  return true;
}

bool TableReader::number(std::string_view key, double& out) {
  const toml::node* node = get(key);
  return node != nullptr && read_number(*node, std::string(key), out, out_);
}

bool TableReader::integer(std::string_view key, std::int64_t least, std::int64_t most, std::int64_t& out) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  const bool good = node->is_integer() && node->ref<std::int64_t>() >= least && node->ref<std::int64_t>() <= most;
  if (!good) {
    fault(place_of(*node), fmt::format("{}: a whole number from {} to {} is due here", key, least, most));
    return false;
  }
  out = node->ref<std::int64_t>();
  return true;
}

bool TableReader::quantity(std::string_view key, Dimension due, double& out) {
  const toml::node* node = get(key);
  return node != nullptr && read_quantity(*node, std::string(key), due, out, out_);
}

bool TableReader::period(std::string_view key, double& out) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  Quantity q;
  const bool rate =
      node->is_string() && !parse_quantity(node->ref<std::string>(), q) && q.dimension == dimension::kFrequency;
  if (key == "rate" && node->is_number()) {  // a bare number is meant as hertz, not seconds
    fault(place_of(*node), fmt::format("{0}: a rate is due here, and {1:g} has no unit", key, *node->value<double>()),
          fmt::format("write \"{:g} Hz\"", *node->value<double>()));
    return false;
  }
  if (!rate) return read_quantity(*node, std::string(key), dimension::kTime, out, out_);
  if (!(q.value > 0)) {
    fault(place_of(*node), fmt::format("{}: a rate must be greater than 0", key));
    return false;
  }
  out = 1 / q.value;
  return true;
}

bool TableReader::vec3(std::string_view key, Dimension due, Vec3& out) {
  const toml::node* node = get(key);
  double x[3];
  if (node == nullptr || !read_quantities(*node, std::string(key), due, 3, x, out_)) return false;
  out = {x[0], x[1], x[2]};
  return true;
}

bool TableReader::axis(std::string_view key, Vec3& out) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  if (!node->is_string()) return vec3(key, dimension::kNumber, out);
  std::string_view word = node->ref<std::string>();
  const double sign = word.substr(0, 1) == "-" ? -1 : 1;
  if (sign < 0) word.remove_prefix(1);
  if (word != "x" && word != "y" && word != "z") {
    fault(place_of(*node), fmt::format("{}: {} is not an axis", key, in_quotes(node->ref<std::string>())),
          "write \"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\" or three numbers");
    return false;
  }
  out = {word == "x" ? sign : 0, word == "y" ? sign : 0, word == "z" ? sign : 0};
  return true;
}

bool TableReader::texts(std::string_view key, std::vector<std::string>& out, std::vector<Place>& places) {
  const toml::node* node = get(key);
  if (node == nullptr) return false;
  const toml::array* a = node->as_array();
  if (a == nullptr) {
    wrong_type(*node, std::string(key), "an array of texts", out_);
    return false;
  }
  bool good = true;
  for (const toml::node& value : *a) {
    if (value.is_string()) {
      out.push_back(value.ref<std::string>());
      places.push_back(place_of(value));
    } else {
      wrong_type(value, std::string(key), "a text in quotes", out_);
      good = false;
    }
  }
  return good;
}

const toml::table* TableReader::table(std::string_view key) {
  const toml::node* node = get(key);
  if (node != nullptr && !node->is_table()) wrong_type(*node, std::string(key), "a table", out_);
  return node != nullptr ? node->as_table() : nullptr;
}

void TableReader::finish(const std::string& what) {
  for (const auto& [key, value] : table_) {
    const std::string name(key.str());
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    fault(place_of(key.source()), fmt::format("unknown key {} in {}", in_quotes(name), what),
          did_you_mean(name, known_));
  }
}

std::vector<NamedTable> in_file_order(const toml::table& table) {
  std::vector<NamedTable> out;
  for (const auto& [key, value] : table) out.push_back({std::string(key.str()), &value, place_of(key.source())});
  std::stable_sort(out.begin(), out.end(), [](const NamedTable& a, const NamedTable& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return out;
}

}  // namespace gradus
