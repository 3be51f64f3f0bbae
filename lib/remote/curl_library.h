// libcurl, loaded when the first address is read and not before: linked, it
// would draw LDAP, Kerberos and thirty more libraries into each start of each
// program. Wheels have a library of their own beside them (kOwnLibrary), with
// TLS; everywhere else the system's library is loaded.
#ifndef SHARDINE_REMOTE_CURL_LIBRARY_H_
#define SHARDINE_REMOTE_CURL_LIBRARY_H_

// Its checks of types are macros over the functions' own names.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <string>

#include "shardine/status.h"

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

namespace shardine {

// libcurl and libcrypto of a wheel, found by the run path of its programs.
inline constexpr char kOwnLibrary[] = "libshardine-tls.so";

// The functions of libcurl that shardine calls.
struct CurlLibrary {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_version_info) version_info;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_wakeup) multi_wakeup;
  // The file of certificates to use where nobody names one; empty: the library
  // knows its own.
  std::string certificates;
};

// Thread-safe; never unloaded. kUnsupported, naming the package to install:
// this machine has none, one that is too old, or one without TLS.
Result<const CurlLibrary*> LoadCurl();

}  // namespace shardine

#endif  // SHARDINE_REMOTE_CURL_LIBRARY_H_
