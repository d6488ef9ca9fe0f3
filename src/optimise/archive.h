/// Saving and restoring with one function: an object visits its numbers, the archive reads or writes them. The numbers
/// are what a checkpoint keeps [study.h].
#pragma once
#include <cstdint>
#include <vector>

namespace gradus::optimise {

class Archive {
 public:
  Archive() = default;                                                         // saves
  explicit Archive(std::vector<double> numbers) : numbers_(std::move(numbers)), loads_(true) {}

  void operator()(double& x) {
    if (!loads_)
      numbers_.push_back(x);
    else if (at_ < numbers_.size())
      x = numbers_[at_++];
    else
      good_ = false;
  }
  void operator()(std::int64_t& n) {  // below 2^53
    double x = static_cast<double>(n);
    (*this)(x);
    n = static_cast<std::int64_t>(x);
  }
  void operator()(std::vector<double>& v) {
    auto n = static_cast<std::int64_t>(v.size());
    (*this)(n);
    if (!resize(v, n)) return;
    for (double& x : v) (*this)(x);
  }
  void operator()(std::vector<std::vector<double>>& v) {
    auto n = static_cast<std::int64_t>(v.size());
    (*this)(n);
    if (!resize(v, n)) return;
    for (auto& x : v) (*this)(x);
  }

  bool loads() const { return loads_; }
  bool good() const { return good_; }                               // loading: so far everything was there
  bool at_end() const { return good_ && at_ == numbers_.size(); }   // loading: and nothing is left
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  /// A length that came from a file: no longer than what is left of it.
  template <class V>
  bool resize(V& v, std::int64_t n) {
    if (!loads_) return true;
    if (!good_ || n < 0 || n > static_cast<std::int64_t>(numbers_.size() - at_)) return good_ = false;
    v.resize(static_cast<std::size_t>(n));
    return true;
  }

  std::vector<double> numbers_;
  std::size_t at_ = 0;
  bool loads_ = false, good_ = true;
};

}  // namespace gradus::optimise
