#include "webdataset/webdataset_index.h"

#include "support/fault_storage.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::webdataset_index_test {
namespace {

constexpr char kShard[] = "x.tar";
constexpr char kIndex[] = "x.idx";

TEST_CASE("WdsIndexBuilder writes what wds2idx writes", "[webdataset][idx]") {
  WdsIndexBuilder index;
  CHECK(index.Text() == "v1.2 0\n");
  index.Add("a/1.jpg", 512, 7);
  index.Add("a/1.seg.PNG", 1536, 0);
  index.Add("a/2.jpg", 2048, 99);
  index.Add("README", 4096, 5);  // without its last letter, as that tool has it
  index.Add("READMe", 5120, 6);
  index.Add(".hidden", 6144, 1);
  index.Add("a/.hidden", 7168, 1);
  index.Add("", 8192, 1);
  CHECK(index.Text() ==
        "v1.2 3\n"
        "jpg 512 7 a/1.jpg seg.PNG 1536 0 a/1.seg.PNG\n"
        "jpg 2048 99 a/2.jpg\n"
        "README 4096 5 README READMe 5120 6 READMe\n");
}

class Checked {
 public:
  Checked() {
    storage_.Put(kShard, TarFile("7.jpg", "1") + TarFile("7.txt", "22") +
                             TarFile("LICENSE", "3") + TarFile("n/8.jpg", "") +
                             kTarEnd);
    storage_.Put(kIndex, right_);
  }
  Status Check(const std::string& index) {
    storage_.Put(kIndex, index);
    return Check();
  }
  Status Check() {
    return CheckWdsIndex(storage_, {.shard = kShard, .companion = kIndex},
                         offsets, ids);
  }
  const std::string& right() const { return right_; }
  MemoryStorage& storage() { return storage_; }

  std::vector<std::uint64_t> offsets = {0, 3072};
  std::vector<std::uint64_t> ids = {7, 1};

 private:
  std::string right_ =
      "v1.2 3\n"
      "jpg 512 1 7.jpg txt 1536 2 7.txt\n"
      "LICENSE 2560 1 LICENSE\n"
      "jpg 3584 0 n/8.jpg\n";
  MemoryStorage storage_;
};

TEST_CASE("CheckWdsIndex accepts the index of the shard, whoever numbered it",
          "[webdataset][idx]") {
  Checked checked;
  CHECK(checked.Check().ToString() == "OK");
  checked.ids = {7};
  CHECK(checked.Check().ok());
  checked.ids = {};
  CHECK(checked.Check().ok());
}

TEST_CASE("CheckWdsIndex finds every changed or cut byte of the index",
          "[webdataset][idx][corruption]") {
  Checked checked;
  for (std::size_t i = 0; i < checked.right().size(); ++i) {
    std::string damaged = checked.right();
    damaged[i] ^= 1;
    for (const std::string& index : {damaged, checked.right().substr(0, i)}) {
      const Status status = checked.Check(index);
      REQUIRE(status.code() == Code::kCorrupt);
      CHECK(status.where().path == kIndex);
      CHECK(status.where().offset == i);
      CHECK(status.where().record ==
            std::count(checked.right().begin(),
                       checked.right().begin() + static_cast<long>(i), '\n'));
    }
  }
  CHECK(checked.Check(checked.right() + "x").where().offset ==
        checked.right().size());
}

TEST_CASE("CheckWdsIndex finds other records and ids than the shard's",
          "[webdataset][idx][corruption]") {
  Checked checked;
  checked.ids = {8, 1};
  CHECK(checked.Check().where().record == 0);
  checked.ids = {7, 99};  // a prefix that is no number has no id
  CHECK(checked.Check().ok());
  checked.offsets[1] += 512;
  CHECK(checked.Check().where().record == 1);
  checked.offsets = {0};
  CHECK(checked.Check().where().record == 1);
  checked.offsets = {0, 3072, 4096};
  CHECK(checked.Check().where().record == 2);
}

// Field report C5: shards whose keys start over were called damaged.
TEST_CASE("CheckWdsIndex takes the id of a sample of ours from its .json",
          "[webdataset][idx]") {
  MemoryStorage storage;
  const std::string json =
      R"({"shardine":1,"id":7,"key":"000000.jpg","labels":[]})";
  storage.Put("x.tar", TarFile("000000.jpg", "j") +
                           TarFile("000000.json", json) + kTarEnd);
  const auto tar = storage.Open("x.tar");
  REQUIRE(tar.ok());
  const auto index = WdsIndexOf(**tar);
  REQUIRE(index.ok());
  storage.Put("x.idx", *index);
  const std::vector<std::uint64_t> offsets = {0};
  const auto check = [&](std::uint64_t id) {
    const std::vector<std::uint64_t> ids = {id};
    return CheckWdsIndex(storage, {.shard = "x.tar", .companion = "x.idx"},
                         offsets, ids);
  };
  CHECK(check(7).ToString() == "OK");
  CHECK(check(8).code() == Code::kCorrupt);
}

TEST_CASE("CheckWdsIndex passes on what it cannot read", "[webdataset][idx]") {
  Checked checked;
  REQUIRE(checked.storage().Remove(kIndex).ok());
  CHECK(checked.Check().code() == Code::kNotFound);
  CHECK(checked.Check().where().path == kIndex);
  checked.storage().Put(kShard, "cut");
  CHECK(checked.Check().code() == Code::kCorrupt);
  CHECK(checked.Check().where().path == kShard);
}

TEST_CASE("CheckWdsIndex reports every failed read", "[webdataset][idx]") {
  Checked checked;
  FaultStorage counting(checked.storage(), {.call = ~0ULL});
  const ShardPaths paths{.shard = kShard, .companion = kIndex};
  REQUIRE(CheckWdsIndex(counting, paths, checked.offsets, checked.ids).ok());
  for (std::uint64_t call = 0; call < counting.calls(Operation::kAny); ++call) {
    FaultStorage storage(checked.storage(), {.call = call});
    const Status status =
        CheckWdsIndex(storage, paths, checked.offsets, checked.ids);
    CHECK(status.code() == Code::kIo);
    CHECK_FALSE(status.where().path.empty());
  }
}

}  // namespace
}  // namespace shardine::webdataset_index_test
