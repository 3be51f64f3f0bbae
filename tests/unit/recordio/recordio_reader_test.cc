#include "recordio/recordio_reader.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "unit/recordio/record_bytes.h"

namespace shardine::recordio_reader_test {
namespace {

// The role of each byte of a well-formed file, found by a walk of its own.
enum class Role { kMagic, kFlag, kLength, kData, kPadding };

std::vector<Role> RolesOf(const std::string& file) {
  std::vector<Role> roles;
  while (roles.size() < file.size()) {
    std::uint32_t lrec = 0;
    std::memcpy(&lrec, file.data() + roles.size() + 4, 4);
    const std::uint32_t length = lrec & 0x1fffffff;
    roles.insert(roles.end(), 4, Role::kMagic);
    roles.insert(roles.end(), 3, Role::kLength);
    roles.insert(roles.end(), 1, Role::kFlag);
    roles.insert(roles.end(), length, Role::kData);
    roles.insert(roles.end(), (4 - length % 4) % 4, Role::kPadding);
  }
  REQUIRE(roles.size() == file.size());
  return roles;
}

// Whole and cut records, with and without padding, an empty one.
std::vector<std::string> SmallRecords() {
  return {"hello",
          "1234" + kMagicBytes + "5678" + kMagicBytes + "ninth",
          "",
          kMagicBytes,
          "x" + kMagicBytes + "yz",
          "sixteen bytes is"};
}

std::vector<std::string> BytesOf(const ReadRecords& found) {
  std::vector<std::string> bytes;
  for (const ReadRecord& record : found.records) bytes.push_back(record.bytes);
  return bytes;
}

TEST_CASE("RecordIoReader returns random records rich in the magic unchanged",
          "[recordio]") {
  Draws draws(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> records;
    for (std::uint32_t n = draws.Below(8) + 1; n > 0; --n) {
      records.push_back(MagicRichBytes(draws, draws.Below(600)));
    }
    const std::string file = EncodeRecords(records);
    const ReadRecords found = DecodeRecords(file);
    REQUIRE(found.status.ToString() == "OK");
    REQUIRE(BytesOf(found) == records);
    for (const ReadRecord& record : found.records) {
      REQUIRE(JoinExtents(file, record.extents) == record.bytes);
    }
  }
}

TEST_CASE("RecordIoReader numbers records and tells where they begin",
          "[recordio]") {
  const std::string file = EncodeRecords(SmallRecords());
  const ReadRecords found = DecodeRecords(file);
  REQUIRE(found.records.size() == 6);
  const std::uint64_t offsets[] = {0, 16, 56, 64, 80, 96};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(found.records[i].number == i);
    CHECK(found.records[i].offset == offsets[i]);
  }
}

TEST_CASE("RecordIoReader gives extents that skip only the length words",
          "[recordio]") {
  const std::string file = EncodeRecords(SmallRecords());
  const ReadRecords found = DecodeRecords(file);
  REQUIRE(found.records.size() == 6);
  CHECK(found.records[0].extents == std::vector<Extent>{{8, 5}});
  CHECK(found.records[1].extents ==
        std::vector<Extent>{{24, 8}, {36, 8}, {48, 5}});
  CHECK(found.records[2].extents == std::vector<Extent>{{64, 0}});
  CHECK(found.records[3].extents == std::vector<Extent>{{72, 4}});
  CHECK(found.records[4].extents == std::vector<Extent>{{88, 7}});
}

TEST_CASE("RecordIoReader finds no record in an empty file", "[recordio]") {
  const ReadRecords found = DecodeRecords("");
  CHECK(found.status.ok());
  CHECK(found.records.empty());
}

TEST_CASE("RecordIoReader reads records larger than its window", "[recordio]") {
  Draws draws(3);
  std::vector<std::string> records;
  for (const std::size_t size :
       {700'000U, 3'000'001U, 10U, 1'048'568U, 1'048'569U, 2'500'000U}) {
    std::string record(size, '\0');
    for (std::size_t i = 0; i < size; i += 97) record[i] = draws.Byte();
    records.push_back(std::move(record));
  }
  records.back().replace(1'200'000, 4, kMagicBytes);
  records.back().replace(1'200'004, 4, kMagicBytes);
  const std::string file = EncodeRecords(records);
  const ReadRecords found = DecodeRecords(file);
  REQUIRE(found.status.ToString() == "OK");
  CHECK((BytesOf(found) == records));
  // The second of the two adjacent magics is a part of its own.
  CHECK(found.records.back().extents.size() == 3);
  for (const ReadRecord& record : found.records) {
    CHECK((JoinExtents(file, record.extents) == record.bytes));
  }
}

struct Damage {
  const char* file;
  std::uint64_t record;
  std::uint64_t byte;
  const char* message;
};

TEST_CASE("RecordIoReader says where framing is damaged and how",
          "[recordio][corruption]") {
  const std::string good = "0a23d7ce 04000000 61626364 ";
  const Damage damages[] = {
      {"0b23d7ce 04000000 61626364", 1, 12, "no RecordIO magic but 0xced7230b"},
      {"0a23d7ce 00000080", 1, 16, "a part flag that is none of 0 to 3"},
      {"0a23d7ce 000000e0", 1, 16, "a part flag that is none of 0 to 3"},
      {"0a23d7ce 00000040", 1, 16, "a part of a record without its first part"},
      {"0a23d7ce 00000060", 1, 16, "a part of a record without its first part"},
      {"0a23d7ce 00000020 0a23d7ce 00000000", 1, 24,
       "a record begins before the last part of the one before"},
      {"0a23d7ce 00000020 0a23d7ce 00000020", 1, 24,
       "a record begins before the last part of the one before"},
      {"0a23d7ce 00000020", 1, 20,
       "the file ends before the last part of a record"},
      {"0a23d7ce 02000020 61620000 0a23d7ce 00000060", 1, 16,
       "a part before the last has a length that is no multiple of 4"},
      {"0a23d7ce 05000000 61626364", 1, 16,
       "a part of 5 bytes reaches beyond the end of the file"},
      {"0a23d7ce 03000000 616263", 1, 16,
       "a part of 3 bytes reaches beyond the end of the file"},
      {"0a23d7ce ffffff1f 61626364", 1, 16,
       "a part of 536870911 bytes reaches beyond the end of the file"},
      {"0a23d7ce 02000000 61620001", 1, 23, "padding that is not zero"},
      {"0a23d7ce 02000000 61628000", 1, 22, "padding that is not zero"},
      {"0a23d7ce 0000", 1, 12, "the file ends inside a record header"},
      {"0a", 1, 12, "the file ends inside a record header"},
  };
  for (const Damage& damage : damages) {
    const ReadRecords found = DecodeRecords(FromHex(good + damage.file));
    CHECK(found.records.size() == 1);
    CHECK(found.status.code() == Code::kCorrupt);
    CHECK(found.status.message() == damage.message);
    CHECK(found.status.where().path == "x.rec");
    CHECK(found.status.where().record == damage.record);
    CHECK(found.status.where().offset == damage.byte);
  }
}

TEST_CASE("RecordIoReader finds every flipped bit of the framing",
          "[recordio][corruption]") {
  const std::string file = EncodeRecords(SmallRecords());
  const std::vector<Role> roles = RolesOf(file);
  const ReadRecords intact = DecodeRecords(file);
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const ReadRecords found = DecodeRecords(damaged);
      INFO("byte " << i << ", bit " << bit);
      const bool is_flag = roles[i] == Role::kFlag && bit >= 5;
      if (roles[i] == Role::kMagic || roles[i] == Role::kPadding || is_flag) {
        CHECK(found.status.code() == Code::kCorrupt);
      }
      // Without a checksum, data and the low bits of a length can change
      // unseen; records before the damage never do.
      for (std::size_t r = 0; r < intact.records.size(); ++r) {
        if (r + 1 == intact.records.size() ||
            intact.records[r + 1].offset > i) {
          break;
        }
        REQUIRE(found.records.size() > r);
        CHECK(found.records[r].bytes == intact.records[r].bytes);
      }
    }
  }
}

