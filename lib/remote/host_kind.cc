#include "remote/host_kind.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

namespace shardine {
namespace {

struct Range {
  std::uint32_t first;
  int bits;
};

// The ranges of RFC 6890, and multicast.
constexpr Range kInsideV4[] = {
    {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0xa9fe0000, 16},
    {0xac100000, 12}, {0xc0000000, 24}, {0xc0a80000, 16}, {0xc6120000, 15},
    {0xe0000000, 4},  {0xf0000000, 4}};

HostKind KindOfV4(std::uint32_t address) {
  if (address >> 24 == 127) return HostKind::kLoopback;
  const bool is_inside = std::ranges::any_of(kInsideV4, [&](const Range& each) {
    return (address ^ each.first) >> (32 - each.bits) == 0;
  });
  return is_inside ? HostKind::kInside : HostKind::kPublic;
}

std::uint32_t LastFour(const std::array<std::uint8_t, 16>& bytes) {
  std::uint32_t address = 0;
  for (std::size_t i = 12; i < 16; ++i) address = address << 8 | bytes[i];
  return address;
}

HostKind KindOfV6(const std::array<std::uint8_t, 16>& bytes) {
  const bool begins_with_zeros =
      std::all_of(bytes.begin(), bytes.begin() + 10, [](auto b) { return !b; });
  const bool is_mapped =
      begins_with_zeros && bytes[10] == 0xff && bytes[11] == 0xff;
  const bool is_translated = bytes[0] == 0x00 && bytes[1] == 0x64 &&
                             bytes[2] == 0xff && bytes[3] == 0x9b;
  if (is_mapped || is_translated) return KindOfV4(LastFour(bytes));
  if (begins_with_zeros && bytes[10] == 0 && bytes[11] == 0) {
    const std::uint32_t rest = LastFour(bytes);
    return rest == 1 ? HostKind::kLoopback : HostKind::kInside;
  }
  const bool is_link_local = bytes[0] == 0xfe && (bytes[1] & 0xc0) >= 0x80;
  const bool is_own = (bytes[0] & 0xfe) == 0xfc || bytes[0] == 0xff;
  return is_link_local || is_own ? HostKind::kInside : HostKind::kPublic;
}

}  // namespace

std::string HostOf(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  const std::size_t bracket = authority.rfind(']');
  const bool has_port = colon != authority.npos && authority.find(':') == colon;
  const bool has_port_of_v6 =
      colon != authority.npos && bracket != authority.npos && bracket < colon;
  if (has_port || has_port_of_v6) authority = authority.substr(0, colon);
  return std::string(authority);
}

HostKind KindOfHost(std::string_view authority) {
  std::string host = HostOf(authority);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  std::array<std::uint8_t, 16> bytes;
  if (inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(),
                bytes.data()) == 1) {
    return KindOfV6(bytes);
  }
  // inet_aton takes all forms that resolvers take: "127.1", "0x7f.0.0.1",
  // "2130706433".
  in_addr address;
  if (inet_aton(host.c_str(), &address) == 1) {
    return KindOfV4(ntohl(address.s_addr));
  }
  const bool is_this_machine = host == "localhost" || host == "localhost." ||
                               host.ends_with(".localhost");
  return is_this_machine ? HostKind::kLoopback : HostKind::kName;
}

}  // namespace shardine
