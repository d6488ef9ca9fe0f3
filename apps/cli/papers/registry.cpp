#include "cli/papers/paper.h"

namespace gradus::cli {
namespace {

const Paper kPapers[] = {
    {"klancar", "paper 003: wheeled soccer, its equations against independent forms, and simulated seconds per processor second", klancar},
    {"murosimf-levels", "paper 000: one motion at four levels of detail, and how many robots run in real time",
     murosimf_levels},
    {"murosimf-counting", "paper 000: tests of collision detection for two robots, the field and a ball", murosimf_counting},
    {"servos", "recorded servos replayed with fitted actuator chains; needs --data", servos},
    {"simbenchmark", "contact of free bodies: rolling, bouncing, 666, sliding, slope, tumbling box", simbenchmark},
    {"tosses", "recorded tosses of a cube, replayed open loop; --data FOLDER of the recordings", tosses},
};

}  // namespace

std::span<const Paper> all_papers() { return kPapers; }

}  // namespace gradus::cli
