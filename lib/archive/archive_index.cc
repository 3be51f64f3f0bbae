#include "archive/archive_index.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"

namespace shardine {
namespace {

constexpr std::size_t kMostPath = 4096;
constexpr int kMostLinks = 40;  // as the system follows

// `/` comes before all other bytes: the files below a folder follow it.
unsigned RankOf(char byte) {
  return byte == '/' ? 0 : static_cast<unsigned char>(byte);
}

bool PathLess(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_b == b.end()) return false;
  return in_a == a.end() || RankOf(*in_a) < RankOf(*in_b);
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return folder.empty() ||
         (path.size() > folder.size() && path[folder.size()] == '/' &&
          path.starts_with(folder));
}

Status BadName(std::string_view name, const char* reason) {
  return Status(Code::kInvalidArgument,
                "member " + ShowName(std::string(name)) + ": " + reason);
}

std::string FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash));
}

// The path that a symbolic link leads to; empty: it leads out.
std::string TargetOf(const std::string& link, std::string_view target) {
  if (target.starts_with('/')) return "";
  std::string path = FolderOf(link);
  while (!target.empty()) {
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::string_view part = target.substr(0, slash);
    target.remove_prefix(std::min(slash + 1, target.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (path.empty()) return "";
      path = FolderOf(path);
    } else {
      path = JoinPath(path, std::string(part));
    }
  }
  return path;
}

}  // namespace

Result<std::string> MemberPath(std::string_view name) {
  if (name.empty()) return BadName(name, "has no name");
  if (name.size() > kMostPath) {
    return BadName(name.substr(0, 64), "its name has more than 4096 bytes");
  }
  if (name.find('\0') != name.npos) {
    return BadName(name, "a NUL byte in its name");
  }
  if (name.starts_with('/')) return BadName(name, "its path is absolute");
  std::string path;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part == "..") {
      return BadName(name, "its path climbs out of folders by ..");
    }
    if (!part.empty() && part != ".") {
      if (!path.empty()) path += '/';
      path += part;
    }
    begin = end + 1;
  }
  return path;
}

Status ArchiveIndex::Add(const ArchiveMember& member,
                         const std::string& folder) {
  const auto at = [&](Status status) {
    return std::move(status).At({.offset = member.header});
  };
  auto path = MemberPath(member.name);
  if (!path.ok()) return at(std::move(path).status());
  const bool is_folder = member.kind == TarKind::kFolder;
  if (path->empty() || (!is_folder && member.name.ends_with('/'))) {
    if (is_folder) return Status();
    return at(BadName(member.name, "a file with the name of a folder"));
  }
  const std::string name = JoinPath(folder, *path);
  Entry entry{.name = names_.size(),
              .name_size = static_cast<std::uint32_t>(name.size()),
              .kind = member.kind,
              .place = member.place};
  if (member.kind == TarKind::kHardLink) {
    auto target = MemberPath(member.link);
    if (!target.ok()) return at(std::move(target).status());
    entry.place = {.data = links_.size()};
    links_.push_back({JoinPath(folder, *target), member.header});
  } else if (member.kind == TarKind::kSymbolicLink) {
    entry.place = {.data = links_.size()};
    links_.push_back({TargetOf(name, member.link), member.header});
  }
  names_ += name;
  entries_.push_back(entry);
  return Status();
}

Status ArchiveIndex::Finish() {
  std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) {
    const std::string_view name_a = NameOf(a);
    const std::string_view name_b = NameOf(b);
    return name_a == name_b ? a.name < b.name : PathLess(name_a, name_b);
  });
  DropRepeated();
  SHARDINE_RETURN_IF_ERROR(CheckFolders());
  for (Entry& entry : entries_) {
    if (entry.kind == TarKind::kHardLink ||
        entry.kind == TarKind::kSymbolicLink) {
      SHARDINE_RETURN_IF_ERROR(Resolve(entry));
    }
  }
  links_.clear();
  return Status();
}

// A folder may be named often, and stays one file's rival: CheckFolders().
void ArchiveIndex::DropRepeated() {
  std::size_t kept = 0;
  for (const auto& entry : entries_) {
    const bool is_again = kept > 0 &&
                          NameOf(entries_[kept - 1]) == NameOf(entry) &&
                          (entries_[kept - 1].kind == TarKind::kFolder) ==
                              (entry.kind == TarKind::kFolder);
    if (!is_again) {
      entries_[kept++] = entry;
      continue;
    }
    if (entry.kind != TarKind::kFolder) ++repeated_;
    entries_[kept - 1] = entry;
  }
  entries_.resize(kept);
}

