// Files of every format: determinism, faults, cuts, recognition. For each line
// of the format table; names no format.
#include <algorithm>
#include <catch2/catch.hpp>

#include "conformance/format_fixture.h"
#include "io/atomic_file.h"
#include "io/local_storage.h"
#include "shardine/format.h"
#include "support/fault_storage.h"
#include "support/fault_sweep.h"

namespace shardine::format_files_test {
namespace {

TEST_CASE("A format writes the same bytes for the same samples",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage storage;
      const ShardPaths first = c.paths();
      // Names are temporary while one writes; a companion may hold the final
      // one.
      const ShardPaths second = {TemporaryName(first.shard),
                                 first.companion.empty()
                                     ? std::string()
                                     : TemporaryName(first.companion)};
      for (const ShardPaths& paths : {first, second}) {
        const auto writer =
            c.format->create_writer(storage, paths, {c.choice()});
        REQUIRE(writer.ok());
        for (const OwnedSample& sample : MixedSamples()) {
          REQUIRE(c.Append(**writer, sample).ok());
        }
        REQUIRE((*writer)->Finish().ok());
      }
      CHECK((FileOf(storage, first.shard) == FileOf(storage, second.shard)));
      if (first.companion.empty()) continue;
      CHECK(FileOf(storage, first.companion) ==
            FileOf(storage, second.companion));
    }
  }
}

TEST_CASE("A format reports every failure of the storage under its writer",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const std::vector<OwnedSample> samples = MixedSamples();
      MemoryStorage intact;
      FaultStorage counting(intact, {.call = ~0ULL});
      REQUIRE(c.Write(counting, samples).ok());
      const std::uint64_t calls = counting.calls(Operation::kAny);
      CHECK(counting.calls(Operation::kWrite) > 0);
      CHECK(counting.calls(Operation::kSync) > 0);
      CHECK(counting.calls(Operation::kClose) > 0);
      for (std::uint64_t call = 0; call < calls; ++call) {
        for (const int error : {5 /* EIO */, 28 /* ENOSPC */}) {
          MemoryStorage below;
          FaultStorage storage(below, {.call = call, .error = error});
          const Status status = c.Write(storage, samples);
          INFO("call " << call);
          CHECK(storage.struck());
          CHECK(status.code() == Code::kIo);
          CHECK(status.system_error() == error);
          CHECK_FALSE(status.where().path.empty());
        }
      }
    }
  }
}

TEST_CASE("A format reports a write that stores only half of its bytes",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage intact;
      FaultStorage counting(intact, {.call = ~0ULL});
      REQUIRE(c.Write(counting, MixedSamples()).ok());
      const std::uint64_t writes = counting.calls(Operation::kWrite);
      for (std::uint64_t call = 0; call < writes; ++call) {
        MemoryStorage below;
        FaultStorage storage(below, {.operation = Operation::kWrite,
                                     .call = call,
                                     .effect = Fault::Effect::kShortWrite});
        CHECK(c.Write(storage, MixedSamples()).code() == Code::kIo);
      }
    }
  }
}

TEST_CASE("A format reports every failed read of its scanner",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage below;
      REQUIRE(c.Write(below, MixedSamples()).ok());
      const auto scan = [&](Storage& storage) {
        const auto file = storage.Open(c.paths().shard);
        REQUIRE(file.ok());
        const auto scanner = c.format->open_scanner(**file, c.choice());
        if (!scanner.ok()) return scanner.status();
        for (;;) {
          const auto next = (*scanner)->Next();
          if (!next.ok()) return next.status();
          if (!*next) return Status();
        }
      };
      FaultStorage counting(below, {.call = ~0ULL});
      REQUIRE(scan(counting).ok());
      const std::uint64_t reads = counting.calls(Operation::kRead);
      CHECK(reads > 0);
      for (std::uint64_t call = 0; call < reads; ++call) {
        FaultStorage storage(below,
                             {.operation = Operation::kRead, .call = call});
        const Status status = scan(storage);
        CHECK(status.code() == Code::kIo);
        CHECK(status.where().path == c.paths().shard);
      }
    }
  }
}

TEST_CASE("A format finds what is left of a cut shard and never more",
          "[conformance][corruption]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      const std::vector<OwnedSample> samples = SmallSamples(5);
      MemoryStorage storage;
      REQUIRE(c.Write(storage, samples).ok());
      const std::vector<OwnedSample> kept = c.Kept(samples);
      const std::string file = FileOf(storage, c.paths().shard);
      const std::string cut_path = "cut" + std::string(c.format->suffix);
      for (std::size_t size = 0; size < file.size(); size += kSweepStep) {
        storage.Put(cut_path, file.substr(0, size));
        const Scanned scanned = ScanFile(c, storage, cut_path);
        INFO("cut at " << size);
        CHECK((scanned.status.ok() || scanned.status.code() == Code::kCorrupt));
        REQUIRE(scanned.samples.size() < kept.size());
        for (std::size_t i = 0; i < scanned.samples.size(); ++i) {
          CHECK((scanned.samples[i] == kept[i]));
        }
      }
    }
  }
}

