// RemoteOptions: how servers are asked, and with which identity, by prefix of
// the address. Set once, they hold for all work of this process: datasets,
// loaders, writers and all verbs.
#ifndef SHARDINE_REMOTE_OPTIONS_H_
#define SHARDINE_REMOTE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "shardine/status.h"

namespace shardine {

// Where the bucket is in the address of a request.
enum class PathStyle : std::uint8_t {
  kAuto,  // in the host's name at Amazon, in the path at any other endpoint
  kOn,    // in the path
  kOff,   // in the host's name
};

// Members that are empty or false take their values from the environment, then
// from the files of Amazon's tools. No secrets: those are in profiles and the
// environment.
struct RemoteOptions {
  // Services that speak S3 have these.
  std::string endpoint_url = {};  // "http://127.0.0.1:8333"
  PathStyle path_style = PathStyle::kAuto;
  bool no_sign_request = false;  // public buckets, anonymously
  // "s3://" alone has these.
  std::string region = {};
  // A profile of ~/.aws/config and credentials. It comes before keys of the
  // environment, as with Amazon's own program.
  std::string profile = {};
  bool requester_pays = false;  // not with no_sign_request
  // STS and SSO endpoints may be http://, where anyone on the way reads
  // secrets.
  bool http_credentials = false;
  // Defaults for datasets whose DatasetOptions leave these unset.
  std::string cache = {};
  std::uint64_t cache_bytes = 0;

  friend bool operator==(const RemoteOptions&, const RemoteOptions&) = default;
};

// From now on, for addresses that are `prefix` or go on from it with a `/`:
// "s3://bucket", "s3://bucket/data", "s3://" (all of that scheme); "" is every
// address. The longest matching prefix counts, and it alone. Replaces those of
// the same prefix; default ones take them away. Datasets opened before keep
// their options. Inherited by forks, and by no other process. Thread-safe.
//
// kInvalidArgument: a prefix that is none; a region or profile for "gs://"; an
// endpoint that is no address; `requester_pays` with `no_sign_request`.
Status SetRemoteOptions(const std::string& prefix,
                        const RemoteOptions& options);

// The same of a prefix that has none yet, or these. kAlreadyExists as well: it
// has others, which stay.
Status AddRemoteOptions(const std::string& prefix,
                        const RemoteOptions& options);

// The options that hold for `path`; default ones where none were set.
RemoteOptions RemoteOptionsOf(const std::string& path);

}  // namespace shardine

#endif  // SHARDINE_REMOTE_OPTIONS_H_
