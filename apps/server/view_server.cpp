#include "server/view_server.h"

#include <utility>  // before Beast 1.74, which uses std::exchange without it

#if defined(__SANITIZE_THREAD__)
#define BOOST_ASIO_DISABLE_FENCED_BLOCK  // the thread sanitizer does not know fences
#endif

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "server/assets.h"
#include "server/handoff.h"
#include "server/token.h"

namespace gradus::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using nlohmann::json;
using Clock = std::chrono::steady_clock;
using Text = std::shared_ptr<const std::string>;
using Bytes = std::shared_ptr<const std::vector<std::uint8_t>>;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr auto kTick = std::chrono::microseconds(16667);  // frames are thinned to 60 a second
constexpr std::uint32_t kHeaderSizeMax = 8192;
constexpr std::size_t kPendingTextsMax = 512;  // messages that a viewer has not taken yet
constexpr std::size_t kEventsKept = 400;       // for viewers that come later: at most so many …
constexpr std::int64_t kPatience = 2;  // ticks that a new connection may be silent while others wait for its place
constexpr int kEventsOfOneKind = 64;   // … and of each kind, so that contacts do not push out goals

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long>(seconds * 1000));
}

Text to_text(const json& j) {
  return std::make_shared<const std::string>(j.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Value of `key` in the query of a request target; keys and values of ours need no escapes.
std::string_view query_value(std::string_view target, std::string_view key) {
  const std::size_t start = target.find('?');
  std::string_view rest = start == target.npos ? std::string_view{} : target.substr(start + 1);
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find('&'));
    if (item.size() > key.size() && item.substr(0, key.size()) == key && item[key.size()] == '=')
      return item.substr(key.size() + 1);
    rest = item.size() == rest.size() ? std::string_view{} : rest.substr(item.size() + 1);
  }
  return {};
}

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view view(beast::string_view s) { return {s.data(), s.size()}; }

/// Is "1.2.3.4:80" or "[::1]:80" an address and not a name? Names can be pointed elsewhere by their owner's DNS.
bool is_address_with_port(std::string_view host, std::uint16_t port) {
  const std::string suffix = ":" + std::to_string(port);
  if (host.size() <= suffix.size() || host.substr(host.size() - suffix.size()) != suffix) return false;
  host.remove_suffix(suffix.size());
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code ec;
  asio::ip::make_address(std::string(host), ec);
  return !ec;
}

Response make_response(const Request& request, http::status status, std::string_view type, std::string body) {
  Response r{status, request.version()};
  r.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  r.set(http::field::cache_control, "no-store");
  r.set("Content-Security-Policy",
        "default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'; base-uri 'none'");
  r.set("X-Content-Type-Options", "nosniff");
  r.set("Referrer-Policy", "no-referrer");
  r.set("Cross-Origin-Resource-Policy", "same-origin");
  r.keep_alive(false);
  r.content_length(body.size());
  if (request.method() != http::verb::head) r.body() = std::move(body);
  return r;
}

/// A recording is one file with its script inside; it brings its own policy, which allows that and nothing else.
Response make_recording_response(const Request& request, const std::string& page) {
  Response r = make_response(request, http::status::ok, "text/html; charset=utf-8", page);
  r.erase("Content-Security-Policy");
  return r;
}

Response make_error(const Request& request, http::status status, const std::string& what) {
  return make_response(request, status, "text/html; charset=utf-8",
                       "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>gradus</title>"
                       "<link rel=\"icon\" href=\"data:,\"><h1>gradus</h1><p>" +
                           what + "</p></html>\n");
}

Diagnostic start_error(const ServerOptions& o, const std::string& what) {
  Diagnostic d;
  d.text = "cannot serve the viewer on " + o.address + ":" + std::to_string(o.port) + ": " + what;
  d.suggestion = "choose another port, or 0 for any free one";
  return d;
}

}  // namespace

