/// A folder for files that a test writes; gone with the object.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/result.h"

namespace gradus {

/// `text` without any occurrence of `part`.
inline std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

/// One message a line.
inline std::string messages(const Diagnostics& notes) {
  std::string all;
  for (const Diagnostic& d : notes) all += to_string(d) + "\n";
  return all;
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gradus_test_XXXXXX").string();
    if (!mkdtemp(pattern.data())) ADD_FAILURE() << "no folder for temporary files";
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  void make_folder(const std::string& name) const { std::filesystem::create_directories(path_ + "/" + name); }
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  std::string without_folder(const std::string& text) const { return without(text, path_ + "/"); }

 private:
  std::string path_;
};

}  // namespace gradus
