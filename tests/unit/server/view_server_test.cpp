#include "server/view_server.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "raw_client.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();  // gcc has the function, but not its header
#endif

namespace gradus::view {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr const char* kControl = "c0c0c0c0";
constexpr const char* kView = "a1a1a1a1";

class ViewServerTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }
  void start(ServerOptions options) {
    server_.reset();
    options.control_token = kControl;
    options.view_token = kView;
    auto started = ViewServer::start(options);
    ASSERT_TRUE(started);
    server_ = std::move(*started);
    auto scene = std::make_shared<SceneDescription>();
    scene->name = "test";
    scene->robots = {{"red1", {"single_body", "articulated"}, 0, {{"trunk", {}}}, {}}};
    scene->properties = {{"red1.x", "m"}, {"red1.y", "m"}};
    server_->set_scene(scene);
    frame_.bodies.resize(1);
    server_->publish(frame_);
    std::this_thread::sleep_for(milliseconds(50));  // a few ticks
  }
  RawClient client() { return RawClient(server_->port()); }
  bool is_serving() {
    RawClient c(server_->port());
    return c.get(std::string("/?token=") + kView).find("200 OK") != std::string::npos;
  }
  /// The next commands that reach the simulation, waiting for at least one.
  std::vector<Command> commands(double seconds = 3) {
    std::vector<Command> c;
    for (const auto end = Clock::now() + std::chrono::duration<double>(seconds); c.empty() && Clock::now() < end;) {
      server_->poll_commands(c);
      std::this_thread::sleep_for(milliseconds(2));
    }
    return c;
  }
  template <class Condition>
  bool becomes_true(Condition condition, double seconds = 3) {
    for (const auto end = Clock::now() + std::chrono::duration<double>(seconds); Clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return condition();
  }

  std::unique_ptr<ViewServer> server_;
  Frame frame_;
};

