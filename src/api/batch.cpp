#include "gradus/batch.h"

#include <algorithm>
#include <cmath>

#include "api/drafts.h"
#include "api/fail.h"
#include "api/picture.h"
#include "base/rng.h"
#include "batch/gpu/gpu_batch.h"
#include "batch/lanes/lane_worlds.h"
#include "batch/worlds.h"
#include "load/set.h"
#include "session/scene_file.h"

namespace gradus {
namespace {

constexpr int kMostWorlds = 1 << 24;
constexpr std::uint32_t kStartPurpose = 0x57a7;  // of random numbers [rng.h]

void require(bool good, const std::string& text) {
  if (!good) throw Error("batch: " + text);
}
void require_size(std::size_t is, std::size_t due, const char* what) {
  require(is == due, std::string(what) + ": " + std::to_string(due) + " numbers are due, not " + std::to_string(is));
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& s : list) out += (out.empty() ? "" : ", ") + s;
  return out;
}

template <class Column>
std::vector<Batch::Columns> named(const std::vector<NamedColumns>& names, const std::vector<Column>& columns) {
  std::vector<Batch::Columns> out;
  for (const NamedColumns& n : names) {
    out.push_back({n.name, n.begin, n.count, {}});
    for (int i = n.begin; i < n.begin + n.count; ++i)
      out.back().paths.push_back(columns[static_cast<std::size_t>(i)].path);
  }
  return out;
}

/// Packed numbers of one type, owned.
struct Array {
  bool single = true;
  std::vector<float> f;
  std::vector<double> d;
  void make(bool is_single, std::size_t size) {
    single = is_single;
    single ? f.assign(size, 0.0f) : d.assign(size, 0.0);
  }
  Packed packed(int columns) { return {single ? static_cast<void*>(f.data()) : d.data(), single, columns}; }
  template <class T>
  std::span<T> numbers() {
    require(single == (sizeof(T) == 4), single ? "its arrays are of float" : "its arrays are of double");
    if constexpr (sizeof(T) == 4)
      return f;
    else
      return d;
  }
};

}  // namespace

struct Batch::Impl {
  Options options;
  Model model;
  std::string backend, why;
  std::vector<std::string> warnings;
  std::vector<Columns> observation_columns, action_columns;
  std::unique_ptr<Backend> worlds;
  GpuBatch* gpu = nullptr;  // the same, where it is that
  std::unique_ptr<Painter> painter;  // made when first asked for
  Array actions, observations;
  int na = 0, no = 0, nq = 0, nv = 0;
  std::vector<double> lower, upper, first;   // (na)
  std::vector<std::int64_t> ages, episodes;  // (worlds)
  std::vector<std::uint8_t> finite;          // (worlds)
  std::vector<int> delays;                   // (worlds), or empty
  std::vector<double> noise_q, noise_v;      // (nv), or empty
  std::vector<double> q0, v0;                // of one world at its start
  std::vector<double> parameters;            // worlds × names

  std::size_t count() const { return static_cast<std::size_t>(options.worlds); }
  void start(SceneSpec scene, Diagnostics notes);
  void choose(const World& world, const BatchColumns& columns);
  void take_gpu(const BatchColumns& columns);
  void note_start(const BatchColumns& columns);
  template <class T>
  void act(std::span<const T> a, int steps);
  void check_mask(std::span<const std::uint8_t> mask) const { require_size(mask.size(), count(), "mask"); }
  void begin(int world);
  void scatter(int world);
};

