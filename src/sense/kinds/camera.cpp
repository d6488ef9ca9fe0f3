#include "sense/kinds/camera.h"

#include <algorithm>

namespace gradus::sense {
namespace {

constexpr const char* kFormats[] = {"rgb", "grey", "yuyv", "depth", "segmentation"};  // as ImageFormat

double number(const SensorSpec& s, const char* key, std::size_t i, double otherwise) {
  const SensorSetting* x = s.find(key);
  return x && i < x->numbers.size() ? x->numbers[i] : otherwise;
}

bool is_ideal(const SensorSpec& s) {
  if (sensing_of(s) != Sensing::real) return true;
  const SensorSetting* detail = s.find("detail");
  const bool said = detail && !detail->words.empty() && detail->words[0] != "real";
  return number(s, "ideal", 0, said) != 0;
}

}  // namespace

bool gives_images(const SensorSpec& s) { return sensing_of(s) >= Sensing::image; }

CameraSpec camera_spec(const SensorSpec& s) {
  CameraSpec c;
  c.width = static_cast<int>(number(s, "size", 0, c.width));
  c.height = static_cast<int>(number(s, "size", 1, c.height));
  c.view = number(s, "view", 0, c.view);
  c.fx = number(s, "focal", 0, 0), c.fy = number(s, "focal", 1, 0);
  c.cx = number(s, "centre", 0, -1), c.cy = number(s, "centre", 1, -1);
  c.gain = number(s, "gain", 0, 1);
  if (is_ideal(s)) return c;
  c.lens.k1 = number(s, "lens.radial", 0, 0), c.lens.k2 = number(s, "lens.radial", 1, 0);
  c.lens.k3 = number(s, "lens.radial", 2, 0);
  c.lens.p1 = number(s, "lens.tangential", 0, 0), c.lens.p2 = number(s, "lens.tangential", 1, 0);
  c.lens.blur = number(s, "lens.blur", 0, 0);
  c.readout = number(s, "shutter.readout", 0, 0), c.exposure = number(s, "shutter.exposure", 0, 0);
  c.full_well = number(s, "noise.full_well", 0, 0), c.read = number(s, "noise.read", 0, 0);
  return c;
}

const char* name_of(ImageFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

std::vector<ImageFormat> image_formats(const SensorSpec& s) {
  std::vector<ImageFormat> out;
  const SensorSetting* words = s.find("format");
  for (const std::string& w : words ? words->words : std::vector<std::string>{})
    for (std::size_t i = 0; i < std::size(kFormats); ++i) {
      const auto f = static_cast<ImageFormat>(i);
      if (w == kFormats[i] && std::find(out.begin(), out.end(), f) == out.end()) out.push_back(f);
    }
  if (out.empty()) out.push_back(ImageFormat::rgb);
  return out;
}

void CameraSensor::bind(Binding& b) {
  b.channel("frame", "");
  const CameraSpec c = camera_spec(b.spec());
  for (const Diagnostic& d : check(c, b.spec().place)) b.fault("", d.text, d.suggestion);
  // as if real, whatever the level of sensing: images of all levels arrive alike, and State keeps its size
  b.late(0.5 * (number(b.spec(), "shutter.readout", 0, 0) + number(b.spec(), "shutter.exposure", 0, 0)));
  for (const std::string& w : b.words("format"))
    if (std::find(std::begin(kFormats), std::end(kFormats), w) == std::end(kFormats))
      b.fault("format", "there is no format '" + w + "'", did_you_mean(w, {std::begin(kFormats), std::end(kFormats)}));
  std::vector<std::string> objects;
  for (const ObjectInfo& o : b.kind().objects) objects.push_back(o.name);
  for (const std::string& w : b.words("hides"))
    if (b.kind().find_object(w) < 0) b.fault("hides", "there is no object '" + w + "'", did_you_mean(w, objects));
}

void CameraSensor::truth(const Surroundings& w, const Sensor& s, double*, double* x) {
  x[0] = static_cast<double>(std::max<std::int64_t>(s.samples.calls_until(w.robot->k) - 1, 0));
}

}  // namespace gradus::sense
