#include "io/http_storage.h"

#include <utility>

#include "base/made_once.h"
#include "base/status_macros.h"
#include "base/stop_scope.h"
#include "io/forward_file.h"
#include "io/http_file.h"
#include "io/output_names.h"
#include "remote/http_engine.h"
#include "remote/url.h"

namespace shardine {
namespace {

constexpr int kForbidden = 403;

Result<HttpOutcome> AskForFacts(const std::string& path,
                                const std::string& url) {
  SHARDINE_ASSIGN_OR_RETURN(HttpEngine* const engine, HttpEngine::OfProcess());
  HttpRequest request;
  request.url = url;
  request.name = path;
  return engine->Get(std::move(request), CurrentStop());
}

// Stores in front of which a folder is no thing say so in either way.
bool IsAbsent(const HttpOutcome& outcome) {
  return outcome.status.code() == Code::kNotFound ||
         outcome.http_status == kForbidden;
}

class HttpStorageImpl : public ReadableStorage {
 public:
  Result<std::unique_ptr<RandomAccessFile>> Open(
      const std::string& path) override {
    return OpenWhole(path, 0);
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenForward(
      const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(auto file, Open(path));
    return std::unique_ptr<RandomAccessFile>(new ForwardFile(std::move(file)));
  }

  Result<std::unique_ptr<RandomAccessFile>> OpenWhole(
      const std::string& path, std::uint64_t bytes) override {
    SHARDINE_ASSIGN_OR_RETURN(const Url url, ParseUrl(path));
    HttpRequest request;
    request.url = url.text();
    return HttpFile::Open(path, std::move(request), bytes);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(const Url url, ParseUrl(path));
    FileInfo info;
    if (!url.path.ends_with('/')) {
      SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome found,
                                AskForFacts(path, url.text()));
      if (found.status.ok() && !found.is_folder) {
        info.kind = FileKind::kRegular;
        info.size = found.facts.size;
        return info;
      }
      if (!found.is_folder && !IsAbsent(found)) return found.status;
    }
    if (FileNameOf(path) != kManifestName) {
      const std::string mark = JoinPath(url.text(), kManifestName);
      SHARDINE_ASSIGN_OR_RETURN(const HttpOutcome found,
                                AskForFacts(path, mark));
      if (found.status.ok()) {
        info.kind = FileKind::kDirectory;
        return info;
      }
      if (!IsAbsent(found)) return found.status;
    }
    return Status(Code::kNotFound, "the server has no such file or dataset")
        .At({.path = path});
  }

  Result<std::string> AddressOf(const std::string& path) override {
    SHARDINE_ASSIGN_OR_RETURN(const Url url, ParseUrl(path));
    return url.text();
  }

  Result<std::vector<DirEntry>> List(const std::string& directory) override {
    SHARDINE_RETURN_IF_ERROR(ParseUrl(directory).status());
    return Status(Code::kUnsupported,
                  "web servers do not list what they have: datasets and single "
                  "shards are read from them, and no folders of images")
        .At({.path = directory});
  }
};

}  // namespace

ReadableStorage& HttpStorage() {
  static constinit MadeOnce<HttpStorageImpl> storage;
  return storage.Get();
}

}  // namespace shardine
