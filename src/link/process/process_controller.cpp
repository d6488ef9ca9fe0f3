#include "link/process/process_controller.h"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <thread>

#include "link/program/lines.h"

extern char** environ;

namespace gradus {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLineMax = 1 << 20;  // bytes of an answer

Diagnostics error(const Place& place, std::string text, std::string suggestion) {
  return {{place, Severity::error, std::move(text), std::move(suggestion)}};
}

/// What is executed: the file itself, or python3 with it.
std::vector<std::string> words_of(const std::string& path, const std::string& options) {
  const std::string absolute = std::filesystem::absolute(path).string();
  std::vector<std::string> words;
  if (access(absolute.c_str(), X_OK) != 0 && std::filesystem::path(path).extension() == ".py")
    words = {"python3", "-u"};
  words.push_back(absolute);
  std::istringstream in(options);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Starts the program with `io` as its standard input and output; 0 or an errno. It has a process group of its own, so
/// that Ctrl-C ends the run and the run then ends the program.
int spawn(const std::vector<std::string>& words, int io, pid_t& child) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, io, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, io, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int result = posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return result;
}


}  // namespace

Result<std::unique_ptr<ProcessController>> ProcessController::start(const std::string& path,
                                                                    const std::string& robot_name,
                                                                    const RobotKind& kind, double period,
                                                                    const std::string& options, const Place& place) {
  std::unique_ptr<ProcessController> c(new ProcessController);
  c->path_ = path;
  c->robot_ = robot_name;
  c->options_ = options;
  c->joints_ = joint_names(kind);
  c->first_line_ = robot_line(robot_name, kind, period);
  if (const int fault = c->launch(); fault != 0)
    return error(
        place, "cannot start '" + path + "': " + std::strerror(fault),
        fault == EACCES ? "make it executable: chmod +x" : "a program needs a first line as in #!/usr/bin/env python3");
  if (!c->failure_.empty()) return error(place, c->failure_, "");
  return c;
}

int ProcessController::launch() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  socket_ = ends[0];
  const int fault = spawn(words_of(path_, options_), ends[1], child_);
  close(ends[1]);
  if (fault != 0) return child_ = -1, fault;
  send(first_line_);
  return 0;
}

ProcessController::~ProcessController() { stop(); }

