/// ALMotion in simulated time: what blocks, what overrides what; calls over a real socket; any lines.
#include "link/naoqi/naoqi_link.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "base/rng.h"
#include "load/shipped.h"
#include "unit/link/link_world.h"

namespace gradus::naoqi {
namespace {

const std::string kNao = kPlane + "[robot.nao]\nmodel = \"robots/nao_h25_v6.toml\"\n";

TEST(NaoqiCurve, PassesItsPointsWithoutOvershootAndIsFlatAtItsEnds) {
  const Curve c({0, 1, 2, 4}, {0, 1, 0.5, 0.5});
  for (const auto& [t, x] : {std::pair{0.0, 0.0}, {1.0, 1.0}, {2.0, 0.5}, {4.0, 0.5}, {-1.0, 0.0}, {9.0, 0.5}})
    EXPECT_NEAR(c.at(t), x, 1e-12);
  for (double t = 0; t < 4; t += 0.01) {
    EXPECT_LE(c.at(t), 1 + 1e-12);
    EXPECT_GE(c.at(t), -1e-12);
  }
  EXPECT_NEAR(c.at(1e-4) / 1e-4, 0, 1e-3);
  EXPECT_NEAR(c.at(0.5), 0.5, 1e-12);  // 3 s² − 2 s³
}

/// ALMotion of a Nao, without a world around it.
struct Fixture {
  std::unique_ptr<World> world;
  std::unique_ptr<Motion> motion;
  double t = 0;
  Fixture() {
    auto model = compile(scene_of(kNao));
    world = std::move(*World::make(std::move(*model)));
    const RobotModel& robot = world->model().robots[0];
    const auto body = nao::Body::of(*robot.kind, "nao");
    const auto walk = load_walk(find_shipped("motions/nao_walk.toml", "motions"));
    motion = std::move(*Motion::make(*body, robot.kind, *walk, 9.81, Orders::of(world->command(0))));
    motion->advance(0);
  }
  void run(double seconds) {
    for (const double end = t + seconds - 1e-9; t < end;) motion->advance(t += 0.01);
  }
  int joint(const char* name) const { return nao::joint_number(name); }
  double angle(const char* name) const { return motion->commanded(joint(name)); }
  int interpolate(const char* name, double to, double seconds) {
    return motion->interpolate({joint(name)}, {Curve({0, seconds}, {angle(name), to})});
  }
};

TEST(NaoqiMotion, AnInterpolationIsOverWhenItsTimeIs) {
  Fixture f;
  const int task = f.interpolate("HeadYaw", 0.5, 1.0);
  f.run(0.98);
  EXPECT_FALSE(f.motion->is_over(task));
  f.run(0.02);
  EXPECT_TRUE(f.motion->is_over(task));
  EXPECT_NEAR(f.angle("HeadYaw"), 0.5, 1e-12);
}

TEST(NaoqiMotion, SetAnglesMovesAtAShareOfTheLargestSpeedAndTheLastCallCounts) {
  Fixture f;
  const double speed = 0.1 * f.motion->fastest(f.joint("HeadYaw"));
  f.motion->set_goal(f.joint("HeadYaw"), 1, 0.1);
  f.run(0.5);
  EXPECT_NEAR(f.angle("HeadYaw"), 0.5 * speed, 1e-9);
  f.motion->set_goal(f.joint("HeadYaw"), -1, 0.1);
  f.run(0.5);
  EXPECT_NEAR(f.angle("HeadYaw"), 0, 1e-9);
  f.motion->set_goal(f.joint("HeadYaw"), 99, 1);
  f.run(5);
  EXPECT_EQ(f.angle("HeadYaw"), f.motion->upper(f.joint("HeadYaw")));  // not beyond the joint's limit
}

TEST(NaoqiMotion, ALaterCallTakesItsJointsAndTheRestGoesOn) {
  Fixture f;
  const int both = f.motion->interpolate({f.joint("HeadYaw"), f.joint("HeadPitch")},
                                         {Curve({0, 2}, {0, 1}), Curve({0, 2}, {0, 0.4})});
  f.run(1);
  f.motion->set_goal(f.joint("HeadYaw"), 0, 1);
  f.run(0.5);
  EXPECT_NEAR(f.angle("HeadYaw"), 0, 1e-9);
  EXPECT_FALSE(f.motion->is_over(both));  // the pitch still moves
  f.run(0.5);
  EXPECT_NEAR(f.angle("HeadPitch"), 0.4, 1e-9);
  EXPECT_TRUE(f.motion->is_over(both));
  const int first = f.interpolate("HeadYaw", 1, 5);
  f.interpolate("HeadYaw", -0.5, 1);
  f.run(0.01);
  EXPECT_TRUE(f.motion->is_over(first));  // nothing is left of it
  f.run(1);
  EXPECT_NEAR(f.angle("HeadYaw"), -0.5, 1e-9);
}

TEST(NaoqiMotion, KillsStopWhereTheJointIs) {
  Fixture f;
  const int task = f.interpolate("HeadYaw", 1, 2);
  f.run(1);
  f.motion->kill(task);
  f.run(1);
  EXPECT_NEAR(f.angle("HeadYaw"), 0.5, 1e-9);
  EXPECT_TRUE(f.motion->is_over(task));
}

TEST(NaoqiMotion, ChainsAndBodyAreTheirJointsAndTheHipsShareAMotor) {
  Fixture f;
  EXPECT_EQ(f.motion->joints_of("Head").size(), 2u);
  EXPECT_EQ(f.motion->joints_of("LArm").size(), 6u);
  EXPECT_EQ(f.motion->joints_of("Body").size(), 26u);
  EXPECT_EQ(f.motion->joints_of("RHipYawPitch"), f.motion->joints_of("LHipYawPitch"));
  EXPECT_TRUE(f.motion->joints_of("Tail").empty());
}

TEST(NaoqiMotion, AWalkOverridesTheLegsAndALegCommandEndsIt) {
  Fixture f;
  const int task = f.motion->walk_to(0.2, 0, 0);  // 5 steps of 0.42 s after half a second, and the plan's preview
  f.run(1.5);
  EXPECT_TRUE(f.motion->is_walking());
  const double knee = f.angle("LKneePitch");
  f.run(0.2);
  EXPECT_NE(f.angle("LKneePitch"), knee);
  f.run(4);
  EXPECT_TRUE(f.motion->is_over(task));
  EXPECT_FALSE(f.motion->is_walking());
  f.motion->walk(0.05, 0, 0);
  f.run(1.5);
  f.interpolate("LKneePitch", 1, 1);
  EXPECT_FALSE(f.motion->is_walking());
}

/// Calls, one after the other, as a program's thread makes them.
class Program {
 public:
  explicit Program(int port) : client_(Client::tcp(port)) { client_.line(); }
  json call(const std::string& name, const json& arguments = json::array(), bool post = false) {
    client_.send(json{{"id", ++id_}, {"call", name}, {"args", arguments}, {"post", post}}.dump() + "\n");
    for (;;) {
      const json answer = json::parse(client_.line(), nullptr, false);
      if (answer.is_discarded()) return "hung up";
      if (answer.contains("event")) {
        events.push_back(answer);
        if (acknowledges) client_.send(json{{"done", answer["number"]}}.dump() + "\n");
        continue;
      }
      EXPECT_EQ(answer["id"], id_);
      return answer.contains("error") ? answer["error"] : answer["result"];
    }
  }
  std::vector<json> events;  // that called back
  bool acknowledges = true;

