#include "webdataset/webdataset_scanner.h"

#include <string>
#include <utility>
#include <vector>

#include "archive/tar_header.h"
#include "base/shown_name.h"
#include "base/status_macros.h"
#include "webdataset/image_extension.h"
#include "webdataset/member_name.h"
#include "webdataset/sample_fields.h"
#include "webdataset/sample_group.h"
#include "webdataset/sample_json.h"
#include "webdataset/sample_members.h"

namespace shardine {
namespace {

constexpr std::string_view kTar = ".tar";

Status NotTheLabel() {
  return Status(Code::kCorrupt, "the .cls of a sample is not its label");
}

class WebDatasetScanner : public ShardScanner {
 public:
  WebDatasetScanner(const RandomAccessFile& file, Compression compression,
                    const FieldRoles& roles)
      : group_(file, compression), roles_(roles) {}

  Result<std::optional<ScannedSample>> Next() override {
    if (!failure_.ok()) return failure_;
    auto sample = NextSample();
    if (!sample.ok()) {
      failure_ = std::move(sample).status().At({.record = number_});
      return failure_;
    }
    ++number_;
    return sample;
  }

  // The members of a sample were read, whatever they hold.
  bool SkipDamaged() override {
    if (!grouped_ || failure_.code() != Code::kCorrupt) return false;
    failure_ = Status();
    ++number_;
    return true;
  }

 private:
  Result<std::optional<ScannedSample>> NextSample() {
    if (ended_) return std::optional<ScannedSample>();
    grouped_ = false;
    SHARDINE_ASSIGN_OR_RETURN(const bool found, group_.Next());
    ended_ = !found;
    grouped_ = found;
    if (ended_) return std::optional<ScannedSample>();
    fields_.Clear();
    const GroupMember* json = FindOurJson();
    id_ = IdOfPrefix(group_.prefix());
    if (number_ == 0) SHARDINE_RETURN_IF_ERROR(RefuseArchives());
    SHARDINE_RETURN_IF_ERROR(json != nullptr ? ReadOurs(*json) : ReadForeign());
    auto fields = fields_.Sorted();
    if (!fields.ok()) {
      return group_.Error(fields.status().code(), group_.offset(),
                          fields.status().message());
    }
    return std::optional<ScannedSample>(
        ScannedSample{.record = number_,
                      .record_offset = group_.offset(),
                      .id = id_,
                      .key = json_.key,
                      .labels = json_.labels,
                      .fields = *fields});
  }

  // An archive of archives, one for each class or shard, would be read as that
  // many samples, all of them wrong. A sample with other files beside its
  // archive is a sample.
  Status RefuseArchives() const {
    for (const GroupMember& member : group_.members()) {
      const std::string& extension = member.extension;
      const bool is_archive =
          (extension == kTar.substr(1) || extension.ends_with(kTar)) &&
          BeginsWithTarHeader(member.bytes);
      if (!is_archive) return Status();
    }
    const GroupMember& first = group_.members().front();
    return ErrorAt(first,
                   Status(Code::kUnsupported,
                          "is a tar file of tar files, not of samples: " +
                              ShowName(first.file.name) +
                              " is one; unpacked, those in it can be read"));
  }

  // The .json alone marks our samples: other programs number files, too.
  const GroupMember* FindOurJson() const {
    for (const std::string_view extension : {kOwnJson, kJson}) {
      const GroupMember* json = group_.Find(extension);
      if (json != nullptr && IsSampleJson(AsText(json->bytes))) return json;
    }
    return nullptr;
  }

  Status ReadOurs(const GroupMember& json) {
    const Status parsed = ParseSampleJson(AsText(json.bytes), json_);
    if (!parsed.ok()) return ErrorAt(json, parsed);
    if (json_.id) id_ = json_.id;
    has_image_ = false;
    for (const GroupMember& member : group_.members()) {
      SHARDINE_RETURN_IF_ERROR(CheckPadding(member));
      if (&member != &json) SHARDINE_RETURN_IF_ERROR(ReadOurs1(member));
    }
    return Status();
  }

  // Reads a file beside the .json. One that the writer would not have made is
  // damage, for only the header's checksum covers a name.
  Status ReadOurs1(const GroupMember& member) {
    const std::string_view extension = member.extension;
    const std::vector<Label>& labels = json_.labels;
    if (extension == kClass && labels.size() == 1 && labels[0].is_integer()) {
      if (labels[0].ToString() == AsText(member.bytes)) return Status();
      return ErrorAt(member, NotTheLabel());
    }
    if (extension == kClass && ParseClass(AsText(member.bytes))) {
      return ErrorAt(member, NotTheLabel());
    }
    // The writer puts the image first; further ones are fields.
    if (ImageRank(extension) != kNoImage && !has_image_) {
      has_image_ = true;
      fields_.AddBytes(std::string(kImageField), member.bytes,
                       OffsetOf(member));
      return Status();
    }
    auto field = FieldOfExtension(extension);
    if (field && field->array) return AddNpy(std::move(field->name), member);
    if (field) {
      fields_.AddBytes(std::move(field->name), member.bytes, OffsetOf(member));
      return Status();
    }
    return ErrorAt(
        member, Status(Code::kCorrupt, ShowName(member.file.name) +
                                           " is no file of a shardine sample"));
  }

