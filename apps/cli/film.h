/// Films: raw YUV4MPEG2 (.y4m), which every player and encoder reads, or whatever ffmpeg makes of it, if installed.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace gradus::cli {

class Film {
 public:
  ~Film();
  /// "" or what is wrong.
  std::string open(const std::string& path, int width, int height, double rate);
  std::string add(const std::uint8_t* rgb);
  std::string close();

 private:
  std::FILE* out_ = nullptr;
  bool pipe_ = false;
  std::string path_;
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> planes_;  // Y, Cb, Cr of one picture
};

}  // namespace gradus::cli