void Batch::Impl::start(SceneSpec scene, Diagnostics notes) {
  require(options.worlds >= 1 && options.worlds <= kMostWorlds,
          "cannot make " + std::to_string(options.worlds) + " worlds; ask for 1 to " + std::to_string(kMostWorlds));
  require(options.threads >= 1 && options.threads <= 4096,
          "cannot use " + std::to_string(options.threads) + " threads");
  require(options.predictions >= 1 && options.predictions <= 100, "predictions must be 1 to 100");
  for (const std::string& s : options.sets) apply_set(scene, s, notes);
  if (has_errors(notes)) fail(notes);
  auto compiled = compile(scene);
  append(notes, compiled.notes());
  if (!compiled) fail(notes);
  model = std::move(*compiled);
  auto world = World::make(model);
  if (!world) fail(world.notes());
  auto columns = compile_columns(**world, options.observe, options.act);
  if (!columns) fail(columns.notes());
  na = static_cast<int>(columns->actions.size());
  no = static_cast<int>(columns->observed.size());
  observation_columns = named(columns->observed_names, columns->observed);
  action_columns = named(columns->action_names, columns->actions);
  for (const Diagnostic& d : notes) warnings.push_back(to_string(d));
  choose(**world, *columns);
  note_start(*columns);
}

/// The back end: the one asked for, or the fastest that can do all.
void Batch::Impl::choose(const World& world, const BatchColumns& columns) {
  for (const std::string& p : options.parameters) {
    const auto view = find_property(world, p);
    if (!view) fail(view.notes());
    require(view->original != nullptr, "'" + p + "' is no parameter (docs/parameters.md)");
  }
  const std::string& wish = options.backend;
  require(wish == "auto" || wish == "lanes" || wish == "worlds" || wish == "gpu",
          "there is no back end '" + wish + "'; there are auto, gpu, lanes and worlds");
  if (wish == "gpu") return take_gpu(columns);
  const std::vector<std::string> lacks =
      wish == "worlds" ? std::vector<std::string>{} : LaneWorlds::lacks(model, columns);
  require(wish != "lanes" || lacks.empty(), "lanes cannot do: " + joined(lacks) + "; the back end `worlds` can");
  backend = wish != "worlds" && lacks.empty() ? "lanes" : "worlds";
  why = wish == backend ? "asked for"
        : lacks.empty() ? "the fastest that can do all"
                        : "lanes cannot do: " + joined(lacks);
  if (backend == "lanes") {
    auto made =
        LaneWorlds::make(model, options.worlds, {options.single, options.threads, options.predictions, columns});
    if (!made) fail(made.notes());
    worlds = std::move(*made);
  } else {
    auto made = Worlds::make(model, options.worlds, {options.threads, !options.parameters.empty(), columns});
    if (!made) fail(made.notes());
    worlds = std::move(*made);
  }
}

void Batch::Impl::take_gpu(const BatchColumns& columns) {
  const std::vector<std::string> lacks = GpuBatch::lacks(model, columns, options.single, !options.parameters.empty());
  require(lacks.empty(), "the GPU cannot do: " + joined(lacks) + "; the back end `worlds` can");
  std::string problem;
  auto made = GpuBatch::make(model, options.worlds, {options.predictions, columns}, problem);
  require(made != nullptr, "no GPU: " + problem);
  backend = "gpu";
  why = std::string("asked for; ") + made->method();
  gpu = made.get();
  worlds = std::move(made);
}

void Batch::Impl::note_start(const BatchColumns& columns) {
  for (const RobotModel& r : model.robots) nq += r.kind->nq(), nv += r.kind->nv();
  q0.resize(static_cast<std::size_t>(nq)), v0.resize(static_cast<std::size_t>(nv));
  worlds->read_state(0, q0.data(), v0.data());
  const auto world = std::move(*World::make(model));
  for (const ActionColumn& a : columns.actions) {
    lower.push_back(a.lower), upper.push_back(a.upper);
    first.push_back(world->input()[static_cast<std::size_t>(a.offset)]);
  }
  for (const std::string& p : options.parameters) {
    const auto view = find_property(*world, p);
    parameters.push_back(view->get(*world));
  }
  const std::vector<double> one = parameters;
  for (std::size_t w = 1; w < count(); ++w) parameters.insert(parameters.end(), one.begin(), one.end());
  actions.make(options.single, count() * static_cast<std::size_t>(na));
  observations.make(options.single, count() * static_cast<std::size_t>(no));
  for (int w = 0; w < options.worlds; ++w)
    for (int i = 0; i < na; ++i) actions.packed(na).set(w, i, first[static_cast<std::size_t>(i)]);
  ages.assign(count(), 0), episodes.assign(count(), 0), finite.assign(count(), 1);
  worlds->observe(observations.packed(no), {});
}

