#include "io/log_thread.h"

#include <utility>

namespace gradus {

LogThread::LogThread(McapWriter writer, std::size_t buffer_bytes)
    : writer_(std::move(writer)), buffer_bytes_(buffer_bytes) {
  constexpr std::size_t kOneMessage = 1 << 16;  // the message that makes a buffer full may stick out
  front_.reserve(buffer_bytes_ + kOneMessage);
  back_.reserve(buffer_bytes_ + kOneMessage);
  thread_ = std::thread([this] { run(); });
}

LogThread::~LogThread() { finish(); }

bool LogThread::message(std::uint16_t channel, std::uint64_t log_time_ns, ByteView data) {
  if (!thread_.joinable()) return false;
  append_le(front_, channel);
  append_le(front_, log_time_ns);
  append_le(front_, std::uint64_t{data.size()});
  append_bytes(front_, data);
  if (front_.size() >= buffer_bytes_) hand_over();
  return !failed_;
}

bool LogThread::flush() {
  if (!thread_.joinable()) return false;
  hand_over();
  std::unique_lock lock(mutex_);
  wait_until_idle(lock);
  return writer_.flush() && !failed_;  // the thread touches the writer only while busy
}

McapWriter& LogThread::finish() {
  if (thread_.joinable()) {
    hand_over();
    {
      std::unique_lock lock(mutex_);
      wait_until_idle(lock);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  return writer_;
}

void LogThread::hand_over() {
  std::unique_lock lock(mutex_);
  wait_until_idle(lock);
  std::swap(front_, back_);
  front_.clear();
  busy_ = true;
  changed_.notify_all();
}

void LogThread::wait_until_idle(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return !busy_; });
}

void LogThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || stop_; });
    if (!busy_) return;
    lock.unlock();
    write_back_buffer();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void LogThread::write_back_buffer() {
  ByteReader in(back_);
  while (!in.at_end()) {
    const auto channel = in.le<std::uint16_t>();
    const auto log_time = in.le<std::uint64_t>();
    const auto size = in.le<std::uint64_t>();
    if (!writer_.message(channel, log_time, in.take(size))) failed_ = true;
  }
}

}  // namespace gradus
