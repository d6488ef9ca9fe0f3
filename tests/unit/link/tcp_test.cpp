/// Robots over TCP: lock-step, free-running, programs that die, hang, talk nonsense and come back.
#include "link/tcp/tcp_link.h"

#include <bit>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "unit/link/link_world.h"

namespace gradus::tcp {
namespace {

using nlohmann::json;

const std::string kArm = kPlane + "[robot.arm]\nmodel = \"robots/one_dof_arm.toml\"\n";

int port_of(const LinkedWorld& w) { return static_cast<const TcpLink&>(*w.link).port(); }

/// Answers every state with the same target, until the end.
void hold(Client client, double target, const std::string& hello = "{}") {
  client.send(hello + "\n");
  const json about = json::parse(client.line());
  for (std::string state = client.line(); !state.empty(); state = client.line())
    client.send(json{{"target", std::vector<double>(about["joints"].size(), target)}}.dump() + "\n");
}

TEST(Tcp, InLockStepEveryStateIsAnsweredBeforeTheNextStep) {
  LinkedWorld w(kArm, "tcp", "0,rate=100Hz");
  std::thread program(hold, Client::tcp(port_of(w)), 0.3, "{}");
  w.step(1);
  EXPECT_EQ(w.world->targets(0)[0], 0.3);  // the answer to State[0] is in the first step
  w.step(999);
  EXPECT_EQ(w.figure("answers"), 100);
  EXPECT_EQ(w.figure("impatient"), 0);
  w.link.reset();
  program.join();
}

TEST(Tcp, BinaryFramesDoTheSameAsLines) {
  std::uint64_t hashes[2];
  for (const bool binary : {false, true}) {
    LinkedWorld w(kArm, "tcp", "0,rate=100Hz");
    std::thread program([&, port = port_of(w)] {
      Client c = Client::tcp(port);
      if (!binary) return hold(std::move(c), 0.3);
      c.send("{\"form\": \"binary\", \"robot\": \"arm\"}\n");
      const json about = json::parse(c.line());
      std::size_t numbers = 0;
      for (const auto& part : about["state"]) numbers += part[1].get<std::size_t>();
      Bytes answer;
      append_le(answer, std::uint32_t{12});
      append_le(answer, std::uint32_t{1});
      append_le(answer, std::bit_cast<std::uint64_t>(0.3));
      for (;;) {
        const std::string state = c.read(4 + 8 * numbers);
        if (state.size() != 4 + 8 * numbers) return;
        c.send(std::string(as_text(answer)));
      }
    });
    w.step(500);
    hashes[binary] = w.world->hash();
    w.link.reset();
    program.join();
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(Tcp, ImagesFollowTheNumbersOfABinaryState) {
  LinkedWorld w(kPlane + "[robot.nao]\nmodel = \"robots/nao_h25_v6.toml\"\nsensors = \"nao_cameras\"\n", "tcp",
                "0,rate=100Hz,patience=5s");
  std::vector<std::int64_t> frames;
  std::vector<double> times;
  std::size_t wrong = 0;
  std::thread program([&, port = port_of(w)] {
    {
      Client c = Client::tcp(port);
      c.send("{\"form\": \"binary\", \"images\": [\"camera_left\"]}\n");
      wrong += json::parse(c.line())["error"].get<std::string>().find("camera_left") == std::string::npos;
    }
    Client c = Client::tcp(port);
    c.send("{\"form\": \"binary\", \"images\": [\"camera_bottom\", \"camera_top\"]}\n");
    const json about = json::parse(c.line());
    std::size_t numbers = 0;
    for (const auto& part : about["state"]) numbers += part[1].get<std::size_t>();
    for (;;) {
      const std::string head = c.read(4);
      if (head.size() < 4) return;
      std::uint32_t bytes = 0;
      std::memcpy(&bytes, head.data(), 4);
      const std::string state = c.read(bytes);
      if (state.size() != bytes) return;
      ByteReader r(ByteView(reinterpret_cast<const std::byte*>(state.data()), state.size()));
      r.take(8 * numbers);
      for (auto count = r.le<std::uint32_t>(); count > 0; --count) {
        const auto camera = r.le<std::uint32_t>(), formats = r.le<std::uint32_t>();
        const auto frame = static_cast<std::int64_t>(r.le<std::uint64_t>());
        const double time = std::bit_cast<double>(r.le<std::uint64_t>());
        if (camera == 1) frames.push_back(frame), times.push_back(time);
        const std::string name(as_text(r.take(16)));
        const auto width = r.le<std::uint32_t>(), height = r.le<std::uint32_t>(), row = r.le<std::uint32_t>(),
                   size = r.le<std::uint32_t>();
        wrong += formats != 1 || name != std::string("yuyv") + std::string(12, '\0') || width != 640 || height != 480 ||
                 row != 1280 || size != 614400 || r.take(size).size() != 614400;
      }
      wrong += !r.ok() || !r.at_end();
      c.send(std::string("\4\0\0\0\0\0\0\0", 8));
    }
  });
  w.step(200);
  w.link.reset();
  program.join();
  EXPECT_EQ(wrong, 0u);
  ASSERT_GE(frames.size(), 4u);  // 30 Hz, 33 ms late
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i], frames[i - 1] + 1);
    EXPECT_NEAR(times[i] - times[i - 1], 1 / 30.0, 0.0011);
  }
}

TEST(Tcp, AProgramThatDiesIsWaitedForThenLeftBehindAndMayComeBack) {
  LinkedWorld w(kArm, "tcp", "0,rate=100Hz,patience=0.2s");
  {
    Client c = Client::tcp(port_of(w));
    c.send("{}\n");
    std::thread reader([&] {
      c.line(), c.line();
      c.send("{\"target\": [0.3]}\n");
      c.line();
    });
    w.step(10);
    reader.join();
  }
  w.step(30);
  EXPECT_TRUE(w.was_told("has gone; it keeps its last targets"));
  EXPECT_TRUE(w.was_told("did not come back for 0.2 s"));
  EXPECT_EQ(w.world->targets(0)[0], 0.3);
  EXPECT_EQ(w.figure("impatient"), 1);
  std::thread program(hold, Client::tcp(port_of(w)), -0.1, "{}");
  for (int i = 0; i < 200 && !w.was_told("is back"); ++i) {
    w.step(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  w.step(20);
  EXPECT_EQ(w.world->targets(0)[0], -0.1);
  w.link.reset();
  program.join();
}

TEST(Tcp, AProgramThatHangsCostsItsPatienceOnce) {
  LinkedWorld w(kArm, "tcp", "0,rate=100Hz,patience=0.2s");
  Client c = Client::tcp(port_of(w));
  c.send("{}\n");
  const auto start = std::chrono::steady_clock::now();
  w.step(1000);  // 100 states, none answered
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(seconds, 0.2);
  EXPECT_LT(seconds, 1.5);
  EXPECT_EQ(w.figure("told"), 1);  // no pile of states waits for it
  EXPECT_TRUE(w.was_told("no answer for 0.2 s"));
  c.line(), c.line();
  c.send("{\"target\": [0.2]}\n");
  w.step(10);
  EXPECT_TRUE(w.was_told("answers again"));
  EXPECT_EQ(w.world->targets(0)[0], 0.2);
}

TEST(Tcp, NonsenseIsAnsweredWithTheReasonAndTheRobotKeepsItsTargets) {
  for (const auto& [nonsense, reason] :
       {std::pair<std::string, std::string>{"GET / HTTP/1.0\n", "instead of a JSON object"},
        {"{\"target\": [1, 2, 3]}\n", "3 numbers, the robot 1 joints"},
        {"{\"target\": {\"x\": 1}}\n", "there is no joint 'x'"},
        {"{\"target\": [NaN]}\n", "instead of a JSON object"}}) {
    LinkedWorld w(kArm, "tcp", "0,rate=100Hz,patience=0.1s");
    const double before = w.world->targets(0)[0];
    Client c = Client::tcp(port_of(w));
    c.send("{}\n" + nonsense);
    w.step(20);
    c.line(), c.line();  // about the robot, a state
    EXPECT_NE(c.line().find(reason), std::string::npos) << nonsense;
    EXPECT_EQ(w.world->targets(0)[0], before);
    EXPECT_EQ(w.figure("lost"), 1);
  }
}

TEST(Tcp, AFrameThatAnnouncesTooMuchIsRefusedAtOnce) {
  LinkedWorld w(kArm, "tcp", "0,rate=100Hz,patience=0.1s");
  Client c = Client::tcp(port_of(w));
  c.send("{\"form\": \"binary\"}\n");
  c.send(std::string("\xff\xff\xff\x7f", 4));
  w.step(20);
  EXPECT_TRUE(w.was_told("announced a frame of 2147483647 bytes"));
}

TEST(Tcp, HalfAnAnswerIsNoAnswer) {
  LinkedWorld w(kArm, "tcp", "0,free,rate=100Hz");
  Client c = Client::tcp(port_of(w));
  c.send("{}\n");
  w.step(10);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  w.step(10);
  c.send("{\"target\": [0.2");
  w.step(10);
  EXPECT_EQ(w.figure("answers"), 0);
  c.send("5]}\n{\"tar");
  w.step(20);
  EXPECT_EQ(w.figure("answers"), 1);
  EXPECT_EQ(w.world->targets(0)[0], 0.25);
  EXPECT_EQ(w.figure("lost"), 0);
}

TEST(Tcp, AProgramThatDiesInTheMiddleOfAnAnswerLeavesItsSeat) {
  LinkedWorld w(kArm, "tcp", "0,free,rate=100Hz");
  {
    Client c = Client::tcp(port_of(w));
    c.send("{}\n{\"target\": [0.2");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    w.step(30);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  w.step(30);
  EXPECT_TRUE(w.was_told("has gone"));
  EXPECT_EQ(w.figure("answers"), 0);
}

TEST(Tcp, ATargetThatNoJointReachesIsRefused) {
  LinkedWorld w(kArm, "tcp", "0,free,rate=100Hz");
  Client c = Client::tcp(port_of(w));
  c.send("{}\n{\"target\": [1e300]}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  w.step(30);
  EXPECT_TRUE(w.was_told("beyond all reason"));
}

TEST(Tcp, WhoSaysNothingOrTheWrongThingGetsNoRobot) {
  for (const auto& [hello, reason] : {std::pair<std::string, std::string>{"hello\n", "JSON object"},
                                      {"{\"robot\": \"leg\"}\n", "no robot 'leg'"},
                                      {"{\"token\": \"guess\"}\n", "token"},
                                      {"{\"form\": \"xml\"}\n", "lines or binary"},
                                      {"{\"port\": \"4\"}\n", "unknown key 'port'"},
                                      {std::string(5000, 'x'), "too long"}}) {
    LinkedWorld w(kArm, "tcp", "0,free,token=secret,rate=100Hz");
    Client c = Client::tcp(port_of(w));
    c.send(hello);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    w.step(20);
    EXPECT_NE(c.line().find(reason), std::string::npos) << hello;
    EXPECT_EQ(w.figure("refused"), 1);
  }
}

TEST(Tcp, TwoRobotsShareAPortAndAThirdProgramFindsNone) {
  LinkedWorld w(kArm + "[robot.other]\nlike = \"arm\"\npose = { y = \"1 m\" }\n", "tcp", "0,rate=100Hz");
  std::thread first(hold, Client::tcp(port_of(w)), 0.1, "{\"robot\": \"other\"}");
  std::thread second(hold, Client::tcp(port_of(w)), 0.2, "{}");
  w.step(20);
  EXPECT_EQ(w.world->targets(0)[0], 0.2);
  EXPECT_EQ(w.world->targets(1)[0], 0.1);
  Client third = Client::tcp(port_of(w));
  third.send("{}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  w.step(20);
  EXPECT_NE(third.line().find("another program sits here"), std::string::npos);
  w.link.reset();
  first.join(), second.join();
}

TEST(Tcp, FreeRunningWaitsForNobodyAndASlowReaderMissesWholeStates) {
  LinkedWorld w(kArm, "tcp", "0,free,rate=1kHz");
  EXPECT_TRUE(w.link->wants_real_time());
  Client c = Client::tcp(port_of(w));
  c.send("{}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  double slowest = 0;
  for (int i = 0; i < 60'000; ++i) {  // it reads nothing: socket buffers fill up
    const auto start = std::chrono::steady_clock::now();
    w.step();
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_GT(w.figure("missed"), 1000);
  EXPECT_LT(slowest, 0.5);          // no step waited for it
  for (int i = 0; i < 1000; ++i) {  // what it reads later is whole lines
    const std::string line = c.line();
    ASSERT_TRUE(line.starts_with("{") && line.ends_with("}")) << line;
  }
}

TEST(Tcp, AFloodIsReadInPortions) {
  LinkedWorld w(kArm, "tcp", "0,free,rate=100Hz");
  Client c = Client::tcp(port_of(w));
  c.send("{}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  w.step(10);
  std::thread flood([&] { c.send(std::string(3 << 20, 'x')); });
  for (int i = 0; i < 400 && w.figure("lost") == 0; ++i) {
    w.step(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(w.was_told("a megabyte that is no message"));
  flood.join();
}

}  // namespace
}  // namespace gradus::tcp