template <class T>
void Batch::Impl::act(std::span<const T> a, int steps) {
  require(steps >= 1, "act: at least one step is due, not " + std::to_string(steps));
  require_size(a.size(), count() * static_cast<std::size_t>(na), "actions");
  T zero = 0;  // x − x is 0 of finite numbers alone
  for (const T x : a) zero += x - x;
  if (zero != 0)
    for (std::size_t i = 0; i < a.size(); ++i)
      require(std::isfinite(a[i]), "the action of world " + std::to_string(i / static_cast<std::size_t>(na)) +
                                       " has a number that is not finite (column " +
                                       std::to_string(i % static_cast<std::size_t>(na)) + ")");
  for (const int d : delays)
    require(d < steps, "act: a delay of " + std::to_string(d) + " needs more than " + std::to_string(steps) + " steps");
  ActOrder order;
  order.actions = {const_cast<T*>(a.data()), sizeof(T) == 4, na};
  order.observations = observations.packed(no);
  order.delay = delays.empty() ? nullptr : delays.data();
  order.steps = steps;
  worlds->act(order);
  for (std::size_t w = 0; w < count(); ++w) {
    ages[w] += steps;
    finite[w] = worlds->finite(static_cast<int>(w));
  }
}

/// World w as at the start of a new episode.
void Batch::Impl::begin(int world) {
  const auto w = static_cast<std::size_t>(world);
  worlds->reset(world);
  ages[w] = 0, finite[w] = 1;
  ++episodes[w];
  for (int i = 0; i < na; ++i) actions.packed(na).set(world, i, first[static_cast<std::size_t>(i)]);
}

/// Adds the random part of the start: positions in the tangent space, robot by robot.
void Batch::Impl::scatter(int world) {
  const RandomKey key{options.seed, static_cast<std::uint32_t>(world), kStartPurpose};
  const auto episode = static_cast<std::uint64_t>(episodes[static_cast<std::size_t>(world)]);
  std::uint32_t draw = 0;
  const auto in = [&](double most) { return random_in(key, episode, draw++, -most, most); };
  std::vector<double> q = q0, v = v0;
  double* qr = q.data();
  const double* n = noise_q.data();
  for (const RobotModel& r : model.robots) {
    const Vec3 turn{in(n[0]), in(n[1]), in(n[2])}, shift{in(n[3]), in(n[4]), in(n[5])};
    set_base_pose(qr, base_position(qr) + shift, normalized(exponential(turn) * base_orientation(qr)));
    for (int j = 0; j < r.kind->njoint(); ++j) {
      const double x = in(n[6 + j]);
      if (!r.kind->joints[static_cast<std::size_t>(j)].shared) qr[7 + j] += x;
    }
    qr += r.kind->nq(), n += r.kind->nv();
  }
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += in(noise_v[i]);
  worlds->write_state(world, q.data(), v.data());
}

Batch::Batch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

Batch Batch::load(const std::string& file, const Options& options) {
  auto scene = load_scene_or_robot(file);
  if (!scene) fail(scene.notes());
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->start(std::move(*scene), scene.notes());
  return Batch(std::move(impl));
}

Batch Batch::build(const SceneDraft& scene, const Options& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->start(scene.impl_->scene, check(scene.impl_->scene));
  return Batch(std::move(impl));
}