TEST_CASE("A format recognises its own files and no others", "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      for (const std::size_t count : {0U, 1U, 100U}) {
        MemoryStorage storage;
        REQUIRE(c.Write(storage, SmallSamples(count)).ok());
        const auto file = storage.Open(c.paths().shard);
        REQUIRE(file.ok());
        const auto detected = BuiltinFormats().Detect(**file);
        REQUIRE(detected.ok());
        CHECK(*detected == c.format);
      }
      for (std::uint64_t id = 0; id < 200; ++id) {
        const OwnedSample noise = MakeSample(id, id < 20 ? id + 1 : 4096);
        CHECK_FALSE(c.format->probe(AsBytes(noise.fields[0].bytes)));
      }
      CHECK_FALSE(c.format->probe(AsBytes("\xff\xd8\xff\xe0 and so on")));
      CHECK_FALSE(c.format->probe(AsBytes(std::string(4096, '\0'))));
    }
  }
}

TEST_CASE("A format's abandoned writer leaves no more than its own files",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      MemoryStorage storage;
      {
        const auto writer = c.NewWriter(storage, ".x.tmp");
        REQUIRE(writer.ok());
        for (const OwnedSample& sample : MixedSamples()) {
          REQUIRE(c.Append(**writer, sample).ok());
        }
      }
      const ShardPaths paths = c.paths(".x.tmp");
      const auto entries = storage.List(".");
      REQUIRE(entries.ok());
      for (const DirEntry& entry : *entries) {
        CHECK((entry.name == paths.shard || entry.name == paths.companion));
      }
      // And it can be begun again.
      CHECK(c.Write(storage, SmallSamples(3), ".x.tmp").ToString() == "OK");
    }
  }
}

TEST_CASE("A format recognises its golden files, and no other format does",
          "[conformance]") {
  Storage& storage = LocalStorage();
  const auto& formats = BuiltinFormats().formats();
  for (const Format* format : formats) {
    DYNAMIC_SECTION(format->name) {
      const std::string folder =
          SHARDINE_TESTDATA "/golden/" + std::string(format->name);
      const auto entries = storage.List(folder);
      REQUIRE(entries.ok());
      int recognised = 0;
      for (const DirEntry& entry : *entries) {
        if (BuiltinFormats().FindBySuffix(entry.name) != format) continue;
        INFO(entry.name);
        const auto file = storage.Open(JoinPath(folder, entry.name));
        REQUIRE(file.ok());
        std::byte head[4096];
        const auto size = (*file)->ReadAt(0, head);
        REQUIRE(size.ok());
        for (const Format* other : formats) {
          CHECK(other->probe(ByteView(head).first(*size)) == (other == format));
        }
        ++recognised;
      }
      CHECK(recognised > 0);
    }
  }
}

TEST_CASE("A format's companion agrees with its own shard and no other",
          "[conformance]") {
  for (const Case& c : AllCases()) {
    DYNAMIC_SECTION(c.name()) {
      if (c.layout->companion_suffix.empty()) continue;
      MemoryStorage storage;
      REQUIRE(c.Write(storage, SmallSamples(30)).ok());
      const Scanned scanned = ScanFile(c, storage, c.paths().shard);
      const auto check = [&](const std::vector<std::uint64_t>& offsets,
                             const std::vector<std::uint64_t>& ids) {
        return c.format->check_companion(storage, c.paths(), offsets, ids);
      };
      std::vector<std::uint64_t> offsets = scanned.offsets;
      std::vector<std::uint64_t> ids;
      for (std::uint64_t id = 0; id < 30; ++id) ids.push_back(id);
      CHECK(check(offsets, ids).ToString() == "OK");

      if (c.format->read_companion_ids != nullptr) {
        std::swap(ids[3], ids[4]);
        CHECK(check(offsets, ids).code() == Code::kCorrupt);
        std::swap(ids[3], ids[4]);
      }
      const std::string text = FileOf(storage, c.paths().companion);
      // One that lists records, not the shard alone.
      if (std::count(text.begin(), text.end(), '\n') >= 30) {
        offsets[29] += 4;
        CHECK(check(offsets, ids).code() == Code::kCorrupt);
        offsets.pop_back();
        ids.pop_back();
        CHECK(check(offsets, ids).code() == Code::kCorrupt);
      }
      storage.Put(c.paths().companion, text.substr(0, text.size() / 2));
      CHECK(check(offsets, ids).code() == Code::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace shardine::format_files_test