/// Everything of the server's own thread: the acceptor, the connections, the lease, and the ends of the hand-overs.
class ViewServer::Hub {
 public:
  explicit Hub(ServerOptions options) : options_(std::move(options)) {}
  ~Hub() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }
  error_code listen();
  void run() {
    accept_next();
    tick();
    thread_ = std::thread([this] { context_.run(); });
  }

  /// From any thread: to those who look at this camera, now and later.
  void show(std::uint16_t sensor, std::uint32_t revision, Bytes bytes) {
    asio::post(context_, [this, sensor, revision, bytes = std::move(bytes)] {
      if (revision != scene_->revision) return;
      pictures_[sensor] = bytes;
      for (const auto& [number, viewer] : viewers_) offer_picture(*viewer, sensor);
    });
  }

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& token) const;

  ServerOptions options_;

  // Hand-overs: > means from the simulation to the server.
  NewestWins<std::vector<std::uint8_t>> frames_;                // >
  NewestWins<std::shared_ptr<const SceneDescription>> scenes_;  // >
  NewestWins<std::shared_ptr<const PlannedWays>> plans_;        // >
  struct Reply {
    std::uint64_t viewer;
    std::uint32_t id;
    bool ok;
    std::string text;
  };
  Queue<Reply, 1024> replies_;        // >
  Queue<Event, 1024> events_;         // >
  Queue<Command, 1024> commands_;     // <
  NewestWins<Subscribe> wanted_;      // <
  std::uint32_t sequence_ = 0;        // of frames; the simulation's thread only
  Clock::time_point last_publish_{};  // the simulation's thread only
  std::atomic<int> viewer_count_{0};
  std::atomic<std::uint64_t> connections_{0}, refused_{0}, frames_sent_{0}, frames_replaced_{0}, accepted_commands_{0},
      rejected_commands_{0};

 private:
  class Viewer;
  class HttpSession;

  void accept_next();
  void tick();
  void send_news();
  void keep(const std::string& kind, Text text);
  void drop_stalled();
  void remove_half_open(HttpSession* session);
  bool is_own_host(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;
  Response answer(const Request& request) const;

  void join(const std::shared_ptr<Viewer>& viewer);
  void leave(Viewer* viewer);
  void on_command(Viewer& viewer, std::string_view text);
  void carry_out(Viewer& viewer, ParsedCommand command);
  void give_lease(std::uint64_t viewer);
  void end_push();
  void send_leases();
  void update_wanted();
  void offer_picture(Viewer& viewer, std::uint16_t sensor);
  void broadcast(const Text& text);

  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer timer_{context_};
  asio::steady_timer accept_pause_{context_};
  std::uint16_t port_ = 0;
  struct HalfOpen {
    std::weak_ptr<HttpSession> session;
    std::int64_t since;  // tick
  };
  std::list<HalfOpen> half_open_;  // oldest first
  std::int64_t ticks_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Viewer>> viewers_;  // by number
  std::uint64_t next_viewer_ = 1, controller_ = 0;            // 0 = nobody holds the lease
  bool push_is_held_ = false, push_must_end_ = false;
  std::shared_ptr<const SceneDescription> scene_ = std::make_shared<const SceneDescription>();
  Text scene_text_, plans_text_;
  Bytes last_frame_;
  std::map<std::uint16_t, Bytes> pictures_;  // by sensor: the newest
  Clock::time_point last_frame_sent_{}, last_tick_{};
  struct PastEvent {
    std::string kind;
    Text text;
  };
  std::deque<PastEvent> past_events_;
  std::thread thread_;
};

/// One WebSocket. Text messages queue up to a bound; of frames only the newest waits.
class ViewServer::Hub::Viewer : public std::enable_shared_from_this<Viewer> {
 public:
  Viewer(Hub& hub, beast::tcp_stream stream, bool may_control)
      : may_control_(may_control), hub_(hub), socket_(std::move(stream)) {}