int Batch::worlds() const { return impl_->options.worlds; }
double Batch::step_length() const { return impl_->model.step; }
const std::string& Batch::backend() const { return impl_->backend; }
const std::string& Batch::why() const { return impl_->why; }
const std::vector<std::string>& Batch::warnings() const { return impl_->warnings; }
const std::vector<Batch::Columns>& Batch::observation_columns() const { return impl_->observation_columns; }
const std::vector<Batch::Columns>& Batch::action_columns() const { return impl_->action_columns; }
const std::vector<std::string>& Batch::parameter_names() const { return impl_->options.parameters; }
int Batch::observation_size() const { return impl_->no; }
int Batch::action_size() const { return impl_->na; }
std::span<const std::int64_t> Batch::ages() const { return impl_->ages; }
std::span<const std::int64_t> Batch::episodes() const { return impl_->episodes; }
std::span<const std::uint8_t> Batch::finite() const { return impl_->finite; }
std::span<const double> Batch::action_lower() const { return impl_->lower; }
std::span<const double> Batch::action_upper() const { return impl_->upper; }
std::span<const double> Batch::action_start() const { return impl_->first; }
int Batch::position_size() const { return impl_->nq; }
int Batch::velocity_size() const { return impl_->nv; }
std::int64_t Batch::predictions() const { return impl_->worlds->predictions(); }

template <class T>
std::span<T> Batch::actions() {
  return impl_->actions.numbers<T>();
}
template <class T>
std::span<T> Batch::observations() {
  return impl_->observations.numbers<T>();
}
template std::span<float> Batch::actions<float>();
template std::span<double> Batch::actions<double>();
template std::span<float> Batch::observations<float>();
template std::span<double> Batch::observations<double>();

void Batch::act(int steps) {
  if (impl_->options.single)
    impl_->act<float>(impl_->actions.f, steps);
  else
    impl_->act<double>(impl_->actions.d, steps);
}
template <class T>
void Batch::act(std::span<const T> actions, int steps) {
  impl_->act<T>(actions, steps);
}
template void Batch::act<float>(std::span<const float>, int);
template void Batch::act<double>(std::span<const double>, int);

Batch::Gpu Batch::gpu() const {
  require(impl_->gpu != nullptr, "its worlds are not on a GPU");
  const GpuSlab slab = impl_->gpu->slab();
  return {slab.data, slab.tiles, slab.row, kGpuTile, impl_->gpu->actions(), impl_->gpu->observed()};
}
void Batch::launch(int steps, void* stream) {
  require(impl_->gpu != nullptr, "its worlds are not on a GPU");
  require(steps >= 1, "launch: at least one step is due, not " + std::to_string(steps));
  const std::string problem = impl_->gpu->launch(steps, stream);
  require(problem.empty(), problem);
}
void Batch::begin_on_gpu(const std::uint8_t* mask, void* stream) {
  require(impl_->gpu != nullptr, "its worlds are not on a GPU");
  const std::string problem = impl_->gpu->begin(mask, stream);
  require(problem.empty(), problem);
}

void Batch::observe() { impl_->worlds->observe(impl_->observations.packed(impl_->no), {}); }

void Batch::set_delays(std::span<const int> delays) {
  require_size(delays.size(), impl_->count(), "delays");
  for (const int d : delays) require(d >= 0, "a delay must not be negative");
  impl_->delays.assign(delays.begin(), delays.end());
  if (std::all_of(delays.begin(), delays.end(), [](int d) { return d == 0; })) impl_->delays.clear();
}

void Batch::reset(std::span<const std::uint8_t> mask) {
  impl_->check_mask(mask);
  for (int w = 0; w < worlds(); ++w) {
    if (!mask[static_cast<std::size_t>(w)]) continue;
    impl_->begin(w);
    if (!impl_->noise_q.empty()) impl_->scatter(w);
  }
  impl_->worlds->observe(impl_->observations.packed(impl_->no), mask);
}