Status ArchiveIndex::CheckFolders() const {
  for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
    const std::string_view name = NameOf(entries_[i]);
    const std::string_view next = NameOf(entries_[i + 1]);
    const bool is_both =
        name == next ||
        (entries_[i].kind != TarKind::kFolder && IsBelow(next, name));
    if (!is_both) continue;
    return Status(Code::kUnsupported,
                  "member " + ShowName(std::string(name)) +
                      " is a file or link, and a folder as well");
  }
  return Status();
}

Status ArchiveIndex::Resolve(Entry& link) {
  const Link& own = links_[static_cast<std::size_t>(link.place.data)];
  const bool is_hard = link.kind == TarKind::kHardLink;
  const auto refuse = [&](const char* reason) {
    const std::string name(NameOf(link));
    return Status(Code::kUnsupported,
                  std::string(is_hard ? "the hard" : "the symbolic") +
                      " link " + ShowName(name) + reason)
        .At({.offset = own.header});
  };
  const Entry* at = &link;
  for (int i = 0; at->kind != TarKind::kFile; ++i) {
    if (i == kMostLinks) return refuse(" leads to itself or too many others");
    const Link& next = links_[static_cast<std::size_t>(at->place.data)];
    const Place found = LowerBound(next.target);
    if (next.target.empty() || found == entries_.end() ||
        NameOf(*found) != next.target || found->kind == TarKind::kFolder) {
      return refuse(is_hard
                        ? " leads to no file before it in the archive"
                        : " leads to no file of the archive; -h of tar stores "
                          "the files that links lead to");
    }
    // Unpacking gives it the contents of then, not those of now.
    if (at->kind == TarKind::kHardLink && found->name > at->name) {
      return refuse(" leads to a file that comes after it in the archive");
    }
    at = &*found;
  }
  link.place = at->place;
  link.kind = TarKind::kFile;
  return Status();
}

ArchiveIndex::Place ArchiveIndex::LowerBound(std::string_view path) const {
  return std::ranges::lower_bound(
      entries_, path, PathLess,
      [this](const Entry& entry) { return NameOf(entry); });
}

const MemberPlace* ArchiveIndex::FindFile(std::string_view path) const {
  const Place found = LowerBound(path);
  if (found == entries_.end() || NameOf(*found) != path) return nullptr;
  return found->kind == TarKind::kFile ? &found->place : nullptr;
}

bool ArchiveIndex::HasFolder(std::string_view path) const {
  if (path.empty()) return true;
  const Place found = LowerBound(path);
  if (found == entries_.end()) return false;
  const std::string_view name = NameOf(*found);
  return IsBelow(name, path) ||
         (name == path && found->kind == TarKind::kFolder);
}

Result<std::vector<DirEntry>> ArchiveIndex::List(
    std::string_view folder) const {
  if (!HasFolder(folder)) return Status::FromErrno(ENOENT, "list", "");
  std::vector<DirEntry> listed;
  Place at = folder.empty() ? entries_.begin() : LowerBound(folder);
  if (at != entries_.end() && NameOf(*at) == folder) ++at;
  while (at != entries_.end() && IsBelow(NameOf(*at), folder)) {
    const std::string_view path = NameOf(*at);
    const std::size_t begin = folder.empty() ? 0 : folder.size() + 1;
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const bool is_file = end == path.size() && at->kind == TarKind::kFile;
    listed.push_back(
        {.name = std::string(path.substr(begin, end - begin)),
         .kind = is_file ? FileKind::kRegular : FileKind::kDirectory});
    const std::string_view one = path.substr(0, end);
    at = std::partition_point(at, entries_.cend(), [&](const Entry& entry) {
      const std::string_view name = NameOf(entry);
      return name == one || IsBelow(name, one);
    });
  }
  return listed;
}

std::vector<std::string> ArchiveIndex::NamedFolders() const {
  std::vector<std::string> folders;
  for (const Entry& entry : entries_) {
    if (entry.kind == TarKind::kFolder) folders.emplace_back(NameOf(entry));
  }
  return folders;
}

}  // namespace shardine
