#include "source/group_rule.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>

namespace shardine::group_rule_test {
namespace {

std::string GroupOf(const std::string& rule, const std::string& key) {
  const auto parsed = GroupRule::Parse(rule);
  REQUIRE(parsed.ok());
  const auto group = parsed->GroupOf(key);
  return group ? std::string(*group) : "(none)";
}

TEST_CASE("A group is the name of the folder at a level", "[group]") {
  CHECK(GroupOf("folder:1", "cats/p7/a.jpg") == "cats");
  CHECK(GroupOf("folder:2", "cats/p7/a.jpg") == "p7");
  CHECK(GroupOf("folder:2", "dogs/p7/b.jpg") == "p7");
  CHECK(GroupOf("folder:3", "cats/p7/a.jpg") == "(none)");
  CHECK(GroupOf("folder:1", "a.jpg") == "(none)");
  CHECK(GroupOf("folder:1", "/a.jpg") == "(none)");
}

TEST_CASE("A group is the one capture of an expression", "[group]") {
  CHECK(GroupOf("(p\\d+)", "cats/p7-left.jpg") == "p7");
  CHECK(GroupOf("^(?:cats|dogs)/([^/]+)", "dogs/x/1.jpg") == "x");
  CHECK(GroupOf("(p\\d+)", "cats/a.jpg") == "(none)");
  CHECK(GroupOf("(x)?cats", "cats/a.jpg") == "(none)");
  CHECK(GroupOf("p(\\d*)", "cats/p.jpg") == "(none)");
  CHECK(GroupOf("^(\xc3\xa9.)", "\xc3\xa9\xc3\xa8-1") == "\xc3\xa9\xc3\xa8");
  CHECK(GroupOf("-(\\d)", "\xff\xfe-1") == "1");
  CHECK(GroupOf("folder:(\\d)", "folder:1") == "1");
}

TEST_CASE("A rule without one capture is refused", "[group]") {
  for (const std::string rule : {"", "p\\d+", "(a)(b)", "(p", "(a)\\1",
                                 "folder:0", "folder:", "(\xff)"}) {
    INFO(rule);
    const auto parsed = GroupRule::Parse(rule);
    CHECK(parsed.status().code() == Code::kInvalidArgument);
  }
}

// A backtracking engine takes 2^n steps here, and overflows the stack.
TEST_CASE("Long keys and greedy expressions take linear time", "[group]") {
  const std::string key = std::string(1 << 22, 'a') + "/p1";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(GroupOf("^((?:a*)*)*b", key) == "(none)");
  CHECK(GroupOf("(?:a|aa)+/(p\\d)$", key) == "p1");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
}

}  // namespace
}  // namespace shardine::group_rule_test
