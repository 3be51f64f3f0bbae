#include "report/croissant.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "io/output_names.h"
#include "remote/crypto_library.h"
#include "report/card_text.h"
#include "report/hub_names.h"
#include "shard/archive_format.h"

namespace shardine {
namespace {

using Json = nlohmann::ordered_json;

// The context that the specification gives.
constexpr char kContext[] = R"({
"@language": "en", "@vocab": "https://schema.org/",
"citeAs": "cr:citeAs", "column": "cr:column",
"conformsTo": "dct:conformsTo", "containedIn": "cr:containedIn",
"cr": "http://mlcommons.org/croissant/",
"rai": "http://mlcommons.org/croissant/RAI/",
"data": {"@id": "cr:data", "@type": "@json"},
"dataType": {"@id": "cr:dataType", "@type": "@vocab"},
"dct": "http://purl.org/dc/terms/",
"equivalentProperty": "cr:equivalentProperty",
"examples": {"@id": "cr:examples", "@type": "@json"},
"extract": "cr:extract", "field": "cr:field",
"fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject",
"fileSet": "cr:fileSet", "format": "cr:format", "includes": "cr:includes",
"excludes": "cr:excludes", "isLiveDataset": "cr:isLiveDataset",
"jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5",
"parentField": "cr:parentField", "path": "cr:path",
"recordSet": "cr:recordSet", "references": "cr:references",
"regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
"samplingRate": "cr:samplingRate", "sc": "https://schema.org/",
"separator": "cr:separator", "source": "cr:source",
"subField": "cr:subField", "transform": "cr:transform"})";

// The name of an archived file up to the first dot after its last slash.
constexpr char kKeyPattern[] = R"(^((?:.*/)?[^./]*)(?:\.[^/]*)?$)";

constexpr std::pair<ImageKind, const char*> kImageTypes[] = {
    {ImageKind::kJpeg, "image/jpeg"}, {ImageKind::kPng, "image/png"},
    {ImageKind::kTiff, "image/tiff"}, {ImageKind::kWebp, "image/webp"},
    {ImageKind::kGif, "image/gif"},   {ImageKind::kBmp, "image/bmp"}};

Json Reference(const std::string& id) { return {{"@id", id}}; }

Json FileObject(const std::string& path, std::string_view type,
                std::uint64_t bytes, const std::string& sha256) {
  const std::string name = PublicText(path);
  return {{"@type", "cr:FileObject"},
          {"@id", name},
          {"name", name},
          {"contentUrl", name},
          {"contentSize", std::to_string(bytes) + " B"},
          {"encodingFormat", type},
          {"sha256", sha256}};
}

Json Field(const std::string& id, std::string_view type, Json source) {
  return {{"@type", "cr:Field"},
          {"@id", id},
          {"name", id.substr(id.rfind('/') + 1)},
          {"dataType", type},
          {"source", std::move(source)}};
}

Json CroissantField(const std::string& id, std::string_view type,
                    const std::string& files, const char* property) {
  return Field(id, type,
               {{"fileSet", Reference(files)},
                {"extract", {{"fileProperty", property}}}});
}

// The key of a sample, by which its files are found in one another's sets.
Json KeyField(const std::string& id, const std::string& files) {
  Json field = CroissantField(id, "sc:Text", files, "fullpath");
  field["source"]["transform"] = {{"regex", kKeyPattern}};
  return field;
}

class Croissant {
 public:
  explicit Croissant(const CardFacts& facts)
      : facts_(facts), names_(HubSplitNames(facts.manifest().splits)) {}

  void AddFiles() {
    std::map<std::string_view, const DigestedFile*> files;
    for (const DigestedFile& file : facts_.files) files[file.path] = &file;
    const auto* const archive = FindArchiveFormat(facts_.format.format->name);
    const std::string_view type =
        archive == nullptr ? "application/octet-stream" : archive->media_type;
    for (const ManifestSplit& split : facts_.manifest().splits) {
      for (const ManifestShard& shard : split.shards) {
        const DigestedFile& file = *files.at(shard.file.path);
        AddFile(FileObject(file.path, type, file.bytes, file.sha256));
      }
    }
    const DigestedFile& manifest = *files.at(kManifestName);
    AddFile(FileObject(manifest.path, "application/json", manifest.bytes,
                       manifest.sha256));
  }

  void AddFile(Json file) { distribution_.push_back(std::move(file)); }

  void AddSplits() {
    if (!facts_.is_archive()) return;
    for (std::size_t i = 0; i < names_.size(); ++i) AddSplit(i);
  }