 private:
  Client client_;
  int id_ = 0;
};

TEST(Naoqi, BlockingCallsTakeSimulatedTimeAndOthersNone) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  const int port = static_cast<const NaoqiLink&>(*w.link).port(0);
  std::thread program([&] {
    Program p(port);
    const double start = p.call("gradus.time").get<double>();
    p.call("ALMotion.setAngles", {"HeadYaw", 0.3, 0.2});
    EXPECT_EQ(p.call("gradus.time").get<double>(), start);  // it did not wait
    p.call("ALMotion.angleInterpolation", {json{"HeadPitch"}, json{0.2}, json{1.5}, true});
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 1.5, 0.011);
    EXPECT_NEAR(p.call("ALMotion.getAngles", {"Head", false})[1].get<double>(), 0.2, 1e-9);
    EXPECT_NEAR(p.call("ALMotion.getAngles", {"Head", true})[0].get<double>(), 0.3, 0.03);
    p.call("gradus.sleep", {0.5});
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 2.0, 0.03);
    const int task = p.call("ALMotion.angleInterpolation", {"HeadYaw", 0.0, 1.0, true}, true).get<int>();  // .post
    EXPECT_TRUE(p.call("ALMotion.isRunning", {task}).get<bool>());
    EXPECT_TRUE(p.call("ALMotion.wait", {task, 300}).get<bool>());  // still running after 0.3 s
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 2.3, 0.03);
    p.call("ALMotion.wait", {task, 0});
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 3.0, 0.04);
    p.call("ALTextToSpeech.say", {"hello"});
  });
  for (int i = 0; i < 6000 && !w.was_told("has gone"); ++i) w.step();
  program.join();
  EXPECT_TRUE(w.was_told("says: hello"));
  EXPECT_EQ(w.figure("faults"), 0);
}