  void accept(const Request& request) {
    websocket::stream_base::timeout limits{milliseconds(hub_.options_.request_timeout),
                                           milliseconds(hub_.options_.idle_timeout), true};
    beast::get_lowest_layer(socket_).expires_never();  // the WebSocket has its own clock from here on
    socket_.set_option(limits);
    socket_.read_message_max(kCommandSizeMax);
    socket_.auto_fragment(false);  // one message, one write: fragments of 4 kB would be forty calls for a large frame
    socket_.async_accept(request, [self = shared_from_this()](error_code ec) {
      if (ec) return;
      self->hub_.join(self);
      self->read_next();
    });
  }
  void send(const Text& text) {
    if (is_gone_) return;
    if (texts_.size() >= kPendingTextsMax) return drop();
    texts_.push_back(text);
    write_next();
  }
  void offer(const Bytes& frame) {
    if (is_gone_) return;
    if (frame_) ++hub_.frames_replaced_;
    frame_ = frame;
    write_next();
  }
  void offer_picture(const Bytes& picture) {
    if (is_gone_) return;
    picture_ = picture;
    write_next();
  }
  /// To be called every tick: has it not taken what is being written for longer than the limit?
  bool is_stalled(Clock::duration since_last_tick, Clock::duration limit) {
    if (is_writing_) waited_ += since_last_tick;
    return is_writing_ && waited_ > limit;
  }
  void drop() {
    if (std::exchange(is_gone_, true)) return;
    beast::get_lowest_layer(socket_).close();
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->hub_.leave(self.get()); });
  }

  std::uint64_t number_ = 0;
  const bool may_control_;
  Subscribe subscription_;

 private:
  void read_next() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (ec == websocket::error::message_too_big) ++self->hub_.refused_;
      if (ec) return self->drop();
      const auto data = self->buffer_.cdata();
      self->hub_.on_command(*self, {static_cast<const char*>(data.data()), data.size()});
      self->buffer_.consume(self->buffer_.size());
      if (!self->is_gone_) self->read_next();
    });
  }
  void write_next() {
    if (is_writing_ || is_gone_ || (texts_.empty() && !frame_ && !picture_)) return;
    is_writing_ = true;
    waited_ = {};
    socket_.text(!texts_.empty());
    if (texts_.empty() && picture_ && (!frame_ || !was_picture_)) {  // in turn, if both wait
      was_picture_ = true;
      const Bytes picture = std::exchange(picture_, nullptr);
      write(asio::buffer(*picture), picture);
    } else if (texts_.empty()) {
      was_picture_ = false;
      const Bytes frame = std::exchange(frame_, nullptr);
      write(asio::buffer(*frame), frame);
      ++hub_.frames_sent_;
    } else {
      const Text text = texts_.front();
      texts_.pop_front();
      write(asio::buffer(*text), text);
    }
  }
  template <class Owner>
  void write(asio::const_buffer bytes, Owner keeps_bytes_alive) {
    socket_.async_write(bytes, [self = shared_from_this(), keeps_bytes_alive](error_code ec, std::size_t) {
      self->is_writing_ = false;
      if (ec) return self->drop();
      self->write_next();
    });
  }

  Hub& hub_;
  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  std::deque<Text> texts_;
  Bytes frame_, picture_;  // the newest, not yet being written
  bool is_writing_ = false, is_gone_ = false, was_picture_ = false;
  Clock::duration waited_{};  // for the viewer to take what is being written
};

/// One HTTP request: answered and closed, or turned into a Viewer.
class ViewServer::Hub::HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(Hub& hub, tcp::socket socket) : hub_(hub), stream_(std::move(socket)) {}

  void run() {
    parser_.header_limit(kHeaderSizeMax);
    parser_.body_limit(0);
    stream_.expires_after(milliseconds(hub_.options_.request_timeout));
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](error_code ec, std::size_t) {
      if (ec) return self->end(/*was_refused=*/true);
      self->handle();
    });
  }
  void drop() { stream_.close(); }

 private:
  void handle() {
    const Request& request = parser_.get();
    Response response = hub_.answer(request);
    if (response.result() == http::status::switching_protocols) return upgrade(request);
    if (response.result_int() >= 400) ++hub_.refused_;
    response_ = std::move(response);
    stream_.expires_after(milliseconds(hub_.options_.write_timeout));
    http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) { self->end(false); });
  }
  void upgrade(const Request& request) {
    const std::string_view token = query_value(view(request.target()), "token");
    const bool may_control = matches_secret(token, hub_.options_.control_token);
    hub_.remove_half_open(this);
    std::make_shared<Viewer>(hub_, std::move(stream_), may_control)->accept(request);
  }
  void end(bool was_refused) {
    if (was_refused) ++hub_.refused_;
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    hub_.remove_half_open(this);
  }

  Hub& hub_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kHeaderSizeMax + 1024};
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

