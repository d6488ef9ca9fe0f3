#include "cli/papers/paper.h"

namespace gradus::cli {
namespace {

const Paper kPapers[] = {
    {"murosimf-levels", "paper 000: one motion at four levels of detail, and how many robots run in real time",
     murosimf_levels},
};

}  // namespace

std::span<const Paper> all_papers() { return kPapers; }

}  // namespace gradus::cli
