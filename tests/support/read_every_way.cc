#include "support/read_every_way.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/dataset_reader.h"
#include "dataset/manifest.h"
#include "dataset/sample_source.h"
#include "io/atomic_file.h"
#include "io/memory_storage.h"
#include "shard/content_digest.h"
#include "shard/format_registry.h"
#include "shard/payload.h"
#include "shard/shard_index.h"
#include "shardine/convert.h"
#include "shardine/index.h"
#include "shardine/loader.h"
#include "shardine/pack.h"
#include "shardine/reindex.h"
#include "shardine/verify.h"
#include "support/jpeg_maker.h"

namespace shardine {
namespace {

constexpr char kOut[] = "out";
constexpr std::uint32_t kSide = 16;  // of crops
constexpr int kMostBatches = 64;

void CheckOk(const Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  SHARDINE_CHECK(status.ok());
}

std::string PhotoOf(std::uint32_t i) {
  return MakeJpeg({.width = 70 + 9 * i, .height = 90 - 7 * i, .seed = i + 1});
}

ManifestFile FileOf(const MemoryStorage& storage, const std::string& name) {
  const auto bytes = storage.Get(std::string(kOut) + "/" + name);
  SHARDINE_CHECK(bytes.ok());
  return {name, bytes->size(), Xxh3_128(AsBytes(*bytes))};
}

// Everything that a loader delivers.
class Sum {
 public:
  void Add(const Batch& batch) {
    stream_.UpdateLe(batch.size());
    AddAll(batch.ids());
    AddAll(batch.pixels());
    for (const Label& label : batch.labels()) stream_.UpdateLe(label.real());
    for (const BatchField& field : batch.fields()) {
      AddAll(field.values);
      for (const auto bytes : field.bytes) AddAll(bytes);
    }
  }
  void Add(std::string_view text) { AddAll(AsBytes(text)); }
  void Add(const Sample& sample) {
    stream_.UpdateLe(sample.id);
    Add(sample.key);
    const Digest128 digest = ContentDigest(sample.labels, sample.fields);
    stream_.UpdateLe(digest.low);
  }
  std::string Text() const { return stream_.Digest().ToHex(); }

