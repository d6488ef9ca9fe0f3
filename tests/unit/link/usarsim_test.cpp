/// USARSim's lines: parsing, axes and signs against the world, robots driven over real sockets, any bytes.
#include "link/usarsim/usarsim_link.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "base/rng.h"
#include "unit/link/link_world.h"

namespace gradus::usarsim {
namespace {

TEST(UsarsimLines, WordsAndSegmentsWithBlanksTrimmed) {
  const Line l =
      parse_line("  init {ClassName  USARBot.Nao } { Name nao1}{Location 1.0,0.0,-0.35} junk {Empty}{broken");
  EXPECT_EQ(l.word, "INIT");
  ASSERT_EQ(l.segments.size(), 4u);
  EXPECT_EQ(*l.find("ClassName"), "USARBot.Nao");
  EXPECT_EQ(*l.find("Name"), "nao1");
  EXPECT_EQ(*l.find("Empty"), "");
  EXPECT_EQ(l.find("name"), nullptr);  // names are case-sensitive
  Vec3 v;
  EXPECT_TRUE(read_vector(*l.find("Location"), v));
  EXPECT_EQ(v.z, -0.35);
  for (const char* wrong : {"1,2", "1,2,3,4", "a,b,c", "", "1,,3", "nan,0,0"})
    EXPECT_FALSE(read_vector(wrong, v)) << wrong;
}

TEST(UsarsimLines, AnyBytesAreALine) {
  const std::string seed = "SET {Type Joint} {Name LKneePitch} {Opcode Angle} {Params 0.5}";
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::string text = seed;
    for (std::uint64_t n = 0; n < 5; ++n) text[mix64(i * 31 + n) % text.size()] = static_cast<char>(mix64(i * 17 + n));
    const Line l = parse_line(text);
    ASSERT_LE(l.segments.size(), 30u);
  }
}

const std::string kNao =
    kPlane + "[robot.v6]\nmodel = \"robots/nao_h25_v6.toml\"\npose = { x = \"1 m\", y = \"2 m\", yaw = \"30 deg\" }\n";

const UsarsimLink& usar(const LinkedWorld& w) { return static_cast<const UsarsimLink&>(*w.link); }

/// What came within a few steps.
std::string heard(LinkedWorld& w, Client& c, int steps) {
  std::string out;
  for (int i = 0; i < steps; ++i) w.step(), out += c.available();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  w.step();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return out + c.available();
}

TEST(Usarsim, StatusAndSensorsComeAtTheirPeriodsInTheirAxes) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.Nao} {Name v6}\r\n");
  const std::string text = heard(w, c, 1000);
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_TRUE(text.starts_with("NFO {Gametype BotDeathMatch}"));
  EXPECT_EQ(count("STA {Time"), 100u);
  EXPECT_EQ(count("{Type GroundTruth}"), 10u);
  EXPECT_EQ(count("{Name LeftSonar}"), 5u);
  EXPECT_EQ(count("{Type AcceleroMeter}"), 10u);
  EXPECT_NE(text.find("{HeadYaw "), text.npos);
  EXPECT_EQ(text.find("RHipYawPitch"), text.npos);
  // y to the right, z down: (1, 2, 0.31) with 30 degrees to the left is (1, −2, −0.31) and −0.5236
  std::smatch m;
  ASSERT_TRUE(std::regex_search(
      text, m,
      std::regex(R"(GndTruth\} \{Location ([-\d.]+),([-\d.]+),([-\d.]+)\} \{Orientation [-\d.]+,[-\d.]+,([-\d.]+))")));
  EXPECT_NEAR(std::stod(m[1]), 1, 0.01);
  EXPECT_NEAR(std::stod(m[2]), -2, 0.01);
  EXPECT_NEAR(std::stod(m[3]), -w.world->q(0)[2], 0.01);
  EXPECT_NEAR(std::stod(m[4]), -0.5236, 0.01);
  ASSERT_TRUE(std::regex_search(text, m, std::regex(R"(ProperAcceleration ([-\d.]+),([-\d.]+),([-\d.]+))")));
  EXPECT_LT(std::stod(m[3]), -8);  // upright: along −z of axes that point down
}

