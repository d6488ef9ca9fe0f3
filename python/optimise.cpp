// gradus._core.Study: a study whose candidates are evaluated by whoever calls evaluate [gradus/optimise.h].
#include "gradus/optimise.h"

#include <pybind11/stl.h>

#include "arrays.h"

using gradus::Study;

namespace gradus_python {

void bind_optimise(py::module_& m) {
  py::class_<Study> study(m, "Study");
  study.def(py::init([](const std::string& file, const std::string& folder, bool resume, std::int64_t evaluations, std::int64_t seed) {
              py::gil_scoped_release free;
              return Study::load(file, folder, {resume, evaluations, seed});
            }),
            py::arg("file"), py::arg("folder") = "", py::arg("resume") = false, py::arg("evaluations") = 0, py::arg("seed") = -1);
  study.def("ask", &Study::ask);
  study.def(
      "evaluate",
      [](const Study& s, const std::vector<double>& x) {
        Study::Outcome o;
        {
          py::gil_scoped_release free;
          o = s.evaluate(x);
        }
        return py::make_tuple(o.objective, o.violation, o.rank, o.failed, o.why);
      },
      py::arg("candidate"));
  study.def(
      "tell",
      [](Study& s, const std::vector<std::tuple<double, double, double, int, std::string>>& all) {
        std::vector<Study::Outcome> outcomes;
        for (const auto& [objective, violation, rank, failed, why] : all) outcomes.push_back({objective, violation, rank, failed, why});
        s.tell(outcomes);
      },
      py::arg("outcomes"));
  study.def("done", &Study::done, py::arg("elapsed") = 0.0);
  study.def_property_readonly("evaluations", &Study::evaluations);
  study.def_property_readonly("generation", &Study::generation);
  study.def_property_readonly("budget", &Study::budget);
  study.def_property_readonly("fingerprint", &Study::fingerprint);
  study.def_property_readonly("parameters", [](const Study& s) {
    py::dict out;
    for (const auto& p : s.parameters()) out[py::str(p.path)] = py::make_tuple(p.low, p.high, p.unit);
    return out;
  });
  study.def_property_readonly("best", [](const Study& s) -> py::object {
    if (!s.has_best()) return py::none();
    py::dict out;
    const auto values = s.best();
    const auto parameters = s.parameters();
    for (std::size_t i = 0; i < values.size(); ++i) out[py::str(parameters[i].path)] = values[i];
    return out;
  });
  study.def_property_readonly("best_outcome", [](const Study& s) -> py::object {
    if (!s.has_best()) return py::none();
    const auto o = s.best_outcome();
    return py::make_tuple(o.objective, o.violation, o.rank, o.failed, o.why);
  });
}

}  // namespace gradus_python
