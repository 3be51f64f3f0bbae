#include "pack/replacing_command.h"

#include <string>

#include "base/checksum.h"
#include "base/status_macros.h"
#include "dataset/manifest.h"
#include "io/storage_for.h"

namespace shardine {
namespace {

// Options whose values are paths of files that decide bytes.
constexpr const char* kFileOptions[] = {"label-map", "class-names"};

void Add(const std::string& text, std::string& to) {
  to += std::to_string(text.size()) + ":" + text;
}

// The contents of a dataset, or the facts of a file. An unreadable file is no
// error here: opening it fails later.
std::string FactsOf(ReadableStorage& storage, const std::string& path) {
  const bool is_manifest = FileNameOf(path) == kManifestName;
  const auto manifest =
      ReadManifest(storage, is_manifest ? DirectoryOf(path) : path);
  if (manifest.ok()) return SerializeManifest(*manifest);
  const auto info = storage.Stat(path);
  if (!info.ok()) return "absent";
  if (info->kind != FileKind::kRegular) return "folder";
  return std::to_string(info->size) + " " + std::to_string(info->mtime_ns);
}

}  // namespace

Result<Digest128> DigestOfCommand(const Provenance& command,
                                  const OutputFolder& output, const Job& job) {
  std::string text;
  Add(command.command, text);
  for (const auto& [name, value] : command.options) {
    Add(name, text);
    Add(value, text);
  }
  const std::string replaced = FactsOf(output.storage(), output.path());
  bool reads_output = false;
  for (const std::string& source : command.sources) {
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, source));
    const std::string facts = FactsOf(*storage, source);
    const bool is_output =
        facts == replaced || source.starts_with(output.path() + "/");
    reads_output = reads_output || is_output;
    Add(source, text);
    Add(is_output ? "output" : facts, text);
  }
  if (!reads_output) return Digest128();
  for (const char* name : kFileOptions) {
    const auto file = command.options.find(name);
    if (file == command.options.end()) continue;
    SHARDINE_ASSIGN_OR_RETURN(ReadableStorage* const storage,
                              StorageFor(job, file->second));
    Add(FactsOf(*storage, file->second), text);
  }
  return Xxh3_128(AsBytes(text));
}

}  // namespace shardine
