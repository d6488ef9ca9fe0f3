/// Two ways to pass data between exactly one writing and one reading thread without a lock and without waiting, so that
/// a viewer can never delay a step: a queue that refuses when full, and a triple buffer in which the newest value wins.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gradus::view {

/// Bounded first-in, first-out queue. `Capacity` values fit; push reports when there is no room.
template <class T, std::size_t Capacity>
class Queue {
 public:
  [[nodiscard]] bool push(T value) {  // by the writing thread
    const std::size_t tail = tail_.load(std::memory_order_relaxed), next = (tail + 1) % slots_.size();
    if (next == head_.load(std::memory_order_acquire)) return false;
    slots_[tail] = std::move(value);
    tail_.store(next, std::memory_order_release);
    return true;
  }
  [[nodiscard]] bool pop(T& value) {  // by the reading thread
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    value = std::move(slots_[head]);
    head_.store((head + 1) % slots_.size(), std::memory_order_release);
    return true;
  }

 private:
  std::array<T, Capacity + 1> slots_;  // one stays empty: head = tail means no value
  std::atomic<std::size_t> head_{0};   // next to read
  std::atomic<std::size_t> tail_{0};   // next to write
};

/// Three slots: one being written, one being read, one in between that holds the newest complete value.
template <class T>
class NewestWins {
 public:
  T& back() { return slots_[back_]; }  // the writing thread fills this (it holds some older value) …
  void publish() {                     // … and hands it over; a value not yet taken is replaced
    back_ = between_.exchange(back_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }
  bool take() {  // by the reading thread: is there a new value? Then front() is it.
    if (!(between_.load(std::memory_order_relaxed) & kFresh)) return false;
    front_ = between_.exchange(front_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  T& front() { return slots_[front_]; }

 private:
  static constexpr unsigned kIndex = 3, kFresh = 4;
  std::array<T, 3> slots_{};
  unsigned back_ = 0, front_ = 1;
  std::atomic<unsigned> between_{2};
};

}  // namespace gradus::view
