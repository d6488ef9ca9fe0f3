// gradus._core.Batch: many worlds with NumPy arrays [gradus/batch.h]. Arrays of actions, observations, ages and finite
// are views of the batch's own numbers, the same ones for its life; the interpreter's lock is free while worlds step.
#include "gradus/batch.h"

#include <pybind11/stl.h>

#include "arrays.h"

using gradus::Batch;

namespace gradus_python {
namespace {

template <class T>
py::array rows(T* data, int n, int columns, py::handle owner, bool writable) {
  const auto c = static_cast<py::ssize_t>(columns), size = static_cast<py::ssize_t>(sizeof(T));
  py::array_t<std::remove_const_t<T>> a({static_cast<py::ssize_t>(n), c}, {c * size, size}, data, owner);
  if (!writable) a.attr("flags").attr("writeable") = false;
  return a;
}

/// An array of just this type and shape, in C order: nothing is converted behind the caller's back.
template <class T>
std::span<const T> exactly(const py::array& a, int n, int columns, const char* what) {
  const std::string shape = "(" + std::to_string(n) + ", " + std::to_string(columns) + ")";
  if (!py::isinstance<py::array_t<T>>(a))
    throw py::type_error(std::string(what) + " must be of " + std::string(py::str(py::dtype::of<T>())) + ", not " +
                         std::string(py::str(a.dtype())));
  const bool flat = columns == 1 && a.ndim() == 1 && a.shape(0) == n;
  if (!flat && (a.ndim() != 2 || a.shape(0) != n || a.shape(1) != columns))
    throw py::value_error(std::string(what) + " must have the shape " + shape + ", not " +
                          std::string(py::str(a.attr("shape"))));
  if (!(a.flags() & py::array::c_style)) throw py::value_error(std::string(what) + " must be in C order");
  return {static_cast<const T*>(a.data()), static_cast<std::size_t>(a.size())};
}

/// bool or bytes, one per world; None: all of them.
std::vector<std::uint8_t> mask_of(const py::object& mask, int n) {
  if (mask.is_none()) return std::vector<std::uint8_t>(static_cast<std::size_t>(n), 1);
  const auto a = py::array_t<bool, py::array::c_style>::ensure(mask);
  if (!a || a.ndim() != 1 || a.shape(0) != n)
    throw py::value_error("a mask has one truth for each of the " + std::to_string(n) + " worlds");
  return {a.data(), a.data() + n};
}

Numbers table(const py::object& x, int n, int columns, const char* what) {
  const auto a = Numbers::ensure(x);
  if (!a) throw py::type_error(std::string(what) + " must be numbers");
  if (a.ndim() != 2 || a.shape(0) != n || a.shape(1) != columns)
    throw py::value_error(std::string(what) + " must have the shape (" + std::to_string(n) + ", " +
                          std::to_string(columns) + "), not " + std::string(py::str(a.attr("shape"))));
  return a;
}
std::span<const double> flat(const Numbers& a) { return {a.data(), static_cast<std::size_t>(a.size())}; }

py::dict dict_of(const std::vector<Batch::Columns>& columns) {
  py::dict out;
  for (const auto& c : columns) out[py::str(c.name)] = py::make_tuple(c.begin, c.begin + c.count, c.paths);
  return out;
}

struct Held {
  Batch batch;
  bool single;
};

Held load(const std::string& scene, const py::dict& o) {
  Batch::Options options;
  options.worlds = o["worlds"].cast<int>();
  options.threads = o["threads"].cast<int>();
  options.backend = o["backend"].cast<std::string>();
  options.single = o["single"].cast<bool>();
  options.observe = o["observe"].cast<std::vector<std::string>>();
  options.act = o["act"].cast<std::vector<std::string>>();
  options.parameters = o["parameters"].cast<std::vector<std::string>>();
  options.sets = o["sets"].cast<std::vector<std::string>>();
  options.seed = o["seed"].cast<std::uint64_t>();
  options.predictions = o["predictions"].cast<int>();
  py::gil_scoped_release free;
  return {Batch::load(scene, options), options.single};
}

void act(Held& h, const py::object& actions, int steps) {
  Batch& b = h.batch;
  if (actions.is_none()) {
    py::gil_scoped_release free;
    b.act(steps);
    return;
  }
  const auto a = py::array::ensure(actions);
  if (!a) throw py::type_error("actions must be an array");
  if (h.single) {
    const auto numbers = exactly<float>(a, b.worlds(), b.action_size(), "actions");
    py::gil_scoped_release free;
    b.act(numbers, steps);
  } else {
    const auto numbers = exactly<double>(a, b.worlds(), b.action_size(), "actions");
    py::gil_scoped_release free;
    b.act(numbers, steps);
  }
}

void bind_arrays(py::class_<Held>& c) {
  c.def("actions", [](py::object self) {
    Held& h = self.cast<Held&>();
    Batch& b = h.batch;
    return h.single ? rows(b.actions<float>().data(), b.worlds(), b.action_size(), self, true)
                    : rows(b.actions<double>().data(), b.worlds(), b.action_size(), self, true);
  });
  c.def("observations", [](py::object self) {
    Held& h = self.cast<Held&>();
    Batch& b = h.batch;
    return h.single ? rows(b.observations<float>().data(), b.worlds(), b.observation_size(), self, true)
                    : rows(b.observations<double>().data(), b.worlds(), b.observation_size(), self, true);
  });
  c.def("ages", [](py::object self) {
    const auto a = self.cast<Held&>().batch.ages();
    return view_of(a.data(), a.size(), self, false);
  });
  c.def("episodes", [](py::object self) {
    const auto a = self.cast<Held&>().batch.episodes();
    return view_of(a.data(), a.size(), self, false);
  });
  c.def("finite", [](py::object self) {
    const auto a = self.cast<Held&>().batch.finite();
    py::array_t<bool> out(static_cast<py::ssize_t>(a.size()), reinterpret_cast<const bool*>(a.data()), self);
    out.attr("flags").attr("writeable") = false;
    return out;
  });
  c.def("action_limits", [](const Held& h) {
    return py::make_tuple(copy_of(h.batch.action_lower()), copy_of(h.batch.action_upper()),
                          copy_of(h.batch.action_start()));
  });
}

void bind_changes(py::class_<Held>& c) {
  c.def("reset", [](Held& h, const py::object& mask, const py::object& q, const py::object& v) {
    Batch& b = h.batch;
    const auto m = mask_of(mask, b.worlds());
    if (q.is_none() != v.is_none()) throw py::value_error("q and v come together");
    if (q.is_none()) return b.reset(m);
    const Numbers tq = table(q, b.worlds(), b.position_size(), "q"), tv = table(v, b.worlds(), b.velocity_size(), "v");
    b.reset(m, flat(tq), flat(tv));
  });
  c.def("set_start_noise", [](Held& h, const Numbers& q, const Numbers& v) {
    h.batch.set_start_noise(span_of(q, "noise of positions"), span_of(v, "noise of velocities"));
  });
  c.def("set_delays", [](Held& h, const std::vector<int>& d) { h.batch.set_delays(d); });
  c.def("states", [](const Held& h) {
    const auto n = static_cast<py::ssize_t>(h.batch.worlds());
    py::array_t<double> q({n, static_cast<py::ssize_t>(h.batch.position_size())}),
        v({n, static_cast<py::ssize_t>(h.batch.velocity_size())});
    h.batch.states({q.mutable_data(), static_cast<std::size_t>(q.size())},
                   {v.mutable_data(), static_cast<std::size_t>(v.size())});
    return py::make_tuple(q, v);
  });
  c.def("add_velocity", [](Held& h, const py::object& mask, const py::object& dv) {
    const Numbers t = table(dv, h.batch.worlds(), h.batch.velocity_size(), "velocities");
    h.batch.add_velocity(mask_of(mask, h.batch.worlds()), flat(t));
  });
  c.def("push",
        [](Held& h, const py::object& mask, const std::string& body, const py::object& forces, const Numbers& point) {
          const Numbers t = table(forces, h.batch.worlds(), 3, "forces");
          const auto p = span_of(point, "point");
          if (p.size() != 3) throw py::value_error("point must have 3 numbers");
          h.batch.push(mask_of(mask, h.batch.worlds()), body, flat(t), p.first<3>());
        });
  c.def("set_parameters", [](Held& h, const py::object& mask, const py::object& values) {
    const Numbers t = table(values, h.batch.worlds(), static_cast<int>(h.batch.parameter_names().size()), "parameters");
    const auto m = mask_of(mask, h.batch.worlds());
    py::gil_scoped_release free;
    h.batch.set_parameters(m, flat(t));
  });
  c.def("picture", [](Held& h, int world, int width, int height, const Numbers& eye, const Numbers& target) {
    const auto e = span_of(eye, "eye"), t = span_of(target, "target");
    if (e.size() != 3 || t.size() != 3) throw py::value_error("eye and target have 3 numbers each");
    std::vector<unsigned char> bytes;
    {
      py::gil_scoped_release free;
      bytes = h.batch.picture(world, width, height, e.first<3>(), t.first<3>());
    }
    return py::array_t<unsigned char>(
        {static_cast<py::ssize_t>(height), static_cast<py::ssize_t>(width), py::ssize_t{3}}, bytes.data());
  });
  c.def("save", [](const Held& h, int world) { return copy_of(h.batch.save(world)); });
  c.def("restore",
        [](Held& h, int world, const Numbers& numbers) { h.batch.restore(world, span_of(numbers, "numbers")); });
}

/// DLPack's tensor [dlpack.h, version 0.8]: what a capsule "dltensor" holds.
struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;  // 2: CUDA
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;  // 2: float
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape, *strides;  // no strides: rows lie together
  std::uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);
};
/// Of one call: numbers stay the batch's, which `owner` keeps alive.
struct DlHeld {
  DlManagedTensor managed;
  std::vector<std::int64_t> shape;
  py::object owner;
};