TEST(Usarsim, SetAndMultidriveMoveJointsAndNonsenseIsCounted) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send(
      "INIT {ClassName USARBot.Nao}\nSET {Type Joint} {Name HeadYaw} {Opcode Angle} {Params 0.4}\rMULTIDRIVE "
      "{HeadPitch 0.2} {RHipYawPitch 1} "
      "{LHipYawPitch -0.1}\r\nSET {Type Joint} {Name AllJoints} {Opcode Stiffness} {Params 0.5}\r\n");
  heard(w, c, 30);
  const RobotKind& kind = *w.world->model().robots[0].kind;
  const auto target = [&](const char* joint) {
    return w.world->targets(0)[static_cast<std::size_t>(kind.find_joint(joint))];
  };
  EXPECT_EQ(target("HeadYaw"), 0.4);
  EXPECT_EQ(target("HeadPitch"), 0.2);
  EXPECT_EQ(target("LHipYawPitch"), -0.1);
  EXPECT_EQ(target("RHipYawPitch"), -0.1);
  EXPECT_EQ(w.world->stiffness(0)[0], 0.5);
  EXPECT_EQ(w.figure("refused"), 0);
  c.send(
      "DANCE {Style salsa}\r\nSET {Type Joint} {Name Tail} {Opcode Angle} {Params 1}\r\nMULTIDRIVE {HeadYaw "
      "nan}\r\nSET {Type Joint}\r\n"
      "SET {Type Joint} {Name AllJoints} {Opcode Stiffness} {Params 7}\r\n");
  heard(w, c, 20);
  EXPECT_GE(w.figure("refused"), 5);
  EXPECT_EQ(target("HeadYaw"), 0.4);
}

TEST(Usarsim, InitMayPutTheRobotSomewhereElseAndAProgramMayComeBack) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  {
    Client c = Client::tcp(usar(w).port());
    c.send("INIT {ClassName USARBot.Nao} {Name nao1} {Location -1,0.5,-0.35} {Rotation 0,0,1.5708}\r\n");
    heard(w, c, 5);
    EXPECT_NEAR(w.world->q(0)[0], -1, 0.01);
    EXPECT_NEAR(w.world->q(0)[1], -0.5, 0.01);
    EXPECT_NEAR(to_roll_pitch_yaw(base_orientation(w.world->q(0).data())).z, -1.5708, 0.01);
    Client second = Client::tcp(usar(w).port());
    second.send("INIT {ClassName USARBot.Nao}\r\n");
    EXPECT_EQ(heard(w, second, 20).find("STA"), std::string::npos);  // the only robot is taken
  }
  w.step(5);
  EXPECT_TRUE(w.was_told("has gone"));
  Client again = Client::tcp(usar(w).port());
  again.send("INIT {ClassName USARBot.Nao}\r\n");
  EXPECT_NE(heard(w, again, 20).find("STA"), std::string::npos);
}

TEST(Usarsim, GroundTruthAnswersQueries) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).truth_port());
  c.send("{class Nao} {name v6}\r\n{Name other}\r\n");
  const std::string text = heard(w, c, 5);
  EXPECT_TRUE(text.starts_with("{Name v6} {Class Nao} {Time ")) << text;
  EXPECT_NE(text.find("{Location 1.0"), text.npos);
  EXPECT_TRUE(text.ends_with("{End}\r\n{End}\r\n")) << text;
}

TEST(Usarsim, AskedForStartPosesConfigurationAndGeometry) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("GETSTARTPOSES\r\n");
  EXPECT_NE(heard(w, c, 3).find("NFO {StartPoses 1} {v6 1.0000,-2.0000,"), std::string::npos);
  c.send("INIT {ClassName USARBot.Nao}\r\nGETCONF {Type Robot}\r\nGETGEO {Type Sonar}\r\n");
  const std::string text = heard(w, c, 3);
  EXPECT_NE(text.find("CONF {Name Nao}"), text.npos);
  EXPECT_NE(text.find("GEO {Type Sonar} {Name LeftSonar} {Location 0.0056,-0.0192,-0.0624}"), text.npos) << text;
}

/// Steps while a client reads so many bytes.
std::string read_while_stepping(LinkedWorld& w, Client& c, std::size_t bytes) {
  std::string out;
  std::thread reader([&] { out = c.read(bytes); });
  for (int i = 0; i < 100; ++i) w.step(), std::this_thread::sleep_for(std::chrono::microseconds(500));
  reader.join();
  return out;
}
std::string rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height) {
  std::string out = "U";
  for (const std::uint32_t n : {x, y, width, height})
    for (int i = 3; i >= 0; --i) out += static_cast<char>(n >> (8 * i));
  return out;
}

