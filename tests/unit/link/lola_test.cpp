/// LoLA: the golden packet (written by hand from the MessagePack specification), answers of all kinds, any bytes, and a
/// Nao driven over a real socket.
#include "link/lola/lola_link.h"

#include <bit>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/rng.h"
#include "unit/link/link_world.h"

namespace gradus::lola {
namespace {

const char* const kGolden =
    "8da953746966666e657373dc0019ca00000000ca3d000000ca3d800000ca3dc00000ca3e000000ca3e200000ca3e400000ca3e600000ca"
    "3e800000ca3e900000ca3ea00000ca3eb00000ca3ec00000ca3ed00000ca3ee00000ca3ef00000ca3f000000ca3f080000ca3f100000ca"
    "3f180000ca3f200000ca3f280000ca3f300000ca3f380000ca3f400000a8506f736974696f6edc0019cabf800000cabf600000cabf4000"
    "00cabf200000cabf000000cabec00000cabe800000cabe000000ca00000000ca3e000000ca3e800000ca3ec00000ca3f000000ca3f2000"
    "00ca3f400000ca3f600000ca3f800000ca3f900000ca3fa00000ca3fb00000ca3fc00000ca3fd00000ca3fe00000ca3ff00000ca400000"
    "00ab54656d7065726174757265dc0019ca41f00000ca41f80000ca42000000ca42040000ca42080000ca420c0000ca42100000ca421400"
    "00ca42180000ca421c0000ca42200000ca42240000ca42280000ca422c0000ca42300000ca42340000ca42380000ca423c0000ca424000"
    "00ca42440000ca42480000ca424c0000ca42500000ca42540000ca42580000a743757272656e74dc0019ca00000000ca3e800000ca3f00"
    "0000ca3f400000ca3f800000ca3fa00000ca3fc00000ca3fe00000ca40000000ca40100000ca40200000ca40300000ca40400000ca4050"
    "0000ca40600000ca40700000ca40800000ca40880000ca40900000ca40980000ca40a00000ca40a80000ca40b00000ca40b80000ca40c0"
    "0000a6537461747573dc001900010203000102030001020300010203000102030001020300a74261747465727994ca3f400000cac6ff88"
    "00cabfc00000ca41c80000ad416363656c65726f6d6574657293ca3f000000cabe800000cac11d0000a94779726f73636f706593ca3d80"
    "0000cabe000000ca40000000a6416e676c657392ca3d000000cabf000000a5536f6e617292ca3f000000ca3f400000a346535298ca3f00"
    "0000ca3f200000ca3f400000ca3f600000ca3f800000ca3f900000ca3fa00000ca3fb00000a5546f7563689eca00000000ca3f800000ca"
    "00000000ca3f800000ca00000000ca3f800000ca00000000ca3f800000ca00000000ca3f800000ca00000000ca3f800000ca00000000ca"
    "3f800000ab526f626f74436f6e66696794b45030303030303734413034533858583030303031a5362e302e30b450303030303037334130"
    "375339344d3030303032a5362e302e30";

Bytes from_hex(const std::string& hex) {
  Bytes out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return out;
}

TEST(Lola, ThePacketHasTheGoldenBytes) {
  Sensors s;
  for (std::size_t i = 0; i < kJoints; ++i) {
    const auto n = static_cast<double>(i);
    s.stiffness[i] = n / 32, s.position[i] = 0.125 * n - 1, s.temperature[i] = 30 + n, s.current[i] = 0.25 * n;
    s.status[i] = static_cast<int>(i % 4);
  }
  s.battery = {0.75, -32708, -1.5, 25};
  s.accelerometer = {0.5, -0.25, -9.8125};
  s.gyroscope = {0.0625, -0.125, 2};
  s.angles = {0.03125, -0.5};
  s.sonar = {0.5, 0.75};
  for (std::size_t i = 0; i < 8; ++i) s.fsr[i] = 0.5 + static_cast<double>(i) / 8;
  for (std::size_t i = 0; i < 14; ++i) s.touch[i] = static_cast<double>(i % 2);
  s.body_id = "P0000074A04S8XX00001", s.head_id = "P0000073A07S94M00002";
  Bytes out;
  encode(s, out);
  EXPECT_EQ(out.size(), kPacketBytes);
  EXPECT_EQ(out, from_hex(kGolden));
}

/// All eleven keys, as clients send them: 786 bytes.
Bytes full_answer(double position, double stiffness) {
  Bytes out;
  PackWriter w(out);
  w.map(11);
  w.numbers("Position", std::vector<double>(25, position));
  w.numbers("Stiffness", std::vector<double>(25, stiffness));
  for (const char* led : {"Chest", "LFoot", "RFoot"}) w.numbers(led, std::vector<double>{1, 0.5, 0});
  for (const char* eye : {"LEye", "REye"}) w.numbers(eye, std::vector<double>(24, 0.25));
  for (const char* ear : {"LEar", "REar"}) w.numbers(ear, std::vector<double>(10, 0.75));
  w.numbers("Skull", std::vector<double>(12, 1));
  w.text("Sonar");
  w.array(2);
  out.push_back(std::byte{0xc3}), out.push_back(std::byte{0xc2});
  return out;
}

TEST(Lola, AnAnswerOfAllKeysHas786BytesAndIsUnderstood) {
  const Bytes answer = full_answer(0.5, 0.25);
  ASSERT_EQ(answer.size(), 786u);
  Actuators a;
  std::size_t used = 0;
  std::string fault;
  ASSERT_EQ(decode(answer, a, used, fault), PackReader::Outcome::fine) << fault;
  EXPECT_EQ(used, answer.size());
  EXPECT_EQ(a.position[24], 0.5);
  EXPECT_EQ(a.stiffness[7], 0.25);
  EXPECT_EQ(a.leds.chest, (std::array<double, 3>{1, 0.5, 0}));
  EXPECT_EQ(a.leds.skull[11], 1);
  EXPECT_EQ(a.sonar, (std::array<bool, 2>{true, false}));
  for (std::size_t cut = 0; cut < answer.size(); ++cut) {  // every part of it waits for the rest
    Actuators b;
    ASSERT_EQ(decode(ByteView(answer).first(cut), b, used, fault), PackReader::Outcome::incomplete) << cut;
  }
}

TEST(Lola, AnySubsetInAnyOrderAndSpellingAndKeysOfTomorrow) {
  const auto decoded = [](const Bytes& b, Actuators& a) {
    std::size_t used = 0;
    std::string fault;
    return decode(b, a, used, fault) == PackReader::Outcome::fine && used == b.size();
  };
  Actuators a;
  a.position[3] = 7;
  EXPECT_TRUE(decoded(from_hex("80"), a));
  EXPECT_FALSE(a.has_position);
  // {"Sonar": [0, 1], "Chest": [1, -1, 200]} with integers, str8 and a map16
  EXPECT_TRUE(decoded(from_hex("de0002d905536f6e6172920001a543686573749301ffccc8"), a));
  EXPECT_EQ(a.sonar, (std::array<bool, 2>{false, true}));
  EXPECT_EQ(a.leds.chest, (std::array<double, 3>{1, -1, 200}));
  EXPECT_EQ(a.position[3], 7);
  // {"New": {"a": [nil, 1.5 (float64)]}, "Chest": [0, 0, int32 -2]}
  EXPECT_TRUE(decoded(from_hex("82a34e657781a16192c0cb3ff8000000000000a543686573749300"
                               "00d2fffffffe"),
                      a));
  EXPECT_EQ(a.leds.chest[2], -2);
}

TEST(Lola, NonsenseIsMalformedAndNeverMoreThanIsThere) {
  for (const char* hex : {"00", "c0", "93010203", "81c0", "81a5436865737491ca3f800000",  // Chest with one number
                          "81a543686573740a", "81a5436865737493ca7fc00000ca00000000ca00000000",  // no list; NaN
                          "df7fffffff", "81a14e9191919191919191919191", "81a14ec1"}) {
    Actuators a;
    std::size_t used = 0;
    std::string fault;
    EXPECT_EQ(decode(from_hex(hex), a, used, fault), PackReader::Outcome::malformed) << hex;
    EXPECT_NE(fault, "") << hex;
  }
}

TEST(Lola, AnyBytesAreAMessageOrNone) {
  const Bytes seed = full_answer(0.5, 1);
  const auto random = [](std::uint64_t i, std::uint64_t what) { return mix64(i * 7919 + what); };
  int fine = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    Bytes b = seed;
    for (std::uint64_t n = 0; n <= random(i, 0) % 6; ++n)
      b[random(i, 1 + n) % (n % 2 ? b.size() : 40)] = static_cast<std::byte>(random(i, 10 + n));
    b.resize(random(i, 30) % 4 ? b.size() : random(i, 31) % b.size());
    Actuators a;
    std::size_t used = 0;
    std::string fault;
    const auto outcome = decode(b, a, used, fault);
    if (outcome != PackReader::Outcome::fine) continue;
    ++fine;
    ASSERT_LE(used, b.size());
    for (const double x : a.position) ASSERT_TRUE(std::isfinite(x));
  }
  EXPECT_GT(fine, 1000);
}

const std::string kNao = kPlane + "[robot.nao]\nmodel = \"robots/nao_h25_v6.toml\"\n";

std::string socket_path(const char* name) {
  return (std::filesystem::temp_directory_path() / (std::string("gradus_lola_") + name + std::to_string(getpid())))
      .string();
}

double float_at(const std::string& packet, std::size_t at) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) bits = bits << 8 | static_cast<std::uint8_t>(packet[at + i]);
  return std::bit_cast<float>(bits);
}
/// Where the first number of a key is.
std::size_t value_of(const std::string& packet, const std::string& key) {
  const std::size_t at = packet.find(key);
  return at + key.size() + (static_cast<std::uint8_t>(packet[at + key.size()]) == 0xdc ? 4 : 2);
}