 private:
  template <typename T>
  void AddAll(std::span<T> values) {
    stream_.UpdateLe(values.size());
    if (!values.empty()) stream_.Update(std::as_bytes(values));
  }
  Xxh3Stream stream_;
};

Result<std::shared_ptr<const Dataset>> OpenDataset(Storage& storage) {
  SHARDINE_ASSIGN_OR_RETURN(auto source, SampleSource::Open(storage, kOut, {}));
  return std::make_shared<const Dataset>(std::move(source));
}

Result<std::string> Load(Storage& storage, LoaderOptions options) {
  options.batch_size = 2;
  options.last_batch = LastBatch::kShort;
  options.threads = 1;
  options.prefetch = 1;
  SHARDINE_ASSIGN_OR_RETURN(auto dataset, OpenDataset(storage));
  SHARDINE_ASSIGN_OR_RETURN(auto loader,
                            Loader::Create(std::move(dataset), options));
  Sum sum;
  int epochs = 2;
  for (int i = 0; i < kMostBatches && epochs > 0; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const auto batch, loader->Next());
    if (batch) {
      sum.Add(*batch);
    } else {
      --epochs;
    }
  }
  return sum.Text();
}

Result<std::string> CatAll(Storage& storage) {
  SHARDINE_ASSIGN_OR_RETURN(const auto dataset, OpenDataset(storage));
  SHARDINE_ASSIGN_OR_RETURN(const auto reader,
                            DatasetReader::Open(storage, kOut));
  Sum sum;
  for (std::uint64_t i = 0; i < dataset->size() && i < kMostBatches; ++i) {
    SHARDINE_ASSIGN_OR_RETURN(const Sample sample, dataset->Read(i));
    sum.Add(sample);
    SHARDINE_ASSIGN_OR_RETURN(const auto at, reader->FindKey(sample.key));
    SHARDINE_ASSIGN_OR_RETURN(const auto index, reader->OpenIndex(*at.shard));
    SHARDINE_ASSIGN_OR_RETURN(const IndexEntry entry, index->Entry(at.record));
    SHARDINE_ASSIGN_OR_RETURN(const auto file,
                              storage.Open(reader->ShardPath(*at.shard)));
    ByteBuffer payload;
    SHARDINE_RETURN_IF_ERROR(ReadPayload(*file, entry, payload));
    sum.Add(AsText(payload.view()));
  }
  return sum.Text();
}

// One line per finding; none where all is sound.
Result<std::string> VerifyAll(Storage& storage) {
  VerifyOptions options;
  options.target = kOut;
  options.threads = 1;
  SHARDINE_ASSIGN_OR_RETURN(const VerifyResult result,
                            Verify(options, {.storage = &storage}));
  std::string findings;
  for (const Status& finding : result.findings) {
    findings += finding.ToString() + "\n";
  }
  return findings;
}

Result<std::string> DigestsOf(Storage& storage, const std::string& dataset) {
  SHARDINE_ASSIGN_OR_RETURN(const Manifest manifest,
                            ReadManifest(storage, dataset));
  return manifest.content_digest().ToHex() + manifest.names_digest().ToHex() +
         manifest.order_digest().ToHex();
}

Result<std::string> ConvertAll(Storage& storage, const std::string& format) {
  ConvertOptions options;
  options.input = kOut;
  options.output = "converted";
  options.format = format;
  options.lossy_labels = true;
  options.threads = 1;
  SHARDINE_RETURN_IF_ERROR(Convert(options, {.storage = &storage}).status());
  return DigestsOf(storage, options.output);
}

Result<std::string> ReindexAll(Storage& storage) {
  ReindexOptions options;
  options.dataset = kOut;
  options.threads = 1;
  SHARDINE_RETURN_IF_ERROR(Reindex(options, {.storage = &storage}).status());
  return DigestsOf(storage, kOut);
}

Result<std::string> ReadBy(Reading reading, const SideFileWorld& world,
                           Storage& storage) {
  LoaderOptions options;
  switch (reading) {
    case Reading::kPixels:
      options.transform = RandomResizedCrop{.width = kSide, .height = kSide};
      return Load(storage, options);
    case Reading::kFields:
      options.fields = world.fields;
      return Load(storage, options);
    case Reading::kRect:
      options.order.order = SampleOrder::kRatio;
      options.transform = RectangularCrop(kSide);
      return Load(storage, options);
    case Reading::kDataset:
      return CatAll(storage);
    case Reading::kVerify:
      return VerifyAll(storage);
    case Reading::kConvert:
      return ConvertAll(storage, world.convert_to);
    case Reading::kReindex:
      return ReindexAll(storage);
  }
  return Status();
}

// Every file below a folder.
void Collect(Storage& storage, const std::string& folder, Files& files) {
  const auto entries = storage.List(folder);
  if (!entries.ok()) return;
  for (const DirEntry& entry : *entries) {
    const std::string path = JoinPath(folder, entry.name);
    if (entry.kind == FileKind::kDirectory) {
      Collect(storage, path, files);
      continue;
    }
    auto contents = ReadFile(storage, path, UINT64_MAX);
    CheckOk(contents.status());
    files[path] = *std::move(contents);
  }
}

// The files that pack or index left there.
SideFileWorld WorldIn(MemoryStorage& storage) {
  SideFileWorld world;
  for (const char* folder : {kOut, "shards"}) {
    Collect(storage, folder, world.files);
  }
  const auto reader = DatasetReader::Open(storage, kOut);
  CheckOk(reader.status());
  const DatasetReader::ShardRef& shard = (*reader)->shards()[0];
  world.sidecar = (*reader)->PathOf(*DatasetReader::SidecarOf(*shard.shard));
  const ManifestFile* points = DatasetReader::EntryPointsOf(*shard.shard);
  if (points != nullptr) world.entry_points = (*reader)->PathOf(*points);
  return world;
}

}  // namespace

SideFileWorld MakePhotos() {
  MemoryStorage storage;
  for (std::uint32_t i = 0; i < 4; ++i) {
    storage.Put("tree/class" + std::to_string(i % 2) + "/photo" +
                    std::to_string(i) + ".jpg",
                PhotoOf(i));
  }
  PackOptions pack;
  pack.source.folders = {{"train", "tree"}};
  pack.output = kOut;
  pack.shards = 2;
  pack.threads = 1;
  CheckOk(Pack(pack, {.storage = &storage}).status());
  SideFileWorld world = WorldIn(storage);
  world.fields = {"image"};
  world.convert_to = "webdataset";
  return world;
}

