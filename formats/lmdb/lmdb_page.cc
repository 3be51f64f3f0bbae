#include "lmdb/lmdb_page.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kFlagsAt = 10;
constexpr std::size_t kLowerAt = 12;
constexpr std::size_t kUpperAt = 14;

// Offsets in a node.
constexpr std::size_t kNodeFlagsAt = 4;
constexpr std::size_t kKeySizeAt = 6;
constexpr std::size_t kNodeHeader = 8;

constexpr std::uint16_t kBigData = 0x01;
constexpr std::uint16_t kSubData = 0x02;

Status CorruptPage(std::size_t offset, std::string message) {
  return Status(Code::kCorrupt, std::move(message)).At({.offset = offset});
}

}  // namespace

int CompareLmdbKeys(ByteView a, ByteView b) {
  return AsText(a).compare(AsText(b));
}

Result<LmdbPage> LmdbPage::Parse(ByteView bytes, std::uint64_t number) {
  if (LoadLe<std::uint64_t>(bytes.data()) != number) {
    return CorruptPage(0,
                       "not page " + std::to_string(number) +
                           " but one that calls itself " +
                           std::to_string(LoadLe<std::uint64_t>(bytes.data())));
  }
  const auto flags = LoadLe<std::uint16_t>(&bytes[kFlagsAt]);
  if (flags != kLmdbBranch && flags != kLmdbLeaf) {
    return CorruptPage(kFlagsAt, "page flags " + std::to_string(flags) +
                                     " where a branch or leaf is expected");
  }
  const std::size_t lower = LoadLe<std::uint16_t>(&bytes[kLowerAt]);
  // A page of 64 KiB without nodes would have an upper end of 65536, but a
  // page in a tree has nodes.
  const std::size_t upper = LoadLe<std::uint16_t>(&bytes[kUpperAt]);
  if (lower < kLmdbPageHeader || lower % 2 != 0 || lower > upper ||
      upper > bytes.size()) {
    return CorruptPage(kLowerAt, "the bounds of the page's free space, " +
                                     std::to_string(lower) + " and " +
                                     std::to_string(upper) +
                                     ", are impossible");
  }
  LmdbPage page;
  page.bytes_ = bytes;
  page.leaf_ = flags == kLmdbLeaf;
  page.count_ = (lower - kLmdbPageHeader) / 2;
  // liblmdb keeps no branch with one child and no page without nodes: it merges
  // them with others.
  if (page.count_ < (page.leaf_ ? 1U : 2U)) {
    return CorruptPage(kLowerAt, "a page with too few nodes");
  }
  SHARDINE_RETURN_IF_ERROR(page.CheckNodes());
  SHARDINE_RETURN_IF_ERROR(page.CheckOrder());
  return page;
}

Status LmdbPage::CheckNodes() const {
  const std::size_t upper = LoadLe<std::uint16_t>(&bytes_[kUpperAt]);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t at = NodeAt(i);
    if (at < upper || at % 2 != 0 || at + kNodeHeader > bytes_.size()) {
      return CorruptPage(kLmdbPageHeader + 2 * i,
                         "node offset " + std::to_string(at) +
                             " does not lie where nodes are");
    }
    SHARDINE_ASSIGN_OR_RETURN(const std::size_t size, CheckNode(i));
    used += size + size % 2;
  }
  // A gap and an overlap of the same size cancel each other and pass. Passing
  // it is safe: each node lies in the page by itself, and the keys ascend.
  if (used != bytes_.size() - upper) {
    return CorruptPage(kUpperAt, "the nodes overlap, or leave gaps");
  }
  return {};
}

// The size that is returned is without the byte that pads a node to an even
// offset.
Result<std::size_t> LmdbPage::CheckNode(std::size_t i) const {
  const std::size_t at = NodeAt(i);
  const std::size_t key_size = LoadLe<std::uint16_t>(&bytes_[at + kKeySizeAt]);
  std::size_t size = kNodeHeader + key_size;
  if (leaf_) {
    const auto flags = LoadLe<std::uint16_t>(&bytes_[at + kNodeFlagsAt]);
    if (key_size == 0) return CorruptPage(at + kKeySizeAt, "an empty key");
    if (flags == kSubData &&
        LoadLe<std::uint32_t>(&bytes_[at]) != kLmdbRecord) {
      return CorruptPage(at, "a named database with a record of another size");
    }
    if (flags != 0 && flags != kBigData && flags != kSubData) {
      return CorruptPage(at + kNodeFlagsAt,
                         "node flags " + std::to_string(flags) + " in a leaf");
    }
    size += flags == kBigData ? sizeof(std::uint64_t)
                              : LoadLe<std::uint32_t>(&bytes_[at]);
  }
  if (size > bytes_.size() - at) {
    return CorruptPage(at, "a node reaches beyond its page");
  }
  return size;
}

Status LmdbPage::CheckOrder() const {
  // The first key of a branch says nothing, so it need not be in order.
  for (std::size_t i = leaf_ ? 1 : 2; i < count_; ++i) {
    if (CompareLmdbKeys(key(i - 1), key(i)) >= 0) {
      return CorruptPage(NodeAt(i), "keys out of order");
    }
  }
  return {};
}

std::size_t LmdbPage::NodeAt(std::size_t i) const {
  return LoadLe<std::uint16_t>(&bytes_[kLmdbPageHeader + 2 * i]);
}

ByteView LmdbPage::key(std::size_t i) const {
  const std::size_t at = NodeAt(i);
  return bytes_.subspan(at + kNodeHeader,
                        LoadLe<std::uint16_t>(&bytes_[at + kKeySizeAt]));
}

LmdbLeafNode LmdbPage::leaf(std::size_t i) const {
  const std::size_t at = NodeAt(i);
  LmdbLeafNode node;
  node.key = key(i);
  node.size = LoadLe<std::uint32_t>(&bytes_[at]);
  const auto flags = LoadLe<std::uint16_t>(&bytes_[at + kNodeFlagsAt]);
  node.overflow = flags == kBigData;
  node.database = flags == kSubData;
  node.value_at = at + kNodeHeader + node.key.size();
  if (node.overflow) node.page = LoadLe<std::uint64_t>(&bytes_[node.value_at]);
  return node;
}

std::uint64_t LmdbPage::child(std::size_t i) const {
  const std::byte* node = &bytes_[NodeAt(i)];
  // The number has 48 bits: the low 32 where a leaf has the size, the rest in
  // the flags.
  return LoadLe<std::uint32_t>(node) |
         std::uint64_t{LoadLe<std::uint16_t>(node + kNodeFlagsAt)} << 32;
}

std::size_t LmdbPage::LowerBound(ByteView wanted) const {
  std::size_t low = leaf_ ? 0 : 1;
  std::size_t high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (CompareLmdbKeys(key(middle), wanted) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace shardine