TEST(Naoqi, MemoryHoldsTheRobotsKeysAndOnesOwn) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  const int port = static_cast<const NaoqiLink&>(*w.link).port(0);
  std::thread program([&] {
    Program p(port);
    p.call("gradus.sleep", {1.0});
    const auto get = [&](const std::string& key) { return p.call("ALMemory.getData", {key}); };
    EXPECT_NEAR(get("Device/SubDeviceList/InertialSensor/AccZ/Sensor/Value").get<double>(), 9.81, 0.7);
    EXPECT_NEAR(get("Device/SubDeviceList/LKneePitch/Position/Sensor/Value").get<double>(), 0.89, 0.03);
    EXPECT_NEAR(get("Device/SubDeviceList/LKneePitch/Position/Actuator/Value").get<double>(), 0.89, 0.001);
    EXPECT_GT(get("Device/SubDeviceList/LFoot/FSR/FrontLeft/Sensor/Value").get<double>(), 0.05);
    EXPECT_EQ(get("ChestButtonPressed").get<double>(), 0);
    p.call("ALMemory.insertData", {"mine", json{1, "two"}});
    EXPECT_EQ(get("mine"), (json{1, "two"}));
    EXPECT_NE(get("Device/SubDeviceList/Tail").get<std::string>().find("has no"), std::string::npos);
  });
  for (int i = 0; i < 4000 && !w.was_told("has gone"); ++i) w.step();
  program.join();
}

/// A program against a Nao in lock-step.
template <class Script>
void run_script(LinkedWorld& w, Script&& script) {
  const int port = static_cast<const NaoqiLink&>(*w.link).port(0);
  std::thread program([&] {
    Program p(port);
    script(p);
  });
  for (int i = 0; i < 30'000 && !w.was_told("has gone"); ++i) w.step();
  program.join();
}

TEST(NaoqiCartesian, KinematicsAreThoseOfTheWorldAndTheWayBackIsFound) {
  Fixture f;
  const RobotModel& robot = f.world->model().robots[0];
  const auto body = nao::Body::of(*robot.kind, "nao");
  Cartesian c(*body, robot.kind);
  std::vector<double> angles = f.motion->commanded();
  for (const char* name : {"Head", "LArm", "RArm", "LLeg", "RLeg"}) {
    const int object = c.object_of(name);
    ASSERT_GE(object, 0) << name;
    const Position6 here = position_of(c.pose(object, angles)),
                    there = position_of(inverse(f.world->X_WL(0, 0)) * f.world->X_WO(0, object));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(here[i], there[i], 1e-9) << name;
  }
  EXPECT_EQ(c.object_of("Tail"), -1);
  for (const char* name : {"LArm", "RArm", "LLeg", "RLeg"})
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
      std::vector<int> joints = f.motion->joints_of(name);
      std::vector<double> wanted = angles, found = angles;
      for (std::size_t n = 0; n < joints.size(); ++n) {
        const double share = 0.3 + 0.4 * static_cast<double>(mix64(trial * 31 + n) % 1000) / 1000;
        const int j = joints[n];
        wanted[static_cast<std::size_t>(j)] = f.motion->lower(j) + share * (f.motion->upper(j) - f.motion->lower(j));
      }
      const bool leg = name[1] == 'L';
      const Pose goal = c.pose(c.object_of(name), wanted);
      const Cartesian::Goal there{c.object_of(name), goal, leg ? kWholeMask : kPositionMask};
      const double left = c.solve(std::span(&there, 1), joints, found);
      EXPECT_LT(left, 1e-5) << name << " " << trial;
      for (const int j : joints) {
        EXPECT_GE(found[static_cast<std::size_t>(j)], f.motion->lower(j) - 1e-12);
        EXPECT_LE(found[static_cast<std::size_t>(j)], f.motion->upper(j) + 1e-12);
      }
    }
  // What is out of reach is come near to: the arm stretches towards it.
  std::vector<double> stretched = angles;
  const std::vector<int> arm = f.motion->joints_of("LArm");
  const Cartesian::Goal far{c.object_of("LArm"), pose_at({2, 0.1, 0.1, 0, 0, 0}), kPositionMask};
  EXPECT_GT(c.solve(std::span(&far, 1), arm, stretched), 1.7);
  EXPECT_GT(c.pose(c.object_of("LArm"), stretched).p.x, 0.15);
}

