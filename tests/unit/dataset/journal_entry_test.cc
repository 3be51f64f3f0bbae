// A journal's text: read as it was written, and refused where it is no journal.
#include "dataset/journal_entry.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/checksum.h"
#include "io/memory_storage.h"

namespace shardine::journal_entry_test {
namespace {

constexpr char kMagic[] = "shardine journal 3\n";

JournalEntry SomeEntry() {
  return {.made = {.command = "pack",
                   .sources = {"photos", "a\n\xFF", ""},
                   .options = {{"seed", "7"}, {"no-shuffle", ""}}},
          .plan_digest = {123, 456},
          .shards = {{"train", 99'999}, {"v\xE9", 1}},
          .published = {{"sz/32/shardine.json", {1, 2}}, {"\xFF", {}}}};
}

// Seals the text with its digest: anybody can compute that.
std::string Sealed(const std::string& json) {
  const std::string body = kMagic + json + "\n";
  return body + Xxh3_128(AsBytes(body)).ToHex() + "\n";
}

TEST_CASE("A journal is read as it was written", "[dataset][journal]") {
  JournalEntry entry = SomeEntry();
  CHECK(ParseJournal(JournalText(entry)) == entry);
  // An unknown number of shards is left out.
  entry.shards = {};
  CHECK(ParseJournal(JournalText(entry)) == entry);
  CHECK(JournalText(entry).find("shards") == std::string::npos);
  CHECK(ParseJournal(JournalText({})) == JournalEntry());
}

TEST_CASE("A journal that is cut or changed anywhere is none",
          "[dataset][journal]") {
  const std::string whole = JournalText(SomeEntry());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK_FALSE(ParseJournal(whole.substr(0, i)));
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 2);
    CHECK_FALSE(ParseJournal(damaged));
  }
  CHECK_FALSE(ParseJournal(whole + "\n"));
  // A cut or a lost page leaves text that is still recognized as a journal.
  for (std::size_t i = 0; i < 40; ++i) CHECK(IsLikeJournal(whole.substr(0, i)));
  CHECK(IsLikeJournal(std::string(4096, '\0')));
  CHECK(IsLikeJournal("shardine journal 3\n{}"));
  CHECK_FALSE(IsLikeJournal("shardine notes"));
  CHECK_FALSE(IsLikeJournal(std::string(10, '\0') + "x"));
}

TEST_CASE("A journal whose digest is right is checked all the same",
          "[dataset][journal]") {
  const std::string digest = "\"" + std::string(32, '0') + "\"";
  const auto text = [&](const std::string& plan, const std::string& rest) {
    return Sealed(R"({"command":"pack","options":{},"plan_digest":)" + plan +
                  R"(,"sources":[])" + rest + "}");
  };
  REQUIRE(ParseJournal(text(digest, "")));
  REQUIRE(ParseJournal(text(digest, R"(,"shards":{"a":1})")));
  // Members of a later version do no harm.
  CHECK(ParseJournal(text(digest, R"(,"more":[1])")));
  for (const char* plan : {"\"\"", "0", "null", "\"x\"", "[]"}) {
    CHECK_FALSE(ParseJournal(text(plan, "")));
  }
  for (const char* shards :
       {"7", "[]", "null", R"({"a":0})", R"({"a":-1})", R"({"a":1.5})",
        R"({"a":100000})", R"({"a":18446744073709551615})", R"({"a":"1"})",
        R"({"\\x4":1})"}) {
    INFO(shards);
    CHECK_FALSE(
        ParseJournal(text(digest, std::string(",\"shards\":") + shards)));
  }
  for (const char* json :
       {"", "[]", "{}", "7", "{", R"({"command":"pack"})",
        R"({"command":1,"options":{},"plan_digest":"","sources":[]})",
        R"({"command":"p","options":[],"plan_digest":"","sources":[]})"}) {
    CHECK_FALSE(ParseJournal(Sealed(json)));
  }
  CHECK_FALSE(
      ParseJournal(Sealed(R"({"command":"p","options":{},"plan_digest":)" +
                          digest + R"(,"sources":[1]})")));
}

TEST_CASE("The journal of a folder lies in its work folder",
          "[dataset][journal]") {
  MemoryStorage storage;
  CHECK(ReadJournalText(storage, "out").status().code() == Code::kNotFound);
  storage.Put("out/.pack/journal", "text");
  CHECK(*ReadJournalText(storage, "out") == "text");
}

}  // namespace
}  // namespace shardine::journal_entry_test
