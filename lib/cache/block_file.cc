#include "cache/block_file.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/checksum.h"

namespace shardine {
namespace {

constexpr std::uint64_t kEntry = sizeof(std::uint32_t);
constexpr std::uint64_t kPage = 4096;
// Blocks that are looked at together.
constexpr std::uint64_t kTogether = 64;
// In the table: not there. A block with that CRC is fetched each time.
constexpr std::uint32_t kAbsent = 0;

std::uint64_t Begin(std::uint64_t bytes) {
  const std::uint64_t blocks =
      (bytes + BlockFile::kBlock - 1) / BlockFile::kBlock;
  return (blocks * kEntry + kPage - 1) / kPage * kPage;
}

// The bytes of the shard of which the file has `size`; 0: of none.
std::uint64_t ShardBytes(std::uint64_t size) {
  const std::uint64_t blocks = size / BlockFile::kBlock + 1;
  for (std::uint64_t begin = (blocks * kEntry / kPage + 1) * kPage; begin > 0;
       begin -= kPage) {
    if (begin < size && Begin(size - begin) == begin) return size - begin;
  }
  return 0;
}

// The CRCs of blocks of which the bytes come in three stretches.
class BlockCrcs {
 public:
  explicit BlockCrcs(std::span<const std::uint32_t> wanted) : wanted_(wanted) {}

  bool Add(ByteView bytes) {
    while (!bytes.empty()) {
      const std::size_t size =
          std::min<std::size_t>(bytes.size(), BlockFile::kBlock - filled_);
      crc_ = Crc32c(bytes.first(size), crc_);
      filled_ += size;
      bytes = bytes.subspan(size);
      if (filled_ == BlockFile::kBlock && !End()) return false;
    }
    return true;
  }
  bool End() {
    if (filled_ == 0) return true;
    const std::uint32_t crc = std::exchange(crc_, 0);
    filled_ = 0;
    return crc != kAbsent && wanted_[next_++] == crc;
  }

