#include "remote/curl_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <string>

#include "remote/loaded_library.h"

namespace shardine {
namespace {

// CURLOPT_PROTOCOLS_STR came with it.
constexpr unsigned kOldest = 0x075500;

constinit LoadedLibrary<CurlLibrary> loaded_curl;

Status Missing(const std::string& why) {
  return Status(Code::kUnsupported,
                "http:// and https:// are read by libcurl 7.85 or newer, " +
                    why + " (Debian: apt-get install libcurl4)");
}

// The same library over another one for TLS, under another name, where Debian
// has no other.
void* Open() {
  for (const char* name :
       {kOwnLibrary, "libcurl.so.4", "libcurl-gnutls.so.4"}) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

// A library that was made for no system knows no file: these are those of
// Debian, Red Hat, SUSE and Alpine.
std::string CertificatesOf(const curl_version_info_data& version) {
  if (version.cainfo != nullptr || version.capath != nullptr) return {};
  for (const char* file : {"/etc/ssl/certs/ca-certificates.crt",
                           "/etc/pki/tls/certs/ca-bundle.crt",
                           "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    if (access(file, R_OK) == 0) return file;
  }
  return {};
}

struct Loader {
  void* library;
  bool complete = true;

  template <typename Function>
  void Find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    complete = complete && function != nullptr;
  }
};

Result<const CurlLibrary*> Load() {
  void* const library = Open();
  if (library == nullptr) return Missing("which this machine does not have");
  auto* const curl = new CurlLibrary;
  Loader loader{library};
  loader.Find("curl_global_init", curl->global_init);
  loader.Find("curl_version_info", curl->version_info);
  loader.Find("curl_easy_init", curl->easy_init);
  loader.Find("curl_easy_cleanup", curl->easy_cleanup);
  loader.Find("curl_easy_setopt", curl->easy_setopt);
  loader.Find("curl_easy_getinfo", curl->easy_getinfo);
  loader.Find("curl_easy_strerror", curl->easy_strerror);
  loader.Find("curl_slist_append", curl->slist_append);
  loader.Find("curl_slist_free_all", curl->slist_free_all);
  loader.Find("curl_multi_init", curl->multi_init);
  loader.Find("curl_multi_cleanup", curl->multi_cleanup);
  loader.Find("curl_multi_setopt", curl->multi_setopt);
  loader.Find("curl_multi_add_handle", curl->multi_add_handle);
  loader.Find("curl_multi_remove_handle", curl->multi_remove_handle);
  loader.Find("curl_multi_perform", curl->multi_perform);
  loader.Find("curl_multi_info_read", curl->multi_info_read);
  loader.Find("curl_multi_poll", curl->multi_poll);
  loader.Find("curl_multi_wakeup", curl->multi_wakeup);
  const curl_version_info_data* const version =
      loader.complete ? curl->version_info(CURLVERSION_NOW) : nullptr;
  if (version == nullptr || version->version_num < kOldest ||
      (version->features & CURL_VERSION_SSL) == 0) {
    delete curl;
    return Missing("and this machine has another");
  }
  if (curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    delete curl;
    return Missing("which does not start here");
  }
  curl->certificates = CertificatesOf(*version);
  return static_cast<const CurlLibrary*>(curl);
}

}  // namespace

Result<const CurlLibrary*> LoadCurl() { return loaded_curl.Get(Load); }

}  // namespace shardine
