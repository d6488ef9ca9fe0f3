/// A fixed run of a fuzz target with any compiler: every file of the corpus, then mutations of them from a fixed seed.
///   mesh_corpus ROUNDS FOLDER...
/// Memory is limited, so that a file with a lying count cannot claim it unnoticed.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_corpus(int count, char** folders) {
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(folders[i]))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // the order of a folder is not fixed
  std::vector<Bytes> corpus;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& corpus) : corpus_(corpus) {}

  Bytes next() {
    Bytes b = corpus_[below(corpus_.size())];
    for (std::size_t n = 1 + below(4); n > 0; --n) change(b);
    return b;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }

  void change(Bytes& b) {
    const std::size_t at = below(b.size());
    switch (below(6)) {
      case 0:  // a bit
        if (!b.empty()) b[at] = static_cast<std::uint8_t>(b[at] ^ (1u << below(8)));
        return;
      case 1:  // cut off
        b.resize(at);
        return;
      case 2: {  // a number that lies: four bytes of ones, of the largest positive, or of zeros
        static constexpr std::uint8_t kTop[] = {0xff, 0x7f, 0x00};
        const std::size_t kind = below(3);
        for (std::size_t i = at; i < std::min(at + 4, b.size()); ++i) b[i] = kind == 2 ? 0 : 0xff;
        if (at + 3 < b.size()) b[at + 3] = kTop[kind];
        return;
      }
      case 3:  // words that parsers stumble over
        splice(b, at, words_[below(words_.size())]);
        return;
      case 4: {  // a piece of another file
        const Bytes& other = corpus_[below(corpus_.size())];
        const std::size_t from = below(other.size()),
                          end = from + below(std::min<std::size_t>(other.size() - from, 64));
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), other.begin() + static_cast<std::ptrdiff_t>(from),
                 other.begin() + static_cast<std::ptrdiff_t>(end));
        return;
      }
      default:  // one byte less
        if (!b.empty()) b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
        return;
    }
  }
  static void splice(Bytes& b, std::size_t at, const std::string& word) {
    b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), word.begin(), word.end());
  }

  const std::vector<Bytes>& corpus_;
  std::mt19937_64 engine_{2008};
  const std::vector<std::string> words_{"nan", "inf", "-1", "1e400", "99999999999",
                                        "\n",  "\"",  "[[", "= = ",  std::string(1, '\0')};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: %s ROUNDS FOLDER...\n", argv[0]), 2;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers reserve terabytes of address space
  const rlimit limit{1u << 30, 1u << 30};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return std::perror("setrlimit"), 2;
#endif
  const std::vector<Bytes> corpus = read_corpus(argc - 2, argv + 2);
  if (corpus.empty()) return std::fprintf(stderr, "the corpus is empty\n"), 2;
  for (const Bytes& b : corpus) LLVMFuzzerTestOneInput(b.data(), b.size());
  Mutator mutator(corpus);
  const int rounds = std::atoi(argv[1]);
  for (int i = 0; i < rounds; ++i) {
    const Bytes b = mutator.next();
    LLVMFuzzerTestOneInput(b.data(), b.size());
  }
  std::printf("%zu files and %d mutations\n", corpus.size(), rounds);
}