SideFileWorld MakeFields() {
  MemoryStorage storage;
  const FormatRegistry& formats = BuiltinFormats();
  const Format* const format = formats.FindByName("webdataset");
  CheckOk(storage.CreateDirectories("shards"));
  const LayoutChoice layout = DefaultsOf(format->layouts[0]);
  const ShardPaths paths{
      "shards/a.tar",
      "shards/a" + std::string(layout.layout->companion_suffix)};
  const auto writer = format->create_writer(storage, paths, layout);
  CheckOk(writer.status());
  for (std::uint32_t i = 0; i < 3; ++i) {
    const std::uint64_t shape[] = {2, 3};
    const std::string image = PhotoOf(i);
    const std::string points(24, static_cast<char>('a' + i));
    const std::string key = "s" + std::to_string(i);
    const std::array<Label, 2> labels = {Label(i), Label::FromReal(0.5)};
    const std::array<FieldView, 3> fields = {
        FieldView{"image", kBytesDtype, {}, AsBytes(image)},
        FieldView{"points", "<f4", shape, AsBytes(points)},
        FieldView{"text", kBytesDtype, {}, AsBytes(key)}};
    CheckOk((*writer)->Append(
        {.id = i, .key = key, .labels = labels, .fields = fields}));
  }
  CheckOk((*writer)->Finish().status());
  IndexOptions index;
  index.files = {"shards/a.tar"};
  index.output = kOut;
  index.threads = 1;
  CheckOk(IndexShards(index, {.storage = &storage}).status());
  SideFileWorld world = WorldIn(storage);
  world.fields = {"points", "text"};
  world.convert_to = "tfrecord";
  return world;
}

SideFileWorld MakeArrays() {
  MemoryStorage storage;
  constexpr std::uint64_t kEach = 3 * 4 * 5;
  const std::string path = "out/a.rec.sdx";
  const std::string bytes(3 * kEach, 'p');
  storage.Put("out/a.rec", bytes);
  ShardIndexWriter writer;
  ManifestSplit split;
  split.name = "train";
  split.samples = 3;
  Xxh3Stream order;
  for (std::uint64_t i = 0; i < 3; ++i) {
    IndexEntry entry;
    entry.id = i;
    entry.labels = {Label(static_cast<std::int64_t>(i))};
    entry.fields = {{"image", "|u1", {3, 4, 5}, {{i * kEach, kEach}}}};
    const ByteView array = AsBytes(bytes).subspan(i * kEach, kEach);
    entry.payload_crc = Crc32c(array);
    const FieldView field{"image", "|u1", entry.fields[0].shape, array};
    entry.content_digest = ContentDigest(entry.labels, {&field, 1});
    const std::string key = "k" + std::to_string(i);
    writer.Add(entry, key);
    split.content_digest += entry.content_digest;
    split.names_digest += NameDigest(i, split.name, key);
    order.UpdateLe(i);
  }
  auto sidecar = AtomicFile::Create(storage, path);
  CheckOk(sidecar.status());
  CheckOk(writer.WriteTo(*sidecar, {.shard_bytes = bytes.size(),
                                    .shard_digest = Xxh3_128(AsBytes(bytes)),
                                    .plan_digest = {}}));
  CheckOk(sidecar->Publish());
  Manifest manifest;
  manifest.schema = 1;  // without digests that bind contents to names
  manifest.format = "recordio/mxnet";
  split.order_digest = order.Digest();
  split.shards = {{.file = FileOf(storage, "a.rec"),
                   .samples = 3,
                   .companions = {FileOf(storage, "a.rec.sdx")}}};
  manifest.splits = {split};
  CheckOk(WriteManifest(storage, kOut, manifest));
  SideFileWorld world = WorldIn(storage);
  world.fields = {"image"};
  world.convert_to = "lmdb/datum";
  return world;
}

const char* NameOf(Reading reading) {
  switch (reading) {
    case Reading::kPixels:
      return "pixels";
    case Reading::kFields:
      return "fields";
    case Reading::kRect:
      return "rect";
    case Reading::kDataset:
      return "dataset";
    case Reading::kVerify:
      return "verify";
    case Reading::kConvert:
      return "convert";
    case Reading::kReindex:
      return "reindex";
  }
  return "";
}

Outcome Read(Reading reading, const SideFileWorld& world) {
  MemoryStorage storage;
  for (const auto& [path, contents] : world.files) storage.Put(path, contents);
  Result<std::string> result = ReadBy(reading, world, storage);
  Outcome outcome;
  outcome.status = result.status();
  if (result.ok()) outcome.result = *std::move(result);
  return outcome;
}

}  // namespace shardine