/// Answers every packet; collects them.
void answer_all(Client client, double position, std::vector<std::string>& packets) {
  for (;;) {
    std::string packet = client.read(kPacketBytes);
    if (packet.size() != kPacketBytes) return;
    packets.push_back(std::move(packet));
    client.send(std::string(as_text(full_answer(position, 0.5))));
  }
}

TEST(Lola, AStandingNaoShowsWhatTheRobotShows) {
  const std::string path = socket_path("stand");
  LinkedWorld w(kNao, "lola", path);
  std::vector<std::string> packets;
  std::thread program([&] {
    Client c = Client::local(path);
    Bytes keep;
    PackWriter(keep).map(0);
    for (;;) {
      std::string packet = c.read(kPacketBytes);
      if (packet.size() != kPacketBytes) return;
      packets.push_back(std::move(packet));
      c.send(std::string(as_text(keep)));
    }
  });
  w.step(1200);
  w.link.reset();
  program.join();
  ASSERT_EQ(packets.size(), 101u);  // one every 12 ms, none lost
  const std::string& last = packets.back();
  double kilograms = 0;
  for (std::size_t i = 0; i < 8; ++i) kilograms += float_at(last, value_of(last, "FSR") + 5 * i);
  const double mass = 5.359;
  EXPECT_NEAR(kilograms, mass, 0.3 * mass);  // pads have scale errors of 15 % each
  EXPECT_NEAR(float_at(last, value_of(last, "Accelerometer") + 10), -9.81, 0.6);
  EXPECT_NEAR(float_at(last, value_of(last, "Angles")), 0, 0.05);
  EXPECT_NEAR(float_at(last, value_of(last, "Position") + 5 * 10), 0.89, 0.03);  // LKneePitch
  EXPECT_FLOAT_EQ(static_cast<float>(float_at(last, value_of(last, "Stiffness"))),
                  0.7f);  // the head, as its servo file says
  EXPECT_NEAR(float_at(last, value_of(last, "Temperature")), 25, 1.5);
  EXPECT_GT(float_at(last, value_of(last, "Battery")), 0.99);
  EXPECT_LT(float_at(last, value_of(last, "Battery") + 10), 0);  // discharging
  EXPECT_EQ(float_at(last, value_of(last, "Touch")), 0);         // the chest button is not pressed
  EXPECT_FALSE(std::filesystem::exists(path));                   // nothing is left behind
}

