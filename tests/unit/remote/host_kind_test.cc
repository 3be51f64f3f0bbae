#include "remote/host_kind.h"

#include <catch2/catch.hpp>
#include <string>

namespace shardine::host_kind_test {
namespace {

TEST_CASE("An address tells whether its host is inside", "[host_kind]") {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:80", "127.1", "0x7f.1", "2130706433", "[::1]",
        "[::1]:8080", "::1", "localhost", "localhost:1", "a.localhost",
        "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"}) {
    CHECK(KindOfHost(host) == HostKind::kLoopback);
  }
  for (const char* host :
       {"10.0.0.1", "172.16.0.1", "172.31.255.255:9", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "0.0.0.0", "[fe80::1]", "fe80::1%eth0",
        "[fd00:ec2::254]", "[::]", "::ffff:10.1.1.1", "224.0.0.1",
        "255.255.255.255"}) {
    CHECK(KindOfHost(host) == HostKind::kInside);
  }
  for (const char* host : {"8.8.8.8", "172.32.0.1:80", "[2606:4700::1]",
                           "11.0.0.1", "::ffff:8.8.8.8"}) {
    CHECK(KindOfHost(host) == HostKind::kPublic);
  }
  for (const char* host :
       {"a.example", "127.example:80", "127.0.0.1.example"}) {
    CHECK(KindOfHost(host) == HostKind::kName);
  }
}

}  // namespace
}  // namespace shardine::host_kind_test