 private:
  const std::span<const std::uint32_t> wanted_;
  std::size_t next_ = 0;
  std::uint64_t filled_ = 0;
  std::uint32_t crc_ = 0;
};

iovec Writable(std::span<std::byte> bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

BlockFile::BlockFile(CacheFolder& folder, std::string name,
                     CacheDescriptor file, std::uint64_t bytes)
    : folder_(folder),
      name_(std::move(name)),
      file_(std::move(file)),
      bytes_(bytes),
      begin_(Begin(bytes)) {}

std::unique_ptr<BlockFile> BlockFile::Open(CacheFolder& folder,
                                           const KnownFile& file) {
  // Manifests may say any size.
  if (file.bytes == 0 || file.bytes > folder.limits().bytes) return nullptr;
  if (auto proved = OpenProved(folder, file)) return proved;
  auto own = OpenOwn(folder, file);
  if (own == nullptr || own->MissingBlocks() > 0) return own;
  const bool is_proved = folder.Prove(own->name_, ProvedCacheName(file),
                                      [&] { return own->IsOf(file.digest); });
  return is_proved ? OpenProved(folder, file) : std::move(own);
}

// Null: there is none, or it lost a block, and is removed.
std::unique_ptr<BlockFile> BlockFile::OpenProved(CacheFolder& folder,
                                                 const KnownFile& file) {
  std::string name = ProvedCacheName(file);
  CacheDescriptor found = folder.Find(name);
  if (!found) return nullptr;
  std::unique_ptr<BlockFile> proved(
      new BlockFile(folder, std::move(name), std::move(found), file.bytes));
  struct stat facts;
  const std::uint64_t size = proved->begin_ + file.bytes;
  if (::fstat(proved->file_.get(), &facts) == 0 &&
      static_cast<std::uint64_t>(facts.st_size) == size &&
      proved->MissingBlocks() == 0) {
    return proved;
  }
  static_cast<void>(folder.Remove(proved->name_).ok());
  return nullptr;
}

std::unique_ptr<BlockFile> BlockFile::OpenOwn(CacheFolder& folder,
                                              const KnownFile& file) {
  std::string name = CacheName(CachedKind::kPayload, file);
  CacheDescriptor found = folder.FindOrMake(name);
  if (!found) return nullptr;
  struct stat facts;
  const std::uint64_t size = Begin(file.bytes) + file.bytes;
  if (::fstat(found.get(), &facts) != 0) return nullptr;
  if (static_cast<std::uint64_t>(facts.st_size) != size &&
      ::ftruncate(found.get(), static_cast<off_t>(size)) != 0) {
    return nullptr;
  }
  return std::unique_ptr<BlockFile>(
      new BlockFile(folder, std::move(name), std::move(found), file.bytes));
}

// Whether all blocks are there, and together have the digest.
bool BlockFile::IsOf(const Digest128& digest) const {
  Xxh3Stream stream;
  ByteBuffer window;
  for (std::uint64_t first = 0; first < blocks(); first += kTogether) {
    window.Resize(BytesOf(first, kTogether));
    const std::vector<bool> sound = ReadBlocks(first, window.span());
    if (std::ranges::find(sound, false) != sound.end()) return false;
    stream.Update(window.view());
  }
  return stream.Digest() == digest;
}

std::uint64_t BlockFile::ForgetDamaged(CacheFolder& folder,
                                       const std::string& name) {
  struct stat facts;
  CacheDescriptor file = folder.Find(name);
  if (!file || ::fstat(file.get(), &facts) != 0) return 0;
  BlockFile kept(folder, name, std::move(file),
                 ShardBytes(static_cast<std::uint64_t>(facts.st_size)));
  Xxh3Stream digest;
  std::uint64_t damaged = 0;
  std::uint64_t there = 0;
  ByteBuffer window;
  for (std::uint64_t first = 0; first < kept.blocks(); first += kTogether) {
    window.Resize(kept.BytesOf(first, kTogether));
    const std::vector<bool> sound = kept.ReadBlocks(first, window.span());
    digest.Update(window.view());
    for (std::uint64_t i = 0; i < sound.size(); ++i) {
      there += sound[i] ? 1 : 0;
      if (sound[i] || !kept.MayHave(first + i)) continue;
      if (!kept.is_proved()) kept.Forget((first + i) * kBlock, 1);
      ++damaged;
    }
  }
  const bool is_whole = there == kept.blocks();
  const bool is_wrong = is_whole && digest.Digest() != DigestOfCacheName(name);
  const bool goes = is_wrong || (kept.is_proved() && !is_whole);
  if (goes) static_cast<void>(folder.Remove(name).ok());
  return is_wrong ? there : damaged;
}

std::uint64_t BlockFile::BytesOf(std::uint64_t first,
                                 std::uint64_t count) const {
  return std::min((first + count) * kBlock, bytes_) - first * kBlock;
}

// Where the table is cut off, every block counts as absent.
std::vector<std::uint32_t> BlockFile::Table(std::uint64_t first,
                                            std::uint64_t count) const {
  std::vector<std::byte> raw(count * kEntry);
  std::vector<std::uint32_t> table(count, kAbsent);
  const std::size_t read = ReadDescriptor(file_, first * kEntry, raw);
  for (std::size_t i = 0; (i + 1) * kEntry <= read; ++i) {
    table[i] = LoadLe<std::uint32_t>(raw.data() + i * kEntry);
  }
  return table;
}

bool BlockFile::MayHave(std::uint64_t block) const {
  return Table(block, 1).front() != kAbsent;
}

std::uint64_t BlockFile::MissingBlocks() const {
  const std::vector<std::uint32_t> table = Table(0, blocks());
  return static_cast<std::uint64_t>(std::ranges::count(table, kAbsent));
}

bool BlockFile::Read(std::uint64_t offset, std::span<std::byte> out) const {
  if (out.empty()) return true;
  const std::uint64_t first = offset / kBlock;
  const std::uint64_t count =
      (offset + out.size() + kBlock - 1) / kBlock - first;
  const std::vector<std::uint32_t> table = Table(first, count);
  if (std::ranges::find(table, kAbsent) != table.end()) return false;
  const std::uint64_t whole = BytesOf(first, count);
  const std::uint64_t before = offset - first * kBlock;
  const std::uint64_t after = whole - before - out.size();
  std::array<std::byte, 2 * kBlock> edges;
  const std::span<std::byte> head(edges.data(), before);
  const std::span<std::byte> tail(edges.data() + kBlock, after);
  const std::array<iovec, 3> rooms = {Writable(head), Writable(out),
                                      Writable(tail)};
  const ssize_t read =
      ::preadv(file_.get(), rooms.data(), static_cast<int>(rooms.size()),
               static_cast<off_t>(begin_ + first * kBlock));
  if (read < 0 || static_cast<std::uint64_t>(read) != whole) return false;
  NoteUse();
  BlockCrcs crcs(table);
  return crcs.Add(head) && crcs.Add(out) && crcs.Add(tail) && crcs.End();
}

std::vector<bool> BlockFile::ReadBlocks(std::uint64_t first,
                                        std::span<std::byte> out) const {
  const std::uint64_t count = (out.size() + kBlock - 1) / kBlock;
  const std::vector<std::uint32_t> table = Table(first, count);
  std::vector<bool> there(count, false);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (table[i] == kAbsent) continue;
    const auto block =
        out.subspan(i * kBlock, std::min(kBlock, out.size() - i * kBlock));
    there[i] = ReadDescriptor(file_, begin_ + (first + i) * kBlock, block) ==
                   block.size() &&
               Crc32c(block) == table[i];
  }
  return there;
}

// A reader that finds every block for hours writes nothing that would show its
// use.
void BlockFile::NoteUse() const {
  using std::chrono::duration_cast;
  const std::int64_t now =
      duration_cast<std::chrono::seconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count();
  constexpr std::int64_t kMinute = 60;
  if (now - noted_ < kMinute) return;
  noted_ = now;
  ::futimens(file_.get(), nullptr);
}

void BlockFile::Write(std::uint64_t first, ByteView bytes) {
  if (is_proved()) return Forget(first * kBlock, bytes.size());
  // A file without its name takes room that no process sees, or was proved.
  const CacheDescriptor file = folder_.FindToWrite(name_, file_);
  // A page of the table may come with it.
  const std::uint64_t room = bytes.size() + kPage;
  if (!file || !folder_.MakeRoom(room)) return;
  WriteBlocks(file, first, bytes);
  folder_.EndWrite(room);
}

void BlockFile::WriteBlocks(const CacheDescriptor& file, std::uint64_t first,
                            ByteView bytes) {
  if (!folder_.Write(file, begin_ + first * kBlock, bytes)) return;
  std::vector<std::byte> table;
  for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
    const std::uint32_t crc = Crc32c(
        bytes.subspan(at, std::min<std::size_t>(kBlock, bytes.size() - at)));
    table.resize(table.size() + kEntry);
    StoreLe(crc, table.data() + table.size() - kEntry);
  }
  folder_.Write(file, first * kEntry, table);
}

void BlockFile::Forget(std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  if (is_proved()) return static_cast<void>(folder_.Remove(name_).ok());
  const CacheDescriptor file = folder_.FindToWrite(name_, file_);
  if (!file) return;
  const std::uint64_t first = offset / kBlock;
  const std::uint64_t count = (offset + size + kBlock - 1) / kBlock - first;
  const std::vector<std::byte> none(count * kEntry);
  folder_.Write(file, first * kEntry, none);
}

}  // namespace shardine
