#include "base/result.h"

#include <algorithm>

namespace gradus {

std::string to_string(const Diagnostic& d) {
  std::string s = d.place.file;
  if (d.place.line > 0)
    s.append(":").append(std::to_string(d.place.line)).append(":").append(std::to_string(d.place.column));
  if (!s.empty()) s += ": ";
  s += d.severity == Severity::error ? "error: " : "warning: ";
  s += d.text;
  if (!d.suggestion.empty()) s += "; " + d.suggestion;
  return s;
}

bool has_errors(const Diagnostics& d) {
  return std::any_of(d.begin(), d.end(), [](const Diagnostic& x) { return x.severity == Severity::error; });
}

Diagnostics file_error(std::string file, std::string text, std::string suggestion) {
  Diagnostics d(1);
  d[0].place.file = std::move(file);
  d[0].text = std::move(text);
  d[0].suggestion = std::move(suggestion);
  return d;
}

namespace {

/// Insertions, deletions, replacements and swaps of neighbours: "feild" is one step from "field".
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> two_above(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
    std::swap(two_above, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& c : candidates) {
    const std::size_t d = edit_distance(word, c);
    if (d < limit) {
      limit = d;
      best = c;
    }
  }
  return best;
}

std::string did_you_mean_or(const std::string& word, const std::vector<std::string>& candidates,
                            const std::string& otherwise) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? otherwise : "did you mean '" + best + "'?";
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kReadable = 30;  // a longer list helps nobody
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "known: " : ", ") + k;
  return did_you_mean_or(word, known, known.size() > kReadable ? "" : list);
}

}  // namespace gradus
