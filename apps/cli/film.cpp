#include "cli/film.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace gradus::cli {
namespace {

/// In single quotes for the shell.
std::string quoted(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::uint8_t byte(int x) { return static_cast<std::uint8_t>(std::clamp(x, 0, 255)); }

}  // namespace

Film::~Film() { close(); }

std::string Film::open(const std::string& path, int width, int height, double rate) {
  path_ = path, width_ = width, height_ = height;
  planes_.resize(static_cast<std::size_t>(width) * height * 3);
  pipe_ = !path.ends_with(".y4m");
  if (pipe_ && std::system("ffmpeg -version >/dev/null 2>&1") != 0)
    return "films other than .y4m need ffmpeg, which is not installed; write FILE.y4m, which most players show";
  if (pipe_) std::signal(SIGPIPE, SIG_IGN);  // if ffmpeg gives up, add() says so
  const std::string command =
      "ffmpeg -y -loglevel error -f yuv4mpegpipe -i - -pix_fmt yuv420p " + quoted("file:" + path);
  out_ = pipe_ ? popen(command.c_str(), "w") : std::fopen(path.c_str(), "wb");
  if (out_ == nullptr) return "cannot write " + path + ": " + std::strerror(errno);
  std::fprintf(out_, "YUV4MPEG2 W%d H%d F%d:1000 Ip A1:1 C444 XCOLORRANGE=FULL\n", width, height,
               static_cast<int>(rate * 1000 + 0.5));
  return "";
}

std::string Film::add(const std::uint8_t* rgb) {
  const std::size_t n = static_cast<std::size_t>(width_) * height_;
  for (std::size_t i = 0; i < n; ++i) {
    const int r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
    planes_[i] = byte((77 * r + 150 * g + 29 * b + 128) >> 8);
    planes_[n + i] = byte(((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128);
    planes_[2 * n + i] = byte(((128 * r - 107 * g - 21 * b + 128) >> 8) + 128);
  }
  const bool good =
      std::fputs("FRAME\n", out_) >= 0 && std::fwrite(planes_.data(), 1, planes_.size(), out_) == planes_.size();
  return good ? "" : "cannot write " + path_ + (pipe_ ? ": ffmpeg ended" : ": " + std::string(std::strerror(errno)));
}

std::string Film::close() {
  if (out_ == nullptr) return "";
  const int status = pipe_ ? pclose(out_) : std::fclose(out_);
  out_ = nullptr;
  return status == 0 ? "" : "cannot write " + path_ + (pipe_ ? ": ffmpeg failed" : "");
}

}  // namespace gradus::cli
