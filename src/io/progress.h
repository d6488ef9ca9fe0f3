/// Tells how far a run is: a bar with rate and time left on a terminal, one line a second elsewhere, nothing if asked
/// to be quiet. The clock and the width are handed in, so that nothing here knows the time of day and tests can play
/// both.
#pragma once
#include <cstdio>
#include <functional>
#include <string>

namespace gradus {

struct ProgressLabels {
  std::string unit = "s";            // of done and total
  std::string rate = "x real time";  // what follows the rate, done per second of elapsed time: " games/s"
};

struct ProgressSample {
  double done = 0;
  double total = 0;    // 0: nobody knows
  double elapsed = 0;  // wall-clock time since the start [s]
};

/// "0:04", "12:05", "1:02:03"; "-:--" for what is not known.
std::string format_duration(double seconds);
/// "25.3 of 60 s (42 %), 8.5x real time, 0:04 left"
std::string format_progress_line(const ProgressSample& sample, const ProgressLabels& labels);
/// " 42 % [=====>      ] 25.3 of 60 s, 8.5x real time, 0:04 left": never longer than `width` columns; what does not fit
/// is left out, the bar first.
std::string format_progress_bar(const ProgressSample& sample, const ProgressLabels& labels, int width);

enum class ProgressStyle { bar, lines, silent };

/// Bar on a terminal that can move its cursor, lines otherwise.
ProgressStyle progress_style(std::FILE* out);
/// Columns of the terminal; 80 where there is none to ask.
int terminal_width(std::FILE* out);

struct ProgressSetup {
  std::FILE* out = stderr;
  ProgressStyle style = ProgressStyle::silent;
  double total = 0;
  ProgressLabels labels;
  std::function<double()> now;  // wall-clock time from any start [s]; must be given unless silent
  std::function<int()> width;   // asked at every drawing, since windows change; default: terminal_width(out)
};

class Progress {
 public:
  explicit Progress(ProgressSetup setup);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // shows the cursor again, whatever happened

  void update(double done);  // cheap enough for every step: draws ten times (bar) or once (lines) a second
  void clear();              // removes the bar, so that a message can be printed; the next update draws it again
  void finish();             // the last state, once

 private:
  void draw(double now);

  ProgressSetup setup_;
  double start_ = 0, last_drawn_ = 0;
  double done_ = 0;
  bool cursor_hidden_ = false, finished_ = false;
};

}  // namespace gradus
