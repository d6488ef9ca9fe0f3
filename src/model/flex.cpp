#include "model/flex.h"

#include <algorithm>
#include <cmath>

namespace gradus {
namespace {

/// ∫ρ x xᵀ about the centre of mass: ½ tr(I) 1 − I.
Sym3 second_moments(const Sym3& I) {
  const double h = 0.5 * (I.xx + I.yy + I.zz);
  return {h - I.xx, -I.xy, -I.xz, h - I.yy, -I.yz, h - I.zz};
}
Sym3 inertia_of(const Sym3& S) {
  const double t = S.xx + S.yy + S.zz;
  return {t - S.xx, -S.xy, -S.xz, t - S.yy, -S.yz, t - S.zz};
}

/// The coordinate axis along which the mass extends most.
Vec3 long_axis(const Sym3& S) {
  if (S.zz >= S.xx && S.zz >= S.yy) return {0, 0, 1};
  return S.xx >= S.yy ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
}

/// The most of x xᵀ-like extension along a that S can give away and stay a mass distribution: 1/(aᵀ S⁻¹ a).
double extension(Sym3 S, Vec3 a) {
  const double round = 1e-9 * (S.xx + S.yy + S.zz);  // a line of masses has no extension across
  S.xx += round, S.yy += round, S.zz += round;
  const Vec3 x = cross(Vec3{S.xy, S.yy, S.yz}, Vec3{S.xz, S.yz, S.zz}),
             y = cross(Vec3{S.xz, S.yz, S.zz}, Vec3{S.xx, S.xy, S.xz}),
             z = cross(Vec3{S.xx, S.xy, S.xz}, Vec3{S.xy, S.yy, S.yz});  // columns of the adjugate
  const Vec3 adjugate_a = x * a.x + y * a.y + z * a.z;
  return dot(Vec3{S.xx, S.xy, S.xz}, x) / dot(a, adjugate_a);
}

class Cutter {
 public:
  explicit Cutter(const ObjectSpec& o) : o_(o), flex_(*o.flex), S_(second_moments(o.inertia)), pieces_(flex_.cuts + 1) {
    a_ = norm(flex_.along) > 0 ? flex_.along * (1 / norm(flex_.along)) : long_axis(S_);
    b_ = std::fabs(a_.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    b_ = b_ - a_ * dot(a_, b_);
    b_ = b_ * (1 / norm(b_));
    along_ = std::max(extension(S_, a_), 0.0);
    length_ = std::sqrt(12 * along_ / o.mass);
    const double centre = dot(a_, o.com);
    low_ = centre - 0.5 * length_, high_ = centre + 0.5 * length_;
    take_extent_of_shape();
  }

  /// Object O with the mass and shapes of piece 0.
  ObjectSpec first() const {
    ObjectSpec o = o_;
    o.flex.reset();
    become(0, o);
    return o;
  }
  /// The cut before piece i and the piece itself; parents are relative: −1 is the object before.
  std::vector<ObjectSpec> next(int i) const {
    const std::string number = std::to_string(i);
    const Vec3 cut = a_ * (low_ + (high_ - low_) * i / pieces_);
    std::vector<ObjectSpec> out;
    out.push_back(frame(o_.name + "_cut" + number, cut));
    out.push_back(bend(o_.name + "_bend" + number + "_a", b_));
    out.push_back(bend(o_.name + "_bend" + number + "_b", cross(a_, b_)));
    if (flex_.twists) out.push_back(bend(o_.name + "_twist" + number, a_));
    ObjectSpec piece = frame(o_.name + "_piece" + number, -cut);
    piece.surface = o_.surface;
    piece.colour = o_.colour;
    become(i, piece);
    out.push_back(piece);
    return out;
  }
  int pieces() const { return pieces_; }

 private:
  /// Cuts lie evenly over the shape where it is a bar along the link, else over the uniform bar of (1).
  void take_extent_of_shape() {
    for (const ShapeSpec& s : o_.shapes) {
      const double half = half_length(s);
      if (half == 0) continue;
      const double centre = dot(a_, s.X_OS.p);
      low_ = centre - half, high_ = centre + half;
      return;
    }
  }

  /// Half the length of a shape that can be cut across the link; 0: it cannot.
  double half_length(const ShapeSpec& s) const {
    const auto parallel = [&](Vec3 axis) { return std::fabs(dot(axis, a_)) > 1 - 1e-9; };
    if (s.kind == ShapeKind::box) {
      if (parallel(s.X_OS.R.x)) return 0.5 * s.size.x;
      if (parallel(s.X_OS.R.y)) return 0.5 * s.size.y;
      if (parallel(s.X_OS.R.z)) return 0.5 * s.size.z;
    }
    const bool round = s.kind == ShapeKind::cylinder || s.kind == ShapeKind::capsule;
    return round && parallel(s.X_OS.R.z) ? 0.5 * s.length : 0;
  }

  void become(int i, ObjectSpec& o) const {
    const double N = pieces_, d = length_ * ((i + 0.5) / N - 0.5);
    o.mass = o_.mass / N;
    o.com = o_.com + a_ * d;
    Sym3 S = S_;  // of the piece: 1/N of everything across, Σ/N³ along
    const double less = along_ * (1 - 1 / (N * N));
    S.xx -= less * a_.x * a_.x;
    S.xy -= less * a_.x * a_.y;
    S.xz -= less * a_.x * a_.z;
    S.yy -= less * a_.y * a_.y;
    S.yz -= less * a_.y * a_.z;
    S.zz -= less * a_.z * a_.z;
    const Sym3 I = inertia_of(S);
    o.inertia = {I.xx / N, I.xy / N, I.xz / N, I.yy / N, I.yz / N, I.zz / N};
    o.shapes.clear();
    for (const ShapeSpec& s : o_.shapes) put_shape(s, i, o);
  }

  /// The piece of a bar, or the whole shape on the piece where its centre lies.
  void put_shape(const ShapeSpec& s, int i, ObjectSpec& o) const {
    const double half = half_length(s);
    if (half == 0) {
      const double at = (dot(a_, s.X_OS.p) - low_) / std::max(high_ - low_, 1e-12) * pieces_;
      if (std::clamp(static_cast<int>(std::floor(at)), 0, pieces_ - 1) == i) o.shapes.push_back(s);
      return;
    }
    ShapeSpec part = s;
    part.X_OS.p += a_ * (2 * half * ((i + 0.5) / pieces_ - 0.5));
    part.length = s.length / pieces_;
    double* size[3] = {&part.size.x, &part.size.y, &part.size.z};
    const Vec3 axes[3] = {s.X_OS.R.x, s.X_OS.R.y, s.X_OS.R.z};
    for (int k = 0; k < 3; ++k)
      if (std::fabs(dot(axes[k], a_)) > 1 - 1e-9) *size[k] /= pieces_;
    o.shapes.push_back(part);
  }

  ObjectSpec frame(std::string name, Vec3 offset) const {
    ObjectSpec o;
    o.name = std::move(name);
    o.kind = ObjectKind::translation;
    o.offset = offset;
    o.place = o_.place;
    return o;
  }
  ObjectSpec bend(std::string name, Vec3 axis) const {
    ObjectSpec o;
    o.name = std::move(name);
    o.kind = ObjectKind::revolute;
    o.axis = axis;
    o.spring = flex_.stiffness;
    o.damping = flex_.damping;
    o.place = o_.place;
    return o;
  }

  const ObjectSpec& o_;
  const FlexSpec& flex_;
  Sym3 S_;      // second moments of the whole body
  Vec3 a_, b_;  // along the link, and across it
  double along_, length_, low_ = 0, high_ = 0;
  int pieces_;
};

}  // namespace

bool has_flexible_links(const RobotSpec& robot) {
  return std::any_of(robot.objects.begin(), robot.objects.end(),
                     [](const ObjectSpec& o) { return o.flex.has_value(); });
}

RobotSpec cut_flexible_links(const RobotSpec& robot) {
  RobotSpec out = robot;
  out.objects.clear();
  std::vector<int> last(robot.objects.size());  // what follows an object follows this one
  for (std::size_t i = 0; i < robot.objects.size(); ++i) {
    const ObjectSpec& o = robot.objects[i];
    const ObjectId parent = o.parent ? ObjectId(last[static_cast<std::size_t>(o.parent.value)]) : ObjectId();
    auto put = [&](ObjectSpec x, ObjectId after) {
      x.parent = after;
      out.objects.push_back(std::move(x));
    };
    if (!o.flex) {
      put(o, parent);
    } else {
      const Cutter cutter(o);
      put(cutter.first(), parent);
      for (int k = 1; k < cutter.pieces(); ++k)
        for (const ObjectSpec& x : cutter.next(k)) put(x, ObjectId(static_cast<int>(out.objects.size()) - 1));
    }
    last[i] = static_cast<int>(out.objects.size()) - 1;
  }
  return out;
}

}  // namespace gradus
