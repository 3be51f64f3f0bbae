#include <string>
#include <utility>

#include "binding/bindings.h"
#include "binding/name_text.h"
#include "binding/option_reader.h"
#include "shardine/remote_options.h"
#include "shardine/remote_words.h"

namespace shardine::binding {
namespace {

using namespace nb::literals;

RemoteOptions OptionsIn(nb::dict given) {
  OptionReader reader(std::move(given));
  RemoteOptions options;
  reader.Text("endpoint_url", options.endpoint_url);
  reader.Word("path_style", options.path_style);
  reader.Flag("no_sign_request", options.no_sign_request);
  reader.Text("region", options.region);
  reader.Text("profile", options.profile);
  reader.Flag("requester_pays", options.requester_pays);
  reader.Flag("http_credentials", options.http_credentials);
  reader.Path("cache", options.cache);
  reader.Size("cache_size", options.cache_bytes);
  reader.Finish();
  return options;
}

template <auto kSet>
void Set(const nb::bytes& prefix, nb::dict given) {
  const Status status = kSet(TextOf(prefix), OptionsIn(std::move(given)));
  if (!status.ok()) Raise(status);
}

// The options as OptionsIn() takes them, without those at their defaults.
nb::dict Of(const nb::bytes& path) {
  const RemoteOptions options = RemoteOptionsOf(TextOf(path));
  const RemoteOptions defaults;
  nb::dict given;
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) given[name] = nb::str(value.c_str(), value.size());
  };
  text("endpoint_url", options.endpoint_url);
  if (options.path_style != defaults.path_style) {
    given["path_style"] = WordOf(options.path_style);
  }
  if (options.no_sign_request) given["no_sign_request"] = true;
  text("region", options.region);
  text("profile", options.profile);
  if (options.requester_pays) given["requester_pays"] = true;
  if (options.http_credentials) given["http_credentials"] = true;
  if (!options.cache.empty()) {
    given["cache"] = nb::bytes(options.cache.data(), options.cache.size());
  }
  if (options.cache_bytes > 0) given["cache_size"] = options.cache_bytes;
  return given;
}

}  // namespace

void RegisterRemote(nb::module_& module) {
  module.def("set_remote_options", &Set<SetRemoteOptions>, "prefix"_a,
             "options"_a);
  module.def("add_remote_options", &Set<AddRemoteOptions>, "prefix"_a,
             "options"_a);
  module.def("remote_options", &Of, "path"_a);
}

}  // namespace shardine::binding
