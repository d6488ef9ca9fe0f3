#include "optimise/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "math/power.h"

namespace gradus::optimise {
namespace {

constexpr int kDeepest = 100;  // brackets in each other

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

class Expression::Parser {
 public:
  Parser(std::string_view text, Expression& out) : text_(text), out_(out) {}

  /// "" or what is wrong; at_ is then where.
  std::string run() {
    out_.root_ = comparison();
    skip();
    if (fault_.empty() && at_ < text_.size()) fault("something is left over");
    return fault_;
  }
  std::size_t at() const { return at_; }

 private:
  using Kind = Expression::Kind;

  int add(Node node) {
    out_.nodes_.push_back(std::move(node));
    return static_cast<int>(out_.nodes_.size()) - 1;
  }
  void fault(std::string text) {
    if (fault_.empty()) fault_ = std::move(text);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void due(char c) {
    if (!take(c)) fault(std::string("'") + c + "' is due here");
  }

  int comparison() {
    int a = sum();
    if (take('<')) return add({Kind::less, a, sum()});
    if (take('>')) return add({Kind::more, a, sum()});
    return a;
  }
  int sum() {
    int a = product();
    for (;;) {
      if (take('+'))
        a = add({Kind::add, a, product()});
      else if (take('-'))
        a = add({Kind::subtract, a, product()});
      else
        return a;
    }
  }
  int product() {
    int a = sign();
    for (;;) {
      if (take('*'))
        a = add({Kind::multiply, a, sign()});
      else if (take('/'))
        a = add({Kind::divide, a, sign()});
      else
        return a;
    }
  }
  int sign() {
    if (++depth_ > kDeepest) fault("too many signs and brackets in each other");
    int a = -1;
    if (!fault_.empty()) {
    } else if (take('-')) {
      a = add({Kind::negate, sign()});
    } else {
      a = term();
      if (take('^')) a = add({Kind::power, a, sign()});
    }
    --depth_;
    return a;
  }

  int term() {
    skip();
    if (at_ >= text_.size()) return fault("a number, path or bracket is due here"), -1;
    if (take('(')) {
      const int a = comparison();
      due(')');
      return a;
    }
    const char c = text_[at_];
    if (is_digit(c) || c == '.') {
      double x = 0;
      const auto [rest, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
      if (error != std::errc()) return fault("this is no number"), -1;
      at_ = static_cast<std::size_t>(rest - text_.data());
      return add({Kind::number, -1, -1, x});
    }
    if (!is_letter(c)) return fault("a number, path or bracket is due here"), -1;
    const std::string name = word();
    return take('(') ? function(name) : path(name);
  }

  std::string word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  int path(const std::string& name) {
    auto it = std::find(out_.paths_.begin(), out_.paths_.end(), name);
    if (it == out_.paths_.end()) it = out_.paths_.insert(it, name);
    return add({Kind::path, static_cast<int>(it - out_.paths_.begin())});
  }

  int function(const std::string& name) {
    static const std::pair<const char*, Kind> known[] = {
        {"first", Kind::first}, {"mean", Kind::mean},     {"rms", Kind::rms},   {"lowest", Kind::lowest}, {"highest", Kind::highest},
        {"integral", Kind::integral}, {"abs", Kind::abs}, {"sqrt", Kind::sqrt}, {"exp", Kind::exp},       {"log", Kind::log},
        {"sin", Kind::sin},     {"cos", Kind::cos},       {"min", Kind::min},   {"max", Kind::max},       {"count", Kind::count}};
    std::vector<std::string> names;
    for (const auto& [text, kind] : known) {
      names.emplace_back(text);
      if (name != text) continue;
      if (kind == Kind::count) {
        Node n{Kind::count};
        n.word = word();
        if (n.word.empty()) fault("the kind of event is due here, as in count(fall)");
        if (take(',')) n.robot = word();
        due(')');
        return add(std::move(n));
      }
      const bool over_time = kind >= Kind::first && kind <= Kind::integral;
      if (over_time && inside_) fault(name + ": a function over time cannot stand in another");
      inside_ = inside_ || over_time;
      const int a = comparison();
      int b = -1;
      if (kind == Kind::min || kind == Kind::max) due(','), b = comparison();
      due(')');
      if (over_time) inside_ = false, b = out_.over_time_++;
      return add({kind, a, b});
    }
    fault("there is no function '" + name + "'; " + did_you_mean(name, names));
    return -1;
  }

  std::string_view text_;
  Expression& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool inside_ = false;  // a function over time
  std::string fault_;
};

Result<Expression> Expression::parse(std::string_view text, const Place& place) {
  Expression e;
  e.text_ = text, e.place_ = place;
  if (text.size() > 10'000) return Diagnostics{{place, Severity::error, "a formula of more than 10,000 characters", ""}};
  Parser parser(text, e);
  if (const std::string fault = parser.run(); !fault.empty())
    return Diagnostics{{place, Severity::error,
                        "in the formula \"" + e.text_ + "\", at its character " + std::to_string(parser.at() + 1) + ": " + fault, ""}};
  return e;
}

Result<Expression::Watch> Expression::bind(const Session& run) const {
  Watch w;
  w.of_ = this;
  Diagnostics faults;
  for (const std::string& path : paths_) {
    auto found = find_property(run.world(), path);
    if (found) {
      w.views_.push_back(*found);
      continue;
    }
    for (Diagnostic d : found.notes()) d.place = place_, faults.push_back(std::move(d));
  }
  if (!faults.empty()) return faults;
  w.sums_.resize(static_cast<std::size_t>(over_time_));
  return w;
}

void Expression::Watch::look(const Session& run) {
  for (const Node& n : of_->nodes_) {
    if (n.kind < Kind::first || n.kind > Kind::integral) continue;
    const double x = now(run, n.a);
    Sum& s = sums_[static_cast<std::size_t>(n.b)];
    if (looks_ == 0) s = {x, 0, 0, x, x};
    if (looks_ > 0) s.sum += x, s.squares += x * x;  // the state before the first step counts in first, lowest, highest only
    s.least = std::min(s.least, x), s.most = std::max(s.most, x);
    if (!std::isfinite(x)) s.least = s.most = x;
  }
  ++looks_;
}

double Expression::Watch::now(const Session& run, int node) const {
  const Node& n = of_->nodes_[static_cast<std::size_t>(node)];
  const auto a = [&] { return now(run, n.a); };
  const auto b = [&] { return now(run, n.b); };
  const auto sum = [&]() -> const Sum& { return sums_[static_cast<std::size_t>(n.b)]; };
  const double steps = static_cast<double>(std::max<std::int64_t>(1, looks_ - 1));
  switch (n.kind) {
    case Kind::number: return n.number;
    case Kind::path: return views_[static_cast<std::size_t>(n.a)].get(run.world());
    case Kind::negate: return -a();
    case Kind::add: return a() + b();
    case Kind::subtract: return a() - b();
    case Kind::multiply: return a() * b();
    case Kind::divide: return a() / b();
    case Kind::less: return a() < b() ? 1 : 0;
    case Kind::more: return a() > b() ? 1 : 0;
    case Kind::first: return sum().first;
    case Kind::mean: return sum().sum / steps;
    case Kind::rms: return std::sqrt(sum().squares / steps);
    case Kind::lowest: return sum().least;
    case Kind::highest: return sum().most;
    case Kind::integral: return sum().sum * run.world().model().step;
    case Kind::abs: return std::fabs(a());
    case Kind::sqrt: return std::sqrt(a());
    case Kind::min: return std::min(a(), b());
    case Kind::max: return std::max(a(), b());
    case Kind::exp: {
      const double x = a();
      return x < -700 ? 0 : x > 700 || !std::isfinite(x) ? INFINITY : exponential(x);
    }
    case Kind::log: {
      const double x = a();
      return x > 0 && std::isfinite(x) ? natural_logarithm(x) : NAN;
    }
    case Kind::power: {
      const double x = a(), y = b();
      if (y == std::floor(y) && std::fabs(y) <= 64) {  // whole powers of any number
        double out = 1;
        for (int i = 0; i < static_cast<int>(std::fabs(y)); ++i) out *= x;
        return y < 0 ? 1 / out : out;
      }
      return x >= 0 ? power(x, y) : NAN;
    }
    case Kind::sin:
    case Kind::cos: {
      double s, c;
      sine_cosine(a(), s, c);
      return n.kind == Kind::sin ? s : c;
    }
    case Kind::count: {
      double count = 0;
      for (const Event& e : run.events()) count += e.kind == n.word && (n.robot.empty() || e.robot == n.robot);
      return count;
    }
  }
  return NAN;
}

double Expression::Watch::value(const Session& run) const { return now(run, of_->root_); }

}  // namespace gradus::optimise
