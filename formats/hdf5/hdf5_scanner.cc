#include "hdf5/hdf5_scanner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/shown_name.h"
#include "base/status_macros.h"
#include "hdf5/hdf5_convention.h"
#include "hdf5/sandbox/sandbox_session.h"
#include "hdf5/split_rows.h"
#include "hdf5/table_reader.h"

namespace shardine {
namespace {

constexpr std::size_t kMostWarnings = 8;
constexpr std::size_t kMostLeftOut = 20;

// The datasets whose rows are labels, keys or fields of samples.
std::set<std::size_t> RowDatasets(const Hdf5Content& content) {
  std::set<std::size_t> numbers;
  for (const SampleTable& table : content.tables) {
    for (const TableField& field : table.fields) numbers.insert(field.payload);
    if (table.labels) numbers.insert(*table.labels);
    if (table.keys) numbers.insert(*table.keys);
  }
  return numbers;
}

std::string UnwrittenWarning(const Hdf5Dataset& dataset,
                             const Hdf5Unwritten& unwritten) {
  const std::string name = "the dataset " + ShowName(dataset.path());
  if (unwritten.pieces == unwritten.of) {
    return name + " was never written: its rows are zeros";
  }
  return name + " has " + std::to_string(unwritten.pieces) + " of " +
         std::to_string(unwritten.of) +
         " chunks that were never written: their rows are zeros";
}

std::string LeftOutWarning(const std::vector<std::string>& paths) {
  std::string text = "datasets left out: ";
  for (std::size_t i = 0; i < std::min(paths.size(), kMostLeftOut); ++i) {
    text += (i == 0 ? "" : ", ") + ShowName(paths[i]);
  }
  if (paths.size() <= kMostLeftOut) return text;
  return text + " and " + std::to_string(paths.size() - kMostLeftOut) + " more";
}

// A file open in a process of the pool, which gets it back at the end.
class PooledFile {
 public:
  PooledFile(const RandomAccessFile& file, SandboxPool& pool,
             std::unique_ptr<SandboxProcess> process)
      : pool_(pool), process_(std::move(process)), session_(file, *process_) {}
  PooledFile(const PooledFile&) = delete;
  PooledFile& operator=(const PooledFile&) = delete;
  // After an error that the library only reported, the process can go on.
  ~PooledFile() {
    if (session_.answered()) pool_.Return(std::move(process_));
  }

  static Result<std::unique_ptr<PooledFile>> Open(
      const RandomAccessFile& file, SandboxPool& pool,
      const FieldRoles& roles = {}) {
    SHARDINE_ASSIGN_OR_RETURN(auto process, pool.Take());
    auto opened = std::make_unique<PooledFile>(file, pool, std::move(process));
    SHARDINE_RETURN_IF_ERROR(opened->session_.Open());
    auto content = FindContent(opened->session_.datasets(), roles);
    if (!content.ok()) {
      return std::move(content).status().At({.path = file.path()});
    }
    opened->content_ = *std::move(content);
    return opened;
  }

  SandboxSession& session() { return session_; }
  const Hdf5Content& content() const { return content_; }
  Result<std::optional<RowSelection>> Select(const RandomAccessFile& file,
                                             std::string_view split) {
    return SelectSplit(file, session_, split, content_);
  }

 private:
  SandboxPool& pool_;
  std::unique_ptr<SandboxProcess> process_;
  SandboxSession session_;
  Hdf5Content content_;
};

class Hdf5Scanner : public ShardScanner {
 public:
  Hdf5Scanner(const RandomAccessFile& file, std::unique_ptr<PooledFile> opened)
      : file_(file),
        opened_(std::move(opened)),
        tables_(file, opened_->session()) {}

  // Before the first sample: only those of the split.
  Status Select(std::string_view split) {
    SHARDINE_ASSIGN_OR_RETURN(selection_, opened_->Select(file_, split));
    return {};
  }

  Result<std::optional<ScannedSample>> Next() override {
    auto sample = NextSample();
    if (!sample.ok()) {
      return std::move(sample).status().At(
          {.path = file_.path(), .record = record_});
    }
    // After an error nothing moves on, and the session repeats its failure.
    if (*sample) (*sample)->record = record_++;
    return sample;
  }

  // Rows lie where they lie, whatever one of them holds.
  bool SkipDamaged() override {
    if (!row_failed_ || !opened_->session().answered()) return false;
    row_failed_ = false;
    ++row_;
    ++record_;
    return true;
  }

