/// Foreign code run so that it can do no harm to the run: a crash, an exception, exit(), a stack overflow end the call,
/// not the program, and the floating-point environment is afterwards what it was (a library built with -Ofast flushes
/// small numbers to zero in every thread that loads it). What such a library's own threads do wrong stops those threads
/// and is told at the next call.
///
/// Not caught: _exit() and kill, memory written to at random, and a library that holds a lock of the C library when it
/// is abandoned.
#pragma once
#include <string>
#include <type_traits>

namespace gradus {

/// Runs foreign code of the loaded library `name`; returns "" or what went wrong with it. `name` lives as long as the
/// call.
std::string run_guarded(const char* name, void (*call)(void*), void* with);
template <class Call>
std::string run_guarded(const char* name, Call&& call) {  // nothing is allocated
  return run_guarded(
      name, [](void* c) { (*static_cast<std::remove_cvref_t<Call>*>(c))(); },
      const_cast<std::remove_cvref_t<Call>*>(&call));
}

/// Marks the library that holds `address` as one whose threads may go wrong. At most kGuardedLibraries of them.
inline constexpr int kGuardedLibraries = 256;
void watch_library_of(const void* address);
/// What went wrong in a thread that the library at `address` started; "" if nothing.
std::string failed_thread_of(const void* address);

/// For signal handlers: the library that has been running for at least `seconds`, or null.
const char* library_running_for(double seconds);
/// For signal handlers: ends the call of the library that is running, wherever it is.
void end_running_library();

}  // namespace gradus