TEST_F(ViewServerTest, the_page_needs_a_token_its_parts_do_not) {
  EXPECT_NE(client().get("/?token=c0c0c0c0").find("200 OK"), std::string::npos);
  const std::string page = client().get("/?token=a1a1a1a1");
  EXPECT_NE(page.find("200 OK"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'self'"), std::string::npos);
  EXPECT_NE(page.find("/page.js"), std::string::npos);
  const std::string script = client().get("/page.js");
  EXPECT_NE(script.find("200 OK"), std::string::npos);
  EXPECT_NE(script.find("text/javascript"), std::string::npos);
  for (const char* target :
       {"/", "/?token=", "/?token=a1a1a1a", "/?token=a1a1a1a1a", "/?token=A1A1A1A1", "/index.html"}) {
    const std::string answer = client().get(target);
    EXPECT_NE(answer.find("401 Unauthorized"), std::string::npos) << target;
    EXPECT_NE(answer.find("token is missing or wrong"), std::string::npos) << "people can read why";
    EXPECT_EQ(answer.find(kControl), std::string::npos);
  }
}

TEST_F(ViewServerTest, random_tokens_differ_and_have_128_bits) {
  auto a = ViewServer::start({}), b = ViewServer::start({});
  ASSERT_TRUE(a && b);
  const auto token = [](const std::string& url) { return url.substr(url.find("token=") + 6); };
  EXPECT_EQ(token((*a)->control_url()).size(), 32u);
  EXPECT_NE(token((*a)->control_url()), token((*b)->control_url()));
  EXPECT_NE(token((*a)->control_url()), token((*a)->view_url()));
}

TEST_F(ViewServerTest, foreign_host_and_origin_are_refused) {
  RawClient c1(server_->port()), c2(server_->port()), c3(server_->port()), c4(server_->port()), c5(server_->port());
  EXPECT_NE(
      c1.request("GET /?token=c0c0c0c0 HTTP/1.1\r\nHost: evil.example:" + std::to_string(server_->port()) + "\r\n\r\n")
          .find("403"),
      std::string::npos);
  EXPECT_NE(c2.request("GET /?token=c0c0c0c0 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n").find("403"), std::string::npos);
  EXPECT_NE(c3.request("GET /?token=c0c0c0c0 HTTP/1.1\r\n\r\n").find("403"), std::string::npos) << "no host at all";
  EXPECT_NE(c4.open_stream(kControl, "Origin: http://evil.example\r\n").find("403"), std::string::npos);
  EXPECT_NE(c5.open_stream(kControl, "Origin: https://" + c5.host() + "\r\n").find("403"), std::string::npos);
  RawClient own(server_->port()), local(server_->port());
  EXPECT_NE(own.open_stream(kControl, "Origin: http://" + own.host() + "\r\n").find("101"), std::string::npos);
  const std::string name = "localhost:" + std::to_string(server_->port());
  EXPECT_NE(local.request("GET /?token=c0c0c0c0 HTTP/1.1\r\nHost: " + name + "\r\n\r\n").find("200"),
            std::string::npos);
}

TEST_F(ViewServerTest, nothing_but_the_page_is_served) {
  for (const char* target : {"/../../etc/passwd", "//etc/passwd", "/page.js/..", "/%2e%2e/x", "/assets", "/stream.js"})
    EXPECT_NE(client().get(target).find("404"), std::string::npos) << target;
  RawClient c(server_->port());
  EXPECT_NE(c.request("DELETE /?token=c0c0c0c0 HTTP/1.1\r\nHost: " + c.host() + "\r\n\r\n").find("405"),
            std::string::npos);
  EXPECT_NE(client().get("/stream?token=c0c0c0c0").find("426"), std::string::npos);
}

TEST_F(ViewServerTest, a_viewer_gets_greeting_scene_and_frames) {
  RawClient c(server_->port());
  ASSERT_NE(c.open_stream(kView).find("101"), std::string::npos);
  EXPECT_EQ(json::parse(c.next_text("hello"))["may_control"], false);
  EXPECT_EQ(json::parse(c.next_text("scene"))["name"], "test");
  EXPECT_EQ(json::parse(c.next_text("lease"))["mine"], false);
  for (std::uint64_t k = 1; k <= 3; ++k) {
    frame_.k = k;
    server_->publish(frame_);
    std::uint64_t seen = 0;
    while (seen < k) {
      const auto m = c.next();
      ASSERT_TRUE(m);
      if (m->opcode != 2) continue;
      const auto f = decode({reinterpret_cast<const std::uint8_t*>(m->data.data()), m->data.size()});
      ASSERT_TRUE(f);
      seen = f->k;
    }
    EXPECT_EQ(seen, k);
  }
}

TEST_F(ViewServerTest, a_newcomer_is_not_shown_what_the_last_viewer_saw) {
  {
    RawClient first(server_->port());
    first.open_stream(kView);
    first.next_text("lease");
  }
  ASSERT_TRUE(becomes_true([&] { return server_->statistics().viewers == 0; }));
  RawClient second(server_->port());
  second.open_stream(kView);
  second.next_text("lease");
  frame_.k = 77;
  server_->publish(frame_);
  std::optional<RawClient::Message> m;
  do m = second.next();
  while (m && m->opcode != 2);
  ASSERT_TRUE(m);
  EXPECT_EQ(decode({reinterpret_cast<const std::uint8_t*>(m->data.data()), m->data.size()})->k, 77u);
}

TEST_F(ViewServerTest, frames_are_thinned_to_sixty_a_second_and_the_last_one_arrives) {
  RawClient c(server_->port());
  c.open_stream(kView);
  c.next_text("lease");
  const auto begin = Clock::now();
  for (frame_.k = 1; Clock::now() - begin < milliseconds(500); ++frame_.k) {
    server_->publish(frame_);
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  const std::uint64_t last = frame_.k - 1;
  int count = 0;
  std::uint64_t seen = 0;
  while (seen != last) {
    const auto m = c.next();
    ASSERT_TRUE(m) << "the newest frame never came";
    if (m->opcode != 2) continue;
    ++count;
    seen = decode({reinterpret_cast<const std::uint8_t*>(m->data.data()), m->data.size()})->k;
  }
  EXPECT_LE(count, 34);
  EXPECT_GE(count, 5);
}

TEST_F(ViewServerTest, commands_of_the_controller_reach_the_simulation_and_are_answered) {
  RawClient c(server_->port());
  c.open_stream(kControl);
  EXPECT_EQ(json::parse(c.next_text("lease"))["mine"], true);
  c.command(R"({"id":5,"do":"set_motion","robot":"red1","level":"articulated"})");
  const auto got = commands();
  ASSERT_EQ(got.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<SetMotion>(got[0].action));
  EXPECT_EQ(std::get<SetMotion>(got[0].action).level, 1);
  server_->reply(got[0], false, "not now");
  const json reply = json::parse(c.next_text("reply"));
  EXPECT_EQ(reply["id"], 5);
  EXPECT_EQ(reply["ok"], false);
  EXPECT_EQ(reply["text"], "not now");
}

TEST_F(ViewServerTest, one_viewer_controls_the_others_watch) {
  RawClient a(server_->port()), b(server_->port()), watcher(server_->port());
  a.open_stream(kControl);
  a.next_text("lease");
  b.open_stream(kControl);
  EXPECT_EQ(json::parse(b.next_text("lease"))["mine"], false);
  watcher.open_stream(kView);
  watcher.next_text("lease");
  b.command(R"({"id":1,"do":"pause"})");
  EXPECT_EQ(json::parse(b.next_text("reply"))["ok"], false);
  watcher.command(R"({"id":1,"do":"take_control"})");
  EXPECT_EQ(json::parse(watcher.next_text("reply"))["ok"], false);
  watcher.command(R"({"id":2,"do":"pause"})");
  EXPECT_EQ(json::parse(watcher.next_text("reply"))["text"], "this address may only watch");
  EXPECT_TRUE(commands(0.1).empty());
  b.command(R"({"id":3,"do":"take_control"})");
  EXPECT_EQ(json::parse(b.next_text("reply"))["ok"], true);
  b.command(R"({"id":4,"do":"pause"})");
  EXPECT_EQ(commands().size(), 1u);
  a.command(R"({"id":5,"do":"resume"})");
  EXPECT_EQ(json::parse(a.next_text("reply"))["ok"], false);
}

TEST_F(ViewServerTest, a_push_ends_when_its_viewer_goes_away) {
  {
    RawClient c(server_->port());
    c.open_stream(kControl);
    c.next_text("lease");
    c.command(R"({"id":1,"do":"push","body":0,"point":[0,0,0],"target":[1,0,0],"stiffness":9,"max_force":9})");
    ASSERT_EQ(commands().size(), 1u);
  }
  const auto got = commands();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ReleasePush>(got[0].action));
  RawClient next(server_->port());
  next.open_stream(kControl);
  EXPECT_EQ(json::parse(next.next_text("lease"))["mine"], true) << "the lease is free again";
}

TEST_F(ViewServerTest, subscriptions_of_all_viewers_are_united) {
  RawClient a(server_->port()), b(server_->port());
  a.open_stream(kView);
  b.open_stream(kView);
  a.command(R"({"id":1,"do":"subscribe","properties":[1]})");
  b.command(R"({"id":1,"do":"subscribe","properties":[0,1],"volumes":true})");
  const auto wants = [&](std::vector<std::uint16_t> signals, bool volumes) {
    const Wanted w = server_->wanted();
    return std::equal(w.signals.begin(), w.signals.end(), signals.begin(), signals.end()) && w.volumes == volumes;
  };
  EXPECT_TRUE(becomes_true([&] { return wants({0, 1}, true); }));
  b.close();
  EXPECT_TRUE(becomes_true([&] { return wants({1}, false); }));
}

TEST_F(ViewServerTest, events_reach_viewers_that_come_later) {
  server_->announce({7, 0.007, "fall", "red1 fell", 0});
  std::this_thread::sleep_for(milliseconds(60));
  RawClient c(server_->port());
  c.open_stream(kView);
  EXPECT_EQ(json::parse(c.next_text("event"))["text"], "red1 fell");
}

TEST_F(ViewServerTest, planned_ways_reach_those_who_look_and_those_who_come_later) {
  RawClient first(server_->port());
  first.open_stream(kView);
  first.next_text("scene");
  server_->set_plans(std::make_shared<const PlannedWays>(PlannedWays{{0, {{0, 0, 0.2}, {0.08, -0.5, 0.2}}, {{0.1, 0.2, 0.03}}}}));
  for (const bool later : {false, true}) {
    RawClient second(server_->port());
    if (later) second.open_stream(kView);
    const json m = json::parse((later ? second : first).next_text("plans"));
    ASSERT_EQ(m["plans"].size(), 1u);
    EXPECT_EQ(m["plans"][0]["base"], json::parse("[[0.0, 0.0, 0.2], [0.08, -0.5, 0.2]]"));
    EXPECT_EQ(m["plans"][0]["footholds"], json::parse("[[0.1, 0.2, 0.03]]"));
  }
  server_->set_plans(std::make_shared<const PlannedWays>(PlannedWays{{0, {}, {}}}));  // a new one replaces it
  EXPECT_TRUE(json::parse(first.next_text("plans"))["plans"][0]["base"].empty());
}

TEST_F(ViewServerTest, many_events_of_one_kind_do_not_push_out_a_goal) {
  RawClient first(server_->port());
  first.open_stream(kView);
  server_->announce({7, 0.007, "goal", "1 : 0", -1});
  for (std::uint64_t k = 8; k < 300; ++k)
    server_->announce({k, 0.001 * static_cast<double>(k), "contact", "touches", 0});
  for (std::uint64_t k = 0; k < 299;) {  // until the server has taken them all
    const std::string text = first.next_text("event");
    ASSERT_FALSE(text.empty());
    k = json::parse(text)["k"];
  }
  RawClient c(server_->port());
  c.open_stream(kView);
  EXPECT_EQ(json::parse(c.next_text("event"))["kind"], "goal");
  EXPECT_EQ(json::parse(c.next_text("event"))["k"], 236) << "then the last 64 contacts";
}

TEST_F(ViewServerTest, a_recording_is_served_without_a_run_and_still_needs_the_token) {
  ServerOptions options;
  options.page = "<!doctype html><p>recorded</p>";
  start(options);
  EXPECT_NE(client().get("/?token=a1a1a1a1").find("<p>recorded</p>"), std::string::npos);
  EXPECT_NE(client().get("/").find("401"), std::string::npos);
  RawClient c(server_->port());
  EXPECT_NE(c.open_stream(kControl).find("404"), std::string::npos);
}

// ---- abuse

TEST_F(ViewServerTest, a_message_over_the_limit_closes_the_connection_with_1009) {
  RawClient c(server_->port());
  c.open_stream(kControl);
  c.next_text("lease");
  c.send_message(1, std::string(1 << 20, 'x'));
  std::optional<RawClient::Message> m;
  do m = c.next();
  while (m && m->opcode != 8);
  ASSERT_TRUE(m);
  EXPECT_EQ(static_cast<unsigned char>(m->data[0]) * 256 + static_cast<unsigned char>(m->data[1]), 1009);
  EXPECT_TRUE(becomes_true([&] { return server_->statistics().viewers == 0; }));
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, garbage_is_answered_or_closed_never_obeyed) {
  RawClient c(server_->port());
  c.open_stream(kControl);
  c.next_text("lease");
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    std::string junk(random() % 200, ' ');
    for (char& x : junk) x = static_cast<char>(32 + random() % 95);
    c.command(junk);
    const std::string reply = c.next_text("reply");
    ASSERT_NE(reply, "");
    EXPECT_EQ(json::parse(reply)["ok"], false);
  }
  EXPECT_TRUE(commands(0.05).empty());
  RawClient unmasked(server_->port()), noise(server_->port());
  unmasked.open_stream(kControl);
  unmasked.send_message(1, R"({"id":1,"do":"pause"})", /*is_masked=*/false);
  EXPECT_TRUE(unmasked.is_closed_within(5)) << "RFC 6455, 5.1";
  noise.send(std::string(5000, '\xee'));
  EXPECT_TRUE(noise.is_closed_within(5));
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, a_header_over_the_limit_is_refused) {
  RawClient c(server_->port());
  c.send("GET / HTTP/1.1\r\nHost: " + c.host() + "\r\nX: " + std::string(100000, 'a') + "\r\n\r\n");
  EXPECT_TRUE(c.is_closed_within(5));
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, a_body_is_refused) {
  RawClient c(server_->port());
  c.send("POST /?token=c0c0c0c0 HTTP/1.1\r\nHost: " + c.host() + "\r\nContent-Length: 4000000000\r\n\r\nabc");
  EXPECT_TRUE(c.is_closed_within(5));
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, a_dialogue_cut_at_every_byte_leaves_the_server_well) {
  RawClient pattern(server_->port());
  const std::string request = "GET /stream?token=c0c0c0c0 HTTP/1.1\r\nHost: " + pattern.host() + "\r\n" +
                              RawClient::upgrade_headers() + "\r\n\x81\x95" + std::string(4, '\0') +
                              R"({"id":1,"do":"pause"})";
  for (std::size_t n = 0; n <= request.size(); ++n) {
    RawClient c(server_->port());
    c.send(request.substr(0, n));
  }
  EXPECT_TRUE(becomes_true([&] { return server_->statistics().viewers == 0; }));
  EXPECT_TRUE(is_serving());
}

/// A dialogue as browsers have it, spoilt: bytes changed, doubled, left out, cut. Whatever comes of it, no command that
/// was not in it reaches the simulation, and the server answers the next one.
TEST_F(ViewServerTest, spoilt_dialogues_are_survived) {
  std::mt19937 random(20261115);
  const auto in = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  RawClient pattern(server_->port());
  const std::string head =
      "GET /stream?token=c0c0c0c0 HTTP/1.1\r\nHost: " + pattern.host() + "\r\n" + RawClient::upgrade_headers() + "\r\n";
  const std::string ask = R"({"id":1,"do":"seek","time":1.25})";
  const std::string frame = "\x81" + std::string(1, static_cast<char>(0x80 | ask.size())) + std::string(4, '\0') + ask;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = i % 3 == 0 ? head + frame + frame : i % 3 == 1 ? frame : head;
    const bool is_open = i % 3 == 1;  // only what comes after the handshake is spoilt
    for (std::size_t n = 1 + in(4); n > 0; --n) {
      const std::size_t at = in(bytes.size());
      switch (in(5)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << in(8)));
          break;
        case 2:
          bytes.insert(at, bytes.substr(at, in(40)));
          break;
        case 3:
          bytes.erase(at, in(20));
          break;
        case 4:
          bytes.resize(at + 1);
          break;
      }
    }
    RawClient c(server_->port());
    if (is_open) c.open_stream(kControl);
    c.send(bytes);
    if (i % 50 == 0) c.receive(0.05);
  }
  std::vector<Command> got;
  server_->poll_commands(got);
  for (const Command& c : got) {
    const bool is_known = std::holds_alternative<Seek>(c.action) || std::holds_alternative<ReleasePush>(c.action);
    EXPECT_TRUE(is_known) << c.action.index();
    if (const auto* seek = std::get_if<Seek>(&c.action)) {
      EXPECT_TRUE(seek->time >= 0 && seek->time <= 1e9);
    }
  }
  EXPECT_TRUE(becomes_true([&] { return server_->statistics().viewers == 0; }, 8));
  EXPECT_TRUE(is_serving());
}