  void AddClasses() {
    const ClassMap& classes = facts_.manifest().classes;
    if (classes.empty()) return;
    Json data = Json::array();
    for (const ClassInfo& info : classes) {
      data.push_back({{"classes/label", info.label},
                      {"classes/name", PublicText(info.name)}});
    }
    Json fields = Json::array();
    for (const auto& [name, type] : {std::pair("classes/label", "sc:Integer"),
                                     {"classes/name", "sc:Text"}}) {
      Json field = Field(name, type, nullptr);
      field.erase("source");
      fields.push_back(std::move(field));
    }
    records_.push_back({{"@type", "cr:RecordSet"},
                        {"@id", "classes"},
                        {"name", "classes"},
                        {"dataType", "sc:Enumeration"},
                        {"key", Reference("classes/label")},
                        {"field", std::move(fields)},
                        {"data", std::move(data)}});
  }

  Json TakeFiles() { return std::move(distribution_); }
  Json TakeRecords() { return std::move(records_); }

 private:
  bool Has(PublicField::Kind kind) const {
    for (const PublicField& member : facts_.members) {
      if (member.kind == kind) return true;
    }
    return false;
  }

  // The archived files of a split that are of one kind; their id.
  std::string AddSet(std::size_t split, const std::string& id,
                     PublicField::Kind kind, Json types) {
    Json shards = Json::array();
    for (const auto& shard : facts_.manifest().splits[split].shards) {
      shards.push_back(Reference(PublicText(shard.file.path)));
    }
    Json includes = Json::array();
    for (const PublicField& member : facts_.members) {
      if (member.kind == kind) {
        includes.push_back("*." + GlobOf(PublicText(member.name)));
      }
    }
    AddFile({{"@type", "cr:FileSet"},
             {"@id", id},
             {"name", id},
             {"containedIn", std::move(shards)},
             {"encodingFormat", std::move(types)},
             {"includes", std::move(includes)}});
    return id;
  }

  Json ImageTypes(std::size_t split) const {
    Json types = Json::array();
    for (const auto& [kind, type] : kImageTypes) {
      if (facts_.splits[split].kinds.contains(kind)) types.push_back(type);
    }
    return types.empty() ? Json("application/octet-stream") : types;
  }

  void AddRecordSet(const std::string& id, Json fields) {
    records_.push_back({{"@type", "cr:RecordSet"},
                        {"@id", id},
                        {"name", id},
                        {"key", Reference(id + "/key")},
                        {"field", std::move(fields)}});
  }

  void AddSplit(std::size_t split) {
    const std::string id = names_[split];
    const std::string labels = id + "-labels";
    const bool has_labels = Has(PublicField::Kind::kLabel);
    if (has_labels) {
      const std::string files = AddSet(split, labels + "/files",
                                       PublicField::Kind::kLabel, "text/plain");
      AddRecordSet(labels, {KeyField(labels + "/key", files),
                            CroissantField(labels + "/label", "sc:Integer",
                                           files, "content")});
    }
    if (!Has(PublicField::Kind::kImage)) return;
    const std::string files = AddSet(
        split, id + "/files", PublicField::Kind::kImage, ImageTypes(split));
    Json key = KeyField(id + "/key", files);
    Json fields = Json::array();
    if (has_labels) {
      key["references"] = {{"field", Reference(labels + "/key")}};
      fields.push_back(Field(id + "/label", "sc:Integer",
                             {{"field", Reference(labels + "/label")}}));
    }
    fields.push_back(
        CroissantField(id + "/image", "sc:ImageObject", files, "content"));
    fields.insert(fields.begin(), std::move(key));
    AddRecordSet(id, std::move(fields));
  }

  const CardFacts& facts_;
  const std::vector<std::string> names_;
  Json distribution_ = Json::array();
  Json records_ = Json::array();
};

}  // namespace

std::string CroissantText(const CardFacts& facts, std::string_view description,
                          std::string_view checksums) {
  Croissant croissant(facts);
  croissant.AddFiles();
  const auto crypto = CryptoLibrary::Load();
  SHARDINE_CHECK(crypto.ok());  // the files were digested with it
  croissant.AddFile(FileObject(kChecksumsName, "text/plain", checksums.size(),
                               ToHex((*crypto)->Digest(checksums))));
  croissant.AddSplits();
  croissant.AddClasses();
  Json text = {{"@context", Json::parse(kContext)},
               {"@type", "sc:Dataset"},
               {"name", PublicText(facts.name)},
               {"description", description},
               {"conformsTo", "http://mlcommons.org/croissant/1.1"}};
  if (!facts.license.empty()) text["license"] = PublicText(facts.license);
  if (!facts.citation.empty()) text["citeAs"] = PublicText(facts.citation);
  text["distribution"] = croissant.TakeFiles();
  text["recordSet"] = croissant.TakeRecords();
  return text.dump(1) + "\n";
}

}  // namespace shardine
