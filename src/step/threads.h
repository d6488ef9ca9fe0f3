/// A fixed team of threads that runs one function on a fixed partition: part i of n is always the same work, so results do
/// not depend on timing, and with per-robot work not on n either.
#pragma once
#include <atomic>
#include <functional>
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
  void run(const std::function<void(int)>& work);

 private:
  void serve(int part);
  int size_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<std::uint64_t> round_{0};   // raised to start a round
  std::atomic<int> running_{0};           // parts of this round still at work
  std::atomic<bool> stop_{false};
};

}  // namespace gradus
