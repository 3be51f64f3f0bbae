#include "source/source_batch.h"

#include <span>
#include <utility>

#include "source/read_source.h"

namespace shardine {

std::vector<SourceBlock> CutSources(
    std::size_t count, const std::function<std::uint64_t(std::size_t)>& size_of,
    const SourceBlock& most) {
  std::vector<SourceBlock> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = size_of(i);
    const std::uint64_t bytes = size > kMaxSourceFile ? 0 : size;
    if (blocks.empty() || blocks.back().count == most.count ||
        blocks.back().bytes + bytes > most.bytes) {
      blocks.push_back({.first = i});
    }
    ++blocks.back().count;
    blocks.back().bytes += bytes;
  }
  return blocks;
}

void SourceBatch::Add(std::string path, const SourceFacts& facts) {
  sources_.push_back({.path = std::move(path), .facts = facts});
}

void SourceBatch::ReadAll(ManyFiles& files) {
  std::size_t total = 0;
  for (const Source& source : sources_) {
    total += static_cast<std::size_t>(source.facts.size);
  }
  bytes_.Resize(total);
  std::span<std::byte> rest = bytes_.span();
  for (const Source& source : sources_) {
    const auto size = static_cast<std::size_t>(source.facts.size);
    read_.push_back({.path = source.path,
                     .mtime_ns = source.facts.mtime_ns,
                     .out = rest.first(size)});
    rest = rest.subspan(size);
  }
  files.ReadWhole(read_);
}

Status SourceBatch::ReadNext(ByteBuffer& bytes) {
  const std::size_t number = next_++;
  const Source& source = sources_[number];
  ManyFiles* const files = storage_.many_files();
  if (files == nullptr) {
    return ReadSource(storage_, source.path, source.facts, bytes);
  }
  if (read_.empty()) ReadAll(*files);
  const WholeFile& file = read_[number];
  if (!file.status.ok()) return SinceThePlan(file.status, file.path);
  bytes.Append(file.out);
  return Status();
}

}  // namespace shardine
