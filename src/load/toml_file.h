/// Reading TOML with exact places: every value is asked for by key, what nobody asked for is refused at the end.
#pragma once
#include <toml++/toml.h>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "load/units.h"
#include "math/vec.h"

namespace gradus {

inline constexpr std::size_t kMaxFileBytes = 4u << 20;  // of a description; meshes have their own limit
inline constexpr int kMaxDepth = 64;                    // of tables and arrays in each other
inline constexpr int kMaxIncludeDepth = 16;

/// Reads and parses; checks size, UTF-8 and depth before anything recursive touches the text.
std::optional<toml::table> read_toml(const std::string& path, Diagnostics& out);
std::optional<toml::table> parse_toml(std::string_view text, const std::string& path, Diagnostics& out);

Place place_of(const toml::source_region& region);
inline Place place_of(const toml::node& node) { return place_of(node.source()); }

/// In the order of the text, no more than a screen or two of them.
Diagnostics tidy(Diagnostics notes, const std::string& file);

/// One table being read. Every function returns whether the key was there *and* good; a bad one is reported at its
/// place and leaves `out` as it was.
class TableReader {
 public:
  TableReader(const toml::table& table, Diagnostics& out) : table_(table), out_(out) {}

  const toml::node* get(std::string_view key);  // null if not there; marks the key as known
  bool has(std::string_view key) const { return table_.contains(key); }
  Place place() const { return place_of(table_); }
  Place place(std::string_view key) const;  // of the key's value, or of the table

  bool text(std::string_view key, std::string& out);
  bool boolean(std::string_view key, bool& out);
  bool number(std::string_view key, double& out);
  bool integer(std::string_view key, std::int64_t least, std::int64_t most, std::int64_t& out);
  bool quantity(std::string_view key, Dimension due, double& out);
  bool period(std::string_view key, double& out);  // a time, or a rate whose inverse is meant
  bool vec3(std::string_view key, Dimension due, Vec3& out);
  bool axis(std::string_view key, Vec3& out);  // [0, 1, 0] or "y" or "-y"
  bool texts(std::string_view key, std::vector<std::string>& out, std::vector<Place>& places);
  const toml::table* table(std::string_view key);
  TableReader inside(const toml::table& table) const { return TableReader(table, out_); }

  /// Refuses the keys that were never asked for. `what` completes "unknown key 'x' in …".
  void finish(const std::string& what);

  void fault(const Place& place, std::string text, std::string suggestion = "");

 private:
  const toml::table& table_;
  Diagnostics& out_;
  std::vector<std::string> known_;
};

/// One value. `what` begins the message, e.g. "mass".
bool read_number(const toml::node& node, const std::string& what, double& out, Diagnostics& log);
bool read_quantity(const toml::node& node, const std::string& what, Dimension due, double& out, Diagnostics& log);
bool read_quantities(const toml::node& node, const std::string& what, Dimension due, std::size_t count, double* out,
                     Diagnostics& log);

/// Sub-tables of a table in the order of the file (toml++ sorts them by name).
struct NamedTable {
  std::string name;
  const toml::node* node;
  Place place;
};
std::vector<NamedTable> in_file_order(const toml::table& table);

}  // namespace gradus