TEST(NaoqiCartesian, CallsMoveTheHandInItsSpaceAndTime) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [](Program& p) {
    p.call("ALMotion.setStiffnesses", {"Body", 1.0});
    const auto hand = [&](int space) { return p.call("ALMotion.getPosition", {"LArm", space, false}); };
    json there = hand(0);
    there[0] = there[0].get<double>() + 0.05, there[2] = there[2].get<double>() + 0.04;
    const double start = p.call("gradus.time").get<double>();
    p.call("ALMotion.positionInterpolation", {"LArm", 0, json::array({there}), 7, json::array({2.0}), true});
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 2.0, 0.011);  // it blocks
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(hand(0)[i].get<double>(), there[i].get<double>(), 1e-5);
    const json truly = p.call("ALMotion.getPosition", {"LArm", 0, true});
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(truly[i].get<double>(), there[i].get<double>(), 0.01);
    p.call("ALMotion.positionInterpolation", {"LArm", 0, json{0, 0, -0.01, 0, 0, 0}, 7, 1.0, false});  // relative
    EXPECT_NEAR(hand(0)[2].get<double>(), there[2].get<double>() - 0.01, 1e-5);
    // The robot's own frame is on the ground between its feet: the hand is above it and to the left.
    const json above = hand(2);
    EXPECT_GT(above[1].get<double>(), 0.05);
    EXPECT_NEAR(above[2].get<double>() - hand(0)[2].get<double>(), 0.33, 0.06);  // height of the torso
    const double before = p.call("gradus.time").get<double>();
    p.call("ALMotion.changePosition", {"LArm", 2, json{0.02, 0, 0, 0, 0, 0}, 0.5, 7});
    EXPECT_EQ(p.call("gradus.time").get<double>(), before);  // it does not block
    p.call("gradus.sleep", {1.0});
    EXPECT_NEAR(hand(2)[0].get<double>(), above[0].get<double>() + 0.02, 0.01);
    EXPECT_NE(
        p.call("ALMotion.setPosition", {"Tail", 0, json{0, 0, 0, 0, 0, 0}, 0.5, 7}).get<std::string>().find("Tail"),
        std::string::npos);
    EXPECT_TRUE(p.call("ALMotion.setPosition", {"LArm", 0, json{0, 0, 0}, 0.5, 7}).is_string());
    EXPECT_TRUE(p.call("ALMotion.setPosition", {"LArm", 7, json{0, 0, 0, 0, 0, 0}, 0.5, 7}).is_string());
  });
  EXPECT_EQ(w.figure("faults"), 3);
}

