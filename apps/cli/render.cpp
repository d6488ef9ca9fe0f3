#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/film.h"
#include "cli/render_job.h"
#include "io/png.h"
#include "io/progress.h"
#include "load/units.h"
#include "session/session.h"

namespace gradus::cli {
namespace {

struct RenderCommand {
  std::string scene, camera, output, what = "rgb", size = "640x480", shadows = "all";
  std::string at = "0s", duration, view = "56.3 deg", readout = "0s", exposure = "0s";
  std::vector<double> lens, noise;
  std::vector<std::string> hide, sets, motions;
  double rate = 30, blur = 0;
  int threads = 1;
  bool quiet = false, json = false, plain = false;
};

double quantity(const std::string& text, Dimension due) {
  double x = 0;
  parse_quantity(text, due, x);  // checked when the command line was read
  return x;
}

CLI::Validator quantity_of(Dimension due, const char* name) {
  return CLI::Validator(
      [due](std::string& s) {
        double x = 0;
        const auto fault = parse_quantity(s, due, x);
        return fault   ? fault->text + "; " + fault->suggestion
               : x < 0 ? std::string("it must not be negative")
                       : std::string();
      },
      name);
}

/// "640x480".
std::string read_size(const std::string& text, int& width, int& height) {
  char rest = 0;
  long long w = 0, h = 0;
  if (std::sscanf(text.c_str(), "%lldx%lld%c", &w, &h, &rest) != 2)
    return "--size: two whole numbers are due, as in 640x480";
  width = static_cast<int>(std::clamp(w, -1ll, 1ll << 30)), height = static_cast<int>(std::clamp(h, -1ll, 1ll << 30));
  return "";
}

std::string read_camera(const RenderCommand& o, CameraSpec& c) {
  if (const std::string fault = read_size(o.size, c.width, c.height); !fault.empty()) return fault;
  c.view = quantity(o.view, dimension::kAngle);
  c.readout = quantity(o.readout, dimension::kTime), c.exposure = quantity(o.exposure, dimension::kTime);
  double* const to[] = {&c.lens.k1, &c.lens.k2, &c.lens.k3, &c.lens.p1, &c.lens.p2};
  for (std::size_t i = 0; i < o.lens.size(); ++i) *to[i] = o.lens[i];
  c.lens.blur = o.blur;
  if (!o.noise.empty()) c.full_well = o.noise[0], c.read = o.noise.size() > 1 ? o.noise[1] : 0;
  return "";
}

What what_of(const std::string& word) {
  return word == "grey"           ? What::grey
         : word == "depth"        ? What::depth
         : word == "segmentation" ? What::segmentation
                                  : What::rgb;
}

std::string write_picture(const Photographer& p, What what, const std::string& path) {
  if (what == What::rgb) return write_png(path, PngKind::rgb, p.width(), p.height(), p.bytes().data());
  if (what == What::grey) return write_png(path, PngKind::grey, p.width(), p.height(), p.bytes().data());
  if (what == What::depth) return write_png(path, PngKind::grey16, p.width(), p.height(), p.numbers().data());
  std::vector<std::uint8_t> rgb(p.numbers().size() * 3);
  for (std::size_t i = 0; i < p.numbers().size(); ++i) segment_colour(p.numbers()[i], &rgb[3 * i]);
  return write_png(path, PngKind::rgb, p.width(), p.height(), rgb.data());
}

/// What the colours of a segmentation image mean, the largest first.
void print_legend(const Photographer& p, const DrawnScene& scene) {
  constexpr std::size_t kMost = 30;
  const std::vector<std::size_t> pixels = p.segment_pixels();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (pixels[i] > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pixels[a] > pixels[b]; });
  for (std::size_t k = 0; k < std::min(kMost, order.size()); ++k) {
    const std::size_t i = order[k];
    std::uint8_t c[3];
    segment_colour(static_cast<int>(i), c);
    std::printf("  #%02x%02x%02x  %-32s %8zu pixels\n", c[0], c[1], c[2], scene.segments[i].c_str(), pixels[i]);
  }
  if (order.size() > kMost) std::printf("  … and %zu smaller ones\n", order.size() - kMost);
}

class RenderRun {
 public:
  explicit RenderRun(const RenderCommand& o) : o_(o), what_(what_of(o.what)) {}

  int run() {
    if (!start() || !advance(quantity(o_.at, dimension::kTime))) return 1;
    return o_.duration.empty() ? picture() : film();
  }

 private:
  bool fail(const std::string& text) { return std::fprintf(stderr, "error: %s\n", text.c_str()), false; }

