#include "source/file_images.h"

#include <cstddef>
#include <string>

#include "base/bytes.h"
#include "source/read_source.h"

namespace shardine {
namespace {

bool IsOfFile(const Status& status) {
  return IsOfImage(status) || IsUnreadable(status) ||
         status.code() == Code::kNotFound || status.code() == Code::kChanged;
}

}  // namespace

std::vector<bool> FileImages::InSmallSplits(std::uint64_t most) const {
  const SourceList& list = files_.samples;
  std::vector<std::uint64_t> counts(files_.splits.size());
  for (std::size_t i = 0; i < list.size(); ++i) ++counts[list.split(i)];
  const std::vector<bool> is_small = SmallestOf(counts, most);
  std::vector<bool> flags;
  for (std::size_t i = 0; i < list.size(); ++i) {
    flags.push_back(is_small[list.split(i)]);
  }
  return flags;
}

Status FileImages::Read(std::span<const std::uint64_t> positions,
                        ImageUse /*use*/, const Visit& visit,
                        const Failed& failed) const {
  const SourceList& list = files_.samples;
  ByteBuffer bytes;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto sample = static_cast<std::size_t>(positions[i]);
    const std::string path = JoinPath(files_.roots[list.root(sample)],
                                      std::string(list.path(sample)));
    bytes.Resize(0);
    Status status = CheckSourceSize(path, list.facts(sample).size);
    if (status.ok()) {
      status = ReadSource(storage_, path, list.facts(sample), bytes);
    }
    if (!status.ok() && !IsOfFile(status)) return status;
    if (status.ok()) {
      status = visit(i, {kImageField, kBytesDtype, {}, bytes.view()});
    }
    if (!status.ok()) failed(i, status.Annotate({.path = path}));
  }
  return Status();
}

}  // namespace shardine
