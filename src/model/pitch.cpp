// What a pitch looks like: walls, corner blocks, goals and lines as field objects.
#include "math/scalar.h"
#include "model/spec.h"

namespace gradus {
namespace {

constexpr double kThick = 0.025;  // of the walls [m]
constexpr double kLine = 0.003;   // width of a line [m]
constexpr double kPaint = 0.001;  // its height, for the eye only [m]
constexpr Vec3 kHall{0.52, 0.54, 0.57}, kPlay{0.10, 0.11, 0.12}, kWood{0.88, 0.86, 0.80}, kWhite{0.95, 0.95, 0.95};
constexpr Vec3 kBlue{0.15, 0.35, 0.95}, kYellow{0.95, 0.80, 0.10};

class Draughtsman {
 public:
  explicit Draughtsman(const PitchSpec& p) : p_(p), x_(p.length / 2), y_(p.width / 2) {}

  std::vector<FieldObjectSpec> run() {
    FieldObjectSpec& floor = add("pitch_floor", ShapeKind::plane, {0, 0, 0}, kHall);
    floor.shape.size = {0, 0, 0};
    draw_surface();
    draw_walls();
    draw_lines();
    return std::move(out_);
  }

 private:
  FieldObjectSpec& add(std::string name, ShapeKind kind, Vec3 p_WO, Vec3 colour) {
    FieldObjectSpec& f = out_.emplace_back();
    f.name = std::move(name);
    f.shape.kind = kind;
    f.shape.place = p_.place;
    f.X_WO.p = p_WO;
    f.colour = colour;
    return f;
  }
  FieldObjectSpec& box(std::string name, Vec3 centre, Vec3 size, Vec3 colour) {
    FieldObjectSpec& f = add(std::move(name), ShapeKind::box, centre, colour);
    f.shape.size = size;
    return f;
  }
  void wall(const std::string& name, double x0, double x1, double y0, double y1, Vec3 colour) {
    box("pitch_" + name, {(x0 + x1) / 2, (y0 + y1) / 2, p_.wall_height / 2}, {x1 - x0, y1 - y0, p_.wall_height},
        colour);
  }
  /// Something flat on the floor, for the eye only.
  void painted(const std::string& name, double x0, double x1, double y0, double y1, double height, Vec3 colour) {
    FieldObjectSpec& f =
        box("pitch_" + name, {(x0 + x1) / 2, (y0 + y1) / 2, height / 2}, {x1 - x0, y1 - y0, height}, colour);
    f.shape.collides = false;
  }
  void line(const std::string& name, double x0, double x1, double y0, double y1) {
    painted(name, x0, x1, y0, y1, kPaint, kWhite);
  }

  /// Where it is played the floor is black, so that one sees where the field ends; goals in their team's colour,
  /// darkened.
  void draw_surface() {
    const double back = x_ + p_.goal_depth, post = p_.goal_width / 2;
    painted("surface", -x_, x_, -y_, y_, kPaint / 2, kPlay);
    painted("blue_goal_floor", -back, -x_, -post, post, kPaint / 2, kBlue * 0.35);
    painted("yellow_goal_floor", x_, back, -post, post, kPaint / 2, kYellow * 0.35);
  }

  void draw_walls() {
    const double back = x_ + p_.goal_depth, post = p_.goal_width / 2;
    wall("wall_left", -x_ - kThick, x_ + kThick, y_, y_ + kThick, kWood);
    wall("wall_right", -x_ - kThick, x_ + kThick, -y_ - kThick, -y_, kWood);
    for (const int side : {-1, 1}) {  // blue defends −x
      const std::string end = side < 0 ? "blue" : "yellow";
      const Vec3 colour = side < 0 ? kBlue : kYellow;
      const auto across = [&](const std::string& name, double a, double b, double y0, double y1, Vec3 c) {
        wall(end + name, side > 0 ? a : -b, side > 0 ? b : -a, y0, y1, c);
      };
      across("_end_left", x_, x_ + kThick, post, y_, kWood);
      across("_end_right", x_, x_ + kThick, -y_, -post, kWood);
      across("_goal_left", x_ + kThick, back + kThick, post, post + kThick, colour);
      across("_goal_right", x_ + kThick, back + kThick, -post - kThick, -post, colour);
      across("_goal_back", back, back + kThick, -post, post, colour);
      for (const int sy : {-1, 1}) corner(end + (sy > 0 ? "_corner_left" : "_corner_right"), side, sy);
    }
  }

