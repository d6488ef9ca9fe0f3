/// Takes compressing and writing a log off the simulation's thread. One producer, one writing thread, two buffers:
/// while one is written, the other fills. When both are full the producer waits; nothing is ever dropped and the order
/// is kept, so the file is the same, byte for byte, as if McapWriter had been called directly. No allocation once the
/// buffers have grown to their size.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "io/mcap_writer.h"

namespace gradus {

class LogThread {
 public:
  /// Schemas, channels, attachments and metadata are given to the writer before it comes here, or after finish().
  explicit LogThread(McapWriter writer, std::size_t buffer_bytes = std::size_t{4} << 20);
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
  ~LogThread();  // finishes; the writer closes the file

  /// As McapWriter::message. Since writing comes later, false is said some messages late: the log has ended with
  /// an error (finish().error() tells which) or an earlier message was refused.
  bool message(std::uint16_t channel, std::uint64_t log_time_ns, ByteView data);
  /// Waits until all messages so far are in the file.
  bool flush();
  /// Waits for the thread to write all messages and ends it. The writer is then the caller's to add to and close.
  McapWriter& finish();

 private:
  void hand_over();
  void wait_until_idle(std::unique_lock<std::mutex>& lock);
  void run();
  void write_back_buffer();

  McapWriter writer_;  // used by the thread while it lives and busy_ is set
  const std::size_t buffer_bytes_;
  Bytes front_;  // messages gathered; the producer's
  Bytes back_;   // messages being written; the thread's while busy_
  std::mutex mutex_;
  std::condition_variable changed_;
  bool busy_ = false, stop_ = false;  // guarded by mutex_
  std::atomic<bool> failed_ = false;
  std::thread thread_;
};

}  // namespace gradus
