/// What loading and set-up return: a value, or every problem found. (std::expected is C++23.)
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gradus {

/// Where a fact was written. line and column count from 1; 0 means the whole file or no file.
struct Place {
  std::string file;
  int line = 0, column = 0;
};

enum class Severity { error, warning };

struct Diagnostic {
  Place place;
  Severity severity = Severity::error;
  std::string text;        // what is wrong
  std::string suggestion;  // what to do about it; may be empty
};

/// "robots/a.toml:12:5: error: unknown key 'mas'; did you mean 'mass'?"
std::string to_string(const Diagnostic& d);

using Diagnostics = std::vector<Diagnostic>;
bool has_errors(const Diagnostics& d);
inline void append(Diagnostics& all, const Diagnostics& more) { all.insert(all.end(), more.begin(), more.end()); }
/// One error about a file as a whole.
Diagnostics file_error(std::string file, std::string text, std::string suggestion = "");

/// A value and the warnings on the way to it, or no value and at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value, Diagnostics notes = {}) : value_(std::move(value)), notes_(std::move(notes)) {}
  Result(Diagnostics errors) : notes_(std::move(errors)) {}
  explicit operator bool() const { return value_.has_value(); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Diagnostics& notes() const { return notes_; }

 private:
  std::optional<T> value_;
  Diagnostics notes_;
};

/// The candidate nearest to a misspelt word (edit distance at most a third of its length), or "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);
/// "did you mean 'x'?" for the nearest candidate, or what is said otherwise.
std::string did_you_mean_or(const std::string& word, const std::vector<std::string>& candidates,
                            const std::string& otherwise);
/// The same, or "known: …" with all of them if they are not too many.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace gradus
