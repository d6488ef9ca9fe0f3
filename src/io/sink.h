/// Where logs are written to: a file in the product, anything in a test. A sink never throws and never raises a signal
/// of its own; whoever writes looks at the count of bytes that fitted, cuts the sink back to its last whole unit, and
/// says error().
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace gradus {

class Sink {
 public:
  virtual ~Sink() = default;
  /// Appends; returns how many bytes were taken. Fewer than asked for means an error, described by error().
  virtual std::size_t write(ByteView data) = 0;
  /// Makes sure that `size` more bytes will fit, without changing what is there. False: they will not. A sink that
  /// cannot know answers true.
  virtual bool reserve(std::uint64_t size) = 0;
  /// Cuts back to `size` bytes, which must not be more than there are.
  virtual bool truncate(std::uint64_t size) = 0;
  virtual bool close() = 0;
  /// The first problem met: "No space left on device"; empty while all is well.
  virtual const std::string& error() const = 0;
};

/// Creates or overwrites a file.
Result<std::unique_ptr<Sink>> open_file_sink(const std::string& path);

}  // namespace gradus
