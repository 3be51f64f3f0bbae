// Where the host of an address is, as far as the address tells.
#ifndef SHARDINE_REMOTE_HOST_KIND_H_
#define SHARDINE_REMOTE_HOST_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace shardine {

enum class HostKind : std::uint8_t {
  kName,      // a name that a resolver has to be asked for
  kLoopback,  // this machine, "localhost" too
  kInside,    // link-local, private, shared or reserved
  kPublic,
};

// Takes "host", "host:port", "[address]:port" or a bare IPv6 address. An IPv4
// address inside an IPv6 address counts as itself.
HostKind KindOfHost(std::string_view authority);

// Without its port: "[::1]:80" is "[::1]".
std::string HostOf(std::string_view authority);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_HOST_KIND_H_
