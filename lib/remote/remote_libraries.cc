#include "remote/remote_libraries.h"

#include <expat.h>

#include "remote/connection_settings.h"
#include "remote/crypto_library.h"
#include "remote/curl_library.h"

namespace shardine {
namespace {

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

void DescribeCurl(const CurlLibrary& curl, RemoteLibraries& libraries) {
  const curl_version_info_data& info = *curl.version_info(CURLVERSION_NOW);
  libraries.versions.push_back("libcurl " + TextOf(info.version));
  libraries.tls = TextOf(info.ssl_version);
  // An older library has a shorter structure.
  if (!libraries.certificates.empty() || info.age < CURLVERSION_SEVENTH) return;
  libraries.certificates = TextOf(info.cainfo);
  if (libraries.certificates.empty()) {
    libraries.certificates = TextOf(info.capath);
  }
}

}  // namespace

RemoteLibraries FindRemoteLibraries(const Environment& environment) {
  RemoteLibraries libraries;
  libraries.certificates = ConnectionSettingsOf(environment).certificates;
  const XML_Expat_Version expat = XML_ExpatVersionInfo();
  libraries.versions.push_back("Expat " + std::to_string(expat.major) + "." +
                               std::to_string(expat.minor) + "." +
                               std::to_string(expat.micro));
  if (const auto curl = LoadCurl(); curl.ok()) {
    DescribeCurl(**curl, libraries);
  } else {
    libraries.missing.push_back(curl.status().message());
  }
  if (const auto crypto = CryptoLibrary::Load(); crypto.ok()) {
    // "OpenSSL 3.0.11 19 Sep 2023" without its date.
    const std::string version = (*crypto)->version();
    libraries.versions.push_back(
        version.substr(0, version.find(' ', version.find(' ') + 1)));
  } else {
    libraries.missing.push_back(crypto.status().message());
  }
  return libraries;
}

}  // namespace shardine