TEST(Usarsim, TheImageServerSendsTheWindowOrAPartOfIt) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0,images=0");
  Client c = Client::tcp(usar(w).image_port());
  w.step(120);
  c.send("OK");
  const std::string all = read_while_stepping(w, c, 5 + 4 + 1280 * 480 * 3);  // both cameras side by side
  ASSERT_EQ(all.size(), 9u + 1280 * 480 * 3);
  EXPECT_EQ(all.substr(0, 9), std::string("\0\x00\x1c\x20\x04\x05\x00\x01\xe0", 9));  // raw, 1843204 bytes, 1280 × 480
  c.send(rectangle(600, 10, 81, 7).substr(0, 9));                                     // in two pieces
  w.step(2);
  c.send(rectangle(600, 10, 81, 7).substr(9));
  const std::string part = read_while_stepping(w, c, 9 + 7 * 244);  // rows are padded
  ASSERT_EQ(part.size(), 9u + 7 * 244);
  EXPECT_EQ(part.substr(5, 4), std::string("\0\x51\0\x07", 4));
  EXPECT_EQ(w.figure("pictures"), 2);
  c.send(rectangle(1200, 0, 81, 7));  // beyond the edge
  w.step(5);
  EXPECT_TRUE(c.is_closed());
  Client other = Client::tcp(usar(w).image_port());
  other.send("GET / HTTP/1.1\r\n\r\n");
  w.step(5);
  EXPECT_TRUE(other.is_closed());
  Client lines = Client::tcp(usar(w).port());
  lines.send("INIT {ClassName USARBot.Nao}\r\nGETCONF {Type Camera} {Name CameraBottom}\r\n");
  EXPECT_NE(heard(w, lines, 3)
                .find("CONF {Type Camera} {Name CameraBottom} {CameraFov 0.9826} {TextureOffsetX 640} "
                      "{TextureOffsetY 0} {TextureResolutionX 640} {TextureResolutionY 480}"),
            std::string::npos);
}

TEST(Usarsim, PicturesMayBeJpeg) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0,images=0,jpeg=3");
  Client c = Client::tcp(usar(w).image_port());
  w.step(120);
  c.send(rectangle(0, 0, 320, 240));
  const std::string head = read_while_stepping(w, c, 5);
  ASSERT_EQ(head.size(), 5u);
  EXPECT_EQ(head[0], 3);
  std::size_t size = 0;
  for (std::size_t i = 1; i < 5; ++i) size = size << 8 | static_cast<unsigned char>(head[i]);
  ASSERT_GT(size, 700u);
  ASSERT_LT(size, 60'000u);
  const std::string picture = read_while_stepping(w, c, size);
  EXPECT_TRUE(picture.starts_with("\xff\xd8\xff\xe0"));
  EXPECT_TRUE(picture.ends_with("\xff\xd9"));
}

TEST(Usarsim, PackagesMoveChainsByTheirLinksAndAreAnsweredInKind) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.Nao}\r\nACT {Name Head} {Link 1} {Value 0.4} {Link 2} {Value -0.2}\r\n");
  const std::string text = heard(w, c, 900);
  const RobotKind& kind = *w.world->model().robots[0].kind;
  const auto angle = [&](const char* joint) {
    return w.world->q(0)[static_cast<std::size_t>(7 + kind.find_joint(joint))];
  };
  EXPECT_NEAR(angle("HeadYaw"), 0.4, 0.03);
  EXPECT_NEAR(angle("HeadPitch"), -0.2, 0.03);
  EXPECT_NE(text.find("ASTA {Time "), text.npos);
  EXPECT_NE(text.find("{Name Head} {Link 1} {Value 0.3"), text.npos) << text.substr(text.size() - 2000);
  EXPECT_EQ(text.find("MISSTA"), text.npos);
  c.send("MISPKG {Name Head} {Link 1} {Value -0.3} {Order 0}\r\n");
  EXPECT_NE(heard(w, c, 900).find("MISSTA {Time "), std::string::npos);
  EXPECT_NEAR(angle("HeadYaw"), -0.3, 0.03);
  EXPECT_EQ(w.figure("refused"), 0);
  c.send(
      "MISPKG {Name Head} {Link 1} {Value 0.3} {Order 1}\r\nACT {Name Head} {Link 3} {Value 0}\r\n"
      "ACT {Name Tail} {Link 1} {Value 0}\r\nACT {Name Head} {Value 0}\r\nACT {Name Head} {Link 1} {Value nan}\r\n");
  heard(w, c, 5);
  EXPECT_EQ(w.figure("refused"), 5);
}