  /// Its inner face lies on the line that cuts off the corner; the box behind it is as thick as it is deep.
  void corner(const std::string& name, int sx, int sy) {
    const double s = square_root(0.5),
                 depth = p_.corner * s / 2;                      // half the height of the triangle over its hypotenuse
    const double reach = (x_ + y_ - p_.corner) * s + depth / 2;  // from the origin along the diagonal
    const double off = (x_ - y_) * s;                            // along the face
    const Vec3 n{sx * s, sy * s, 0}, t{sx * s, -sy * s, 0};
    FieldObjectSpec& f = box("pitch_" + name, n * reach + t * off + Vec3{0, 0, p_.wall_height / 2},
                             {depth, 2 * p_.corner * s, p_.wall_height}, kWood);
    f.X_WO.R = {n, {-n.y, n.x, 0}, {0, 0, 1}};
  }

  void draw_lines() {
    line("halfway", -kLine / 2, kLine / 2, -y_, y_);
    const double aw = p_.area_width / 2;
    for (const int side : {-1, 1}) {
      const std::string end = side < 0 ? "blue" : "yellow";
      const double front = side * (x_ - p_.area_depth), mark = side * (x_ - p_.penalty_mark);
      line(end + "_area", front - kLine / 2, front + kLine / 2, -aw, aw);
      for (const int sy : {-1, 1})
        line(end + (sy > 0 ? "_area_left" : "_area_right"), minimum(front, side * x_), maximum(front, side * x_),
             sy * aw - kLine / 2, sy * aw + kLine / 2);
      line(end + "_mark", mark - 2 * kLine, mark + 2 * kLine, -2 * kLine, 2 * kLine);
    }
    draw_circle();
  }

  void draw_circle() {
    constexpr int kSides = 36;
    const double step = 6.283185307179586 / kSides, r = p_.centre_radius;
    for (int i = 0; i < kSides && r > 0; ++i) {
      double s, c;
      sine_cosine((i + 0.5) * step, s, c);
      FieldObjectSpec& f =
          box("pitch_circle" + std::to_string(i), {r * c, r * s, kPaint / 2}, {kLine, r * step * 1.01, kPaint}, kWhite);
      f.X_WO.R = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
      f.shape.collides = false;
    }
  }

  const PitchSpec& p_;
  double x_, y_;
  std::vector<FieldObjectSpec> out_;
};

}  // namespace

std::vector<FieldObjectSpec> pitch_objects(const PitchSpec& pitch) { return Draughtsman(pitch).run(); }

void add_pitches(SceneSpec& scene) {
  if (!scene.pitch || scene.groups.empty()) return;
  const auto is_part = [](const FieldObjectSpec& f) { return f.name.starts_with("pitch_") && f.shape.kind != ShapeKind::plane; };
  std::vector<FieldObjectSpec> parts = pitch_objects(*scene.pitch);
  std::erase_if(parts, [&](const FieldObjectSpec& f) { return !is_part(f); });
  const Vec3 first{scene.groups[0].at.x, scene.groups[0].at.y, 0};
  for (FieldObjectSpec& f : scene.field)
    if (is_part(f)) f.X_WO.p += first;
  for (std::size_t g = 1; g < scene.groups.size(); ++g)
    for (FieldObjectSpec f : parts) {
      f.name += "_" + scene.groups[g].name;
      f.X_WO.p += Vec3{scene.groups[g].at.x, scene.groups[g].at.y, 0};
      scene.field.push_back(std::move(f));
    }
}

}  // namespace gradus