TEST(NaoqiCartesian, TheTorsoMovesOverFeetThatStay) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [](Program& p) {
    p.call("ALMotion.setStiffnesses", {"Body", 1.0});
    p.call("ALMotion.walkInit", json::array());
    const auto where = [&](const char* part, bool sensors) { return p.call("ALMotion.getPosition", {part, 2, sensors}); };
    const json left = p.call("ALMotion.getPosition", {"LLeg", 0, false}), before = where("Torso", true);
    // Down by 2 cm, to the left by 1 cm, leaning forward by 0.05 rad.
    p.call("ALMotion.positionInterpolation", {"Torso", 2, json{0, 0.01, -0.02, 0, 0.05, 0}, 63, 1.0, false});
    const json after = where("Torso", true), foot = p.call("ALMotion.getPosition", {"LLeg", 0, false});
    EXPECT_NEAR(foot[2].get<double>() - left[2].get<double>(), 0.02, 0.005);  // the foot is nearer to the torso
    EXPECT_NEAR(foot[4].get<double>() - left[4].get<double>(), -0.05, 0.002);
    EXPECT_NEAR(foot[5].get<double>(), left[5].get<double>(), 0.01);
    EXPECT_NEAR(after[1].get<double>() - before[1].get<double>(), 0.01, 0.004);
    EXPECT_NEAR(after[2].get<double>() - before[2].get<double>(), -0.02, 0.004);
    EXPECT_NEAR(after[4].get<double>() - before[4].get<double>(), 0.05, 0.01);
    // A mask leaves the other axes alone.
    p.call("ALMotion.positionInterpolation", {"Torso", 2, json{0.5, 0.5, 0.01, 0.5, 0.5, 0.5}, 4, 1.0, false});
    const json last = where("Torso", true);
    EXPECT_NEAR(last[2].get<double>() - after[2].get<double>(), 0.01, 0.004);
    for (int i : {0, 1, 3, 4, 5}) EXPECT_NEAR(last[i].get<double>(), after[i].get<double>(), 0.02) << i;
  });
  EXPECT_EQ(w.figure("faults"), 0);
}

TEST(NaoqiCalls, ARobotThatFallsGoesLimpUnlessItIsToldNotTo) {
  for (const bool minds : {true, false}) {
    LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
    run_script(w, [&](Program& p) {
      p.call("ALMotion.setStiffnesses", {"Body", 1.0});
      if (!minds) p.call("ALMotion.setFallManagerEnabled", {false});
      p.call("ALMotion.angleInterpolation", {json{"LAnklePitch", "RAnklePitch"}, json{0.9, 0.9}, 0.3, true});
      p.call("gradus.sleep", {2.0});
      EXPECT_TRUE(p.call("ALMemory.getData", {"robotHasFallen"}).get<bool>());
      EXPECT_EQ(p.call("ALMotion.getStiffnesses", {"LKneePitch"})[0].get<double>(), minds ? 0 : 1);
    });
    EXPECT_EQ(w.was_told("has fallen: its stiffness is 0"), minds);
  }
}

TEST(NaoqiCalls, SlowerStepsAndShorterOnesSlowTheWalkDown) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [&](Program& p) {
    p.call("ALMotion.setStiffnesses", {"Body", 0.7});
    const auto way = [&](const json& setting) {
      p.call("ALMotion.walkInit", json::array());
      const json from = p.call("ALMotion.getRobotPosition", {true});
      p.call("ALMotion.setWalkTargetVelocity", {1.0, 0.0, 0.0, setting});
      p.call("gradus.sleep", {4.2});
      p.call("ALMotion.stopWalk", json::array());
      const json to = p.call("ALMotion.getRobotPosition", {true});
      return std::hypot(to[0].get<double>() - from[0].get<double>(), to[1].get<double>() - from[1].get<double>());
    };
    const double full = way(1.0);
    EXPECT_NEAR(way(0.0) / full, 0.42 / 0.6, 0.04);
    EXPECT_NEAR(way(json::array({json::array({"MaxStepX", 0.02})})) / full, 0.5, 0.04);
  });
}

TEST(NaoqiMotion, PlannedFootStepsAreTakenAndTheFeetStayThere) {
  Fixture f;
  f.motion->add_steps({{walk::kLeft, 0.04, 0.1, 0, 0.6}, {walk::kRight, 0.04, -0.1, 0, 0.6}}, true);
  EXPECT_TRUE(f.motion->is_walking());
  f.run(1.2);
  EXPECT_EQ(f.motion->steps_given(), 0u);
  f.run(3);
  EXPECT_FALSE(f.motion->is_walking());
}