TEST(Lola, AnswersMoveJointsWithBothHipsOnOneMotorAndSetStiffness) {
  const std::string path = socket_path("move");
  LinkedWorld w(kNao, "lola", path);
  std::vector<std::string> packets;
  std::thread program([&] { answer_all(Client::local(path), 0.25, packets); });
  w.step(24);
  const RobotKind& kind = *w.world->model().robots[0].kind;
  const auto target = [&](const char* joint) {
    return w.world->targets(0)[static_cast<std::size_t>(kind.find_joint(joint))];
  };
  EXPECT_FLOAT_EQ(static_cast<float>(target("HeadYaw")), 0.25f);
  EXPECT_EQ(target("LHipYawPitch"), target("RHipYawPitch"));
  EXPECT_EQ(w.world->stiffness(0)[0], 0.5);
  w.link.reset();
  program.join();
  EXPECT_EQ(float_at(packets.back(), value_of(packets.back(), "Position") + 5 * 23), 0.25);  // LHand: as asked
  EXPECT_EQ(float_at(packets.back(), value_of(packets.back(), "Stiffness")), 0.5);
}

TEST(Lola, AProgramThatSendsGarbageIsCutOffAndTheNextOneIsServed) {
  const std::string path = socket_path("garbage");
  LinkedWorld w(kNao, "lola", path + ",patience=0.1s");
  Client bad = Client::local(path);
  bad.send("GET / HTTP/1.1\r\n\r\n");
  w.step(24);
  EXPECT_TRUE(w.was_told("no MessagePack map"));
  EXPECT_TRUE(bad.is_closed());
  std::vector<std::string> packets;
  std::thread good([&] { answer_all(Client::local(path), 0.1, packets); });
  for (int i = 0; i < 200 && !w.was_told("is back"); ++i) {
    w.step(12);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  w.step(24);
  EXPECT_FLOAT_EQ(static_cast<float>(w.world->targets(0)[0]), 0.1f);
  w.link.reset();
  good.join();
  EXPECT_GE(packets.size(), 2u);
}

TEST(Lola, AProgramThatAnswersAndLeavesIsMissed) {
  const std::string path = socket_path("leaves");
  LinkedWorld w(kNao, "lola", path + ",patience=0.1s");
  std::thread program([&] {
    Client c = Client::local(path);
    c.read(kPacketBytes);
    c.send(std::string(as_text(full_answer(0.1, 1))));
  });
  w.step(1);
  program.join();
  w.step(36);
  EXPECT_TRUE(w.was_told("has gone"));
  EXPECT_TRUE(w.was_told("did not come back"));
}

TEST(Lola, ImagesComeOnTcpWithTheirHeader) {
  const std::string path = socket_path("images");
  LinkedWorld w(kNao, "lola", path + ",free,images=0");
  const auto& lola = static_cast<const LolaLink&>(*w.link);
  Client top = Client::tcp(lola.image_port(0, 0)), bottom = Client::tcp(lola.image_port(0, 1));
  std::string images[2];
  std::thread first([&] { images[0] = top.read(16 + 640 * 480 * 2); });
  std::thread second([&] { images[1] = bottom.read(16 + 640 * 480 * 2); });
  for (int i = 0; i < 300; ++i) {
    w.step(1);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  first.join(), second.join();
  for (int camera = 0; camera < 2; ++camera) {
    const std::string& image = images[camera];
    ASSERT_EQ(image.size(), 16u + 640 * 480 * 2);
    EXPECT_EQ(image.substr(0, 8), std::string("wbimage\0", 8));
    EXPECT_EQ(image[10], camera);
    EXPECT_EQ(image[11], 2);
    EXPECT_EQ(image.substr(12, 4), std::string("\x80\x02\xe0\x01", 4));  // 640 × 480
  }
}

TEST(Lola, InLockStepNoImageIsMissedByAProgramThatReads) {
  const std::string path = socket_path("reads");
  LinkedWorld w(kNao, "lola", path + ",images=0,patience=5s");
  const auto& lola = static_cast<const LolaLink&>(*w.link);
  std::thread answers([&] {
    Client c = Client::local(path);
    for (std::string packet = c.read(kPacketBytes); packet.size() == kPacketBytes; packet = c.read(kPacketBytes)) {
      Bytes answer;
      PackWriter out(answer);
      out.map(0);
      c.send(std::string(as_text(answer)));
    }
  });
  Client top = Client::tcp(lola.image_port(0, 0)), bottom = Client::tcp(lola.image_port(0, 1));
  std::size_t images[2]{};
  const auto read_slowly = [](Client& from, std::size_t& count) {
    while (from.read(16 + 640 * 480 * 2).size() == 16 + 640 * 480 * 2) {
      ++count;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  std::thread first(read_slowly, std::ref(top), std::ref(images[0])), second(read_slowly, std::ref(bottom), std::ref(images[1]));
  w.step(600);
  EXPECT_EQ(w.figure("images_missed"), 0);
  const auto sent = static_cast<std::size_t>(w.figure("images"));
  w.link.reset();
  answers.join(), first.join(), second.join();
  EXPECT_GE(sent, 2u * 16);
  EXPECT_GE(images[0] + images[1] + 2, sent);  // the last of each may be cut off with the connection
}

TEST(Lola, LightsAreToldAndChangeNothing) {
  const auto run = [](double light) {
    const std::string path = socket_path("lights");
    LinkedWorld w(kNao, "lola", path);
    std::thread program([&] {
      Client c = Client::local(path);
      for (std::string packet = c.read(kPacketBytes); packet.size() == kPacketBytes; packet = c.read(kPacketBytes)) {
        Bytes answer;
        PackWriter out(answer);
        out.map(3);
        std::array<double, 10> ear{};
        ear[3] = light;
        out.numbers("REar", ear);
        out.numbers("Chest", std::array<double, 3>{light, 0, 0});
        std::array<double, 24> eye{};
        for (std::size_t i = 16; i < 24; ++i) eye[i] = light;  // blues come last
        out.numbers("LEye", eye);
        c.send(std::string(as_text(answer)));
      }
    });
    w.step(240);
    const std::uint64_t hash = w.world->hash();
    const bool told = w.was_told("lights: chest #ff0000, left_eye #0000ff, right_ear_4 #0000ff");
    std::size_t count = 0;
    for (const LinkNotice& n : w.notices) count += n.kind == "light";
    EXPECT_EQ(count, light > 0 ? 1u : 0u);  // once, not every cycle
    EXPECT_EQ(told, light > 0);
    w.link.reset();
    program.join();
    return hash;
  };
  EXPECT_EQ(run(1), run(0));
}

TEST(Lola, APathThatIsTakenIsNotTakenOver) {
  const std::string path = socket_path("taken");
  LinkedWorld w(kNao, "lola", path);
  SceneSpec scene = scene_of(kNao);
  ASSERT_FALSE(has_errors(find_link("lola")->prepare(path, scene)));
  auto model = compile(scene);
  auto world = World::make(std::move(*model));
  EXPECT_FALSE(find_link("lola")->open(path, **world));
  EXPECT_TRUE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace gradus::lola
