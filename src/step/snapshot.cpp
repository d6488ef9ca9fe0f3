// Snapshots as bytes: "GRSN", version, k, state, input, motions; little-endian, a hash at the end.
#include "core/bytes.h"
#include "core/hash.h"
#include "step/world.h"

namespace gradus {
namespace {

constexpr std::uint32_t kMagic = 0x4e535247;  // "GRSN"
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kMaxNumbers = 1ull << 28;  // 2 GiB: more is a lie

void append_doubles(Bytes& out, std::span<const double> x) {
  append_le(out, static_cast<std::uint64_t>(x.size()));
  append_bytes(out, std::as_bytes(x));
}

bool read_doubles(ByteReader& in, std::vector<double>& x) {
  const auto n = in.le<std::uint64_t>();
  if (n > kMaxNumbers || n * sizeof(double) > in.rest().size()) return false;
  x.resize(n);
  const ByteView b = in.take(n * sizeof(double));
  if (n > 0) std::memcpy(x.data(), b.data(), b.size());
  return in.ok();
}

}  // namespace

std::vector<std::byte> Snapshot::bytes() const {
  Bytes out;
  append_le(out, kMagic);
  append_le(out, kVersion);
  append_le(out, static_cast<std::uint64_t>(k));
  append_doubles(out, state);
  append_doubles(out, input);
  append_le(out, static_cast<std::uint64_t>(motion.size()));
  for (const std::string& m : motion) {
    append_le(out, static_cast<std::uint16_t>(m.size()));
    append_bytes(out, as_byte_view(m));
  }
  append_le(out, hash_bytes(out.data(), out.size()));
  return out;
}

std::optional<Snapshot> Snapshot::from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < 8 || ByteReader(bytes.last(8)).le<std::uint64_t>() != hash_bytes(bytes.data(), bytes.size() - 8)) return {};
  ByteReader in(bytes.first(bytes.size() - 8));
  if (in.le<std::uint32_t>() != kMagic || in.le<std::uint32_t>() != kVersion) return {};
  Snapshot s;
  s.k = static_cast<std::int64_t>(in.le<std::uint64_t>());
  if (!read_doubles(in, s.state) || !read_doubles(in, s.input)) return {};
  const auto count = in.le<std::uint64_t>();
  if (count > in.rest().size()) return {};
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) s.motion.emplace_back(as_text(in.take(in.le<std::uint16_t>())));
  if (!in.ok() || !in.at_end()) return {};
  return s;
}

}  // namespace gradus