py::capsule dlpack(std::uintptr_t data, std::vector<std::int64_t> shape, py::object owner) {
  auto* held = new DlHeld{{}, std::move(shape), std::move(owner)};
  held->managed = {{reinterpret_cast<void*>(data), 2, 0, static_cast<std::int32_t>(held->shape.size()), {2, 32, 1},
                    held->shape.data(), nullptr, 0},
                   held,
                   [](DlManagedTensor* t) {
                     py::gil_scoped_acquire lock;
                     delete static_cast<DlHeld*>(t->context);
                   }};
  return py::capsule(&held->managed, "dltensor", [](PyObject* c) {
    if (!PyCapsule_IsValid(c, "dltensor")) return;  // taken over: whoever did frees it
    auto* t = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(c, "dltensor"));
    t->deleter(t);
  });
}

void bind_gpu(py::module_& m, py::class_<Held>& c) {
  m.def("dlpack", &dlpack, py::arg("data"), py::arg("shape"), py::arg("owner"));
  c.def("gpu", [](const Held& h) {
    const gradus::Batch::Gpu g = h.batch.gpu();
    const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return py::make_tuple(address(g.slab), g.tiles, g.row, g.tile, address(g.actions), address(g.observations));
  });
  c.def(
      "launch", [](Held& h, int steps, std::uintptr_t stream) { h.batch.launch(steps, reinterpret_cast<void*>(stream)); },
      py::arg("steps"), py::arg("stream"));
  c.def(
      "begin_on_gpu",
      [](Held& h, std::uintptr_t mask, std::uintptr_t stream) {
        h.batch.begin_on_gpu(reinterpret_cast<const std::uint8_t*>(mask), reinterpret_cast<void*>(stream));
      },
      py::arg("mask"), py::arg("stream"));
}

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<Held> c(m, "Batch");
  c.def_static("load", &load, py::arg("scene"), py::arg("options"));
  c.def("act", &act, py::arg("actions"), py::arg("steps"));
  c.def("observe", [](Held& h) { h.batch.observe(); });
  c.def("hash", [](const Held& h) { return h.batch.hash(); });
  c.def("hash", [](const Held& h, int world) { return h.batch.hash(world); });
  c.def_property_readonly("worlds", [](const Held& h) { return h.batch.worlds(); });
  c.def_property_readonly("dt", [](const Held& h) { return h.batch.step_length(); });
  c.def_property_readonly("backend", [](const Held& h) { return h.batch.backend(); });
  c.def_property_readonly("why", [](const Held& h) { return h.batch.why(); });
  c.def_property_readonly("warnings", [](const Held& h) { return h.batch.warnings(); });
  c.def_property_readonly("predictions", [](const Held& h) { return h.batch.predictions(); });
  c.def("observation_columns", [](const Held& h) { return dict_of(h.batch.observation_columns()); });
  c.def("action_columns", [](const Held& h) { return dict_of(h.batch.action_columns()); });
  c.def_property_readonly(
      "sizes", [](const Held& h) { return py::make_tuple(h.batch.position_size(), h.batch.velocity_size()); });
  bind_arrays(c);
  bind_changes(c);
  bind_gpu(m, c);
}

}  // namespace gradus_python
