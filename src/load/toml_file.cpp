#include "load/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

namespace gradus {
namespace {

void add(Diagnostics& out, Place place, std::string text, std::string suggestion = "") {
  out.push_back({std::move(place), Severity::error, std::move(text), std::move(suggestion)});
}

Place in_file(const std::string& path, int line = 0, int column = 0) { return {path, line, column}; }

/// Length of the UTF-8 sequence that begins at text[i], or 0 if it is none [RFC 3629].
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0) == 0x80; };
  const unsigned a = byte(i), b = byte(i + 1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a < 0xE0) return tail(i + 1) ? 2 : 0;
  if (a >= 0xE0 && a < 0xF0) {
    const bool range = !(a == 0xE0 && b < 0xA0) && !(a == 0xED && b > 0x9F);  // no overlong forms, no surrogates
    return range && tail(i + 1) && tail(i + 2) ? 3 : 0;
  }
  if (a >= 0xF0 && a < 0xF5) {
    const bool range = !(a == 0xF0 && b < 0x90) && !(a == 0xF4 && b > 0x8F);
    return range && tail(i + 1) && tail(i + 2) && tail(i + 3) ? 4 : 0;
  }
  return 0;
}

bool check_utf8(std::string_view text, const std::string& path, Diagnostics& out) {
  int line = 1, column = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t n = utf8_length(text, i);
    if (n == 0) {
      add(out, in_file(path, line, column), "this byte is not UTF-8 text", "save the file as UTF-8");
      return false;
    }
    line += text[i] == '\n';
    column = text[i] == '\n' ? 1 : column + 1;
    i += n;
  }
  return true;
}

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

std::optional<std::string> read_text(const std::string& path, Diagnostics& out, const Place& wanted_at) {
  const Place place = wanted_at.file.empty() ? in_file(path) : wanted_at;
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (type != std::filesystem::file_type::regular) {
    const bool missing = type == std::filesystem::file_type::not_found;
    add(out, place, fmt::format("file '{}' {}", path, missing ? "is not there" : "is not a plain file"));
    return std::nullopt;
  }
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    add(out, place, fmt::format("file '{}' cannot be read", path), "check its permissions");
    return std::nullopt;
  }
  std::string text(kMaxFileBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    add(out, place, fmt::format("file '{}' cannot be read", path));
    return std::nullopt;
  }
  if (text.size() > kMaxFileBytes) {
    add(out, place, fmt::format("file '{}' is larger than {} MiB", path, kMaxFileBytes >> 20), "split it by include");
    return std::nullopt;
  }
  return text;
}

std::optional<toml::table> parse_toml(std::string_view text, const std::string& path, Diagnostics& out) {
  if (!check_utf8(text, path, out) || !check_dots(text, path, out)) return std::nullopt;
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

std::optional<toml::table> read_toml(const std::string& path, Diagnostics& out, const Place& wanted_at) {
  const std::optional<std::string> text = read_text(path, out, wanted_at);
  return text ? parse_toml(*text, path, out) : std::nullopt;
}

Place place_of(const toml::source_region& region) {
  return {region.path ? *region.path : std::string(), static_cast<int>(region.begin.line),
          static_cast<int>(region.begin.column)};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  if (!best.empty()) return "did you mean '" + best + "'?";
  if (known.empty() || known.size() > 30) return "";
  return fmt::format("known are {}", fmt::join(known, ", "));
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
  known_.emplace_back(key);
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
    fault(place_of(*node), fmt::format("{}: '{}' is not an axis", key, node->ref<std::string>()),
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
    fault(place_of(key.source()), fmt::format("unknown key '{}' in {}", name, what), did_you_mean(name, known_));
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
