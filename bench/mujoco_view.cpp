#include "bench/mujoco_view.h"

#include <fmt/format.h>

#include <cmath>

#if GRADUS_HAVE_MUJOCO
#include <mujoco/mujoco.h>

#include <cstring>
#if GRADUS_HAVE_EGL
#include <EGL/egl.h>
#endif
#endif

namespace gradus::bench {

std::string to_mjcf(const DrawnScene& scene, const Poses& poses) {
  std::string out =
      "<mujoco><visual><global offwidth=\"4096\" offheight=\"4096\"/><quality "
      "shadowsize=\"2048\"/></visual><worldbody>\n"
      "<light directional=\"true\" dir=\"-0.35 0.25 -0.9\" pos=\"0 0 5\"/>\n";
  for (const DrawnShape& s : scene.shapes) {
    const bool moves = s.robot >= 0;
    const Pose X_WL =
        moves ? poses.links[static_cast<std::size_t>(scene.link_first[static_cast<std::size_t>(s.robot)] + s.link)].X_WL
              : identity_pose();
    const Pose X = X_WL * s.X_LS;
    const Quat q = to_quaternion(X.R);
    std::string size;
    const char* type = nullptr;
    switch (s.kind) {
      case render::FlatKind::sphere:
        type = "sphere", size = fmt::format("{}", s.radius);
        break;
      case render::FlatKind::capsule:
      case render::FlatKind::cylinder:
        type = s.kind == render::FlatKind::capsule ? "capsule" : "cylinder",
        size = fmt::format("{} {}", s.radius, s.half.z);
        break;
      case render::FlatKind::box:
        type = "box", size = fmt::format("{} {} {}", s.half.x, s.half.y, s.half.z);
        break;
      default:
        continue;
    }
    out += fmt::format("<geom type=\"{}\" size=\"{}\" pos=\"{} {} {}\" quat=\"{} {} {} {}\" rgba=\"{} {} {} 1\"/>\n",
                       type, size, X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z, std::sqrt(s.albedo.x),
                       std::sqrt(s.albedo.y), std::sqrt(s.albedo.z));
  }
  if (scene.ground.present)
    out += fmt::format(
        "<geom type=\"plane\" size=\"50 50 1\" zaxis=\"{} {} {}\" pos=\"{} {} {}\" rgba=\"0.15 0.5 0.2 1\"/>\n",
        scene.ground.n.x, scene.ground.n.y, scene.ground.n.z, scene.ground.n.x * scene.ground.offset,
        scene.ground.n.y * scene.ground.offset, scene.ground.n.z * scene.ground.offset);
  return out + "</worldbody></mujoco>\n";
}

#if GRADUS_HAVE_MUJOCO

struct MujocoView::Data {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  mjvScene scene{};
  mjvOption option{};
  mjrContext context{};
  bool drawing = false;
  int width = 0, height = 0;
  ~Data() {
    if (drawing) mjr_freeContext(&context), mjv_freeScene(&scene);
    if (d) mj_deleteData(d);
    if (m) mj_deleteModel(m);
  }
};

MujocoView::MujocoView() : d_(std::make_unique<Data>()) {}
MujocoView::~MujocoView() = default;

std::unique_ptr<MujocoView> MujocoView::make(const std::string& mjcf) {
  auto vfs = std::make_unique<mjVFS>();  // large: not for the stack
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "scene.xml", static_cast<int>(mjcf.size()));
  std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "scene.xml")], mjcf.data(), mjcf.size());
  char error[1000] = "";
  std::unique_ptr<MujocoView> out(new MujocoView);
  out->d_->m = mj_loadXML("scene.xml", vfs.get(), error, sizeof error);
  mj_deleteVFS(vfs.get());
  if (!out->d_->m) return std::fprintf(stderr, "MuJoCo: %s\n", error), nullptr;
  out->d_->d = mj_makeData(out->d_->m);
  mj_forward(out->d_->m, out->d_->d);
  return out;
}

