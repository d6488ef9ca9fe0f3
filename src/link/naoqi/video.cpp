#include "link/naoqi/video.h"

#include <algorithm>

#include "link/naoqi/arguments.h"

namespace gradus::naoqi {
namespace {

constexpr std::size_t kMostSubscriptions = 32;
constexpr const char* kCameras[] = {"camera_top", "camera_bottom"};

std::string in_base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned x = 0;
    for (std::size_t b = 0; b < 3; ++b)
      x = x << 8 | (i + b < bytes.size() ? static_cast<unsigned char>(bytes[i + b]) : 0u);
    for (std::size_t d = 0; d < 4; ++d) out += i + d > bytes.size() ? '=' : kDigits[x >> (18 - 6 * d) & 63];
  }
  return out;
}

int bytes_per_pixel(int colour_space) {
  switch (colour_space) {
    case kLuma:
      return 1;
    case kYuv422:
      return 2;
    case kYuv:
    case kRgb:
    case kBgr:
      return 3;
    default:
      return 0;
  }
}

char byte(int x) { return static_cast<char>(std::clamp(x, 0, 255)); }

/// ITU-R BT.601, full range, as cameras send it.
void append_pixel(int Y, int U, int V, int colour_space, std::string& out) {
  if (colour_space == kLuma) {
    out += byte(Y);
  } else if (colour_space == kYuv) {
    out += byte(Y), out += byte(U), out += byte(V);
  } else {
    const char r = byte(Y + (359 * (V - 128) >> 8)), b = byte(Y + (454 * (U - 128) >> 8));
    const char g = byte(Y - ((88 * (U - 128) + 183 * (V - 128)) >> 8));
    out += colour_space == kRgb ? r : b, out += g, out += colour_space == kRgb ? b : r;
  }
}

}  // namespace

std::string convert(const SensorImage& in, int resolution, int colour_space, std::string& out) {
  if (resolution < kQqvga || resolution > kVga) return "resolutions are 0 (160 x 120), 1 (320 x 240) and 2 (640 x 480)";
  if (bytes_per_pixel(colour_space) == 0) return "colour spaces are 0, 9, 10, 11 and 13";
  const int width = 160 << resolution, height = 120 << resolution;
  if (in.width % width != 0 || in.height % height != 0) return "the camera's images are smaller";
  const int nth_x = in.width / width, nth_y = in.height / height;
  out.clear();
  out.reserve(static_cast<std::size_t>(width * height * bytes_per_pixel(colour_space)));
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = in.bytes.data() + static_cast<std::size_t>(y * nth_y) * in.row_bytes;
    for (int x = 0; x < width; ++x) {
      const int at = x * nth_x, pair = 4 * (at / 2);
      const int Y = row[2 * at], U = row[pair + 1], V = row[pair + 3];
      if (colour_space == kYuv422)
        out += byte(Y), out += byte(x % 2 == 0 ? U : V);
      else
        append_pixel(Y, U, V, colour_space, out);
    }
  }
  return "";
}

Video::json Video::subscribe(const std::string& name, const Subscription& s) {
  if (s.camera != 0 && s.camera != 1) throw CallFault{"cameras are 0 (top) and 1 (bottom)"};
  if (s.resolution < kQqvga || s.resolution > kVga)
    throw CallFault{"resolutions are 0 (160 x 120), 1 (320 x 240) and 2 (640 x 480)"};
  if (bytes_per_pixel(s.colour_space) == 0) throw CallFault{"colour spaces are 0, 9, 10, 11 and 13"};
  if (subscriptions_.size() >= kMostSubscriptions) throw CallFault{"too many subscriptions"};
  std::string key = name + "_0";  // as on the robot: the name that is given back has a number
  for (int i = 1; subscriptions_.contains(key); ++i) key = name + "_" + std::to_string(i);
  subscriptions_[key] = s;
  return key;
}

/// Width, height, layers, colour space, seconds, microseconds, bytes, camera, and the angles that it sees.
Video::json Video::image(const RobotOutput& output, const Subscription& s) const {
  for (const SensorReading& reading : output.sensors) {
    if (reading.name != kCameras[s.camera] || reading.sample < 0) continue;
    for (const SensorImage& image : reading.image()) {
      if (std::string_view(image.format) != "yuyv") continue;
      std::string bytes;
      if (const std::string fault = convert(image, s.resolution, s.colour_space, bytes); !fault.empty())
        throw CallFault{fault};
      const double seconds = std::floor(image.time);
      const int micro = static_cast<int>(1e6 * (image.time - seconds));
      constexpr double kWide = 0.4913, kHigh = 0.3816;  // half the angles of view of the V6  [rad]
      return json::array({160 << s.resolution,
                          120 << s.resolution,
                          bytes_per_pixel(s.colour_space),
                          s.colour_space,
                          static_cast<std::int64_t>(seconds),
                          micro,
                          {{"base64", in_base64(bytes)}},
                          s.camera,
                          kWide,
                          kHigh,
                          -kWide,
                          -kHigh});
    }
  }
  for (const SensorReading& reading : output.sensors)
    if (reading.name == kCameras[s.camera]) return nullptr;  // it has not seen anything yet
  throw CallFault{"this robot has no cameras: --naoqi=images gives it some"};
}

Video::json Video::call(const RobotOutput& output, const std::string& m, const json& a) {
  const auto found = [&]() -> Subscription& {
    const auto it = subscriptions_.find(text(argument(a, 0)));
    if (it == subscriptions_.end()) throw CallFault{"nobody has subscribed as " + a[0].dump()};
    return it->second;
  };
  if (m == "subscribe") return subscribe(text(argument(a, 0)), {active_, whole(argument(a, 1)), whole(argument(a, 2))});
  if (m == "subscribeCamera")
    return subscribe(text(argument(a, 0)), {whole(argument(a, 1)), whole(argument(a, 2)), whole(argument(a, 3))});
  if (m == "getImageRemote" || m == "getImageLocal") return image(output, found());
  if (m == "releaseImage") return found(), true;
  if (m == "unsubscribe") return subscriptions_.erase(text(argument(a, 0))) > 0;
  if (m == "unsubscribeAllInstances") {
    const std::string name = text(argument(a, 0)) + "_";
    return std::erase_if(subscriptions_, [&](const auto& s) { return s.first.starts_with(name); }) > 0;
  }
  if (m == "getSubscribers") {
    json out = json::array();
    for (const auto& [name, s] : subscriptions_) out.push_back(name);
    return out;
  }
  if (m == "setResolution") return found().resolution = std::clamp(whole(argument(a, 1)), 0, 2), true;
  if (m == "setActiveCamera" || ((m == "setParam" || m == "setParameter") && whole(argument(a, 0)) == 18)) {
    const int camera = whole(argument(a, a.size() - 1));
    if (camera != 0 && camera != 1) throw CallFault{"cameras are 0 (top) and 1 (bottom)"};
    for (auto& [name, s] : subscriptions_) s.camera = camera;
    return active_ = camera, true;
  }
  if (m == "getActiveCamera") return active_;
  if (m == "setParam" || m == "setParameter") {  // brightness and the like: kept, without effect
    if (parameters_.size() >= 100) throw CallFault{"too many parameters"};
    return parameters_[whole(argument(a, 0))] = number(argument(a, a.size() - 1)), true;
  }
  if (m == "getParam" || m == "getParameter") {
    const auto it = parameters_.find(whole(argument(a, a.size() - 1)));
    return it == parameters_.end() ? json(0) : it->second;
  }
  throw CallFault{"ALVideoDevice has no '" + m + "' here"};
}

}  // namespace gradus::naoqi
