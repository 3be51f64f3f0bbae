// The cost of a scan of a shard beside its floor, and of a rewrite of its
// samples: each file is read from the page cache in turns by
//   floor  ReadAt, CRC-32C and XXH3-128 of the whole file, nothing else
//   scan   the format's scanner through DigestingFile
//   index  the same, with a sidecar row for each sample
//   write  the format's writer, given the scan's samples, to a file that is
//          not synced (the scan's time taken off)
// and the best of several rounds is printed in MB/s.
//
//   bench_scan_shard ROUNDS FILE [OUT]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/checksum.h"
#include "dataset/index_entry.h"
#include "io/digesting_file.h"
#include "io/local_storage.h"
#include "shard/format_registry.h"
#include "shardine/format.h"

namespace shardine {
namespace {

constexpr std::size_t kWindow = std::size_t{256} << 10;

template <typename T>
T Must(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  std::exit(EXIT_FAILURE);
}

void Floor(const RandomAccessFile& file) {
  ByteBuffer window;
  window.Resize(kWindow);
  Xxh3Stream hash;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0;;) {
    const std::size_t count = Must(file.ReadAt(at, window.span()));
    if (count == 0) break;
    hash.Update(window.view().first(count));
    crc = Crc32c(window.view().first(count), crc);
    at += count;
  }
  SHARDINE_CHECK(crc != 0 || hash.Digest() == Digest128());
}

using Each = std::function<void(const ScannedSample&)>;
void Scan(const RandomAccessFile& file, const FormatAndLayout& format,
          const Each& each) {
  DigestingFile digesting(file);
  const auto scanner = Must(format.format->open_scanner(digesting, format));
  while (const auto sample = Must(scanner->Next())) each(*sample);
  Must(digesting.Finish());
}

void Rewrite(const RandomAccessFile& file, const FormatAndLayout& format,
             const std::string& out) {
  ShardPaths paths{.shard = out, .companion = out + ".companion"};
  const auto writer =
      Must(format.format->create_writer(LocalStorage(), paths, format));
  std::vector<FieldView> fields;
  Scan(file, format, [&](const ScannedSample& sample) {
    fields.clear();
    for (const ScannedField& field : sample.fields) {
      fields.push_back({field.name, field.dtype, field.shape, field.bytes});
    }
    const Status status =
        writer->Append({.id = sample.id.value_or(sample.record),
                        .key = sample.key.value_or(std::string_view()),
                        .labels = sample.labels,
                        .fields = fields,
                        .class_name = sample.class_name,
                        .class_text = sample.class_text});
    SHARDINE_CHECK(status.ok());
  });
}

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

void Run(int rounds, const std::string& path, const std::string& out) {
  const auto file = Must(LocalStorage().Open(path));
  const FormatAndLayout format = Must(BuiltinFormats().DetectLayout(*file));
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  const std::function<void()> work[4] = {
      [&] { Floor(*file); },
      [&] { Scan(*file, format, [](const ScannedSample&) {}); },
      [&] {
        Scan(*file, format, [](const ScannedSample& sample) {
          MakeIndexEntry(sample, 0, sample.labels);
        });
      },
      [&] { Rewrite(*file, format, out); }};
  const int kinds = out.empty() ? 3 : 4;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kinds; ++i) {
      best[i] = std::min(best[i], Seconds(work[i]));
    }
  }
  const double megabytes = static_cast<double>(file->size()) / 1e6;
  std::printf("%s %s %.1f MB\n", path.c_str(), format.Name().c_str(),
              megabytes);
  if (kinds == 4) best[3] -= best[1];
  const char* names[] = {"floor", "scan", "index", "write"};
  for (int i = 0; i < kinds; ++i) {
    std::printf("  %-6s %8.0f MB/s  %.2f of the floor\n", names[i],
                megabytes / best[i], best[0] / best[i]);
  }
}

}  // namespace
}  // namespace shardine

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_scan_shard ROUNDS FILE [OUT]\n");
    return 2;
  }
  shardine::Run(std::atoi(argv[1]), argv[2], argc > 3 ? argv[3] : "");
  return 0;
}
