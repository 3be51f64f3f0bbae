// Bounds on the cost of shardine's own side files, whose checksums anybody can
// compute: indexes, entry points, plans, journals, notes and records of work.
// Manifests: seed_cost_test.cc.
#include "base/compress.h"
#include "base/sealed_text.h"
#include "corruption/doubling.h"
#include "dataset/ignored.h"
#include "dataset/index_walk.h"
#include "dataset/journal_entry.h"
#include "dataset/rejects.h"
#include "pack/part_header.h"
#include "pack/shard_notes.h"
#include "resize/resize_record.h"
#include "support/entry_point_fixture.h"
#include "support/plan_parts.h"
#include "support/resize_fixture.h"
#include "support/seal_sidecar.h"
#include "support/side_file_numbers.h"
#include "support/task_fixture.h"
#include "tasks/plan_rows.h"
#include "tasks/task_note.h"
#include "tasks/verify_note.h"
#include "unit/shard/index_fixture.h"

namespace shardine::side_cost_test {
namespace {

IndexEntry EntryOf(std::size_t labels, std::size_t fields,
                   std::size_t extents) {
  IndexEntry entry = PhotoEntry(1);
  entry.labels.assign(labels, Label(1));
  for (std::size_t i = 0; i < fields; ++i) {
    entry.fields.push_back({"m" + Name(i), "|S", {}, {{1, 1}}});
  }
  for (std::size_t i = 0; i < extents; ++i) {
    entry.fields[0].extents.push_back({i % 2 * 90, 0});
  }
  return entry;
}

TEST_CASE("Rows, labels, fields and pieces of a sidecar cost what it has",
          "[cost][sidecar]") {
  const auto read = [](const std::string& bytes) {
    return ReadContents(bytes).status();
  };
  CheckDoubling(
      100, "OK",
      [](std::size_t size) {
        return IndexBytes(MakeContents(size, RichEntry));
      },
      read);
  const auto one = [&](std::size_t labels, std::size_t fields,
                       std::size_t extents) {
    CheckDoubling(
        100, "OK",
        [&](std::size_t size) {
          return IndexBytes(
              {{EntryOf(1 + labels * size, fields * size, extents * size)},
               {"key"}});
        },
        read);
  };
  one(1, 0, 0);
  one(0, 1, 0);
  one(0, 0, 1);
}

// A frame has keys of the same bytes again and again in little.
TEST_CASE("Keys of a sidecar take no more memory than its bytes allow",
          "[cost][sidecar]") {
  // Readers of all rows read them in this way.
  const auto read = [](const std::string& bytes) {
    MemoryStorage storage;
    storage.Put("x.sdx", bytes);
    const auto index = ShardIndex::Open(storage, "x.sdx");
    if (!index.ok()) return index.status();
    return WalkIndex(**index, [](auto...) { return Status(); });
  };
  CheckDoubling(
      8, "OK",
      [](std::size_t size) {
        IndexContents contents = MakeContents(size, PhotoEntry);
        for (std::string& key : contents.keys) key.assign(40'000, 'k');
        return IndexBytes(contents);
      },
      read);
  CheckDoubling(
      60, "claims more than its bytes allow",
      [](std::size_t size) {
        std::string keys;
        for (int i = 0; i < 256; ++i) {
          AppendLe(static_cast<std::uint32_t>(size), keys);
          keys += std::string(size, 'k');
        }
        std::string bytes = IndexBytes(MakeContents(256, PhotoEntry));
        ReplaceKeys(keys, bytes);
        SealSidecar(bytes);
        return bytes;
      },
      read);
}

// A shard of little more than one payload would be an output of any size.
TEST_CASE("Samples of a sidecar that share their payload end with the shard",
          "[cost][sidecar]") {
  IndexBinding binding = TestBinding();
  binding.shard_bytes = 1000;
  for (const std::size_t count : {2, 3, 100}) {
    IndexContents contents = MakeContents(count, PhotoEntry);
    for (IndexEntry& entry : contents.entries) {
      entry.fields[0].extents = {{0, 1000}};
    }
    MemoryStorage storage;
    storage.Put("x.sdx", IndexBytes(contents, binding));
    const auto index = ShardIndex::Open(storage, "x.sdx");
    REQUIRE(index.ok());
    std::size_t visited = 0;
    const Status status = WalkIndex(**index, [&](auto...) {
      ++visited;
      return Status();
    });
    CHECK(visited == 2);
    CHECK(status.code() == (count == 2 ? Code::kOk : Code::kCorrupt));
  }
}

std::string PointsBytes(std::size_t images, std::size_t points) {
  MemoryStorage storage;
  EntryPointFileWriter writer(storage, "x.sde");
  for (std::size_t i = 0; i < images; ++i) {
    REQUIRE(writer.Add(std::string(points, 'p')).ok());
  }
  const std::vector<std::uint32_t> crcs(images, 7);
  REQUIRE(writer.Publish(TestBinding(), crcs).ok());
  return *storage.Get("x.sde");
}

TEST_CASE("Rows and points of an entry point file cost what it has",
          "[cost][entry_points]") {
  const auto read = [](const std::string& bytes) {
    MemoryStorage storage;
    storage.Put("x.sde", bytes);
    const auto file = EntryPointFile::Open(storage, "x.sde");
    if (!file.ok()) return file.status();
    return (*file)->ForEach(0, (*file)->size(),
                            [](auto...) { return Status(); });
  };
  CheckDoubling(
      100, "OK", [](std::size_t size) { return PointsBytes(size, 20); }, read);
  CheckDoubling(
      1000, "OK", [](std::size_t size) { return PointsBytes(2, size); }, read);
  // All rows have the points of the first.
  CheckDoubling(
      20, "more of them than an image can have",
      [](std::size_t size) {
        std::string bytes = PointsBytes(size, 1000);
        const std::uint64_t directory =
            LoadLe<std::uint64_t>(&AsBytes(bytes)[bytes.size() - 4096 + 40]);
        for (std::size_t i = 0; i < size; ++i) {
          const std::size_t page = i / kEntryPointRowsPerPage;
          const std::size_t row = i % kEntryPointRowsPerPage;
          const std::size_t at =
              directory + page * kPageBytes + row * kEntryPointRowBytes;
          const auto to = std::as_writable_bytes(std::span(bytes)).data() + at;
          StoreLe(std::uint64_t{0}, to);
          StoreLe(static_cast<std::uint32_t>(size * 1000), to + 8);
        }
        SealEntryPoints(bytes);
        return bytes;
      },
      read);
}

// All that finalize reads of a plan.
Status ReadPlan(const std::string& bytes) {
  MemoryStorage storage;
  storage.Put(kPlan, bytes);
  const auto plan = PlanFile::Open(storage, kPlan, BuiltinFormats());
  if (!plan.ok()) return plan.status();
  const auto lists = (*plan)->ReadLists();
  if (!lists.ok()) return lists.status();
  SourceSet source = (*plan)->head().Source();
  for (const PlanShard& shard : (*plan)->shards()) {
    source.samples = SourceList();
    const Status read = (*plan)->ReadRows(shard, source);
    if (!read.ok()) return read;
  }
  return (*plan)->CheckDigest();
}

TEST_CASE("Lists, shards and rows of a plan cost what their bytes do",
          "[cost][plan]") {
  MemoryStorage storage;
  PutTree(storage, "tree", 2, 4, 300);
  REQUIRE(Plan(storage, TasksOf(PackOf("tree", "out"))).ok());
  const PlanParts parts = PlanParts::Of(storage, kPlan);
  const auto many = [&](const std::function<void(PlanParts&, std::size_t)>& add,
                        const std::string& end = "OK") {
    CheckDoubling(
        100, end,
        [&](std::size_t size) {
          PlanParts forged = parts;
          add(forged, size);
          return forged.Bytes();
        },
        ReadPlan);
  };
  many([](PlanParts& plan, std::size_t size) {
    plan.head.classes.assign(size, {"c", 7, 0, ""});
  });
  many([](PlanParts& plan, std::size_t size) {
    plan.lists.ignored.assign(size, {"k", "not-an-image-suffix", 0});
  });
  many([](PlanParts& plan, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      plan.head.made.options[Name(i)] = "1";
    }
  });
  many([](PlanParts& plan, std::size_t size) {
    plan.shards.resize(2);
    plan.rows.resize(2);
    for (std::size_t i = 0; i < size / 10; ++i) {
      plan.shards.push_back(plan.shards[1]);
      plan.rows.push_back(plan.rows[1]);
    }
  });
  // Rows of one key, and zeros that are no rows.
  many([](PlanParts& plan, std::size_t size) {
    SourceSet source;
    source.roots = plan.head.roots;
    source.splits = plan.head.splits;
    const Label label(1);
    for (std::size_t i = 0; i < size; ++i) {
      source.samples.Add("k", 1, {&label, 1}, 0);
    }
    PlannedShard& shard = plan.shards[0].planned;
    shard.count = size;
    shard.listed_at = 0;
    const ShardPlan made = ShardPlan::Outline(std::move(source), {shard}, {});
    plan.rows[0] = EncodePlanRows(made, made.shards()[0]);
  });
  many([](PlanParts& plan,
          std::size_t size) { plan.rows[0].assign(300 * size, '\0'); },
       "no such samples");
}

TEST_CASE("Journals and notes cost what their bytes do", "[cost][journal]") {
  const auto journal = [](const std::string& text) {
    static_cast<void>(IsLikeJournal(text));
    return ParseJournal(text) ? Status() : Status(Code::kCorrupt, "none");
  };
  const auto many =
      [&](const std::function<void(JournalEntry&, std::size_t)>& add) {
        CheckDoubling(
            50, "OK",
            [&](std::size_t size) {
              JournalEntry entry;
              for (std::size_t i = 0; i < size; ++i) add(entry, i);
              return JournalText(entry);
            },
            journal);
      };
  many([](auto& entry, std::size_t i) { entry.shards[Name(i)] = 1; });
  many([](auto& entry, std::size_t i) { entry.published[Name(i)] = {}; });
  many([](auto& entry, std::size_t i) {
    entry.made.sources.push_back(Name(i));
  });
  for (const std::string magic :
       {"shardine journal 3\n", "shardine note 1\n"}) {
    for (const bool lists : {false, true}) {
      CheckDoubling(
          5'000, "",
          [&](std::size_t size) {
            return SealText(magic + (lists ? Lists(size) : Numbers(size)) +
                            "\n");
          },
          [](const std::string& text) {
            static_cast<void>(ParseJournal(text));
            static_cast<void>(ParseTaskNote(text));
            return Status();
          });
    }
  }
}

TEST_CASE("Notes of tasks and shards cost what their bytes do",
          "[cost][notes]") {
  const auto task = [](const std::string& text) {
    return ParseTaskNote(text) ? Status() : Status(Code::kCorrupt, "none");
  };
  const auto many =
      [&](const std::function<void(TaskNote&, std::size_t)>& add) {
        CheckDoubling(
            50, "OK",
            [&](std::size_t size) {
              TaskNote note;
              note.shard = "x";
              for (std::size_t i = 0; i < size; ++i) add(note, i);
              return TaskNoteText(note);
            },
            task);
      };
  many([](auto& note, std::size_t i) { note.left_out.push_back(i); });
  many([](auto& note, std::size_t) { note.sizes.emplace_back(); });
  many([](auto& note, std::size_t) { note.variants.emplace_back(); });

  const auto verified = [](const std::string& text) {
    return ParseVerifyNote(text) ? Status() : Status(Code::kCorrupt, "none");
  };
  CheckDoubling(
      50, "OK",
      [](std::size_t size) {
        VerifyNote note;
        note.outcome.findings.assign(size, Status(Code::kCorrupt, "x"));
        return VerifyNoteText(note);
      },
      verified);
  CheckDoubling(
      50, "OK",
      [](std::size_t size) {
        VerifyNote note;
        note.outcome.sums.ids.assign(size, 1);
        for (std::size_t i = 0; i < size; ++i) note.outcome.kept[Name(i)] = 1;
        return VerifyNoteText(note);
      },
      verified);

  const auto shard = [](const std::string& text) {
    MemoryStorage storage;
    const OutputFolder output(storage, "out");
    storage.Put(ShardNotesPath(output, "s"), text);
    const auto read = ReadShardNotes(output, "s");
    ShardNotes notes;
    static_cast<void>(AddShardSums(output, "s", notes));
    return read.status();
  };
  CheckDoubling(
      20, "OK",
      [](std::size_t size) {
        ShardNotes notes;
        for (std::size_t i = 0; i < size; ++i) notes.files[i] = {};
        MemoryStorage storage;
        const OutputFolder output(storage, "out");
        REQUIRE(storage.CreateDirectories("out/.pack").ok());
        REQUIRE(SaveShardNotes(output, "s", notes).ok());
        return *storage.Get(ShardNotesPath(output, "s"));
      },
      shard);
  CheckDoubling(1000, "", Lists, shard);

  const auto part = [](const std::string& text) {
    return ParsePartHeader(text).status();
  };
  CheckDoubling(
      50, "OK",
      [](std::size_t size) {
        DatasetWriterOptions options{.output = {}, .format = "recordio"};
        options.classes.assign(size, {"name", 1, "text"});
        return PartHeaderText(options);
      },
      part);
  CheckDoubling(5'000, "", Lists, part);
}

TEST_CASE("Lists of rejected and ignored files cost what their bytes do",
          "[cost][rejects]") {
  const auto rejected = [](const std::string& text) {
    return ParseRejectLines(text).status();
  };
  const auto ignored = [](const std::string& text) {
    MemoryStorage storage;
    storage.Put("ignored.jsonl", text);
    return ForIgnoredKeys(storage, "ignored.jsonl", [](const auto&) {});
  };
  const std::string line = RejectLine({"train", "k", "empty", "skip", ""});
  CheckDoubling(
      50, "OK", [&](std::size_t size) { return Times(size, line); }, rejected);
  CheckDoubling(
      50, "OK", [&](std::size_t size) { return Times(size, line); }, ignored);
  for (const auto& make : {Lists, Numbers}) {
    CheckDoubling(
        5'000, "not a list",
        [&](std::size_t size) { return make(size) + "\n"; }, rejected);
    CheckDoubling(
        5'000, "", [&](std::size_t size) { return make(size) + "\n"; },
        ignored);
  }
}

// A forged record of a tree of five photos, with frames of its own.
TEST_CASE("Rows and lines of the record of a resize cost what their bytes do",
          "[cost][resize]") {
  MemoryStorage storage;
  PutPhotos(storage, "tree");
  const ResizeOptions options = ResizeOf("tree", "out");
  REQUIRE(ResizeTree(options, {.storage = &storage}).status().ToString() ==
          "OK");
  const std::string path = "out/.resize/record";
  const std::string record = *storage.Get(path);
  const OutputFolder output(storage, "out");
  const auto plan = ResizePlan::Make(storage, output, options);
  REQUIRE(plan.ok());
  const auto read = [&](const std::string& bytes) {
    storage.Put(path, bytes);
    return ResizeRecord::Open(output, *plan, OnBad::kFail).status();
  };
  const auto frame = [](std::uint32_t rows, const std::string& bytes,
                        const std::string& text) {
    std::string made;
    AppendLe(rows, made);
    AppendLe(static_cast<std::uint32_t>(text.size()), made);
    made += bytes + text;
    AppendLe(Xxh3_64(AsBytes(made)), made);
    return made;
  };
  constexpr std::size_t kRow = 8 + 8 + 2 * 13;
  CheckDoubling(
      50, "no longer has",
      [&](std::size_t size) {
        return record +
               frame(static_cast<std::uint32_t>(size),
                     Each(size,
                          [](std::size_t i) {
                            std::string row(kRow, '\1');
                            StoreLe(
                                std::uint64_t{i},
                                std::as_writable_bytes(std::span(row)).data());
                            return row;
                          }),
                     "");
      },
      read);
  CheckDoubling(
      50, "OK",
      [&](std::size_t size) {
        return Times(1, record) +
               Each(size, [&](std::size_t) { return frame(0, "", ""); });
      },
      read);
  CheckDoubling(
      50, "",
      [&](std::size_t size) {
        const std::string line =
            "7 " + RejectLine({"train", "k", "empty", "skip", ""});
        return record + frame(0, "", Times(size, line));
      },
      read);
  CheckDoubling(
      5'000, "not a record",
      [&](std::size_t size) {
        return record + frame(0, "", "7 " + Lists(size) + "\n");
      },
      read);
}

}  // namespace
}  // namespace shardine::side_cost_test