  bool start() {
    CameraSpec spec;
    if (const std::string fault = read_camera(o_, spec); !fault.empty()) return fail(fault);
    if (const Diagnostics faults = check(spec); !faults.empty()) return print(faults), false;
    const bool png = o_.output.ends_with(".png");
    if (o_.duration.empty() && !png) return fail("pictures are PNG files: -o FILE.png; a film needs --for TIME");
    if (!o_.duration.empty() && png) return fail("a film cannot be a .png file: -o FILE.y4m or FILE.mp4");
    if (!o_.duration.empty() && what_ != What::rgb && what_ != What::segmentation)
      return fail("films are made of rgb or segmentation");
    auto scene = load_scene_with(o_.scene, o_.sets, o_.motions);
    if (!scene) return false;
    SessionOptions so;
    so.threads = o_.threads;
    auto session = Session::make(std::move(*scene), so);
    print(session.notes());
    if (!session) return false;
    session_ = std::move(*session);
    auto drawn = DrawnScene::make(world().model());
    print(drawn.notes());
    if (!drawn) return false;
    drawn_ = *drawn;
    spec_ = spec;
    return true;
  }

  World& world() { return session_->world(); }

  bool advance(double time) {
    while (world().time() < time - 1e-9 && session_->stopped().empty()) session_->step();
    return session_->stopped().empty() || fail(session_->stopped());
  }

  /// At the time of the first image: an overview looks at where robots are then.
  bool take_cameras() {
    std::vector<CameraMount> mounts;
    std::vector<std::string> hides = o_.hide;
    if (CameraMount m; find_sensor(world(), o_.camera, spec_, m, hides)) {
      mounts.push_back(std::move(m));
    } else if (o_.camera == "all") {
      mounts = all_mounts(world());
      if (mounts.empty())
        return fail("no robot has an object whose name begins with 'camera'; choose one with --camera ROBOT.OBJECT");
    } else if (const std::string fault = find_mount(world(), o_.camera, mounts.emplace_back()); !fault.empty()) {
      return fail(fault);
    }
    for (CameraMount& m : mounts)
      if (const std::string fault = hide(world(), *drawn_, hides, m); !fault.empty()) return fail(fault);
    if (static_cast<std::int64_t>(spec_.width) * spec_.height * static_cast<std::int64_t>(mounts.size()) >
        4ll * kPixelLimit)
      return fail(fmt::format("{} images of {} × {} pixels are too many for one sheet", mounts.size(), spec_.width,
                              spec_.height));
    const RenderOptions options{!o_.plain,
                                o_.shadows == "none"     ? Shadows::none
                                : o_.shadows == "ground" ? Shadows::ground
                                                         : Shadows::all,
                                false, false};
    cameras_ = mounts.size();
    photographer_ =
        std::make_unique<Photographer>(world(), drawn_, spec_, std::move(mounts), options, what_, o_.threads);
    return true;
  }

  void report(int images) {
    const double ms = photographer_->seconds() * 1e3 / images / static_cast<double>(cameras_);
    if (o_.json)
      std::printf(
          "{\"file\":\"%s\",\"time\":%.9g,\"width\":%d,\"height\":%d,\"cameras\":%zu,\"images\":%d,\"ms_per_image\":%."
          "3f,\"hash\":\"%016" PRIx64 "\"}\n",
          o_.output.c_str(), world().time(), photographer_->width(), photographer_->height(), cameras_, images, ms,
          photographer_->hash());
    else
      std::printf("%s: %d × %d pixels, %zu camera%s, %d image%s at %.3f s, %.2f ms each, hash %016" PRIx64 "\n",
                  o_.output.c_str(), photographer_->width(), photographer_->height(), cameras_,
                  cameras_ == 1 ? "" : "s", images, images == 1 ? "" : "s", world().time(), ms, photographer_->hash());
  }

  int picture() {
    if (!take_cameras()) return 1;
    photographer_->shoot(world(), 0);
    if (const std::string fault = write_picture(*photographer_, what_, o_.output); !fault.empty())
      return fail(fault), 1;
    report(1);
    if (what_ == What::segmentation && !o_.json) print_legend(*photographer_, *drawn_);
    return 0;
  }

  int film() {
    if (!take_cameras()) return 1;
    const double start = world().time(), length = quantity(o_.duration, dimension::kTime);
    const int count = std::max(1, static_cast<int>(length * o_.rate + 0.5));
    Film film;
    if (const std::string fault = film.open(o_.output, photographer_->width(), photographer_->height(), o_.rate);
        !fault.empty())
      return fail(fault), 1;
    Progress progress({stderr,
                       o_.quiet || o_.json ? ProgressStyle::silent : progress_style(stderr),
                       length,
                       {"s", "x real time"},
                       now,
                       {}});
    std::vector<std::uint8_t> rgb;
    for (int i = 0; i < count; ++i) {
      if (!advance(start + i / o_.rate)) return 1;
      photographer_->shoot(world(), static_cast<std::uint32_t>(i));
      const std::uint8_t* picture = photographer_->bytes().data();
      if (what_ == What::segmentation) {
        rgb.resize(photographer_->numbers().size() * 3);
        for (std::size_t k = 0; k < photographer_->numbers().size(); ++k)
          segment_colour(photographer_->numbers()[k], &rgb[3 * k]);
        picture = rgb.data();
      }
      if (const std::string fault = film.add(picture); !fault.empty()) return progress.clear(), fail(fault), 1;
      progress.update((i + 1) / o_.rate);
    }
    progress.finish();
    if (const std::string fault = film.close(); !fault.empty()) return fail(fault), 1;
    report(count);
    return 0;
  }

