#include "papers/paper.h"

namespace gradus::cli {
namespace {

const Paper kPapers[] = {
    {"klancar",
     "Klančar 2007: wheeled soccer, its equations against independent forms, and simulated seconds per processor second",
     klancar},
    {"murosimf-levels", "MuRoSimF 2009: one motion at four levels of detail, and how many robots run in real time",
     murosimf_levels},
    {"murosimf-cameras", "MuRoSimF 2009: six robots that look for a ball in images of their cameras, in real time", murosimf_cameras},
    {"usarsim-sonar", "USARSim 2012: sonars before a wall, straight and turned", usarsim_sonar},
    {"usarsim-gravity", "USARSim 2012: does a body fall as far as it should?", usarsim_gravity},
    {"usarsim-timestep", "USARSim 2012: error of a loaded joint against the time step", usarsim_timestep},
    {"usarsim-framerate", "USARSim 2012: a joint that follows commands at 50, 25, 5 and 2 Hz", usarsim_framerate},
    {"usarsim-walk", "USARSim 2012: a Nao walks five seconds straight ahead", usarsim_walk},
    {"usarsim-turn", "USARSim 2012: a Nao turns for five seconds", usarsim_turn},
    {"usarsim-circle", "USARSim 2012: a Nao walks a circle of 60 cm radius", usarsim_circle},
    {"usarsim-taichi", "USARSim 2012: a Nao balances on each leg", usarsim_taichi},
    {"motoflex-200", "MoToFlex 2011: a Nao replays the walk of 200 mm/s (needs --data)", motoflex_200},
    {"motoflex-50", "MoToFlex 2011: a Nao replays the walk of 50 mm/s and falls (needs --data)", motoflex_50},
    {"motoflex-ablation", "MoToFlex 2011: both walks with parts of the model left out (needs --data)", motoflex_ablation},
    {"motoflex-fit", "MoToFlex 2011: gears, motors, friction and flexible legs of a whole robot fitted to how its trunk sways", motoflex_fit},
    {"murosimf-counting", "MuRoSimF 2009: tests of collision detection for two robots, the field and a ball",
     murosimf_counting},
    {"servos", "recorded servos replayed with fitted actuator chains; needs --data", servos},
    {"simbenchmark", "contact of free bodies: rolling, bouncing, 666, sliding, slope, tumbling box", simbenchmark},
    {"contact-sweep", "sliding, ramp, rolling and bouncing at every level, 1 g to 1000 kg, against closed forms", contact_sweep},
    {"tosses", "recorded tosses of a cube, replayed open loop; --data FOLDER of the recordings", tosses},
    {"belter-gait", "Belter 2014: the gait of a hexapod evolved, against the one made by hand; what the step of integration changes",
     belter_gait},
    {"belter-plan", "Belter 2014: ways planned foothold by foothold over terrain, and walked (--data adds a mapped staircase)", belter_plan},
    {"belter-foothold", "Belter 2014: footholds learned on slippery ground, and slips on ground that was not learned from", belter_foothold},
};

}  // namespace

std::span<const Paper> all_papers() { return kPapers; }

void to_json(Json& out, const PaperRow& row) {
  out = {{"quantity", row.quantity}, {"unit", row.unit},   {"paper", row.paper},
         {"real", row.real},         {"peers", row.peers}, {"gradus", row.gradus}};
}

}  // namespace gradus::cli
