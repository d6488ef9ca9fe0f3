#include "cli/render_job.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "base/rng.h"
#include "common/files.h"
#include "load/units.h"
#include "sense/kinds/camera.h"

namespace gradus::cli {
namespace {

/// "2m 1m 80cm": three lengths between blanks or commas.
std::string read_point(std::string text, Vec3& out) {
  std::replace(text.begin(), text.end(), ',', ' ');
  double value[3];
  std::size_t at = 0;
  for (double& v : value) {
    at = text.find_first_not_of(' ', at);
    if (at == text.npos) return "three lengths are due, as in 2m 1m 80cm";
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (const auto fault = parse_quantity(text.substr(at, end - at), dimension::kLength, v))
      return fault->text + "; " + fault->suggestion;
    at = end;
  }
  if (text.find_first_not_of(' ', at) != text.npos) return "three lengths are due and no more";
  return out = {value[0], value[1], value[2]}, "";
}

/// From in front and to the side, far enough away for all robots.
CameraMount overview(const World& world) {
  Vec3 lo{1e9, 1e9, 1e9}, hi{-1e9, -1e9, -1e9};
  for (int r = 0; r < world.robot_count(); ++r)
    for (int l = 0; l < world.model().robots[static_cast<std::size_t>(r)].kind->nlink(); ++l) {
      const Vec3 p = world.X_WL(r, l).p;
      lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
      hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
    }
  const Vec3 middle = world.robot_count() > 0 ? (lo + hi) * 0.5 : Vec3{0, 0, 0.3};
  const double size = world.robot_count() > 0 ? std::max(0.5, norm(hi - lo)) : 2;
  CameraMount m;
  m.name = "overview";
  m.X_LC = look_at(middle + Vec3{0.9, -0.75, 0.55} * (0.95 * size), middle);
  return m;
}

CameraMount on_object(const World& world, int robot, int object) {
  const RobotModel& r = world.model().robots[static_cast<std::size_t>(robot)];
  const ObjectInfo& o = r.kind->objects[static_cast<std::size_t>(object)];
  CameraMount m;
  m.name = r.name + "." + o.name;
  m.robot = robot, m.link = o.link, m.X_LC = {camera_axes_from(o.X_LO.R), o.X_LO.p};
  return m;
}

}  // namespace

std::string find_mount(const World& world, const std::string& text, CameraMount& out) {
  if (text.empty()) return out = overview(world), "";
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    Vec3 eye, target;
    if (const std::string fault = read_point(text.substr(0, slash), eye); !fault.empty())
      return "--camera, eye: " + fault;
    if (const std::string fault = read_point(text.substr(slash + 1), target); !fault.empty())
      return "--camera, target: " + fault;
    if (norm(target - eye) < 1e-9) return "--camera: eye and target are the same point";
    out = {"free", -1, 0, look_at(eye, target), {}};
    return "";
  }
  const std::size_t dot_at = text.find('.');
  const std::string robot = text.substr(0, dot_at), object = dot_at == text.npos ? "" : text.substr(dot_at + 1);
  std::vector<std::string> names;
  for (const RobotModel& r : world.model().robots) names.push_back(r.name);
  const int number = world.model().find_robot(robot);
  if (number < 0) return "--camera: there is no robot '" + robot + "'; " + did_you_mean(robot, names);
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(number)].kind;
  names.clear();
  for (const ObjectInfo& o : kind.objects) names.push_back(o.name);
  const int o = kind.find_object(object);
  if (o < 0) return "--camera: " + robot + " has no object '" + object + "'; " + did_you_mean(object, names);
  return out = on_object(world, number, o), "";
}

bool find_sensor(const World& world, const std::string& text, CameraSpec& spec, CameraMount& out,
                 std::vector<std::string>& hides) {
  const std::size_t point = text.find('.');
  if (point == text.npos) return false;
  const int robot = world.model().find_robot(text.substr(0, point));
  if (robot < 0) return false;
  for (const SensorModel& s : world.model().robots[static_cast<std::size_t>(robot)].kind->sensors) {
    if (s.spec.kind != sense::CameraSensor::name || s.spec.name != text.substr(point + 1)) continue;
    spec = sense::camera_spec(s.spec);
    out = {text, robot, s.link, {camera_axes_from(s.X_LS.R), s.X_LS.p}, {}};
    if (const SensorSetting* words = s.spec.find("hides")) hides = words->words;
    return true;
  }
  return false;
}

std::vector<CameraMount> all_mounts(const World& world) {
  std::vector<CameraMount> out;
  for (int r = 0; r < world.robot_count(); ++r) {
    const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(r)].kind;
    for (std::size_t o = 0; o < kind.objects.size(); ++o) {
      const std::string& name = kind.objects[o].name;
      if (name.starts_with("camera") && !name.ends_with("_place"))
        out.push_back(on_object(world, r, static_cast<int>(o)));
    }
  }
  return out;
}

