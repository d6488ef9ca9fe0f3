#include "link/library/guard.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <ctime>

namespace gradus {
namespace {

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kEnd = SIGUSR2;                          // ends a call from outside
constexpr int kExited = 1000;                          // beyond all signals
constexpr std::size_t kStack = std::size_t{64} << 10;  // of signal handlers: a full stack cannot hold them [byte]

/// Where a crash inside a library returns to. Per thread, since robots of several threads may be controlled at once.
/// Nothing here has a destructor: exit() of a library runs those before anything can stop it.
thread_local sigjmp_buf* crash_exit = nullptr;
thread_local bool has_stack = false;

/// The call that is under way, for those who want to end it; the last one to begin where several threads call.
std::atomic<const char*> running_name{nullptr};
std::atomic<double> running_since{0};
std::atomic<pthread_t> running_thread{};

struct Watched {
  std::atomic<const void*> base{nullptr};  // where the library lies in memory
  std::atomic<int> signal{0};              // in one of its threads
};
std::array<Watched, kGuardedLibraries> watched;

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const void* base_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

Watched* find_watched(const void* base) {
  for (Watched& w : watched)
    if (base != nullptr && w.base.load() == base) return &w;
  return nullptr;
}

/// The watched library nearest to the top of this thread's stack, if any.
Watched* library_on_stack() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i)
    if (Watched* w = find_watched(base_of(frames[i]))) return w;
  return nullptr;
}

/// A thread that a library started goes no further; its library is told of at the next call.
void park_if_foreign(int signal) {
  Watched* w = library_on_stack();
  if (w == nullptr) return;
  w->signal.store(signal);
  while (true) pause();
}

void on_crash(int signal) {
  if (crash_exit) siglongjmp(*crash_exit, signal);
  if (signal == kEnd) return;  // the call has just ended by itself
  park_if_foreign(signal);
  std::signal(signal, SIG_DFL);  // not inside a library: die as usual
  std::raise(signal);
}

void on_exit() {
  if (crash_exit) siglongjmp(*crash_exit, kExited);
  if (gettid() != getpid()) park_if_foreign(kExited);
}

void catch_crashes() {
  static const bool once = [] {
    void* frame[1];
    backtrace(frame, 1);  // loads what it needs now, not in a signal handler
    const auto handle = [](int signal) {
      struct sigaction action {};
      action.sa_handler = on_crash;
      action.sa_flags = SA_NODEFER | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      sigaction(signal, &action, nullptr);
    };
    for (int s : kCrashes) handle(s);
    handle(kEnd);
    return true;
  }();
  (void)once;
  if (has_stack) return;
  void* memory = mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = kStack};
  has_stack = sigaltstack(&stack, nullptr) == 0;
}

std::string text_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "crashed (segmentation fault)";
    case SIGBUS:
      return "crashed (bus error)";
    case SIGFPE:
      return "crashed (arithmetic fault)";
    case SIGILL:
      return "crashed (illegal instruction)";
    case kEnd:
      return "did not return and was ended";
    case kExited:
      return "called exit()";
    default:
      return "aborted";
  }
}

/// What the call changes for its thread, put back on every way out.
class Surroundings {
 public:
  explicit Surroundings(const char* name)
      : outer_(crash_exit), outer_name_(running_name.load()), outer_since_(running_since.load()) {
    std::fegetenv(&floating_point_);
    running_thread = pthread_self();
    running_since = now();
    running_name = name;
  }
  void leave() {
    crash_exit = outer_;
    if (pthread_equal(running_thread.load(), pthread_self())) {
      running_name = outer_name_;
      running_since = outer_since_;
    }
    std::fesetenv(&floating_point_);
  }

 private:
  sigjmp_buf* outer_;
  const char* outer_name_;
  double outer_since_;
  std::fenv_t floating_point_;
};

}  // namespace

std::string run_guarded(const char* name, void (*call)(void*), void* with) {
  catch_crashes();
  sigjmp_buf here;
  Surroundings surroundings(name);
  if (const int signal = sigsetjmp(here, 1)) {
    if (signal == kExited) std::atexit(on_exit);  // one was used up
    surroundings.leave();
    return text_of(signal);
  }
  crash_exit = &here;
  std::string problem;
  try {
    call(with);
  } catch (...) {
    problem = "threw an exception through the C interface";
  }
  surroundings.leave();
  return problem;
}

/// The newest handler of exit() runs first: one for each library, so that nothing made before it is destroyed.
void watch_library_of(const void* address) {
  std::atexit(on_exit);
  const void* base = base_of(address);
  if (base == nullptr || find_watched(base) != nullptr) return;
  for (Watched& w : watched) {
    const void* none = nullptr;
    if (w.base.compare_exchange_strong(none, base)) return;
  }
}

std::string failed_thread_of(const void* address) {
  const Watched* w = find_watched(base_of(address));
  const int signal = w != nullptr ? w->signal.load() : 0;
  return signal == 0 ? "" : text_of(signal) + " in a thread of its own";
}

const char* library_running_for(double seconds) {
  const char* name = running_name.load();
  return name != nullptr && now() - running_since.load() >= seconds ? name : nullptr;
}

void end_running_library() {
  if (running_name.load() != nullptr) pthread_kill(running_thread.load(), kEnd);
}

}  // namespace gradus
