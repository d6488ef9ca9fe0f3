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

TEST(Usarsim, TheImageServerSendsOnePictureForEachOk) {
  LinkedWorld w(kNao, "usarsim", "0,truth=0,images=0");
  Client c = Client::tcp(usar(w).image_port());
  w.step(120);
  c.send("OK");
  std::string picture;
  std::thread reader([&] { picture = c.read(5 + 4 + 640 * 480 * 3); });
  for (int i = 0; i < 100; ++i) w.step(), std::this_thread::sleep_for(std::chrono::microseconds(500));
  reader.join();
  ASSERT_EQ(picture.size(), 9u + 640 * 480 * 3);
  EXPECT_EQ(picture.substr(0, 9),
            std::string("\0\x00\x0e\x10\x04\x02\x80\x01\xe0", 9));  // raw, 921604 bytes, 640 × 480
  EXPECT_EQ(w.figure("pictures"), 1);
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
