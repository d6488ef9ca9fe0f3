#include "base/threads.h"

#include <algorithm>

namespace gradus {
namespace {

/// Spins briefly, since a step lasts microseconds, then lets others run, since machines are shared.
template <class Ready>
void wait_for(const Ready& ready) {
  for (int spins = 0; !ready(); ++spins)
    if (spins > 200) std::this_thread::yield();
}

}  // namespace

Team::Team(int threads) : size_(std::max(1, threads)) {
  for (int i = 1; i < size_; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Team::run_call(Call call) {
  if (size_ == 1) return call.function(call.work, 0);
  call_ = call;
  running_.store(size_ - 1, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  call.function(call.work, 0);
  wait_for([this] { return running_.load(std::memory_order_acquire) == 0; });
}

void Team::serve(int part) {
  std::uint64_t seen = 0;
  for (;;) {
    for (int spins = 0; round_.load(std::memory_order_acquire) == seen; ++spins)
      if (spins > 2000) round_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (stop_) return;
    call_.function(call_.work, part);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace gradus
