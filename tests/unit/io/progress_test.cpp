#include "io/progress.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gradus::test {
namespace {

const ProgressLabels kSimulation;

TEST(Progress, DurationsReadLikeAClock) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(4.4), "0:04");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(725), "12:05");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(-1), "-:--");
  EXPECT_EQ(format_duration(1e300), "-:--");
}

TEST(Progress, LineGivesAmountRateAndTimeLeft) {
  // 25.5 s simulated in 3 s: 8.5 times real time; the other 34.5 s take 34.5 / 8.5 = 4.06 s.
  EXPECT_EQ(format_progress_line({25.5, 60, 3}, kSimulation), "25.5 of 60 s (42 %), 8.5x real time, 0:04 left");
  EXPECT_EQ(format_progress_line({0, 60, 0}, kSimulation), "0 of 60 s (0 %), 0x real time, -:-- left");
  EXPECT_EQ(format_progress_line({10, 0, 5}, kSimulation), "10 s, 2x real time");
  EXPECT_EQ(format_progress_line({30, 40, 60}, {"games", " games/s"}), "30 of 40 games (75 %), 0.5 games/s, 0:20 left");
}

TEST(Progress, HundredPerCentMeansDone) {
  EXPECT_NE(format_progress_line({59.999, 60, 3}, kSimulation).find("(99 %)"), std::string::npos);
  EXPECT_NE(format_progress_line({60, 60, 3}, kSimulation).find("(100 %)"), std::string::npos);
}

TEST(Progress, BarFillsTheWidth) {
  EXPECT_EQ(format_progress_bar({30, 60, 6}, kSimulation, 63),
            " 50 % [=========>         ] 30 of 60 s, 5x real time, 0:06 left");
  EXPECT_EQ(format_progress_bar({60, 60, 6}, kSimulation, 57),
            "100 % [============] 60 of 60 s, 10x real time, 0:00 left");
}

TEST(Progress, BarIsNeverWiderThanTheTerminal) {
  for (int width = -1; width < 200; ++width) {
    for (const double done : {0.0, 12.3456, 60.0, 70.0}) {
      for (const double total : {0.0, 60.0}) {
        const std::string bar = format_progress_bar({done, total, 7}, kSimulation, width);
        EXPECT_LE(static_cast<int>(bar.size()), std::max(width, 0)) << bar;
      }
    }
  }
  EXPECT_EQ(format_progress_bar({30, 60, 6}, kSimulation, 50), " 50 % 30 of 60 s, 5x real time, 0:06 left");
  EXPECT_EQ(format_progress_bar({30, 60, 6}, kSimulation, 32), " 50 % 5x real time, 0:06 left");
  EXPECT_EQ(format_progress_bar({30, 60, 6}, kSimulation, 20), " 50 % 0:06 left");
  EXPECT_EQ(format_progress_bar({30, 60, 6}, kSimulation, 8), " 50 %");
}

/// Runs a simulation of 10 s in 5 s of a played clock, 1000 updates, and gives what was printed.
std::string printed(ProgressStyle style, bool clear_half_way = false) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  double now = 100;
  {
    ProgressSetup setup;
    setup.out = out;
    setup.style = style;
    setup.total = 10;
    setup.now = [&] { return now; };
    setup.width = [] { return 64; };
    Progress progress(setup);
    for (int i = 1; i <= 1000; ++i) {
      now = 100 + 0.005 * i;
      progress.update(0.01 * i);
      if (clear_half_way && i == 500) progress.clear();
    }
    progress.finish();
    progress.finish();
  }
  std::fclose(out);
  std::string s(text, size);
  std::free(text);
  return s;
}

int count(const std::string& s, const std::string& part) {
  int n = 0;
  for (std::size_t at = s.find(part); at != std::string::npos; at = s.find(part, at + 1)) ++n;
  return n;
}

TEST(Progress, WithoutATerminalThereIsOneLineASecond) {
  const std::string s = printed(ProgressStyle::lines);
  EXPECT_GE(count(s, "\n"), 5);
  EXPECT_LE(count(s, "\n"), 6) << "five seconds and the end";
  EXPECT_EQ(count(s, "\x1b"), 0);
  EXPECT_TRUE(s.starts_with("2 of 10 s (20 %), 2x real time, 0:04 left\n")) << s;
  EXPECT_TRUE(s.ends_with("10 of 10 s (100 %), 2x real time, 0:00 left\n")) << s;
}

TEST(Progress, OnATerminalTheCursorIsHiddenAndComesBack) {
  const std::string s = printed(ProgressStyle::bar);
  EXPECT_EQ(count(s, "\x1b[?25l"), 1);
  EXPECT_EQ(count(s, "\x1b[?25h"), 1);
  EXPECT_LT(s.find("\x1b[?25l"), s.find("="));
  EXPECT_TRUE(s.ends_with("\n\x1b[?25h"));
  EXPECT_EQ(count(s, "\n"), 1) << "one line, drawn again and again";
  EXPECT_GE(count(s, "\r\x1b[K"), 45);
  EXPECT_LE(count(s, "\r\x1b[K"), 51) << "ten times a second";
}

TEST(Progress, ClearLeavesAnEmptyLineForAMessage) {
  const std::string with = printed(ProgressStyle::bar, true);
  EXPECT_EQ(count(with, "\r\x1b[K"), count(printed(ProgressStyle::bar), "\r\x1b[K") + 1);
}

TEST(Progress, SilentSaysNothing) { EXPECT_EQ(printed(ProgressStyle::silent), ""); }

TEST(Progress, AFileIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(progress_style(file), ProgressStyle::lines);
  EXPECT_EQ(terminal_width(file), 80);
  std::fclose(file);
}

}  // namespace
}  // namespace gradus::test