TEST(Usarsim, AnyRobotWithJointsIsAnArm) {
  LinkedWorld w("[world]\nstep = \"1 ms\"\n[robot.arm]\nmodel = \"robots/one_dof_arm.toml\"\n", "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.one_dof_arm} {Name arm}\r\nACT {Name Arm} {Link 1} {Value 0.5}\r\n");
  const std::string text = heard(w, c, 300);
  EXPECT_EQ(w.world->targets(0)[0], 0.5);
  EXPECT_NE(text.find("{Type Manipulator}"), text.npos);
}

/// x forward, y to the right, z down; turns accordingly: what the lines say against the state itself.
TEST(Usarsim, LinesAreTheStateInUsarsimsAxes) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.Nao} {Location 0.5,0.75,-0.3} {Rotation 0,0,0.6}\r\n");
  const std::string text = heard(w, c, 101);  // a line at 0.1 s
  const std::size_t at = text.rfind("{Type GroundTruth}");
  ASSERT_NE(at, text.npos);
  const auto three = [&](const std::string& key) {
    std::array<double, 3> x{};
    std::sscanf(text.c_str() + text.find(key, at) + key.size(), "%lf,%lf,%lf", &x[0], &x[1], &x[2]);
    return x;
  };
  const auto location = three("{Location "), turn = three("{Orientation ");
  EXPECT_NEAR(location[0], 0.5, 0.03);
  EXPECT_NEAR(location[1], 0.75, 0.03);
  EXPECT_LT(location[2], -0.25);  // up is negative
  EXPECT_NEAR(turn[2], 0.6, 0.05);
  EXPECT_NEAR(w.world->q(0)[1], -0.75, 0.03);  // ours: y to the left
  EXPECT_NEAR(to_roll_pitch_yaw(base_orientation(w.world->q(0).data())).z, -0.6, 0.05);
  EXPECT_NEAR(w.world->q(0)[2], -location[2], 0.03);
  const auto pulled = three("{ProperAcceleration ");
  if (text.find("{ProperAcceleration ", at) != text.npos) {
    EXPECT_NEAR(pulled[2], -9.81, 1.5);
  }
}

TEST(Usarsim, AWheeledRobotDrives) {
  std::ifstream file(std::string(GRADUS_SOURCE_DIR) + "/scenes/mirosot_3v3.toml");
  std::stringstream text;
  text << file.rdbuf();
  LinkedWorld w(text.str(), "usarsim", "0,truth=0,robot=blue1");
  Client c = Client::tcp(usar(w).port());
  const double x = w.world->q(0)[0];
  c.send("INIT {ClassName USARBot.P3AT} {Name blue1}\r\nDRIVE {Left 10.0} {Right 10.0} {Normalized false}\r\n");
  heard(w, c, 30);  // half a second at 60 Hz
  const double radius = 0.0225;
  EXPECT_NEAR(w.world->q(0)[0] - x, 10 * radius * 0.5, 0.25 * 10 * radius * 0.5);  // speeding up takes a part of it
  EXPECT_NEAR(w.world->v(0)[3], 10 * radius, 0.02 * 10 * radius);
}

TEST(Usarsim, AWheeledRobotTurnsToTheSideThatUsarsimSays) {
  std::ifstream file(std::string(GRADUS_SOURCE_DIR) + "/scenes/mirosot_3v3.toml");
  std::stringstream text;
  text << file.rdbuf();
  LinkedWorld w(text.str(), "usarsim", "0,truth=0,robot=blue1");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.P3AT} {Name blue1}\r\nDRIVE {Left 5.0} {Right -5.0}\r\n");
  heard(w, c, 30);
  // Left forward, right back: clockwise from above, positive about z down, negative about ours.
  EXPECT_LT(w.world->v(0)[2], -0.5);
  const double fast = w.world->v(0)[2];
  c.send("DRIVE {Left -0.05} {Right 0.05} {Normalized true}\r\n");
  heard(w, c, 30);
  EXPECT_GT(w.world->v(0)[2], 0);  // shares of the largest speed
  EXPECT_NE(w.world->v(0)[2], -fast);
  c.send("DRIVE {Left 1e99} {Right 0}\r\nDRIVE {Left x} {Right 0}\r\nDRIVE {Left 1}\r\n");
  heard(w, c, 3);
  EXPECT_EQ(w.figure("refused"), 3);
}

TEST(Usarsim, AProgramThatSendsNoLineIsCutOff) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0");
  Client c = Client::tcp(usar(w).port());
  c.send("INIT {ClassName USARBot.Nao}\r\n");
  heard(w, c, 5);
  c.send(std::string(40'000, 'x'));
  heard(w, c, 20);
  EXPECT_TRUE(w.was_told("what is no line"));
}

}  // namespace
}  // namespace gradus::usarsim
