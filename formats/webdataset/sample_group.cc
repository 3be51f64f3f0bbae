#include "webdataset/sample_group.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "webdataset/member_name.h"

namespace shardine {
namespace {

std::string_view ExtensionOf(const GroupMember* member) {
  return member->extension;
}

}  // namespace

Result<bool> SampleGroupReader::Next() {
  members_.clear();
  extensions_.clear();
  names_bytes_ = 0;
  bool open = true;
  if (ahead_) {
    SHARDINE_ASSIGN_OR_RETURN(open, Take(*std::exchange(ahead_, {})));
  }
  while (open && !ended_) {
    SHARDINE_ASSIGN_OR_RETURN(auto file, reader_.Next());
    ended_ = !file;
    if (ended_) break;
    SHARDINE_ASSIGN_OR_RETURN(open, Take(*std::move(file)));
  }
  if (members_.empty()) {
    SHARDINE_RETURN_IF_ERROR(reader_.FinishTail());
    return false;
  }
  SHARDINE_RETURN_IF_ERROR(FindBytes());
  IndexExtensions();
  return true;
}

// False if the file belongs to the next sample.
Result<bool> SampleGroupReader::Take(TarMember file) {
  const auto name = SplitMemberName(file.name);
  if (!name) {
    // Within a group it lies between members that must be held.
    if (members_.empty()) {
      SHARDINE_RETURN_IF_ERROR(reader_.Release(file.end()));
    }
    return true;
  }
  if (members_.empty()) {
    SHARDINE_RETURN_IF_ERROR(reader_.Release(file.header));
    prefix_ = name->prefix;
  } else if (name->prefix != prefix_) {
    ahead_ = std::move(file);
    return false;
  }
  std::string extension = LowerAscii(name->extension);
  // Both are asked before more files are taken: an archive may be one sample.
  if (!extensions_.insert(extension).second) {
    return Error(Code::kCorrupt, file.header,
                 ShowName(file.name) +
                     " is the second file of its sample with extension " +
                     ShowName(extension));
  }
  names_bytes_ += file.name.size();
  if (names_bytes_ > kMaxNames) {
    return Error(Code::kUnsupported, file.header,
                 "a sample whose files have names of more than 16 MiB");
  }
  members_.push_back({std::move(file), std::move(extension), ByteView()});
  return true;
}

Status SampleGroupReader::FindBytes() {
  const std::uint64_t end = members_.back().file.end();
  SHARDINE_ASSIGN_OR_RETURN(bytes_, reader_.View(offset(), end - offset()));
  for (GroupMember& member : members_) {
    member.bytes =
        bytes_.subspan(static_cast<std::size_t>(member.file.data - offset()),
                       static_cast<std::size_t>(member.file.size));
  }
  return Status();
}

void SampleGroupReader::IndexExtensions() {
  by_extension_.clear();
  for (const GroupMember& member : members_) by_extension_.push_back(&member);
  std::ranges::sort(by_extension_, {}, ExtensionOf);
}

const GroupMember* SampleGroupReader::Find(std::string_view extension) const {
  const auto found =
      std::ranges::lower_bound(by_extension_, extension, {}, ExtensionOf);
  if (found == by_extension_.end() || (*found)->extension != extension) {
    return nullptr;
  }
  return *found;
}

}  // namespace shardine