TEST(Naoqi, PlannedFootStepsMoveTheRobotAsFarAsTheySay) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [](Program& p) {
    p.call("ALMotion.setStiffnesses", {"Body", 1.0});
    p.call("ALMotion.walkInit");
    const json before = p.call("ALMotion.getRobotPosition", {true});
    const double start = p.call("gradus.time").get<double>();
    const json legs = {"LLeg", "RLeg", "LLeg", "RLeg"};
    const json step = {0.04, 0.1, 0.0}, right = {0.04, -0.1, 0.0}, last = {0.0, -0.1, 0.0};
    p.call("ALMotion.setFootSteps", {legs, json::array({step, right, step, last}), json{0.6, 1.2, 1.8, 2.4}, true});
    EXPECT_EQ(p.call("gradus.time").get<double>(), start);  // it does not block
    EXPECT_TRUE(p.call("ALMotion.walkIsActive").get<bool>());
    p.call("ALMotion.waitUntilWalkIsFinished");
    const double took = p.call("gradus.time").get<double>() - start;
    EXPECT_GT(took, 2.4);
    p.call("gradus.sleep", {1.0});
    const json after = p.call("ALMotion.getRobotPosition", {true});
    EXPECT_NEAR(after[0].get<double>() - before[0].get<double>(), 0.12,
                0.03);  // left 4, right 4 beyond it, left 4: 12 cm
    EXPECT_NEAR(after[1].get<double>(), before[1].get<double>(), 0.02);
    EXPECT_TRUE(p.call("ALMotion.setFootSteps", {legs, json::array({step}), json{0.6}, true}).is_string());
    EXPECT_TRUE(p.call("ALMotion.setFootSteps", {json{"LLeg"}, json::array({step}), json{0.1}, true}).is_string());
  });
  EXPECT_FALSE(w.world->fallen(0));
  EXPECT_EQ(w.figure("faults"), 2);
}

TEST(NaoqiEvents, WhoSubscribedIsCalledAndTimeStandsUntilTheMethodIsOver) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [](Program& p) {
    p.call("ALMemory.subscribeToEvent", {"ball", "Watch", "onBall"});
    p.call("ALMemory.subscribeToEvent", {"robotIsWalking", "Watch", "onWalk"});
    p.call("ALMemory.raiseEvent", {"ball", json{1, 2}});
    p.call("gradus.sleep", {0.05});
    ASSERT_EQ(p.events.size(), 1u);
    EXPECT_EQ(p.events[0]["event"], "ball");
    EXPECT_EQ(p.events[0]["value"], (json{1, 2}));
    EXPECT_EQ(p.events[0]["module"], "Watch");
    EXPECT_EQ(p.events[0]["method"], "onBall");
    p.call("ALMotion.walkTo", {0.08, 0, 0});
    ASSERT_EQ(p.events.size(), 3u);  // it began to walk, and ended
    EXPECT_EQ(p.events[1]["value"], true);
    EXPECT_EQ(p.events[2]["value"], false);
    p.call("ALMemory.unsubscribeToEvent", {"ball", "Watch"});
    p.call("ALMemory.raiseEvent", {"ball", 3});
    p.call("gradus.sleep", {0.05});
    EXPECT_EQ(p.events.size(), 3u);
    p.call("ALMemory.subscribeToEvent", {"ALTextToSpeech/TextDone", "Watch", "onDone"});
    const double start = p.call("gradus.time").get<double>();
    p.call("ALTextToSpeech.say", {"fifteen letters"});  // blocks as long as it takes
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 1.3, 0.02);
    EXPECT_EQ(p.events.size(), 4u);
    // A method that does not come back holds time up until patience is over.
    p.acknowledges = false;
    p.call("ALMemory.subscribeToEvent", {"ball", "Watch", "onBall"});
    p.call("ALMemory.raiseEvent", {"ball", 4});
    const auto wall = std::chrono::steady_clock::now();
    p.call("gradus.sleep", {0.05});
    EXPECT_GT(std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count(), 0.25);
  });
  EXPECT_EQ(w.figure("callbacks"), 5);
}

