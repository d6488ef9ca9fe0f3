/// A pseudo-terminal as a serial line: programs open its name as they open /dev/ttyUSB0.
#pragma once
#include <string>

#include "link/stream/stream.h"

namespace gradus::dynamixel {

struct Terminal {
  Descriptor master, slave;  // ours; the slave is kept open too: a program may come and go
  std::string name;          // "/dev/pts/3"
};

/// One that passes bytes as they are and begins at this speed; "" or what went wrong.
std::string open_terminal(double baud, Terminal& out);

/// The speed that the program last set, 0: unknown  [Bd]
double speed_of(const Terminal& terminal);

/// A symbolic link to it. A link whose terminal is gone is replaced, anything else is left alone.
std::string link_terminal(const std::string& terminal, const std::string& path);

}  // namespace gradus::dynamixel
