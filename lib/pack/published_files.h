// PublishedFiles: the files beside the shards that the unfinished work of a
// folder published (manifests, lists of rejects). The journal has the digest of
// each before the file gets its name, so that no other file is taken back.
#ifndef SHARDINE_PACK_PUBLISHED_FILES_H_
#define SHARDINE_PACK_PUBLISHED_FILES_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "dataset/journal_entry.h"
#include "io/output_folder.h"
#include "pack/journal.h"
#include "shardine/status.h"

namespace shardine {

// Thread-compatible.
class PublishedFiles {
 public:
  // As the journal in OUT says; none where the journal is of other work or
  // damaged. Only looks need no lock. A failed read is an error.
  static Result<PublishedFiles> Of(const OutputFolder& output,
                                   const JournalWork& work);

  // Whether the file OUT/PATH holds the very bytes that this work published.
  // False for a file that does not exist.
  Result<bool> IsOurs(const std::string& path) const;
  // Publishes OUT/PATH with these contents. A file of the same contents stays,
  // one that is ours is replaced. kAlreadyExists: the path has another file.
  // kChanged: the journal is of other work.
  Status Write(const std::string& path, std::string_view contents);
  // The same for contents in pieces, which come twice: `emit` calls its
  // argument with each piece. Memory does not grow with them.
  using Take = std::function<Status(std::string_view)>;
  Status WritePieces(const std::string& path,
                     const std::function<Status(const Take&)>& emit);
  // Removes OUT/PATH for good if the file is ours.
  Status TakeBack(const std::string& path) const;

 private:
  PublishedFiles(OutputFolder output, JournalEntry entry, bool of_other_work)
      : output_(std::move(output)),
        entry_(std::move(entry)),
        of_other_work_(of_other_work) {}

  const OutputFolder output_;
  JournalEntry entry_;  // the journal's, now or later
  const bool of_other_work_;
};

}  // namespace shardine

#endif  // SHARDINE_PACK_PUBLISHED_FILES_H_
