// The storage that a source is read from: archives among its folders are read
// as folders.
#ifndef SHARDINE_SOURCE_SOURCE_STORAGE_H_
#define SHARDINE_SOURCE_SOURCE_STORAGE_H_

#include <memory>
#include <string>
#include <vector>

#include "io/readable_storage.h"
#include "shardine/job.h"
#include "shardine/source.h"
#include "shardine/status.h"

namespace shardine {

std::vector<std::string> PathsOf(
    const std::vector<SourceOptions::Folder>& folders);

// `below` itself, or a storage around it where one of `paths` is an archive or
// leads into one: "photos.tar", "photos.zip/train". `say` is told about members
// that later ones hide or that are left out, and memory that is taken. Failures
// are those of ArchiveStorage::Add(); kUnsupported, too, for an archive on a
// server, and for a file with the suffix of an archive of another kind.
// `below` must outlive the result.
Result<std::shared_ptr<ReadableStorage>> OpenSources(
    ReadableStorage& below, const std::vector<std::string>& paths,
    const SayFunction& say);

// The same for the folders of a source. For one whose folders are classes
// an archive all of which lies in one folder is kInvalidArgument, since that
// folder mostly is the root, and not a class: "photos.tar/photos" names the
// one, "photos.tar/." the other.
Result<std::shared_ptr<ReadableStorage>> OpenSources(
    ReadableStorage& below, const SourceOptions& source,
    const SayFunction& say);
// On the storage of the source's first path.
Result<std::shared_ptr<ReadableStorage>> OpenSources(
    const Job& job, const SourceOptions& source);

}  // namespace shardine

#endif  // SHARDINE_SOURCE_SOURCE_STORAGE_H_
