// Reads the samples of one SampleTable.
#ifndef SHARDINE_FORMATS_HDF5_TABLE_READER_H_
#define SHARDINE_FORMATS_HDF5_TABLE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdf5/column.h"
#include "hdf5/hdf5_convention.h"
#include "shard/format.h"
#include "shard/record_budget.h"

namespace shardine {

// Shared by the readers of all tables of a file: a budget of rows and bytes,
// and the places of rows in heaps. REQUIRES: an open session, which must
// outlive it.
struct TablesOfFile {
  TablesOfFile(const RandomAccessFile& file, const SandboxSession& session);

  RecordBudget budget;
  GlobalHeap heap;
};

// Thread-compatible. File, session and table must outlive the reader.
class TableReader {
 public:
  static constexpr std::size_t kMaxFields = 16'384;

  // kUnsupported for more fields than kMaxFields, and where a budget ends.
  static Result<std::unique_ptr<TableReader>> Open(const RandomAccessFile& file,
                                                   SandboxSession& session,
                                                   const SampleTable& table,
                                                   TablesOfFile& whole);

  // Views in the sample are valid until the next call; `record` is not set.
  // kUnsupported for rows that share their bytes. REQUIRES: row < table.rows.
  Result<ScannedSample> Read(std::uint64_t row);

 private:
  struct Field {
    std::string name;
    std::string dtype;
    bool is_bytes = false;      // plain
    bool is_text = false;       // of fixed size, padded
    std::uint32_t element = 1;  // bytes
    std::unique_ptr<Column> payload;
    std::unique_ptr<Column> shapes;
    std::unique_ptr<Column> present;
    // The shape of every row; of the last row read where lengths vary.
    std::vector<std::uint64_t> shape;
    bool variable = false;
    Extent trimmed;
  };

  TableReader(const RandomAccessFile& file, SandboxSession& session,
              const SampleTable& table, TablesOfFile& whole);
  Status Refused(const std::string& what) const;
  Status CheckSizes();
  Status CheckRows();
  Status OpenAll();
  Result<Field> OpenField(const TableField& field);
  Result<std::unique_ptr<Column>> OpenSmall(std::size_t dataset);
  Result<Cell> ReadPayload(Field& field, std::uint64_t row);

  Status ReadFields(std::uint64_t row);
  Result<ScannedField> ReadField(Field& field, std::uint64_t row);
  Status ReadShape(Field& field, std::uint64_t row, std::uint64_t bytes);
  Status ReadLabels(std::uint64_t row);
  Status AddLabel(const std::byte* from, const Hdf5Element& element);
  Status ReadKey(std::uint64_t row);

  const RandomAccessFile& file_;
  SandboxSession& session_;
  const SampleTable& table_;
  TablesOfFile& whole_;
  RecordBudget record_;
  std::size_t read_ahead_ = 0;
  std::optional<HeapWindow> heap_window_;  // of several fields
  std::vector<Field> columns_;
  std::unique_ptr<Column> labels_column_;
  std::unique_ptr<Column> keys_column_;
  std::unique_ptr<Column> whole_keys_column_;
  std::vector<ScannedField> fields_;
  std::vector<Label> labels_;
  std::string key_;
};

}  // namespace shardine

#endif  // SHARDINE_FORMATS_HDF5_TABLE_READER_H_