/// Sends a header line by line, without end. How long the server listens to that; infinity if it never stops. [s]
double patience_with_slow_headers(std::uint16_t port, double pause) {
  RawClient c(port);
  const auto begin = Clock::now();
  c.send("GET / HTTP/1.1\r\n");
  for (int i = 0; i < 100; ++i) {
    c.send("X-" + std::to_string(i) + ": y\r\n");
    if (c.is_closed_within(pause)) return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return std::numeric_limits<double>::infinity();
}

TEST_F(ViewServerTest, slow_headers_are_closed_within_five_seconds) {
  EXPECT_LT(patience_with_slow_headers(server_->port(), 0.2), 6.5) << "5 s by the server's clock";
}

TEST_F(ViewServerTest, the_time_for_a_request_can_be_chosen) {
  ServerOptions options;
  options.request_timeout = 0.5;
  start(options);
  EXPECT_LT(patience_with_slow_headers(server_->port(), 0.05), 3);
}

TEST_F(ViewServerTest, a_crowd_of_silent_connections_does_not_lock_out_a_viewer) {
  ServerOptions options;
  options.half_open_max = 8;
  start(options);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<RawClient>(server_->port()));
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, a_crowd_that_comes_at_once_is_served_one_after_another) {
  std::vector<std::unique_ptr<RawClient>> crowd;  // four times as many as may be unfinished
  for (int i = 0; i < 64; ++i) {
    crowd.push_back(std::make_unique<RawClient>(server_->port()));
    crowd.back()->ask_for_stream(kView);
  }
  for (auto& c : crowd) EXPECT_NE(c->status_line().find("101"), std::string::npos);
}