TEST(NaoqiLeds, GroupsFadeInSimulatedTimeAndPeopleAreTold) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  run_script(w, [](Program& p) {
    const double start = p.call("gradus.time").get<double>();
    p.call("ALLeds.fadeRGB", {"FaceLeds", 0xff0000, 1.0});
    EXPECT_NEAR(p.call("gradus.time").get<double>() - start, 1.0, 0.011);
    p.call("gradus.sleep", {0.2});
    p.call("ALLeds.on", {"ChestLedsBlue"});
    p.call("gradus.sleep", {0.2});
    p.call("ALLeds.off", {"AllLeds"});
    p.call("gradus.sleep", {0.2});
    EXPECT_TRUE(p.call("ALLeds.on", {"TailLeds"}).is_string());
  });
  EXPECT_TRUE(w.was_told("lights: left_eye #ff0000, right_eye #ff0000"));
  EXPECT_TRUE(w.was_told("lights: chest #0000ff, left_eye #ff0000"));
  EXPECT_TRUE(w.was_told("lights: off"));
  std::size_t told = 0;
  for (const LinkNotice& n : w.notices) told += n.kind == "light";
  EXPECT_LE(told, 16u);  // ten a second at most
  EXPECT_GE(told, 8u);   // and the fade was seen
}

TEST(NaoqiVideo, ImagesHaveTheSizeAndColoursThatWereAskedFor) {
  // 4 × 2 blocks of one colour each, in yuyv: Y 80, U 90, V 240 is a red
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 320 * 240 / 2; ++i) bytes.insert(bytes.end(), {80, 90, 82, 240});
  const SensorImage image{"yuyv", 320, 240, 640, bytes, 0, 0};
  std::string out;
  EXPECT_EQ(convert(image, kQvga, kYuv422, out), "");
  EXPECT_EQ(out, std::string(bytes.begin(), bytes.end()));
  EXPECT_EQ(convert(image, kQqvga, kYuv422, out), "");
  EXPECT_EQ(out.size(), 160u * 120 * 2);
  EXPECT_EQ(out.substr(0, 4), std::string("\x50\x5a\x50\xf0", 4));  // every second pixel, with its colour
  EXPECT_EQ(convert(image, kQqvga, kRgb, out), "");
  ASSERT_EQ(out.size(), 160u * 120 * 3);
  EXPECT_GT(static_cast<unsigned char>(out[0]), 200);  // red is first …
  EXPECT_LT(static_cast<unsigned char>(out[2]), 30);
  EXPECT_EQ(convert(image, kQqvga, kBgr, out), "");
  EXPECT_GT(static_cast<unsigned char>(out[2]), 200);  // … or last
  EXPECT_NE(convert(image, kVga, kRgb, out), "");      // the camera has less
  EXPECT_NE(convert(image, 9, kRgb, out), "");
  EXPECT_NE(convert(image, kQvga, 99, out), "");
}

TEST(NaoqiVideo, AProgramSubscribesAndFetches) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,images,patience=0.5s");
  run_script(w, [](Program& p) {
    const json name = p.call("ALVideoDevice.subscribeCamera", {"me", 1, 0, 13, 10});
    EXPECT_EQ(name, "me_0");
    p.call("gradus.sleep", {0.2});
    const json image = p.call("ALVideoDevice.getImageRemote", json::array({name}));
    ASSERT_TRUE(image.is_array()) << image;
    EXPECT_EQ(image[0], 160);
    EXPECT_EQ(image[1], 120);
    EXPECT_EQ(image[2], 3);
    EXPECT_EQ(image[7], 1);  // bottom
    EXPECT_EQ(image[6]["base64"].get<std::string>().size(), 160u * 120 * 3 / 3 * 4);
    EXPECT_TRUE(p.call("ALVideoDevice.unsubscribe", json::array({name})).get<bool>());
    EXPECT_TRUE(p.call("ALVideoDevice.getImageRemote", json::array({name})).is_string());
    EXPECT_TRUE(p.call("ALVideoDevice.subscribeCamera", {"me", 5, 0, 13, 10}).is_string());
  });
  EXPECT_EQ(w.figure("faults"), 2);
}

