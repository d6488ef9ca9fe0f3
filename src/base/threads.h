/// A fixed team of threads that runs one function on a fixed partition: part i of n is always the same work, so results
/// do not depend on timing, and with per-robot work not on n either.
#pragma once
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace gradus {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  int size() const { return size_; }
  /// Calls work(part) for part 0 … size − 1, part 0 on the calling thread; returns when all are done.
  template <class Work>
  void run(const Work& work) {
    run_call({[](const void* w, int part) { (*static_cast<const Work*>(w))(part); }, &work});
  }

 private:
  /// A call with its captures by address: std::function would allocate for every step.
  struct Call {
    void (*function)(const void* work, int part) = nullptr;
    const void* work = nullptr;
  };
  void run_call(Call call);
  void serve(int part);
  int size_;
  std::vector<std::thread> threads_;
  Call call_;
  std::atomic<std::uint64_t> round_{0};  // raised to start a round
  std::atomic<int> running_{0};          // parts of this round still at work
  std::atomic<bool> stop_{false};
};

}  // namespace gradus
