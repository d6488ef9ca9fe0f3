#include "bench/mujoco.h"

#if GRADUS_HAVE_MUJOCO

#include <mujoco/mujoco.h>

#include <cstring>

namespace gradus::bench {

struct Mujoco::Data {
  mjModel* m = nullptr;
  mjData* d = nullptr;
  ~Data() {
    if (d) mj_deleteData(d);
    if (m) mj_deleteModel(m);
  }
};

Mujoco::Mujoco() : d_(std::make_unique<Data>()) {}
Mujoco::~Mujoco() = default;

bool Mujoco::installed() { return true; }
std::string Mujoco::version() { return mj_versionString(); }

Result<std::unique_ptr<Mujoco>> Mujoco::make(const std::string& mjcf) {
  auto vfs = std::make_unique<mjVFS>();  // large: not for the stack
  mj_defaultVFS(vfs.get());
  if (mj_makeEmptyFileVFS(vfs.get(), "robot.xml", static_cast<int>(mjcf.size())) != 0)
    return file_error("robot.xml", "MuJoCo: no room for the model's text");
  std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "robot.xml")], mjcf.data(), mjcf.size());
  char error[1000] = "";
  std::unique_ptr<Mujoco> out(new Mujoco);
  out->d_->m = mj_loadXML("robot.xml", vfs.get(), error, sizeof error);
  mj_deleteVFS(vfs.get());
  if (!out->d_->m) return file_error("robot.xml", std::string("MuJoCo: ") + error);
  out->d_->d = mj_makeData(out->d_->m);
  return out;
}

void Mujoco::step(int steps) {
  for (int i = 0; i < steps; ++i) mj_step(d_->m, d_->d);
}
int Mujoco::nq() const { return d_->m->nq; }
int Mujoco::nv() const { return d_->m->nv; }
int Mujoco::nu() const { return d_->m->nu; }
int Mujoco::contact_count() const { return d_->d->ncon; }
std::span<double> Mujoco::q() { return {d_->d->qpos, static_cast<std::size_t>(d_->m->nq)}; }
std::span<double> Mujoco::v() { return {d_->d->qvel, static_cast<std::size_t>(d_->m->nv)}; }
std::span<double> Mujoco::ctrl() { return {d_->d->ctrl, static_cast<std::size_t>(d_->m->nu)}; }
std::span<double> Mujoco::acceleration() { return {d_->d->qacc, static_cast<std::size_t>(d_->m->nv)}; }
void Mujoco::forward() { mj_forward(d_->m, d_->d); }
void Mujoco::reset() { mj_resetData(d_->m, d_->d); }

}  // namespace gradus::bench

#else

namespace gradus::bench {

struct Mujoco::Data {};
Mujoco::Mujoco() = default;
Mujoco::~Mujoco() = default;
bool Mujoco::installed() { return false; }
std::string Mujoco::version() { return "not installed"; }
Result<std::unique_ptr<Mujoco>> Mujoco::make(const std::string&) {
  return file_error("", "MuJoCo is not installed", "install libmujoco-dev and build again");
}
// No object can exist without MuJoCo, so these are never reached.
void Mujoco::step(int) {}
int Mujoco::nq() const { return 0; }
int Mujoco::nv() const { return 0; }
int Mujoco::nu() const { return 0; }
int Mujoco::contact_count() const { return 0; }
std::span<double> Mujoco::q() { return {}; }
std::span<double> Mujoco::v() { return {}; }
std::span<double> Mujoco::ctrl() { return {}; }
std::span<double> Mujoco::acceleration() { return {}; }
void Mujoco::forward() {}
void Mujoco::reset() {}

}  // namespace gradus::bench

#endif
