// The Python module gradus._core: the C++ interface of include/gradus with NumPy arrays. What is pleasant to use stands in
// gradus/__init__.py; here is only what must be fast or must touch memory.
//
// Arrays that are handed out:
//   targets and impedance commands   views of the simulation's own numbers, good for its life; writing to them commands
//   q, v, torques, readings          copies: the state that they come from is another one after the next step
//   images                           views of the camera's buffer, good until the next image of that camera is asked for
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arrays.h"
#include "gradus/gradus.h"

namespace py = pybind11;
using gradus::Simulation;
using namespace gradus_python;

namespace {

/// NumPy 2 with a pybind11 that does not know it makes arrays of stride zero: refused at import.
void refuse_unknown_numpy() {
#if PYBIND11_VERSION_MAJOR == 2 && PYBIND11_VERSION_MINOR < 12
  const std::string version = py::str(py::module_::import("numpy").attr("__version__"));
  if (!version.empty() && version[0] != '0' && version[0] != '1')
    throw py::import_error("gradus was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
                               PYBIND11_VERSION_MINOR) ", which NumPy " + version +
                           " breaks: use numpy < 2, or build gradus with pybind11 2.12 or newer");
#endif
}

std::array<double, 3> three(const Numbers& a, const char* what) {
  const auto s = span_of(a, what);
  if (s.size() != 3) throw py::value_error(std::string(what) + " must have 3 numbers, not " + std::to_string(s.size()));
  for (double x : s)
    if (!std::isfinite(x)) throw py::value_error(std::string(what) + " is not finite");
  return {s[0], s[1], s[2]};
}