void ProcessController::stop() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  if (child_ < 0) return;
  const auto gone = [&] { return waitpid(child_, nullptr, WNOHANG) != 0; };
  for (const int signal : {0, SIGTERM, SIGKILL}) {  // its input has ended; then it is told; then it is not asked
    if (signal != 0) kill(child_, signal);
    for (int i = 0; i < 100; ++i) {
      if (gone()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

bool ProcessController::start_again() {
  stop();
  child_ = -1;
  received_.clear();
  asked_ = 0;
  if (const int fault = launch(); fault != 0) fail(std::string("cannot be started again: ") + std::strerror(fault));
  return failure_.empty();
}

void ProcessController::fail(const std::string& why) {
  failure_ = "control program '" + path_ + "' (robot '" + robot_ + "'): " + why;
}

/// It closed its output: because it ended, which may take a moment to be seen.
std::string ProcessController::how_it_ended() {
  int status = 0;
  for (int i = 0; i < 50 && waitpid(child_, &status, WNOHANG) == 0; ++i) {
    if (i == 49) return "closed its output";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  child_ = -1;
  if (WIFSIGNALED(status)) return std::string("ended by a signal: ") + strsignal(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "ended"
                   : "ended with exit status " + std::to_string(code) +
                         (code == 127 ? "; is python3 installed?" : "; what it printed is above");
}

bool ProcessController::send(const std::string& line) {
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t n = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(how_it_ended()), false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool ProcessController::receive(std::string& line) {
  const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
  for (;;) {
    if (const std::size_t newline = received_.find('\n'); newline != std::string::npos) {
      line = received_.substr(0, newline);
      received_.erase(0, newline + 1);
      return true;
    }
    if (received_.size() > kLineMax) return fail("answered a line of more than a megabyte"), false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return fail("gave no answer for 10 s; does it flush its output after every line?"), false;
    pollfd wait{socket_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char bytes[65536];
    const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail(how_it_ended()), false;
    received_.append(bytes, static_cast<std::size_t>(n));
  }
}

void ProcessController::take(const std::string& line, RobotCommand& command) {
  Orders orders = Orders::of(command);
  std::string end;
  const std::string fault = take_line(line, joints_, orders, end);
  if (!fault.empty())
    return fail(line.starts_with('{') ? fault
                                      : fault + "; its standard output belongs to gradus, print to standard error");
  if (!end.empty()) return fail("ended the run: " + end);
  orders.write(command);
  if (orders.images) images_.want(*orders.images), sees_images_ = sees_images_ || !orders.images->empty();
  if (orders.saves && !saves_) saves_ = true, calls_.clear(), lines_ = 0;
}

void ProcessController::control(const RobotOutput& output, RobotCommand& command) {
  if (failure_.empty() && !received_.empty())
    fail("answered more than one line to a call");  // all later ones would be late
  if (!failure_.empty()) return;
  if (const std::string fault = images_.fault(output.sensors); !fault.empty()) return fail(fault);
  sent_.clear();
  append_state_line(output, sent_, &images_);
  const bool keeps = forgets().empty() && !saves_;
  if (keeps && at_ < calls_.size()) {
    if (calls_[at_].told == sent_) return take(calls_[at_++].answer, command);  // as it was
    for (std::size_t i = at_; i < calls_.size(); ++i) lines_ -= calls_[i].told.size() + calls_[i].answer.size();
    calls_.resize(at_);  // another course begins
  }
  if (keeps && asked_ != at_ && !catch_up()) return;
  std::string line;
  if (!ask(sent_, line)) return;
  ++at_, ++asked_;
  if (keeps) lines_ += sent_.size() + line.size(), calls_.push_back({sent_, line});
  if (lines_ > kMostLines) too_long_ = true, calls_.clear(), lines_ = 0;
  take(line, command);
}

bool ProcessController::catch_up() {
  if (asked_ > at_ && !start_again()) return false;
  for (std::string answer; asked_ < at_; ++asked_) {
    if (!ask(calls_[asked_].told, answer)) return false;
    if (answer == calls_[asked_].answer) continue;
    fail("answers otherwise when it is told the same again, so it cannot go back; let it answer {\"saves\": true} (docs/controllers.md)");
    return false;
  }
  return true;
}

std::string ProcessController::forgets() const {
  const std::string who = "control program '" + path_ + "' ";
  if (saves_) return "";
  if (sees_images_) return who + "looks at images and does not save what it knows ({\"saves\": true})";
  if (too_long_) return who + "has been told too much to tell it again, and does not save what it knows ({\"saves\": true})";
  return "";
}

/// 0 and the number of calls (8), or 1 and the state as the program gave it.
void ProcessController::save(Bytes& out) {
  if (!failure_.empty() || !forgets().empty()) return;
  out.push_back(std::byte{saves_});
  if (!saves_) return append_le(out, static_cast<std::uint64_t>(at_));
  std::string line, state;
  if (!ask(std::string(kSaveLine), line)) return;
  if (const std::string fault = take_state(line, state); !fault.empty()) return fail(fault);
  append_bytes(out, as_byte_view(state));
}

bool ProcessController::restore(ByteView memory) {
  if (memory.empty()) return false;
  ByteReader in(memory);
  if (in.le<std::uint8_t>() != 0) {
    std::string answer;
    return failure_.empty() && ask(restore_line(as_text(in.rest())), answer);
  }
  const auto at = in.le<std::uint64_t>();
  if (!in.ok() || at > calls_.size() + (saves_ ? 1 : 0)) return false;
  failure_.clear();
  at_ = static_cast<std::size_t>(at);
  if (!saves_) return true;
  return at == 0 && start_again();  // from before it said that it saves
}

}  // namespace gradus