TEST_F(ViewServerTest, ten_thousand_connections_one_after_another) {
  int opened = 0;
  for (int i = 0; i < 10000; ++i) opened += RawClient(server_->port()).is_open();
  EXPECT_EQ(opened, 10000);
  EXPECT_TRUE(is_serving());
}

TEST_F(ViewServerTest, only_so_many_viewers_are_let_in) {
  ServerOptions options;
  options.viewers_max = 3;
  start(options);
  std::vector<std::unique_ptr<RawClient>> viewers;
  for (int i = 0; i < 3; ++i) {
    viewers.push_back(std::make_unique<RawClient>(server_->port()));
    EXPECT_NE(viewers.back()->open_stream(kView).find("101"), std::string::npos);
    viewers.back()->next_text("lease");
  }
  RawClient fourth(server_->port());
  EXPECT_NE(fourth.open_stream(kView).find("503"), std::string::npos);
  viewers.pop_back();
  EXPECT_TRUE(
      becomes_true([&] { return RawClient(server_->port()).open_stream(kView).find("101") != std::string::npos; }));
}

/// Memory that the program holds: without what an allocator keeps of freed memory, which is much where a sanitizer
/// looks for uses after free.  [kB]
long heap_kilobytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return static_cast<long>(__sanitizer_get_current_allocated_bytes() / 1024);
#else
  const auto m = mallinfo2();
  return static_cast<long>((m.uordblks + m.hblkhd) / 1024);
