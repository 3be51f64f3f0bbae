// The records of a pax extended header, which holds values that a ustar header
// cannot. Form: formats/webdataset/FORMAT.md, "Headers".
#ifndef SHARDINE_ARCHIVE_PAX_HEADER_H_
#define SHARDINE_ARCHIVE_PAX_HEADER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardine/status.h"

namespace shardine {

// The values of a member in these headers; other records are ignored.
struct PaxValues {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
  std::optional<std::string> link;  // the target of a link
  // An empty value takes back a global header's value, too.
  bool takes_back_path = false;
  bool takes_back_size = false;
};

// Sets the records' values; one without a value takes back an earlier one. NULs
// may follow the last record, as some programs write them. kCorrupt if they are
// no records; kUnsupported for a sparse file.
Status ParsePaxRecords(std::string_view records, PaxValues& values);

// "20 path=a/long/name\n": its own length stands in front.
void AppendPaxRecord(std::string_view keyword, std::string_view value,
                     std::string& to);

}  // namespace shardine

#endif  // SHARDINE_ARCHIVE_PAX_HEADER_H_
