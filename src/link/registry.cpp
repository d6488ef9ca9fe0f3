#include "link/dynamixel/dynamixel_link.h"
#include "link/firasim/match.h"
#include "link/link.h"
#include "link/lola/lola_link.h"
#include "link/naoqi/naoqi_link.h"
#include "link/tcp/tcp_link.h"
#include "link/usarsim/usarsim_link.h"

namespace gradus {
namespace {

constexpr LinkTable kLinks[] = {firasim::kLink,   tcp::kLink,   lola::kLink,
                                dynamixel::kLink, naoqi::kLink, usarsim::kLink};

}  // namespace

std::span<const LinkTable> all_links() { return kLinks; }

const LinkTable* find_link(std::string_view name) {
  for (const LinkTable& l : kLinks)
    if (l.name == name) return &l;
  return nullptr;
}

}  // namespace gradus
