#include "link/naoqi/leds.h"

#include <algorithm>

namespace gradus::naoqi {
namespace {

constexpr double kLongest = 1e6;  // [s]
constexpr std::size_t kMostFades = 256;

/// The lights that a group of the robot's names means, and which colours of them: "LeftFaceLedsRed".
std::vector<std::string> places_of(const std::string& group) {
  const auto has = [&](const char* part) { return group.find(part) != std::string::npos; };
  const bool all = has("AllLeds"), left = has("Left"), right = has("Right");
  std::vector<std::string> out;
  const auto add = [&](bool meant, const char* what) {
    if (!meant) return;
    if (!right) out.push_back(std::string("left_") + what);
    if (!left) out.push_back(std::string("right_") + what);
  };
  add(all || has("Face"), "eye"), add(all || has("Ear"), "ear"), add(all || has("Foot") || has("Feet"), "foot");
  if (all || has("Chest")) out.push_back("chest");
  if (all || has("Brain")) out.push_back("skull");
  if (out.empty()) throw CallFault{"there is no group of LEDs '" + group + "'"};
  return out;
}

std::array<bool, 3> channels_of(const std::string& group) {
  const bool red = group.ends_with("Red"), green = group.ends_with("Green"), blue = group.ends_with("Blue");
  return red || green || blue ? std::array{red, green, blue} : std::array{true, true, true};
}

std::array<double, 3> colour_of(const json& j) {
  const std::map<std::string, int> names{{"white", 0xffffff},  {"red", 0xff0000},     {"green", 0xff00}, {"blue", 0xff},
                                         {"yellow", 0xffff00}, {"magenta", 0xff00ff}, {"cyan", 0xffff}};
  int rgb = 0;
  if (j.is_string()) {
    const auto it = names.find(j.get<std::string>());
    if (it == names.end()) throw CallFault{"there is no colour " + j.dump()};
    rgb = it->second;
  } else {
    rgb = whole(j);
  }
  return {(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
}

double seconds_of(const json& j) {
  const double x = number(j);
  if (!(x >= 0 && x <= kLongest)) throw CallFault{"a time from 0 on is due"};
  return x;
}

}  // namespace

void Leds::show(const std::string& place, const Colour& c) {
  now_[place] = c;
  lights_.set(place, c[0], c[1], c[2]);
}

/// A later fade takes the light over.
void Leds::fade(const std::string& group, const Colour& to, double start, double duration) {
  const std::array<bool, 3> channel = channels_of(group);
  for (const std::string& place : places_of(group)) {
    Colour goal = now_[place];
    for (std::size_t i = 0; i < 3; ++i)
      if (channel[i]) goal[i] = to[i];
    std::erase_if(fades_, [&](const Fade& f) { return f.place == place; });
    if (fades_.size() >= kMostFades) throw CallFault{"too many fades"};
    if (duration <= 0)
      show(place, goal);
    else
      fades_.push_back({place, now_[place], goal, start, duration});
  }
}

void Leds::update(double now) {
  for (Fade& f : fades_) {
    const double s = std::clamp((now - f.start) / f.duration, 0.0, 1.0);
    if (now < f.start) continue;
    Colour c;
    for (std::size_t i = 0; i < 3; ++i) c[i] = f.from[i] + s * (f.to[i] - f.from[i]);
    show(f.place, c);
  }
  std::erase_if(fades_, [&](const Fade& f) { return now >= f.start + f.duration; });
}

double Leds::call(const std::string& m, const json& a, double now) {
  const auto grey = [](double x) {
    return Colour{std::clamp(x, 0.0, 1.0), std::clamp(x, 0.0, 1.0), std::clamp(x, 0.0, 1.0)};
  };
  if (m == "on" || m == "off") return fade(text(argument(a, 0)), grey(m == "on"), now, 0), 0;
  if (m == "setIntensity") return fade(text(argument(a, 0)), grey(number(argument(a, 1))), now, 0), 0;
  if (m == "fade" || m == "fadeRGB") {
    const double seconds = seconds_of(argument(a, 2));
    fade(text(argument(a, 0)), m == "fade" ? grey(number(argument(a, 1))) : colour_of(argument(a, 1)), now, seconds);
    return seconds;
  }
  if (m == "reset") return fade(text(argument(a, 0)), grey(1), now, 0), 0;
  if (m == "randomEyes" || m == "rasta" || m == "rotateEyes" || m == "earLedsSetAngle")  // told, not drawn in full
    return fade("FaceLeds", grey(1), now, 0), seconds_of(argument(a, a.size() - 1));
  if (m == "listGroups") return 0;
  throw CallFault{"ALLeds has no '" + m + "' here"};
}

}  // namespace gradus::naoqi
