// Every number of a sidecar index and of a file of entry points by its place,
// and manifests whose members are changed by their path: so that tests can put
// anything there and seal the file again.
#ifndef SHARDINE_TESTS_SUPPORT_SIDE_FILE_NUMBERS_H_
#define SHARDINE_TESTS_SUPPORT_SIDE_FILE_NUMBERS_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardine {

using Files = std::map<std::string, std::string>;  // path -> contents

struct FileNumber {
  std::string name;         // "row 3: first extent length"
  std::size_t at = 0;       // byte in the file
  std::size_t width = 0;    // bytes, little-endian
  std::uint64_t limit = 0;  // its largest sound value, as the file is
};

// All numbers but checksums. REQUIRES: a sound sidecar.
std::vector<FileNumber> NumbersOfSidecar(const std::string& bytes);
// REQUIRES: a sound file of entry points.
std::vector<FileNumber> NumbersOfEntryPoints(const std::string& bytes);

// Keeps as many bytes of the value as there is room for.
void SetNumber(const FileNumber& number, std::uint64_t value,
               std::string& bytes);

// The decompressed keys of the only frame of a sidecar are those after this;
// all that is behind them moves. The caller seals.
std::string KeysOf(const std::string& sidecar);
void ReplaceKeys(const std::string& keys, std::string& sidecar);

// A row's overflow record becomes this one, without its CRC; it lies behind all
// others. The caller seals. REQUIRES: a sound sidecar, but for its CRCs.
void GiveOverflow(std::uint64_t row, std::string_view record,
                  std::string& sidecar);

// Where a manifest has numbers: "/splits/0/shards/1/bytes".
std::vector<nlohmann::json::json_pointer> NumbersOfManifest(
    const nlohmann::json& manifest);

// How a changed manifest is made to look sound.
enum class Reseal {
  kDigestOnly,  // its own digest
  kSums,        // and all that is the sum of other members
};

// The manifest of the dataset in that folder, without its own digest.
nlohmann::json ManifestIn(const Files& files, const std::string& folder);
// Writes it back.
void PutManifest(nlohmann::json manifest, Reseal reseal,
                 const std::string& folder, Files& files);
// Sizes and digests of all listed files of the manifest that exist.
void RefreshFiles(const Files& files, const std::string& folder,
                  nlohmann::json& manifest);

}  // namespace shardine

#endif  // SHARDINE_TESTS_SUPPORT_SIDE_FILE_NUMBERS_H_