double MujocoView::cast(Vec3 p, Vec3 d) const {
  const mjtNum from[3] = {p.x, p.y, p.z}, along[3] = {d.x, d.y, d.z};
  int geom = -1;
  return mj_ray(d_->m, d_->d, from, along, nullptr, 1, -1, &geom);
}

bool MujocoView::open(int width, int height, bool shadows) {
#if GRADUS_HAVE_EGL
  constexpr EGLenum kSurfaceless = 0x31DD;  // EGL_PLATFORM_SURFACELESS_MESA: no display needed
  const EGLDisplay display = eglGetPlatformDisplay(kSurfaceless, EGL_DEFAULT_DISPLAY, nullptr);
  if (eglInitialize(display, nullptr, nullptr) != EGL_TRUE || eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return false;
  const EGLint wish[] = {
      EGL_SURFACE_TYPE,    EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_DEPTH_SIZE, 24,
      EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,  EGL_NONE};
  EGLConfig config;
  EGLint count = 0;
  if (eglChooseConfig(display, wish, &config, 1, &count) != EGL_TRUE || count == 0) return false;
  const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
  if (context == EGL_NO_CONTEXT || eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE)
    return false;
  Data& d = *d_;
  d.width = width, d.height = height;
  mjv_defaultScene(&d.scene), mjv_defaultOption(&d.option), mjr_defaultContext(&d.context);
  mjv_makeScene(d.m, &d.scene, 2000);
  d.scene.flags[mjRND_SHADOW] = shadows, d.scene.flags[mjRND_REFLECTION] = 0;
  mjr_makeContext(d.m, &d.context, mjFONTSCALE_100);
  mjr_setBuffer(mjFB_OFFSCREEN, &d.context);
  d.drawing = true;
  return d.context.currentBuffer == mjFB_OFFSCREEN;
#else
  static_cast<void>(width), static_cast<void>(height), static_cast<void>(shadows);
  return false;
#endif
}

void MujocoView::render(const Pose& X_WC, double vertical_view, std::vector<unsigned char>& rgb) {
  Data& d = *d_;
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  mjv_updateScene(d.m, d.d, &d.option, nullptr, &camera, mjCAT_ALL, &d.scene);
  for (mjvGLCamera& c : d.scene.camera) {
    const Vec3 ahead = X_WC.R.z, up = -X_WC.R.y;
    const double near = 0.01, top = near * std::tan(0.5 * vertical_view);
    c.pos[0] = static_cast<float>(X_WC.p.x), c.pos[1] = static_cast<float>(X_WC.p.y),
    c.pos[2] = static_cast<float>(X_WC.p.z);
    c.forward[0] = static_cast<float>(ahead.x), c.forward[1] = static_cast<float>(ahead.y),
    c.forward[2] = static_cast<float>(ahead.z);
    c.up[0] = static_cast<float>(up.x), c.up[1] = static_cast<float>(up.y), c.up[2] = static_cast<float>(up.z);
    c.frustum_center = 0, c.frustum_top = static_cast<float>(top), c.frustum_bottom = static_cast<float>(-top);
    c.frustum_near = static_cast<float>(near), c.frustum_far = 50;
  }
  rgb.resize(static_cast<std::size_t>(d.width) * d.height * 3);
  const mjrRect rect{0, 0, d.width, d.height};
  mjr_render(rect, &d.scene, &d.context);
  mjr_readPixels(rgb.data(), nullptr, rect, &d.context);
}

#else

struct MujocoView::Data {};
MujocoView::MujocoView() = default;
MujocoView::~MujocoView() = default;
std::unique_ptr<MujocoView> MujocoView::make(const std::string&) { return nullptr; }
double MujocoView::cast(Vec3, Vec3) const { return -1; }
bool MujocoView::open(int, int, bool) { return false; }
void MujocoView::render(const Pose&, double, std::vector<unsigned char>&) {}

#endif

}  // namespace gradus::bench
