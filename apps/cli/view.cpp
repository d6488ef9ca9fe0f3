#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "cli/hand_watch.h"
#include "cli/replay_log.h"
#include "cli/running.h"
#include "cli/samples.h"
#include "cli/world_frames.h"
#include "server/recording.h"

namespace gradus::cli {
namespace {

constexpr std::size_t kRecordingMax = 256u << 20;  // bytes of frames that a page can be expected to hold
constexpr double kPictureRate = 30;                // of a page                                        [1/s]

/// Pictures of a log, taken while it is run again: so everything can be shown, not only what was logged.
class Pictures {
 public:
  Pictures(std::string name, double rate) : name_(std::move(name)), rate_(rate) {}

  void take(const World& world) {
    if (!recording_) begin(world);
    note_events(world);
    const bool is_due = (world.k() - first_) % interval_ == 0;
    if (!is_due || recording_->size() > kRecordingMax) return;
    frames_->fill(world, {all_, true}, frame_);
    recording_->add(frame_);
  }
  bool is_full() const { return recording_ && recording_->size() > kRecordingMax; }
  bool is_empty() const { return !recording_; }
  std::string to_html() {
    happened_.clear();
    hands_->finish(happened_);
    for (const view::Event& e : happened_) recording_->add(e);
    return recording_->to_html();
  }

 private:
  void begin(const World& world) {
    frames_ = std::make_unique<WorldFrames>(world, name_, "a recorded run");
    frames_->keep_description();
    const auto scene = frames_->describe(world);
    recording_ = std::make_unique<view::Recording>(scene);
    all_.resize(scene->properties.size());
    std::iota(all_.begin(), all_.end(), std::uint16_t{0});
    first_ = world.k();
    interval_ = std::max<std::int64_t>(1, std::llround(1 / (rate_ * world.model().step)));
    watch_ = std::make_unique<EventWatch>(world);
    hands_ = std::make_unique<HandWatch>(world);
  }
  void note_events(const World& world) {
    events_.clear();
    happened_.clear();
    watch_->look(world, events_);
    hands_->look(world, happened_);
    for (const Event& e : events_)
      recording_->add(view::Event{static_cast<std::uint64_t>(world.k()), e.time, e.kind, e.robot + " " + e.what,
                                  world.model().find_robot(e.robot)});
    for (const view::Event& e : happened_) recording_->add(e);
  }

  std::string name_;
  double rate_;
  std::unique_ptr<WorldFrames> frames_;
  std::unique_ptr<view::Recording> recording_;
  std::vector<std::uint16_t> all_;
  view::Frame frame_;
  std::int64_t first_ = 0, interval_ = 1;
  std::unique_ptr<EventWatch> watch_;
  std::unique_ptr<HandWatch> hands_;
  std::vector<Event> events_;
  std::vector<view::Event> happened_;  // by people's hands
};

/// The log as a page; "" after errors, which were printed.
std::string page_of(const std::string& log, double rate) {
  Pictures pictures(std::filesystem::path(log).stem().string(), rate);
  if (!look_through(log, [&](const World& world) { pictures.take(world); })) return "";
  if (pictures.is_full()) std::fprintf(stderr, "warning: too long for one page, cut off; a lower --rate makes room\n");
  if (pictures.is_empty()) return std::fprintf(stderr, "error: %s holds no states\n", log.c_str()), "";
  return pictures.to_html();
}

struct ViewOptions {
  std::string log, output;
  std::vector<std::string> properties;
  double rate = 0;  // 0: the default of what is written
  int port = 0;
};

int serve(const ViewOptions& o) {
  view::ServerOptions options;
  options.port = static_cast<std::uint16_t>(o.port);
  options.page = page_of(o.log, o.rate > 0 ? o.rate : kPictureRate);
  if (options.page.empty()) return 1;
  const auto server = view::ViewServer::start(std::move(options));
  if (!server) return print(server.notes()), 1;
  std::fprintf(stderr, "watch:  %s\nCtrl-C ends\n", (*server)->view_url().c_str());
  std::signal(SIGINT, [](int) { interrupted = 1; });
  std::signal(SIGTERM, [](int) { interrupted = 1; });
  while (!interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return 0;
}

int write_page(const ViewOptions& o) {
  const std::string page = page_of(o.log, o.rate > 0 ? o.rate : kPictureRate);
  if (page.empty()) return 1;
  std::ofstream out(o.output, std::ios::binary);
  out << page;
  out.close();
  if (!out) return std::fprintf(stderr, "error: cannot write %s\n", o.output.c_str()), 1;
  std::printf("%s: %.1f MB\n", o.output.c_str(), static_cast<double>(page.size()) / 1e6);
  return 0;
}

int write_table(const ViewOptions& o) {
  const auto samples = read_samples(o.log, o.properties, o.rate);
  if (!samples) return 1;
  auto writer = CsvWriter::open(o.output, samples->columns);
  if (!writer) return print(writer.notes()), 1;
  const std::size_t rows = samples->values[0].size();
  std::vector<double> row(samples->columns.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = samples->values[c][i];
    writer->row(row);
  }
  if (!writer->close()) return std::fprintf(stderr, "error: %s: %s\n", o.output.c_str(), writer->error().c_str()), 1;
  std::printf("%s: %zu columns, %zu rows\n", o.output.c_str(), row.size(), rows);
  return 0;
}

int write(const ViewOptions& o) {
  const std::string kind = std::filesystem::path(o.output).extension().string();
  if (kind == ".csv") return write_table(o);
  if (kind != ".html")
    return std::fprintf(stderr,
                        "error: cannot write '%s'; end its name with .html (a page) or .csv (a table); gradus plot "
                        "draws pictures\n",
                        o.output.c_str()),
           1;
  if (!o.properties.empty())
    std::fprintf(stderr, "note: the page holds all properties; --record chooses the columns of a table\n");
  return write_page(o);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about, const std::shared_ptr<ViewOptions>& o) {
  auto* cmd = app.add_subcommand(name, about);
  cmd->add_option("LOG", o->log, "log written by gradus run --log FILE.mcap")->required();
  cmd->add_option("--rate", o->rate,
                  "pictures per simulated second (default: 30); of a table: rows (default: as often as was logged)")
      ->check(CLI::Range(0.1, 1e5));
  return cmd;
}

}  // namespace

void add_view(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ViewOptions>();
  auto* cmd = add_command(app, "view", "Show a log in the browser", o);
  cmd->add_option("--port", o->port, "default: any free one")->check(CLI::Range(0, 65535));
  cmd->footer("The log is run again, so that everything can be shown and plotted.\nExample: gradus view walk.mcap");
  cmd->callback([o, &outcome] { outcome.status = serve(*o); });
}

void add_export(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ViewOptions>();
  auto* cmd = add_command(app, "export", "Write a log as one HTML page that needs no server, or as a table (CSV)", o);
  cmd->add_option("-o,--output", o->output, "file to write, as in walk.html or walk.csv")->required();
  cmd->add_option("--record", o->properties,
                  "columns of the table, as in level3.x or 'level3.*.q' (default: base and joints)");
  cmd->footer(
      "The log is run again, so that columns can be had that were not recorded.\n"
      "Examples:\n"
      "  gradus export walk.mcap -o walk.html\n"
      "  gradus export walk.mcap -o knees.csv --record 'level3.*_knee.tau' --rate 1000");
  cmd->callback([o, &outcome] { outcome.status = write(*o); });
}

}  // namespace gradus::cli
