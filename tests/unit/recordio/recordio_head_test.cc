// Ids and labels from the first bytes of a record.
#include <catch2/catch.hpp>

#include "recordio/irheader.h"
#include "recordio/recordio_framing.h"
#include "recordio/recordio_scanner.h"

namespace shardine::recordio_head_test {
namespace {

// A part with these labels in front of an image of `image` bytes.
std::string Record(std::uint64_t id, std::vector<Label> labels,
                   std::size_t image, std::uint32_t part = 0) {
  std::string content;
  AppendRecordPrefix(id, labels, content);
  content.resize(content.size() + image, 'x');
  std::string record;
  AppendLe(kRecordIoMagic, record);
  AppendLe(part << 29 | static_cast<std::uint32_t>(content.size()), record);
  record += content;
  record.resize((record.size() + 3) / 4 * 4);
  return record;
}

std::optional<RecordHead> HeadOf(const std::string& record, std::size_t head,
                                 std::vector<Label>& labels) {
  return ReadRecordIoHead(AsBytes(record).first(std::min(head, record.size())),
                          record.size(), labels);
}

TEST_CASE("ReadRecordIoHead finds id, labels and image in the first bytes",
          "[recordio]") {
  std::vector<Label> labels = {Label(7)};
  const auto one = HeadOf(Record(12, {Label(3)}, 1001), 64, labels);
  REQUIRE(one.has_value());
  CHECK(one->id == 12);
  CHECK(one->image == 32);
  CHECK(labels == std::vector<Label>{Label(3)});
  const auto two = HeadOf(Record(13, {Label(1), Label(2)}, 5), 64, labels);
  REQUIRE(two.has_value());
  CHECK(two->image == 40);
  CHECK(labels == std::vector<Label>{Label(1), Label(2)});
}

TEST_CASE("ReadRecordIoHead leaves other records to a read of all their bytes",
          "[recordio]") {
  std::vector<Label> labels;
  const std::string sound = Record(12, {Label(3)}, 1001);
  for (std::size_t cut = 0; cut < 32; ++cut) {
    CHECK_FALSE(HeadOf(sound, cut, labels).has_value());
  }
  // Labels that are not all in the first bytes.
  CHECK_FALSE(
      HeadOf(Record(1, std::vector<Label>(100, Label(1)), 9), 64, labels)
          .has_value());
  CHECK_FALSE(HeadOf(Record(1, {Label(3)}, 1001, 1), 64, labels).has_value());
  std::string longer = sound + "xxxx";
  CHECK_FALSE(HeadOf(longer, 64, labels).has_value());
  std::string other = sound;
  other[0] ^= 1;
  CHECK_FALSE(HeadOf(other, 64, labels).has_value());
  CHECK_FALSE(ReadRecordIoHead(AsBytes(sound), 0, labels).has_value());
  CHECK_FALSE(ReadRecordIoHead(AsBytes(sound), 7, labels).has_value());
}

}  // namespace
}  // namespace shardine::recordio_head_test
