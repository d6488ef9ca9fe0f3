/// Formulas over the properties and events of a run: what `gradus optimise` makes small or large.
///
///   messor.x - 0.1*mean(abs(messor.roll)) - 5*count(fall)
///
///   term = number | path | ( … ) | −term | function( … );   + − * / ^ as usual
///   path             a property [world/properties.h]; outside a function over time: at the end of the run
///   over time        first(x) mean(x) rms(x) lowest(x) highest(x) integral(x): x at every step
///   of numbers       abs sqrt exp log sin cos min(a, b) max(a, b)
///   count(kind)      events of that kind (fall, goal, touch …); count(kind, robot) those of one robot
///
/// Comparisons a < b and a > b give 1 or 0.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/session.h"

namespace gradus::optimise {

class Expression {
 public:
  /// Paths are looked up later. place: where the formula was written.
  static Result<Expression> parse(std::string_view text, const Place& place);
  const std::string& text() const { return text_; }

  /// An expression at work on one run.
  class Watch {
   public:
    /// After every step, and once at the start.
    void look(const Session& run);
    double value(const Session& run) const;

   private:
    friend class Expression;
    double now(const Session& run, int node) const;
    const Expression* of_ = nullptr;
    std::vector<PropertyView> views_;  // (paths)
    struct Sum {
      double first = 0, sum = 0, squares = 0, least = 0, most = 0;
    };
    std::vector<Sum> sums_;  // (functions over time)
    std::int64_t looks_ = 0;
  };
  /// All paths that the run does not have are reported. The expression must outlive what it gives.
  Result<Watch> bind(const Session& run) const;

 private:
  enum class Kind {
    number, path, negate, add, subtract, multiply, divide, power, less, more,
    first, mean, rms, lowest, highest, integral,
    abs, sqrt, exp, log, sin, cos, min, max, count
  };
  struct Node {
    Kind kind;
    int a = -1, b = -1;    // operands; of a path: a its number; of a function over time: b its number
    double number = 0;
    std::string word = {}, robot = {};  // of count
  };
  class Parser;
  std::string text_;
  Place place_;
  std::vector<Node> nodes_;
  int root_ = -1;
  std::vector<std::string> paths_;
  int over_time_ = 0;
};

}  // namespace gradus::optimise