#endif
}

TEST_F(ViewServerTest, viewers_that_never_read_cost_nothing_and_are_dropped) {
  ServerOptions options;
  options.write_timeout = 2;
  start(options);
  std::vector<std::unique_ptr<RawClient>> dead;
  for (int i = 0; i < 5; ++i) {
    dead.push_back(std::make_unique<RawClient>(server_->port(), 4096));
    ASSERT_NE(dead.back()->open_stream(kView).find("101"), std::string::npos) << i;
  }
  RawClient reader(server_->port());
  ASSERT_NE(reader.open_stream(kView).find("101"), std::string::npos);
  reader.next_text("lease");
  ASSERT_TRUE(becomes_true([&] { return server_->statistics().viewers == 6; }));
  frame_.bodies.resize(8000);  // 160 kB: soon fills the sockets' buffers
  server_->publish(frame_);
  std::this_thread::sleep_for(milliseconds(200));
  const long before = heap_kilobytes();
  int frames_read = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(30);
       server_->statistics().viewers > 1 && Clock::now() < end;) {
    ++frame_.k;
    server_->publish(frame_);
    const auto m = reader.next();
    ASSERT_TRUE(m);
    EXPECT_TRUE(m->is_whole) << "a reader that took fragments one by one would count as stalled";
    frames_read += m->opcode == 2;
  }
  EXPECT_GT(frames_read, 10) << "the one who reads goes on reading";
  EXPECT_EQ(server_->statistics().viewers, 1);
  EXPECT_GT(server_->statistics().frames_replaced, 0u);
  EXPECT_LT(heap_kilobytes() - before, 2000) << "frames for the dead are not piled up";
}