std::string hide(const World& world, const DrawnScene& scene, const std::vector<std::string>& objects,
                 CameraMount& out) {
  if (objects.empty()) return "";
  if (out.robot < 0) return "--hide: a free camera has no robot to hide parts of";
  const RobotKind& kind = *world.model().robots[static_cast<std::size_t>(out.robot)].kind;
  out.hidden.assign(scene.shapes.size(), 0);
  for (const std::string& name : objects) {
    std::vector<std::string> names;
    for (const ObjectInfo& o : kind.objects) names.push_back(o.name);
    const int o = kind.find_object(name);
    if (o < 0) return "--hide: there is no object '" + name + "'; " + did_you_mean(name, names);
    for (std::size_t i = 0; i < scene.shapes.size(); ++i)
      if (scene.shapes[i].robot == out.robot && scene.shapes[i].object == o) out.hidden[i] = 1;
  }
  return "";
}

Photographer::Photographer(const World& world, std::shared_ptr<const DrawnScene> scene, const CameraSpec& spec,
                           std::vector<CameraMount> mounts, RenderOptions options, What what, int threads)
    : scene_(std::move(scene)),
      spec_(spec),
      what_(what),
      maker_(world.model()),
      poses_(make_poses(*scene_)),
      team_(threads) {
  options.depth = what == What::depth, options.segmentation = what == What::segmentation;
  const auto view = std::make_shared<const LensTable>(spec);
  for (CameraMount& m : mounts) {
    keys_.push_back(camera_key(world.model().seed, m.robot, m.name));
    cameras_.emplace_back(scene_, view, std::move(m), options);
  }
  for (int i = 0; i < threads; ++i) rooms_.emplace_back(*scene_, spec.width);
  columns_ = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(cameras_.size()))));
  rows_ = (static_cast<int>(cameras_.size()) + columns_ - 1) / columns_;
  const std::size_t one = static_cast<std::size_t>(spec.width) * spec.height, all = one * columns_ * rows_;
  if (what == What::rgb || what == What::grey)
    one_.resize(one * (what == What::rgb ? 3 : 1)), bytes_.resize(all * (what == What::rgb ? 3 : 1));
  if (what == What::depth) depth_.resize(one);
  if (what == What::segmentation) segment_.resize(one);
  if (what == What::depth || what == What::segmentation) numbers_.resize(all);
}

void Photographer::shoot_one(Camera& camera, std::uint64_t key, std::uint32_t frame, int number) {
  camera.begin(poses_, key, frame);
  Image image;
  (what_ == What::grey ? image.grey : image.rgb) = one_.empty() ? nullptr : one_.data();
  image.depth = depth_.empty() ? nullptr : depth_.data(), image.segment = segment_.empty() ? nullptr : segment_.data();
  const int n = team_.size();
  team_.run([&](int part) {
    for (int b = part; b < camera.band_count(); b += n) camera.render_band(b, rooms_[static_cast<std::size_t>(part)]);
  });
  team_.run([&](int part) {
    for (int b = part; b < camera.band_count(); b += n)
      camera.finish_band(b, rooms_[static_cast<std::size_t>(part)], image);
  });
  paste(number);
}

/// One image into its place of the sheet.
void Photographer::paste(int number) {
  const std::size_t w = static_cast<std::size_t>(spec_.width), wide = w * columns_;
  const std::size_t corner = static_cast<std::size_t>(number / columns_) * spec_.height * wide +
                             static_cast<std::size_t>(number % columns_) * w;
  const std::size_t depth = what_ == What::rgb ? 3 : 1;
  for (std::size_t y = 0; y < static_cast<std::size_t>(spec_.height); ++y) {
    const std::size_t from = y * w, to = corner + y * wide;
    if (!one_.empty()) std::copy_n(one_.data() + from * depth, w * depth, bytes_.data() + to * depth);
    for (std::size_t x = 0; x < w; ++x) {
      if (!depth_.empty())
        numbers_[to + x] = static_cast<std::uint16_t>(std::min(65535.0f, depth_[from + x] * 1000 + 0.5f));
      if (!segment_.empty()) numbers_[to + x] = segment_[from + x];
    }
  }
}

void Photographer::shoot(const World& world, std::uint32_t frame) {
  const double start = now();
  for (int r = 0; r < world.robot_count(); ++r)
    maker_.set(*scene_, *world.model().robots[static_cast<std::size_t>(r)].kind, r, world.q(r).data(),
               world.v(r).data(), poses_);
  for (std::size_t i = 0; i < cameras_.size(); ++i) shoot_one(cameras_[i], keys_[i], frame, static_cast<int>(i));
  seconds_ += now() - start;
}

std::uint64_t Photographer::hash() const {
  return numbers_.empty() ? hash_bytes(bytes_.data(), bytes_.size()) : hash_bytes(numbers_.data(), numbers_.size() * 2);
}

std::vector<std::size_t> Photographer::segment_pixels() const {
  std::vector<std::size_t> out(scene_->segments.size(), 0);
  for (const std::uint16_t s : numbers_)
    if (s < out.size()) ++out[s];
  return out;
}

void segment_colour(int segment, std::uint8_t* rgb) {
  constexpr std::uint8_t kFirst[3][3] = {{160, 190, 220}, {40, 110, 50}, {240, 240, 240}};  // sky, ground, paint
  const std::uint64_t h = mix64(static_cast<std::uint64_t>(segment) * 0x9e3779b97f4a7c15ull);
  for (int k = 0; k < 3; ++k)
    rgb[k] = segment < 3 ? kFirst[segment][k] : static_cast<std::uint8_t>(48 + (h >> (8 * k)) % 200);
}

}  // namespace gradus::cli
