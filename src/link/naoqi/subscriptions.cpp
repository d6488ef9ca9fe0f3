#include "link/naoqi/subscriptions.h"

#include <algorithm>

namespace gradus::naoqi {
namespace {

constexpr std::size_t kMostSubscribers = 1000, kMostCalls = 10'000;

}  // namespace

void Subscriptions::add(int client, const std::string& event, const std::string& module, const std::string& method) {
  std::size_t count = 0;
  for (const auto& [name, list] : subscribers_) count += list.size();
  if (count >= kMostSubscribers) throw CallFault{"too many subscriptions"};
  remove(event, module);  // one method of a module for each event, as on the robot
  subscribers_[event].push_back({client, module, method});
}

void Subscriptions::remove(const std::string& event, const std::string& module) {
  const auto it = subscribers_.find(event);
  if (it == subscribers_.end()) return;
  std::erase_if(it->second, [&](const Subscriber& s) { return s.module == module; });
  if (it->second.empty()) subscribers_.erase(it), seen_.erase(event);
}

void Subscriptions::forget(int client) {
  for (auto& [event, list] : subscribers_) std::erase_if(list, [&](const Subscriber& s) { return s.client == client; });
  std::erase_if(subscribers_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(seen_, [&](const auto& entry) { return !subscribers_.contains(entry.first); });
  std::erase_if(calls_, [&](const Callback& c) { return c.client == client; });
}

void Subscriptions::raise(const std::string& event, const json& value) {
  const auto it = subscribers_.find(event);
  if (it == subscribers_.end()) return;
  for (const Subscriber& s : it->second)
    if (calls_.size() < kMostCalls) calls_.push_back({s.client, event, s.module, s.method, value});
}

std::vector<std::string> Subscriptions::events() const {
  std::vector<std::string> out;
  for (const auto& [event, list] : subscribers_) out.push_back(event);
  return out;
}

void Subscriptions::look(const std::string& event, const json& value) {
  const auto [it, first] = seen_.try_emplace(event, value);
  if (first || it->second == value) return;
  it->second = value;
  raise(event, value);
}

bool Subscriptions::pop(Callback& out) {
  if (calls_.empty()) return false;
  out = std::move(calls_.front());
  calls_.pop_front();
  return true;
}

}  // namespace gradus::naoqi