/// A stand-in for a step: a fixed amount of arithmetic.
double work(int amount) {
  double x = 1;
  for (int i = 0; i < amount; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

/// Processor time of this thread, which does not count what other programs take.  [µs]
double thread_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

TEST_F(ViewServerTest, sixty_four_viewers_and_five_dead_ones_do_not_slow_the_steps) {
  ServerOptions options;
  options.idle_timeout = 120;  // nobody answers pings until all have come, which takes its time under a sanitizer
  start(options);
  frame_.bodies.resize(506);  // 22 humanoids
  volatile double sink = 0;
  const auto microseconds_per_step = [&] {  // 2000 steps of about 20 µs, a frame whenever one is due
    const double begin = thread_time();
    for (int k = 0; k < 2000; ++k) {
      sink = sink + work(20000);
      if (server_->frame_due()) {
        ++frame_.k;
        server_->publish(frame_);
      }
    }
    return (thread_time() - begin) / 2000;
  };
  microseconds_per_step();
  std::vector<double> alone, crowded;
  for (int i = 0; i < 5; ++i) alone.push_back(microseconds_per_step());
  std::vector<std::unique_ptr<RawClient>> viewers, dead;
  for (int i = 0; i < 64; ++i) {
    viewers.push_back(std::make_unique<RawClient>(server_->port()));
    ASSERT_NE(viewers.back()->open_stream(kView).find("101"), std::string::npos) << i;
  }
  for (int i = 0; i < 5; ++i) {
    dead.push_back(std::make_unique<RawClient>(server_->port(), 4096));
    dead.back()->open_stream(kView);
  }
  ASSERT_TRUE(becomes_true([&] { return server_->statistics().viewers == 69; }, 10));
  std::atomic<bool> stop{false};
  std::atomic<int> frames_read{0};
  std::thread readers([&] {
    while (!stop)
      for (auto& v : viewers)
        if (v->receive(0)) ++frames_read;
  });
  for (int i = 0; i < 5; ++i) crowded.push_back(microseconds_per_step());
  stop = true;
  readers.join();
  const auto median = [](std::vector<double> x) { return std::sort(x.begin(), x.end()), x[x.size() / 2]; };
  std::printf("step alone %.2f us, with 69 viewers %.2f us\n", median(alone), median(crowded));
  EXPECT_GT(frames_read, 64);
  EXPECT_LT(median(crowded), 1.25 * median(alone));
}

TEST(ViewServerStart, a_taken_port_is_reported) {
  auto first = ViewServer::start({});
  ASSERT_TRUE(first);
  ServerOptions options;
  options.port = (*first)->port();
  const auto second = ViewServer::start(options);
  ASSERT_FALSE(second);
  EXPECT_NE(to_string(second.notes()[0]).find("cannot serve the viewer on 127.0.0.1"), std::string::npos);
}

}  // namespace
}  // namespace gradus::view