error_code ViewServer::Hub::listen() {
  error_code ec;
  const auto address = asio::ip::make_address(options_.address, ec);
  if (ec) return ec;
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(asio::socket_base::max_listen_connections, ec);
  if (!ec) port_ = acceptor_.local_endpoint(ec).port();
  return ec;
}

std::string ViewServer::Hub::url(const std::string& token) const {
  const auto address = asio::ip::make_address(options_.address);
  const std::string host = address.is_unspecified() ? "127.0.0.1" : options_.address;
  return "http://" + (address.is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(port_) + "/?token=" + token;
}

/// At most half_open_max requests are unfinished at a time. Newcomers wait in the system's queue until a place is free,
/// so that many pages may come at once; who has said nothing for kPatience ticks loses its place to them. Ticks, not
/// time: between two of them whatever had arrived was read, however busy the machine is.
void ViewServer::Hub::accept_next() {
  if (half_open_.size() >= static_cast<std::size_t>(options_.half_open_max)) {
    if (ticks_ - half_open_.front().since < kPatience) {
      accept_pause_.expires_after(std::chrono::milliseconds(5));
      return accept_pause_.async_wait([this](error_code ec) {
        if (!ec) accept_next();
      });
    }
    if (const auto oldest = half_open_.front().session.lock()) oldest->drop();
    half_open_.pop_front();
  }
  acceptor_.async_accept([this](error_code ec, tcp::socket socket) {
    if (ec) {  // out of file descriptors, usually: try again in a moment instead of spinning
      accept_pause_.expires_after(std::chrono::milliseconds(100));
      return accept_pause_.async_wait([this](error_code) { accept_next(); });
    }
    ++connections_;
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    const auto session = std::make_shared<HttpSession>(*this, std::move(socket));
    half_open_.push_back({session, ticks_});
    session->run();
    accept_next();
  });
}

void ViewServer::Hub::remove_half_open(HttpSession* session) {
  half_open_.remove_if([session](const HalfOpen& h) {
    const auto s = h.session.lock();
    return !s || s.get() == session;
  });
}

/// The name under which a browser reached us. Foreign names mean DNS rebinding: a page of somebody else whose name was
/// pointed at this machine. When listening beyond loopback, plain addresses are fine too, names are not.
bool ViewServer::Hub::is_own_host(std::string_view host) const {
  const std::string port = ":" + std::to_string(port_);
  if (host == "127.0.0.1" + port || host == "localhost" + port || host == "[::1]" + port) return true;
  return options_.address != "127.0.0.1" && is_address_with_port(host, port_);
}

bool ViewServer::Hub::is_own_origin(std::string_view origin) const {
  constexpr std::string_view scheme = "http://";
  return origin.substr(0, scheme.size()) == scheme && is_own_host(origin.substr(scheme.size()));
}

/// What to say to a request; switching_protocols means: go on as WebSocket.
Response ViewServer::Hub::answer(const Request& request) const {
  const std::string_view target = view(request.target()), path = path_of(target), token = query_value(target, "token");
  const auto origin = request.find(http::field::origin);
  if (request.count(http::field::host) != 1 || !is_own_host(view(request[http::field::host])))
    return make_error(request, http::status::forbidden, "This name is not mine. Use the address that gradus printed.");
  if (origin != request.end() && !is_own_origin(view(origin->value())))
    return make_error(request, http::status::forbidden, "Pages of other origins may not connect.");
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return make_error(request, http::status::method_not_allowed, "Only GET and HEAD.");
  const bool may_view = matches_secret(token, options_.view_token) || matches_secret(token, options_.control_token);
  const bool is_page = path == "/" || path == "/index.html", is_stream = path == "/stream" && options_.page.empty();
  if ((is_page || is_stream) && !may_view)
    return make_error(request, http::status::unauthorized,
                      "The token is missing or wrong. Open the complete address that gradus printed when it started; "
                      "every start has a new token.");
  if (is_stream && !websocket::is_upgrade(request))
    return make_error(request, http::status::upgrade_required, "This address speaks WebSocket only.");
  if (is_stream && viewer_count_ >= options_.viewers_max)
    return make_error(request, http::status::service_unavailable, "Too many viewers.");
  if (is_stream) return Response{http::status::switching_protocols, request.version()};
  if (is_page && !options_.page.empty()) return make_recording_response(request, options_.page);
  if (const Asset* asset = find_asset(is_page ? "/index.html" : path))
    return make_response(request, http::status::ok, asset->type, std::string(asset->bytes));
  return make_error(request, http::status::not_found, "There is no such page.");
}

void ViewServer::Hub::tick() {
  timer_.expires_after(kTick);
  timer_.async_wait([this](error_code ec) {
    if (ec) return;
    ++ticks_;
    send_news();
    drop_stalled();
    if (push_must_end_) end_push();
    tick();
  });
}

/// Fetches what the simulation left since the last tick and passes it on.
void ViewServer::Hub::send_news() {
  if (scenes_.take()) {
    scene_ = scenes_.front();
    scene_text_ = std::make_shared<const std::string>(to_json(*scene_));
    for (auto& [number, viewer] : viewers_) viewer->subscription_ = {};  // its numbers belong to the old description
    pictures_.clear();
    update_wanted();
    broadcast(scene_text_);
    if (plans_text_) broadcast(plans_text_);
  }
  if (plans_.take()) {
    plans_text_ = std::make_shared<const std::string>(to_json(*plans_.front()));
    broadcast(plans_text_);
  }
  Reply reply;
  while (replies_.pop(reply)) {
    const auto it = viewers_.find(reply.viewer);
    if (it == viewers_.end()) continue;
    it->second->send(to_text({{"type", "reply"}, {"id", reply.id}, {"ok", reply.ok}, {"text", reply.text}}));
  }
  Event e;
  while (events_.pop(e)) {
    keep(
        e.kind,
        to_text(
            {{"type", "event"}, {"k", e.k}, {"time", e.time}, {"kind", e.kind}, {"text", e.text}, {"robot", e.robot}}));
    broadcast(past_events_.back().text);
  }
  const bool is_new = frames_.take();
  if (is_new) last_frame_ = std::make_shared<const std::vector<std::uint8_t>>(frames_.front());
  const auto now = Clock::now();
  if (!last_frame_ || !(is_new || now - last_frame_sent_ > std::chrono::seconds(1)))
    return;  // once a second: still here
  last_frame_sent_ = now;
  for (const auto& [number, viewer] : viewers_) viewer->offer(last_frame_);
}

/// For viewers that come later.
void ViewServer::Hub::keep(const std::string& kind, Text text) {
  past_events_.push_back({kind, std::move(text)});
  const auto is_alike = [&](const PastEvent& e) { return e.kind == kind; };
  if (std::count_if(past_events_.begin(), past_events_.end(), is_alike) > kEventsOfOneKind)
    past_events_.erase(std::find_if(past_events_.begin(), past_events_.end(), is_alike));
  if (past_events_.size() > kEventsKept) past_events_.pop_front();
}

/// A viewer is given its time in ticks that this thread really made: on a machine so busy that the server itself does
/// not get on, those who read would else be dropped with those who do not.
void ViewServer::Hub::drop_stalled() {
  const auto now = Clock::now();
  const Clock::duration since = std::min<Clock::duration>(now - last_tick_, 3 * kTick);
  last_tick_ = now;
  for (const auto& [number, viewer] : viewers_)
    if (viewer->is_stalled(since, milliseconds(options_.write_timeout))) viewer->drop();
}

void ViewServer::Hub::broadcast(const Text& text) {
  for (const auto& [number, viewer] : viewers_) viewer->send(text);
}

void ViewServer::Hub::join(const std::shared_ptr<Viewer>& viewer) {
  if (viewer_count_ >= options_.viewers_max) return viewer->drop();  // several came in between
  viewer->number_ = next_viewer_++;
  viewers_[viewer->number_] = viewer;
  viewer_count_ = static_cast<int>(viewers_.size());
  viewer->send(to_text({{"type", "hello"}, {"version", kProtocolVersion}, {"may_control", viewer->may_control_}}));
  if (scene_text_) viewer->send(scene_text_);
  if (plans_text_) viewer->send(plans_text_);
  for (const PastEvent& event : past_events_) viewer->send(event.text);
  if (controller_ == 0 && viewer->may_control_) controller_ = viewer->number_;
  send_leases();
  if (last_frame_) viewer->offer(last_frame_);
}

void ViewServer::Hub::leave(Viewer* viewer) {
  if (viewers_.erase(viewer->number_) == 0) return;
  viewer_count_ = static_cast<int>(viewers_.size());
  if (viewers_.empty()) last_frame_.reset();  // no new ones are made until somebody looks again
  update_wanted();
  if (controller_ == viewer->number_) give_lease(0);
  send_leases();
}

/// Passes control on; a push must not outlive the hand that made it.
void ViewServer::Hub::give_lease(std::uint64_t viewer) {
  if (controller_ != viewer && push_is_held_) end_push();
  controller_ = viewer;
}

void ViewServer::Hub::end_push() {
  push_is_held_ = false;
  push_must_end_ = !commands_.push({0, 0, ReleasePush{}});  // queue full: the next tick tries again
}

void ViewServer::Hub::send_leases() {
  for (const auto& [number, viewer] : viewers_)
    viewer->send(to_text({{"type", "lease"},
                          {"mine", number == controller_},
                          {"taken", controller_ != 0},
                          {"viewers", viewers_.size()}}));
}

void ViewServer::Hub::update_wanted() {
  Subscribe& united = wanted_.back();
  std::vector<std::uint16_t>& all = united.properties;
  all.clear();
  united.cameras.clear();
  united.volumes = false;
  for (const auto& [number, viewer] : viewers_) {
    const Subscribe& own = viewer->subscription_;
    all.insert(all.end(), own.properties.begin(), own.properties.end());
    united.cameras.insert(united.cameras.end(), own.cameras.begin(), own.cameras.end());
    united.volumes = united.volumes || own.volumes;
  }
  std::sort(united.cameras.begin(), united.cameras.end());
  united.cameras.erase(std::unique(united.cameras.begin(), united.cameras.end()), united.cameras.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  wanted_.publish();
}

void ViewServer::Hub::offer_picture(Viewer& viewer, std::uint16_t sensor) {
  const auto& wanted = viewer.subscription_.cameras;
  const auto it = pictures_.find(sensor);
  if (it != pictures_.end() && std::find(wanted.begin(), wanted.end(), sensor) != wanted.end()) viewer.offer_picture(it->second);
}

void ViewServer::Hub::on_command(Viewer& viewer, std::string_view text) {
  ParsedCommand command = parse_command(text, *scene_);
  if (command.error.empty() && needs_control(command.action) && viewer.number_ != controller_)
    command.error = viewer.may_control_ ? "another viewer has control; take it first" : "this address may only watch";
  const std::uint32_t id = command.id;
  if (command.error.empty()) return carry_out(viewer, std::move(command));
  ++rejected_commands_;
  viewer.send(to_text({{"type", "reply"}, {"id", id}, {"ok", false}, {"text", command.error}}));
}

void ViewServer::Hub::carry_out(Viewer& viewer, ParsedCommand command) {
  const auto answer = [&](bool ok, const char* text) {
    ++(ok ? accepted_commands_ : rejected_commands_);
    viewer.send(to_text({{"type", "reply"}, {"id", command.id}, {"ok", ok}, {"text", text}}));
  };
  if (auto* s = std::get_if<Subscribe>(&command.action)) {
    viewer.subscription_ = std::move(*s);
    update_wanted();
    for (const std::uint16_t sensor : viewer.subscription_.cameras) offer_picture(viewer, sensor);  // the last one, until the next
    return answer(true, "");
  }
  if (std::holds_alternative<TakeControl>(command.action)) {
    if (!viewer.may_control_) return answer(false, "this address may only watch");
    give_lease(viewer.number_);
    send_leases();
    return answer(true, "");
  }
  if (std::holds_alternative<GiveControl>(command.action)) {
    if (controller_ == viewer.number_) give_lease(0);
    send_leases();
    return answer(true, "");
  }
  const bool is_push = std::holds_alternative<Push>(command.action);
  const bool is_release = std::holds_alternative<ReleasePush>(command.action);
  if (!commands_.push({viewer.number_, command.id, command.action, scene_->revision}))
    return answer(false, "the simulation is busy");
  push_is_held_ = is_push || (push_is_held_ && !is_release);
  ++accepted_commands_;  // the simulation replies
}

ViewServer::ViewServer(std::unique_ptr<Hub> hub) : hub_(std::move(hub)) {}
ViewServer::~ViewServer() = default;

Result<std::unique_ptr<ViewServer>> ViewServer::start(ServerOptions options) {
  if (options.control_token.empty()) options.control_token = random_token();
  if (options.view_token.empty()) options.view_token = random_token();
  if (options.control_token.empty() || options.view_token.empty())
    return Diagnostics{start_error(options, "no random numbers for the token")};
  auto hub = std::make_unique<Hub>(options);
  if (const error_code ec = hub->listen()) return Diagnostics{start_error(options, ec.message())};
  hub->run();
  return std::unique_ptr<ViewServer>(new ViewServer(std::move(hub)));
}

std::uint16_t ViewServer::port() const { return hub_->port(); }
std::string ViewServer::control_url() const { return hub_->url(hub_->options_.control_token); }
std::string ViewServer::view_url() const { return hub_->url(hub_->options_.view_token); }

void ViewServer::set_scene(std::shared_ptr<const SceneDescription> scene) {
  hub_->scenes_.back() = std::move(scene);
  hub_->scenes_.publish();
}

void ViewServer::set_plans(std::shared_ptr<const PlannedWays> plans) {
  hub_->plans_.back() = std::move(plans);
  hub_->plans_.publish();
}

bool ViewServer::frame_due() {
  return hub_->viewer_count_.load(std::memory_order_relaxed) > 0 && Clock::now() - hub_->last_publish_ >= kTick;
}

void ViewServer::publish(const Frame& frame) {
  encode(frame, hub_->sequence_++, hub_->frames_.back());
  hub_->frames_.publish();
  hub_->last_publish_ = Clock::now();
}

void ViewServer::publish_image(const Picture& picture) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>();
  encode(picture, *bytes);
  hub_->show(picture.sensor, picture.scene_revision, std::move(bytes));
}

void ViewServer::poll_commands(std::vector<Command>& commands) {
  commands.clear();
  Command c;
  while (hub_->commands_.pop(c)) commands.push_back(std::move(c));
}

Wanted ViewServer::wanted() {
  hub_->wanted_.take();
  return {hub_->wanted_.front().properties, hub_->wanted_.front().volumes, hub_->wanted_.front().cameras};
}

void ViewServer::reply(const Command& command, bool ok, std::string text) {
  if (command.viewer == 0) return;
  (void)hub_->replies_.push({command.viewer, command.id, ok, std::move(text)});  // full: nobody reads them anyway
}

void ViewServer::announce(Event event) {
  (void)hub_->events_.push(std::move(event));  // full: a mark on a time line is not worth a wait
}

ServerStatistics ViewServer::statistics() const {
  ServerStatistics s;
  s.viewers = hub_->viewer_count_;
  s.connections = hub_->connections_;
  s.refused = hub_->refused_;
  s.frames_sent = hub_->frames_sent_;
  s.frames_replaced = hub_->frames_replaced_;
  s.commands = hub_->accepted_commands_;
  s.commands_rejected = hub_->rejected_commands_;
  return s;
}

}  // namespace gradus::view
