#include "shardine/remote_options.h"

#include <map>
#include <mutex>
#include <string_view>

#include "base/fork_mutex.h"
#include "base/made_once.h"
#include "base/status_macros.h"
#include "remote/s3_address.h"
#include "remote/url.h"

namespace shardine {
namespace {

// By prefix, without `/` at its end unless the scheme's own. Guarded by
// ForkMutex().
std::map<std::string, RemoteOptions>& OptionsByPrefix() {
  static constinit MadeOnce<std::map<std::string, RemoteOptions>> options;
  return options.Get();
}

bool IsScheme(std::string_view prefix) { return prefix.ends_with(kSchemeEnd); }

std::string WithoutSlashes(std::string prefix) {
  while (prefix.ends_with('/') && !IsScheme(prefix)) prefix.pop_back();
  return prefix;
}

bool BeginsWith(const std::string& path, const std::string& prefix) {
  if (!path.starts_with(prefix)) return false;
  return prefix.empty() || IsScheme(prefix) || path.size() == prefix.size() ||
         path[prefix.size()] == '/';
}

Status CheckPrefix(const std::string& prefix) {
  for (const char* scheme : {"s3://", "gs://", "http://", "https://"}) {
    if (prefix.starts_with(scheme)) return Status();
  }
  if (prefix.empty()) return Status();
  return Status(Code::kInvalidArgument,
                "no address of a server begins so: s3://BUCKET/FOLDER, gs://, "
                "https:// or http:// do")
      .At({.path = prefix});
}

Status Check(const std::string& prefix, const RemoteOptions& options) {
  SHARDINE_RETURN_IF_ERROR(CheckPrefix(prefix));
  if (!options.endpoint_url.empty()) {
    const auto url = ParseUrl(options.endpoint_url);
    if (!url.ok() || (url->scheme != "http" && url->scheme != "https")) {
      return Status(Code::kInvalidArgument,
                    "the endpoint is to be an address of http:// or https://");
    }
  }
  if (!options.region.empty() && !IsS3Region(options.region)) {
    return Status(Code::kInvalidArgument,
                  "the region that is set is no name of one");
  }
  if (options.requester_pays && options.no_sign_request) {
    return Status(Code::kInvalidArgument,
                  "who asks as nobody cannot be who pays: take one of "
                  "requester pays and no sign request");
  }
  const bool is_amazon = !options.region.empty() || !options.profile.empty() ||
                         options.requester_pays || options.http_credentials;
  if (prefix.starts_with("gs://") && is_amazon) {
    return Status(Code::kInvalidArgument,
                  "gs:// has no regions, profiles and requester pays here: "
                  "GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY say who asks")
        .At({.path = prefix});
  }
  return Status();
}

}  // namespace

Status SetRemoteOptions(const std::string& prefix,
                        const RemoteOptions& options) {
  SHARDINE_RETURN_IF_ERROR(Check(prefix, options));
  const std::string key = WithoutSlashes(prefix);
  const std::lock_guard lock(ForkMutex());
  OptionsByPrefix().erase(key);
  if (options != RemoteOptions()) OptionsByPrefix()[key] = options;
  return Status();
}

Status AddRemoteOptions(const std::string& prefix,
                        const RemoteOptions& options) {
  SHARDINE_RETURN_IF_ERROR(Check(prefix, options));
  const std::string key = WithoutSlashes(prefix);
  const std::lock_guard lock(ForkMutex());
  const auto found = OptionsByPrefix().find(key);
  if (found != OptionsByPrefix().end()) {
    if (found->second == options) return Status();
    return Status(Code::kAlreadyExists, "has other options already")
        .At({.path = prefix});
  }
  if (options != RemoteOptions()) OptionsByPrefix()[key] = options;
  return Status();
}

RemoteOptions RemoteOptionsOf(const std::string& path) {
  const std::lock_guard lock(ForkMutex());
  // In the map's order the longest of those that fit comes last.
  const RemoteOptions* found = nullptr;
  for (const auto& [prefix, options] : OptionsByPrefix()) {
    if (BeginsWith(path, prefix)) found = &options;
  }
  return found == nullptr ? RemoteOptions() : *found;
}

}  // namespace shardine
