/// NumPy arrays in and out of the module's parts.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>

namespace gradus_python {

namespace py = pybind11;

inline py::array_t<double> copy_of(std::span<const double> x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}

/// Keeps `owner` alive as long as the array is.
template <class T>
py::array view_of(T* data, std::size_t size, py::handle owner, bool writable) {
  py::array_t<std::remove_const_t<T>> a(static_cast<py::ssize_t>(size), data, owner);
  if (!writable) a.attr("flags").attr("writeable") = false;
  return a;
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

inline std::span<const double> span_of(const Numbers& a, const char* what) {
  if (a.ndim() != 1)
    throw py::value_error(std::string(what) + " must have one dimension, not " + std::to_string(a.ndim()));
  return {a.data(), static_cast<std::size_t>(a.size())};
}

void bind_batch(py::module_& m);  // gradus.Batch [batch.cpp]
void bind_learn(py::module_& m);  // the learner [learn.cpp]
void bind_optimise(py::module_& m);  // studies [optimise.cpp]
void bind_self_collision(py::module_& m);  // [self_collision.cpp]

}  // namespace gradus_python