TEST(Naoqi, WrongCallsAreAnsweredWithTheReason) {
  LinkedWorld w(kNao, "naoqi", "0,lockstep,patience=0.3s");
  const int port = static_cast<const NaoqiLink&>(*w.link).port(0);
  std::thread program([&] {
    Program p(port);
    const auto fault = [&](const std::string& name, const json& a) { return p.call(name, a).get<std::string>(); };
    EXPECT_NE(fault("ALMotion.setAngles", {"Tail", 1, 0.1}).find("'Tail'"), std::string::npos);
    EXPECT_NE(fault("ALMotion.setAngles", {"Head", json{1, 2, 3}, 0.1}).find("3 numbers for 2 joints"),
              std::string::npos);
    EXPECT_NE(fault("ALMotion.setAngles", {"Head"}).find("argument 2"), std::string::npos);
    EXPECT_NE(fault("ALMotion.setAngles", {"Head", 0, 7}).find("fractionMaxSpeed"), std::string::npos);
    EXPECT_NE(fault("ALMotion.angleInterpolation", {"HeadYaw", json{1, 2}, json{2, 1}, true}).find("times must grow"),
              std::string::npos);
    EXPECT_NE(fault("ALMotion.fly", json::array()).find("no 'fly'"), std::string::npos);
    EXPECT_NE(fault("ALCoffee.make", json::array()).find("no module"), std::string::npos);
    EXPECT_NE(fault("ALMotion.walkTo", {"far", 0, 0}).find("a number is due"), std::string::npos);
  });
  for (int i = 0; i < 2000 && !w.was_told("has gone"); ++i) w.step();
  program.join();
  EXPECT_EQ(w.figure("faults"), 8);
}

TEST(Naoqi, AnyLinesAreAnsweredAndAProgramThatVanishesStopsTheWalk) {
  LinkedWorld w(kNao, "naoqi", "0");
  const int port = static_cast<const NaoqiLink&>(*w.link).port(0);
  const std::string seeds[] = {
      R"({"id":1,"call":"ALMotion.setAngles","args":["HeadYaw",0.1,0.1]})",
      R"({"id":2,"call":"ALMotion.angleInterpolation","args":[["HeadYaw"],[[0.1,0.2]],[[1,2]],true]})",
      R"({"id":3,"call":"ALMemory.insertListData","args":[[["a",1],["b",[2]]]]})",
      R"({"id":4,"call":"ALMotion.angleInterpolationBezier","args":[["HeadYaw"],[[1]],[[[0.1,[3,-0.1,0],[3,0.1,0]]]]]})",
      R"({"id":5,"call":"ALLeds.fadeRGB","args":["FaceLeds",255,1.0],"post":true})",
      R"({"id":6,"call":"ALMotion.positionInterpolation","args":["LArm",0,[[0.1,0.1,0.1,0,0,0]],7,[1.0],true]})",
      R"({"id":7,"call":"ALMotion.setFootSteps","args":[["LLeg"],[[0.04,0.1,0.1]],[0.6],true]})",
      R"({"id":8,"call":"ALMemory.subscribeToEvent","args":["FrontTactilTouched","m","f"]})",
      R"({"id":9,"call":"ALMemory.raiseEvent","args":["FrontTactilTouched",1]})",
      R"({"id":10,"call":"ALVideoDevice.subscribeCamera","args":["a",0,1,11,30]})",
      R"({"done":3})"};
  {
    Client client = Client::tcp(port);
    client.send(R"({"id":6,"call":"ALMotion.setWalkTargetVelocity","args":[1,0,0,1]})"
                "\n");
    const auto random = [](std::uint64_t i, std::uint64_t what) { return mix64(i * 7919 + what); };
    for (std::uint64_t i = 0; i < 5000; ++i) {
      std::string line = seeds[i % std::size(seeds)];
      for (std::uint64_t n = 0; n < random(i, 0) % 4; ++n)
        line[random(i, 1 + n) % line.size()] = static_cast<char>(32 + random(i, 10 + n) % 95);
      client.send(line + "\n");
      if (i % 20 == 0) w.step();
      if (i % 200 == 0) client.is_closed();  // reads what came
    }
    w.step(20);
    EXPECT_GT(w.figure("calls"), 4000);
  }
  w.step(20);
  EXPECT_TRUE(w.was_told("stops walking"));
  for (const double x : w.world->targets(0)) EXPECT_TRUE(std::isfinite(x));
}

}  // namespace
}  // namespace gradus::naoqi