/// Height × width (× 3) bytes, floats or 16-bit numbers; rows of YUYV as they are.
py::array as_array(const Simulation::Image& i, py::handle owner) {
  const auto h = static_cast<py::ssize_t>(i.height), w = static_cast<py::ssize_t>(i.width);
  const auto row = static_cast<py::ssize_t>(i.row_bytes);
  py::array out;
  if (i.format == "rgb")
    out = py::array_t<std::uint8_t>({h, w, py::ssize_t{3}}, {row, py::ssize_t{3}, py::ssize_t{1}}, i.bytes.data(), owner);
  else if (i.format == "yuyv")
    out = py::array_t<std::uint8_t>({h, row / 2, py::ssize_t{2}}, {row, py::ssize_t{2}, py::ssize_t{1}}, i.bytes.data(), owner);
  else if (i.format == "grey")
    out = py::array_t<std::uint8_t>({h, w}, {row, py::ssize_t{1}}, i.bytes.data(), owner);
  else if (i.format == "depth")
    out = py::array_t<float>({h, w}, {row, py::ssize_t{4}}, reinterpret_cast<const float*>(i.bytes.data()), owner);
  else
    out = py::array_t<std::uint16_t>({h, w}, {row, py::ssize_t{2}}, reinterpret_cast<const std::uint16_t*>(i.bytes.data()), owner);
  out.attr("flags").attr("writeable") = false;
  return out;
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  refuse_unknown_numpy();
  m.doc() = "gradus from C++; use the package gradus";
  py::register_exception<gradus::Error>(m, "Error", PyExc_RuntimeError);

  py::class_<Simulation::Property>(m, "Property", "A number of one simulation, found once by its path.");
  py::class_<Simulation> sim(m, "Simulation");
  sim.def_static(
      "load",
      [](const std::string& scene, int threads, std::vector<std::string> sets, std::vector<std::string> logs,
         std::vector<std::string> record) {
        py::gil_scoped_release free;
        return Simulation::load(scene, Simulation::Options{threads, std::move(logs), std::move(record), std::move(sets)});
      },
      py::arg("scene"), py::arg("threads") = 1, py::arg("sets") = std::vector<std::string>{},
      py::arg("logs") = std::vector<std::string>{}, py::arg("record") = std::vector<std::string>{});
  sim.def(
      "step",
      [](Simulation& s, int count) {
        if (count < 0) throw py::value_error("step: count must not be negative");
        if (count == 1) return s.step(1);  // the lock costs as much as a small step
        py::gil_scoped_release free;
        s.step(count);
      },
      py::arg("count") = 1);
  sim.def_property_readonly("time", &Simulation::time, "simulated time [s]");
  sim.def_property_readonly("dt", &Simulation::step_length, "length of a step [s]");
  sim.def_property_readonly("k", &Simulation::step_number, "number of the step");
  sim.def("hash", &Simulation::hash, "of the whole state: equal for equal runs");
  sim.def_property_readonly("warnings", &Simulation::warnings);
  sim.def_property_readonly("events", [](const Simulation& s) {
    py::list out;
    for (const auto& e : s.events()) {
      py::dict d;
      d["time"] = e.time, d["kind"] = e.kind, d["robot"] = e.robot, d["what"] = e.what;
      out.append(d);
    }
    return out;
  });
  sim.def("properties", [](const Simulation& s) {
    py::list out;
    for (const auto& p : s.properties()) {
      py::dict d;
      d["path"] = p.path, d["unit"] = p.unit, d["about"] = p.about, d["settable"] = p.settable;
      d["lower"] = p.lower, d["upper"] = p.upper;
      out.append(d);
    }
    return out;
  });
  sim.def("get", py::overload_cast<const std::string&>(&Simulation::get, py::const_), py::arg("path"));
  sim.def("get", py::overload_cast<Simulation::Property>(&Simulation::get, py::const_), py::arg("property"));
  sim.def("set", py::overload_cast<const std::string&, double>(&Simulation::set), py::arg("path"), py::arg("value"));
  sim.def("set", py::overload_cast<Simulation::Property, double>(&Simulation::set), py::arg("property"), py::arg("value"));
  sim.def("property", &Simulation::property, py::arg("path"));
  sim.def_property_readonly("robot_count", &Simulation::robot_count);
  sim.def("find_robot", &Simulation::find_robot, py::arg("name"));
  sim.def("robot_name", &Simulation::robot_name, py::arg("robot"));
  sim.def("joints", &Simulation::joints, py::arg("robot"));
  sim.def("bodies", &Simulation::bodies, py::arg("robot"));
  sim.def("q", [](const Simulation& s, int r) { return copy_of(s.q(r)); });
  sim.def("v", [](const Simulation& s, int r) { return copy_of(s.v(r)); });
  sim.def("torques", [](const Simulation& s, int r) { return copy_of(s.torques(r)); });
  sim.def("targets", [](py::object self, int r) {
    const auto t = self.cast<Simulation&>().targets(r);
    return view_of(t.data(), t.size(), self, true);
  });
  sim.def("impedance", [](py::object self, int r) -> py::object {
    const auto i = self.cast<Simulation&>().impedance(r);
    if (i.kp.empty()) return py::none();
    py::dict d;
    d["speed"] = view_of(i.speed.data(), i.speed.size(), self, true);
    d["torque"] = view_of(i.torque.data(), i.torque.size(), self, true);
    d["kp"] = view_of(i.kp.data(), i.kp.size(), self, true);
    d["kd"] = view_of(i.kd.data(), i.kd.size(), self, true);
    return d;
  });
  sim.def("set_state", [](Simulation& s, int r, const Numbers& q, const Numbers& v) {
    s.set_state(r, span_of(q, "q"), span_of(v, "v"));
  });
  sim.def("pose", [](const Simulation& s, int r, const std::string& body) {
    const auto p = s.pose(r, body);
    return py::make_tuple(copy_of({p.position, 3}), copy_of({p.orientation, 4}));
  });
  sim.def("contacts", [](const Simulation& s) {
    py::list out;
    for (const auto& c : s.contacts()) {
      py::dict d;
      d["robot"] = c.robot, d["body"] = c.body, d["other_robot"] = c.other_robot, d["other"] = c.other;
      d["point"] = copy_of({c.point, 3}), d["force"] = copy_of({c.force, 3});
      out.append(d);
    }
    return out;
  });
  sim.def("push", [](Simulation& s, int r, const std::string& body, const Numbers& force, const Numbers& point) {
    const auto f = three(force, "force"), p = three(point, "point");
    s.push(r, body, std::span<const double, 3>(f), std::span<const double, 3>(p));
  });
  sim.def("kick", [](Simulation& s, int r, const std::string& body, const Numbers& impulse, const Numbers& point) {
    const auto i = three(impulse, "impulse"), p = three(point, "point");
    s.kick(r, body, std::span<const double, 3>(i), std::span<const double, 3>(p));
  });
  sim.def("set_motion", &Simulation::set_motion, py::arg("robot"), py::arg("motion"));
  sim.def("motion", &Simulation::motion, py::arg("robot"));
  sim.def("sensors", [](const Simulation& s, int r) {
    py::list out;
    for (const auto& x : s.sensors(r)) out.append(py::make_tuple(x.name, x.kind, x.channels, x.units));
    return out;
  });
  sim.def("read", [](const Simulation& s, int r, int sensor) {
    const auto x = s.read(r, sensor);
    return py::make_tuple(copy_of(x.values), copy_of(x.truth), x.time, x.sample);
  });
  sim.def("image", [](py::object self, int r, int sensor) {
    auto& s = self.cast<Simulation&>();
    std::vector<Simulation::Image> images;
    {
      py::gil_scoped_release free;
      images = s.image(r, sensor);
    }
    py::list out;
    for (const auto& i : images) out.append(py::make_tuple(i.format, as_array(i, self), i.frame, i.time));
    return out;
  });
  sim.def("save", [](const Simulation& s) {
    const auto bytes = s.save();
    return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  sim.def("restore", [](Simulation& s, const py::bytes& bytes) {
    const std::string_view x = bytes;
    s.restore({x.begin(), x.end()});
  });
  sim.def("close_logs", &Simulation::close_logs);
  bind_batch(m);
  bind_learn(m);
  bind_optimise(m);
  bind_self_collision(m);
}