  Result<NamedSplits> ReadSplits() override {
    auto named = ReadNamedSplits(opened_->session(), opened_->content());
    if (!named.ok()) {
      return std::move(named).status().At({.path = file_.path()});
    }
    return named;
  }

  Result<std::vector<std::string>> Warnings() override {
    auto warnings = UnwrittenWarnings();
    if (!warnings.ok()) {
      return std::move(warnings).status().At({.path = file_.path()});
    }
    return warnings;
  }

 private:
  // Rows that were never written read as zeros: black images of class 0.
  Result<std::vector<std::string>> UnwrittenWarnings() {
    std::vector<std::string> warnings;
    const auto& left_out = opened_->content().left_out;
    if (!left_out.empty()) warnings.push_back(LeftOutWarning(left_out));
    const auto& datasets = opened_->session().datasets();
    for (const std::size_t number : RowDatasets(opened_->content())) {
      if (datasets[number].storage == Hdf5Storage::kContiguous) continue;
      SHARDINE_ASSIGN_OR_RETURN(const Hdf5Unwritten unwritten,
                                opened_->session().FindUnwritten(number));
      if (unwritten.pieces == 0) continue;
      if (warnings.size() == kMostWarnings) {
        warnings.push_back("further datasets have parts never written");
        break;
      }
      warnings.push_back(UnwrittenWarning(datasets[number], unwritten));
    }
    return warnings;
  }

  // The tables are read one after the other; a selection has a single table.
  std::uint64_t RowsOf(const SampleTable& table) const {
    return selection_ ? selection_->size() : table.rows;
  }

  Result<std::optional<ScannedSample>> NextSample() {
    // The columns of one table are open at a time: some files have a table for
    // each image.
    row_failed_ = false;
    const auto& tables = opened_->content().tables;
    while (table_ < tables.size() && row_ == RowsOf(tables[table_])) {
      reader_.reset();
      row_ = 0;
      ++table_;
    }
    if (table_ == tables.size()) return std::optional<ScannedSample>();
    if (reader_ == nullptr) {
      SHARDINE_ASSIGN_OR_RETURN(
          reader_, TableReader::Open(file_, opened_->session(), tables[table_],
                                     tables_));
    }
    auto sample = reader_->Read(selection_ ? (*selection_)[row_] : row_);
    row_failed_ = sample.status().code() == Code::kCorrupt;
    if (!sample.ok()) return std::move(sample).status();
    ++row_;
    return std::optional<ScannedSample>(*sample);
  }

  const RandomAccessFile& file_;
  std::unique_ptr<PooledFile> opened_;
  TablesOfFile tables_;
  std::optional<RowSelection> selection_;
  std::size_t table_ = 0;
  std::uint64_t row_ = 0;  // of the table
  std::uint64_t record_ = 0;
  bool row_failed_ = false;  // of the last call
  std::unique_ptr<TableReader> reader_;
};

}  // namespace

Result<std::unique_ptr<ShardScanner>> OpenHdf5Scanner(
    const RandomAccessFile& file, SandboxPool& pool, std::string_view split,
    const FieldRoles& roles) {
  SHARDINE_ASSIGN_OR_RETURN(auto opened, PooledFile::Open(file, pool, roles));
  auto scanner = std::make_unique<Hdf5Scanner>(file, std::move(opened));
  if (split != kAllSplits) {
    SHARDINE_RETURN_IF_ERROR(scanner->Select(split).At({.path = file.path()}));
  }
  return std::unique_ptr<ShardScanner>(std::move(scanner));
}

Result<Hdf5LayoutFacts> DetectHdf5Layout(const RandomAccessFile& file,
                                         SandboxPool& pool) {
  SHARDINE_ASSIGN_OR_RETURN(const auto opened, PooledFile::Open(file, pool));
  const Hdf5Content& content = opened->content();
  Hdf5LayoutFacts facts{content.layout, content.chunk_rows};
  const auto& datasets = opened->session().datasets();
  // Several tables are groups, whose names have another meaning.
  if (content.tables.size() != 1) return facts;
  const SampleTable& table = content.tables.front();
  for (const TableField& field : table.fields) {
    const Hdf5Dataset& dataset = datasets[field.payload];
    if (field.name == kImageField && dataset.group.empty()) {
      facts.images = dataset.name;
    }
  }
  if (table.labels && datasets[*table.labels].group.empty()) {
    facts.labels = datasets[*table.labels].name;
  }
  return facts;
}

}  // namespace shardine
