#include "link/dynamixel/terminal.h"

#include <asm/termbits.h>  // not <termios.h>, which knows no speeds but those of its list
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gradus::dynamixel {
namespace {

/// The flag of a speed that every program knows; BOTHER: another one, to be read as a number.
unsigned flag_of(double baud) {
  struct Speed {
    double baud;
    unsigned flag;
  };
  constexpr Speed kSpeeds[] = {{9600, B9600},   {57600, B57600}, {115200, B115200}, {500000, B500000},
                               {1e6, B1000000}, {2e6, B2000000}, {3e6, B3000000},   {4e6, B4000000}};
  for (const Speed& s : kSpeeds)
    if (s.baud == baud) return s.flag;
  return BOTHER;
}

}  // namespace

std::string open_terminal(double baud, Terminal& out) {
  out.master = Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  char path[128];
  if (!out.master || grantpt(out.master.get()) != 0 || unlockpt(out.master.get()) != 0 ||
      ptsname_r(out.master.get(), path, sizeof path) != 0)
    return std::strerror(errno);
  out.name = path;
  out.slave = Descriptor(::open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  termios2 raw;
  if (!out.slave || ioctl(out.slave.get(), TCGETS2, &raw) != 0) return std::strerror(errno);
  raw.c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  raw.c_oflag &= ~OPOST;
  raw.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  raw.c_cflag = (raw.c_cflag & ~(CSIZE | PARENB | CBAUD | CIBAUD)) | CS8 | flag_of(baud);
  raw.c_ispeed = raw.c_ospeed = static_cast<unsigned>(baud);
  raw.c_cc[VMIN] = 1, raw.c_cc[VTIME] = 0;
  return ioctl(out.slave.get(), TCSETS2, &raw) == 0 ? "" : std::strerror(errno);
}

double speed_of(const Terminal& terminal) {
  termios2 now;
  return ioctl(terminal.slave.get(), TCGETS2, &now) == 0 ? now.c_ospeed : 0;
}

std::string link_terminal(const std::string& terminal, const std::string& path) {
  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISLNK(there.st_mode) || access(path.c_str(), F_OK) == 0) return "'" + path + "' is there already";
    unlink(path.c_str());
  }
  return symlink(terminal.c_str(), path.c_str()) == 0 ? "" : "cannot make '" + path + "': " + std::strerror(errno);
}

}  // namespace gradus::dynamixel