void Batch::reset(std::span<const std::uint8_t> mask, std::span<const double> q, std::span<const double> v) {
  impl_->check_mask(mask);
  const auto nq = static_cast<std::size_t>(impl_->nq), nv = static_cast<std::size_t>(impl_->nv);
  require_size(q.size(), impl_->count() * nq, "q");
  require_size(v.size(), impl_->count() * nv, "v");
  const auto finite = [](std::span<const double> x) {
    return std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); });
  };
  for (std::size_t w = 0; w < impl_->count(); ++w)
    require(!mask[w] || (finite(q.subspan(w * nq, nq)) && finite(v.subspan(w * nv, nv))),
            "reset: a number of world " + std::to_string(w) + " is not finite");
  for (int w = 0; w < worlds(); ++w) {
    if (!mask[static_cast<std::size_t>(w)]) continue;
    impl_->begin(w);
    impl_->worlds->write_state(w, q.data() + static_cast<std::size_t>(w) * nq,
                               v.data() + static_cast<std::size_t>(w) * nv);
  }
  impl_->worlds->observe(impl_->observations.packed(impl_->no), mask);
}

void Batch::set_start_noise(std::span<const double> positions, std::span<const double> velocities) {
  require_size(positions.size(), static_cast<std::size_t>(impl_->nv), "noise of positions");
  require_size(velocities.size(), static_cast<std::size_t>(impl_->nv), "noise of velocities");
  for (const auto& x : {positions, velocities})
    for (const double y : x) require(y >= 0 && std::isfinite(y), "noise must be finite and not negative");
  impl_->noise_q.assign(positions.begin(), positions.end());
  impl_->noise_v.assign(velocities.begin(), velocities.end());
}

void Batch::states(std::span<double> q, std::span<double> v) const {
  require_size(q.size(), impl_->count() * static_cast<std::size_t>(impl_->nq), "q");
  require_size(v.size(), impl_->count() * static_cast<std::size_t>(impl_->nv), "v");
  for (int w = 0; w < worlds(); ++w)
    impl_->worlds->read_state(w, q.data() + static_cast<std::ptrdiff_t>(w) * impl_->nq,
                              v.data() + static_cast<std::ptrdiff_t>(w) * impl_->nv);
}

void Batch::add_velocity(std::span<const std::uint8_t> mask, std::span<const double> dv) {
  impl_->check_mask(mask);
  require_size(dv.size(), impl_->count() * static_cast<std::size_t>(impl_->nv), "velocities");
  std::vector<double> q(static_cast<std::size_t>(impl_->nq)), v(static_cast<std::size_t>(impl_->nv));
  for (int w = 0; w < worlds(); ++w) {
    if (!mask[static_cast<std::size_t>(w)]) continue;
    impl_->worlds->read_state(w, q.data(), v.data());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += dv[static_cast<std::size_t>(w) * v.size() + i];
    require(impl_->worlds->write_state(w, q.data(), v.data()),
            "add_velocity: a number of world " + std::to_string(w) + " is not finite");
  }
}

void Batch::push(std::span<const std::uint8_t> mask, const std::string& body, std::span<const double> forces,
                 std::span<const double, 3> point) {
  impl_->check_mask(mask);
  require_size(forces.size(), impl_->count() * 3, "forces");
  const std::size_t dot = body.find('.');
  const int robot = impl_->model.find_robot(body.substr(0, dot));
  const int object = robot < 0 || dot == std::string::npos
                         ? -1
                         : impl_->model.robots[static_cast<std::size_t>(robot)].kind->find_object(body.substr(dot + 1));
  require(object >= 0, "there is no body '" + body + "'; write ROBOT.BODY");
  const ObjectInfo& info =
      impl_->model.robots[static_cast<std::size_t>(robot)].kind->objects[static_cast<std::size_t>(object)];
  const Vec3 p_L = info.X_LO.p + info.X_LO.R * Vec3{point[0], point[1], point[2]};
  for (int w = 0; w < worlds(); ++w) {
    if (!mask[static_cast<std::size_t>(w)]) continue;
    const double* f = forces.data() + static_cast<std::ptrdiff_t>(w) * 3;
    require(std::isfinite(f[0]) && std::isfinite(f[1]) && std::isfinite(f[2]), "push: a force is not finite");
    const std::string problem = impl_->worlds->push(w, robot, info.link, {f[0], f[1], f[2]}, p_L);
    require(problem.empty(), problem);
  }
}

