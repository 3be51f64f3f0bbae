// The checked-in files of a folder of testdata/golden or testdata/must_fail,
// and the lines of its expected.tsv; testdata/expected.py has its shape.
#ifndef SHARDINE_TESTS_CONFORMANCE_EXPECTED_FILES_H_
#define SHARDINE_TESTS_CONFORMANCE_EXPECTED_FILES_H_

#include <map>
#include <string>
#include <vector>

#include "io/local_storage.h"
#include "shard/format_registry.h"

namespace shardine {

using Cells = std::vector<std::string>;

// The lines of expected.tsv by their file and then by their kind, each without
// these two cells. REQUIREs an expected.tsv.
struct ExpectedFile {
  std::vector<Cells> contents;  // layout, sample and field, with their kind
  std::vector<Cells> companions;
  std::vector<Cells> errors;
};
std::map<std::string, ExpectedFile> ExpectedFiles(const std::string& folder);

// Faults of the folder, a sentence each: no expected.tsv or one without lines;
// a file that it does not name, or one that it names and that is not there; a
// line of another shape.
std::vector<std::string> FolderFaults(const std::string& folder);

// A scan of a file in the words of expected.tsv, from its layout to the first
// error or the end. CHECKs the rules of every scan: bytes at the extents are
// the field's, fields stand in order, an error stays.
struct CheckedInScan {
  std::vector<Cells> contents;
  std::vector<std::uint64_t> offsets;  // of the records
  std::vector<std::uint64_t> ids;      // of those that have one
  Status status;
};
CheckedInScan ScanCheckedIn(const RandomAccessFile& file);

}  // namespace shardine

#endif  // SHARDINE_TESTS_CONFORMANCE_EXPECTED_FILES_H_
