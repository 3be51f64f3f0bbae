#include "cli/server_options.h"

#include <cstdlib>

#include "shardine/remote_words.h"

namespace shardine {
namespace {

// The engine reads a variable, so that programs without these options can set
// it as well.
void SetNumber(const char* variable, std::uint64_t number) {
  if (number == 0) return;
  setenv(variable, std::to_string(number).c_str(), /*overwrite=*/1);
}

}  // namespace

void DeclareCacheOptions(Options& options, std::string& folder,
                         std::uint64_t& bytes) {
  options.BeginGroup("Cache");
  options.Text("cache", "DIR", folder,
               "folder in which what servers gave is kept for the next time "
               "(default: ~/.cache/shardine/datasets); off: none");
  options.ByteSize("cache-size", bytes,
                   "what it may take, samples among it: 200G (default: indexes "
                   "alone are kept)");
}

void ServerOptions::Declare(Options& options) {
  options.BeginGroup("Servers");
  options.Text("endpoint-url", "URL", remote_.endpoint_url,
               "the service that s3:// and gs:// mean (default: "
               "AWS_ENDPOINT_URL, else Amazon's and Google's)");
  options.Text("region", "NAME", remote_.region,
               "of s3:// (default: AWS_REGION)");
  options.Text("profile", "NAME", remote_.profile,
               "of ~/.aws: who asks s3:// (default: keys of the environment, "
               "else AWS_PROFILE)");
  options.Flag("no-sign-request", remote_.no_sign_request,
               "ask as nobody: public buckets");
  options.Flag("requester-pays", remote_.requester_pays,
               "pay for what s3:// gives from buckets of others");
  options.Flag("http-credentials", remote_.http_credentials,
               "STS and SSO endpoints may be http://, in the clear");
  options.Choice("path-style", remote_.path_style,
                 "buckets in the path of an address, or in its host's name "
                 "(default: auto, in the path but at Amazon)");
  options.Number("remote-requests", requests_, {1, 512},
                 "at most so many at a time (default: 512)");
  options.Number("remote-patience", patience_, {1, 86'400},
                 "seconds without an answer before that is an error (default: "
                 "120)");
}

Status ServerOptions::Apply() const {
  SetNumber("SHARDINE_REMOTE_REQUESTS", requests_);
  SetNumber("SHARDINE_REMOTE_PATIENCE", patience_);
  return SetRemoteOptions("", remote_);
}

}  // namespace shardine