  // A sample can have several images, such as a mask beside a photo. The rank
  // of the extensions, not the order in the archive, decides which is the
  // image.
  Status ReadForeign() {
    const GroupMember* image = nullptr;
    for (const GroupMember& member : group_.members()) {
      const std::size_t rank = RankOf(member.extension);
      if (rank == kNoImage) continue;
      if (image == nullptr || rank < RankOf(image->extension)) {
        image = &member;
      }
    }
    json_.labels.clear();
    json_.key = image != nullptr ? image->file.name : group_.prefix();
    for (const GroupMember& member : group_.members()) {
      SHARDINE_RETURN_IF_ERROR(ReadForeign1(member, image));
    }
    return Status();
  }

  // A chosen image is one, whatever else is there.
  std::size_t RankOf(const std::string& extension) const {
    if (roles_.image.empty()) return ImageRank(extension);
    return extension == roles_.image ? 0 : kNoImage;
  }

  // An array's file may be chosen by its whole extension, too.
  bool IsChosen(const std::string& extension) const {
    return extension == roles_.image || extension == roles_.label ||
           extension == roles_.key;
  }

  Status ReadForeign1(const GroupMember& member, const GroupMember* image) {
    const std::string& extension = member.extension;
    if (&member == image && !extension.ends_with(kNpy.substr(1))) {
      fields_.AddBytes(
          roles_.image.empty() ? std::string(kImageField) : extension,
          member.bytes, OffsetOf(member));
      return Status();
    }
    if (extension == kClass && roles_.label.empty()) {
      if (const auto label = ParseClass(AsText(member.bytes))) {
        json_.labels.push_back(*label);
        return Status();
      }
    }
    if (extension == kNpy.substr(1)) return AddNpy(extension, member);
    if (extension.ends_with(kNpy)) {
      // "x.npy" is field "x", if nothing else is.
      const std::string name =
          extension.substr(0, extension.size() - kNpy.size());
      const bool taken = (name == kImageField && image != nullptr) ||
                         group_.Find(name) != nullptr || IsChosen(extension);
      return AddNpy(taken ? extension : name, member);
    }
    fields_.AddBytes(extension, member.bytes, OffsetOf(member));
    return Status();
  }

  Status AddNpy(std::string name, const GroupMember& member) {
    const Status added =
        fields_.AddNpy(std::move(name), member.bytes, OffsetOf(member));
    if (added.ok()) return added;
    return ErrorAt(member, Status(added.code(), ShowName(member.file.name) +
                                                    ": " + added.message()));
  }

  // Foreign padding may be anything; in ours a changed byte is damage.
  Status CheckPadding(const GroupMember& member) const {
    const TarMember& file = member.file;
    const std::uint64_t begin = file.data + file.size;
    const ByteView padding = group_.bytes().subspan(
        static_cast<std::size_t>(begin - group_.offset()),
        static_cast<std::size_t>(file.end() - begin));
    if (IsZeroBlock(padding)) return Status();
    return group_.Error(Code::kCorrupt, begin, "padding that is not zero");
  }

  std::uint64_t OffsetOf(const GroupMember& member) const {
    return group_.compressed() ? kNowhere : member.file.data;
  }

  Status ErrorAt(const GroupMember& member, const Status& status) const {
    return group_.Error(status.code(), member.file.data, status.message());
  }

  SampleGroupReader group_;
  const FieldRoles roles_;
  bool ended_ = false;
  bool grouped_ = false;  // the members of the last call
  Status failure_;        // that ended the scan
  std::uint64_t number_ = 0;
  std::optional<std::uint64_t> id_;
  SampleJson json_;  // as it would be for a foreign sample
  bool has_image_ = false;
  SampleFields fields_;
};

}  // namespace

Result<std::unique_ptr<ShardScanner>> OpenWebDatasetScanner(
    const RandomAccessFile& file, const LayoutChoice& layout) {
  auto compression = CompressionOfTar(file);
  if (!compression.ok()) {
    return std::move(compression).status().At({.path = file.path()});
  }
  std::unique_ptr<ShardScanner> scanner =
      std::make_unique<WebDatasetScanner>(file, *compression, layout.roles);
  return scanner;
}

}  // namespace shardine
