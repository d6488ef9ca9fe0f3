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
    const json answer = json::parse(client_.line());
    EXPECT_EQ(answer["id"], id_);
    return answer.contains("error") ? answer["error"] : answer["result"];
  }

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
      R"({"id":5,"call":"ALLeds.fadeRGB","args":["FaceLeds",255,1.0],"post":true})"};
  {
    Client client = Client::tcp(port);
    client.send(R"({"id":6,"call":"ALMotion.setWalkTargetVelocity","args":[1,0,0,1]})"
                "\n");
    const auto random = [](std::uint64_t i, std::uint64_t what) { return mix64(i * 7919 + what); };
    for (std::uint64_t i = 0; i < 5000; ++i) {
      std::string line = seeds[i % 5];
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