TEST_CASE("RecordIoReader finds every cut that is not between two records",
          "[recordio][corruption]") {
  const std::vector<std::string> records = SmallRecords();
  const std::string file = EncodeRecords(records);
  const ReadRecords intact = DecodeRecords(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ReadRecords found = DecodeRecords(file.substr(0, size));
    std::size_t whole = 0;
    bool between = false;
    for (const ReadRecord& record : intact.records) {
      between |= record.offset == size;
      const std::size_t next = record.number + 1;
      const std::uint64_t end = next < intact.records.size()
                                    ? intact.records[next].offset
                                    : file.size();
      if (end <= size) ++whole;
    }
    INFO("cut at " << size);
    CHECK(found.status.ok() == between);
    CHECK(BytesOf(found) ==
          std::vector<std::string>(
              records.begin(),
              records.begin() + static_cast<std::ptrdiff_t>(whole)));
    if (!between) CHECK(found.status.where().record == whole);
  }
}

TEST_CASE("RecordIoReader survives random bytes after a magic",
          "[recordio][corruption]") {
  Draws draws(4);
  for (int round = 0; round < 2000; ++round) {
    const std::string file = kMagicBytes + MagicRichBytes(draws, 60);
    const ReadRecords found = DecodeRecords(file);
    for (const ReadRecord& record : found.records) {
      REQUIRE(JoinExtents(file, record.extents) == record.bytes);
    }
  }
}

}  // namespace
}  // namespace shardine::recordio_reader_test