  const RenderCommand& o_;
  What what_;
  CameraSpec spec_;
  std::unique_ptr<Session> session_;
  std::shared_ptr<const DrawnScene> drawn_;
  std::unique_ptr<Photographer> photographer_;
  std::size_t cameras_ = 1;
};

}  // namespace

void add_render(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<RenderCommand>();
  auto* cmd = app.add_subcommand("render", "Images and films as robots' cameras see a scene");
  const auto time = quantity_of(dimension::kTime, "TIME");
  cmd->add_option("SCENE", o->scene, "scene file, the name of one that comes with gradus, a robot file or a log")
      ->required();
  cmd->add_option("-o,--output", o->output,
                  "picture (.png) or, with --for, film (.y4m; .mp4 and others if ffmpeg is installed)")
      ->required();
  cmd->add_option("--camera", o->camera,
                  "ROBOT.SENSOR, a camera of the robot with its own size, lens, shutter and noise; ROBOT.OBJECT, which looks "
                  "along the object's x axis; 'EYE / TARGET', two points as in '2m 1m 80cm / "
                  "0m 0m 30cm'; "
                  "all: every object called camera…, on one sheet (default: all robots from the side)");
  cmd->add_option("--at", o->at, "simulated time of the picture, or of the film's start, as in 2s (default: 0s)")
      ->check(time);
  cmd->add_option("--for", o->duration, "make a film of this length")->check(time);
  cmd->add_option("--fps", o->rate, "images a second of simulated time (default: 30)")->check(CLI::Range(0.1, 10000.0));
  cmd->add_option("--what", o->what,
                  "rgb, grey, depth (16 bits, mm; 0: sky) or segmentation (a colour for each object; default: rgb)")
      ->check(CLI::IsMember({"rgb", "grey", "depth", "segmentation"}));
  cmd->add_option("--size", o->size, "pixels, as in 640x480 (default)");
  cmd->add_option("--view", o->view, "horizontal angle of view (default: 56.3 deg, a Nao's)")
      ->check(quantity_of(dimension::kAngle, "ANGLE"));
  cmd->add_option("--lens", o->lens, "k1 k2 k3 p1 p2 of OpenCV's lens; those left out are 0")->expected(1, 5);
  cmd->add_option("--soft", o->blur, "optical blur, standard deviation in pixels");
  cmd->add_option("--readout", o->readout, "rolling shutter: time from the first row to the last, as in 30ms")
      ->check(time);
  cmd->add_option("--exposure", o->exposure, "of each row, as in 10ms: what moves is blurred")->check(time);
  cmd->add_option("--noise", o->noise, "electrons at full light, and of reading; 5000 1.6 is a Nao's")->expected(1, 2);
  cmd->add_option("--shadows", o->shadows, "none, ground or all (default)")
      ->check(CLI::IsMember({"none", "ground", "all"}));
  cmd->add_flag("--plain", o->plain, "one ray a pixel: edges are not smooth, but images come faster");
  cmd->add_option("--hide", o->hide, "object of the camera's robot that it does not see, as its own housing");
  cmd->add_option("--threads", o->threads, "the images do not depend on it")->check(CLI::Range(1, 256));
  cmd->add_option("--motion", o->motions, "ROBOT=LEVEL, as for run");
  cmd->add_option("--set", o->sets, "PATH=VALUE, as for run");
  cmd->add_flag("--json", o->json, "one JSON object on standard output and nothing else");
  cmd->add_flag("--quiet", o->quiet, "no progress");
  cmd->footer(
      "The same scene gives the same bits on every machine; the hash that is printed proves it.\n"
      "Examples:\n"
      "  gradus render nao -o nao.png\n"
      "  gradus render nao_walk --camera articulated.camera_top --at 2s -o eye.png\n"
      "  gradus render kick --camera '1m 1m 50cm / 0m 0m 20cm' --what depth -o depth.png\n"
      "  gradus render nao_walk --camera all --size 320x240 --at 1s -o sheet.png\n"
      "  gradus render fall --for 3s -o fall.mp4\n"
      "  gradus render mirosot_5v5 --camera '0m 0m 2.5m / 0m 0m 0m' --for 5s -o match.y4m\n"
      "  gradus render nao_walk --camera articulated.camera_top --readout 30ms --noise 5000 1.6 --lens -0.28 0.09 -o "
      "real.png");
  cmd->callback([o, &outcome] { outcome.status = RenderRun(*o).run(); });
}

}  // namespace gradus::cli