void Batch::set_parameters(std::span<const std::uint8_t> mask, std::span<const double> values) {
  impl_->check_mask(mask);
  const std::vector<std::string>& names = impl_->options.parameters;
  const std::size_t n = names.size();
  require(n > 0, "no parameters were named when the batch was made");
  require_size(values.size(), impl_->count() * n, "parameters");
  std::vector<double> wanted = impl_->parameters;
  for (std::size_t w = 0; w < impl_->count(); ++w)
    if (mask[w])
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(w * n), n,
                  wanted.begin() + static_cast<std::ptrdiff_t>(w * n));
  const auto row = [&](const std::vector<double>& all, std::size_t w) { return std::span(all).subspan(w * n, n); };
  for (std::size_t w = 0; w < impl_->count(); ++w) {
    if (std::ranges::equal(row(wanted, w), row(impl_->parameters, w))) continue;
    std::vector<Setting> settings;
    for (std::size_t i = 0; i < n; ++i) settings.push_back({names[i], wanted[w * n + i]});
    const std::string problem = impl_->worlds->set_parameters(static_cast<int>(w), std::move(settings));
    require(problem.empty(), "world " + std::to_string(w) + ": " + problem);
    std::copy_n(wanted.begin() + static_cast<std::ptrdiff_t>(w * n), n, impl_->parameters.begin() + static_cast<std::ptrdiff_t>(w * n));
  }
}

std::vector<unsigned char> Batch::picture(int world, int width, int height, std::span<const double, 3> eye,
                                          std::span<const double, 3> target) {
  require(world >= 0 && world < worlds(), "there is no world " + std::to_string(world));
  if (!impl_->painter) impl_->painter = std::make_unique<Painter>(impl_->model);
  std::vector<double> q(static_cast<std::size_t>(impl_->nq)), v(static_cast<std::size_t>(impl_->nv));
  impl_->worlds->read_state(world, q.data(), v.data());
  return impl_->painter->paint(impl_->model, width, height, {eye[0], eye[1], eye[2]}, {target[0], target[1], target[2]}, q.data(),
                               v.data());
}

std::uint64_t Batch::hash() const {
  std::uint64_t h = 0;
  for (int w = 0; w < worlds(); ++w) h = mix64(h ^ hash(w));
  return h;
}

std::uint64_t Batch::hash(int world) const {
  require(world >= 0 && world < worlds(), "there is no world " + std::to_string(world));
  return impl_->worlds->hash(world);
}

std::vector<double> Batch::save(int world) const {
  require(world >= 0 && world < worlds(), "there is no world " + std::to_string(world));
  std::vector<double> out = impl_->worlds->save(world);
  out.push_back(static_cast<double>(impl_->ages[static_cast<std::size_t>(world)]));
  return out;
}

void Batch::restore(int world, std::span<const double> numbers) {
  require(world >= 0 && world < worlds(), "there is no world " + std::to_string(world));
  require(!numbers.empty() && impl_->worlds->restore(world, numbers.first(numbers.size() - 1)),
          "these numbers were not saved by such a batch");
  impl_->ages[static_cast<std::size_t>(world)] = static_cast<std::int64_t>(numbers.back());
  impl_->finite[static_cast<std::size_t>(world)] = 1;
}

}  // namespace gradus
