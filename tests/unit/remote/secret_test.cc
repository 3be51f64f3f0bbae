#include "remote/secret.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "remote/aws_profile.h"
#include "remote/credential_chain.h"
#include "shardine/environment.h"
#include "support/sanitized.h"
#include "support/temp_directory.h"

namespace shardine::secret_test {
namespace {

// The secret is nowhere in this program as it is.
constexpr std::uint8_t kMask = 0x5A;
consteval auto Masked() {
  std::array<char, 40> masked{};
  const char* text = "Zq8vT1mWc0RkXy5Bh3NfLs7PdG9uJaEo2iCtKw4H";
  for (char& c : masked) c = static_cast<char>(*text++ ^ kMask);
  return masked;
}
constexpr std::array<char, 40> kMasked = Masked();

SecretText Unmasked() {
  SecretText text(kMasked.begin(), kMasked.end());
  for (char& c : text) c = static_cast<char>(c ^ kMask);
  return text;
}

bool HasSecret(const std::vector<char>& bytes, std::size_t size) {
  for (std::size_t i = 0; i + kMasked.size() <= size; ++i) {
    std::size_t same = 0;
    while (same < kMasked.size() &&
           static_cast<char>(bytes[i + same] ^ kMask) == kMasked[same]) {
      ++same;
    }
    if (same == kMasked.size()) return true;
  }
  return false;
}

// Whether a core dump of this process would have it.
bool IsInMemory() {
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  REQUIRE(memory >= 0);
  bool found = false;
  std::vector<char> bytes(1 << 20);
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    char rights[8] = {};
    const int read =
        std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, rights);
    // Shadows of sanitizers are far larger than any memory.
    if (read != 3 || rights[1] != 'w' || end - begin > (1ULL << 32)) continue;
    const std::uint64_t step = bytes.size() - kMasked.size();
    for (std::uint64_t at = begin; at < end && !found; at += step) {
      const ssize_t got = pread(memory, bytes.data(),
                                std::min<std::uint64_t>(bytes.size(), end - at),
                                static_cast<off_t>(at));
      if (got > 0) found = HasSecret(bytes, static_cast<std::size_t>(got));
    }
  }
  close(memory);
  explicit_bzero(bytes.data(), bytes.size());
  return found;
}

void WriteFile(const std::string& path, const std::string& before,
               const std::string& after) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  REQUIRE(file >= 0);
  SecretText text(before);
  text.append(Unmasked()).append(after);
  REQUIRE(write(file, text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
  close(file);
}

TEST_CASE("A key is in no memory once nobody uses it", "[remote]") {
  if (kSanitized) {
    WARN("skipped: a look at all of a sanitizer's memory takes minutes");
    return;
  }
  REQUIRE_FALSE(IsInMemory());
  const TempDirectory folder;
  const std::string path = folder / "credentials";
  WriteFile(path,
            "[default]\naws_access_key_id = A\naws_secret_access_key = ", "\n");
  unsetenv("AWS_ACCESS_KEY_ID");
  unsetenv("AWS_PROFILE");
  unsetenv("AWS_WEB_IDENTITY_TOKEN_FILE");
  setenv("AWS_SHARED_CREDENTIALS_FILE", path.c_str(), 1);
  setenv("AWS_CONFIG_FILE", "/nonexistent/config", 1);
  {
    const CredentialPlace place{.environment = Environment::Read(),
                                .region = "us-east-1"};
    const auto settings = ReadAwsProfile(place.environment, "default");
    REQUIRE(settings.ok());
    const auto source = FindCredentials(place, *settings, "");
    REQUIRE(source.ok());
    const auto crypto = CryptoLibrary::Load();
    REQUIRE(crypto.ok());
    const auto lines =
        SignV4(**crypto, (*source)->Last(),
               {.region = "us-east-1", .service = "s3"}, {}, 1369353600);
    CHECK(lines.back().find("Signature=") != std::string::npos);
    CHECK(IsInMemory());
  }
  CHECK_FALSE(IsInMemory());
  unsetenv("AWS_SHARED_CREDENTIALS_FILE");
  unsetenv("AWS_CONFIG_FILE");
}

TEST_CASE("A secret prints as none", "[remote]") {
  std::ostringstream out;
  out << Secret("hidden");
  CHECK(out.str() == "***");
  std::string text = "of another's making";
  Wipe(text);
  CHECK(text.empty());
}

}  // namespace
}  // namespace shardine::secret_test
