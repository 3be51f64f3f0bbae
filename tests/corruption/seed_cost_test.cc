// Bounds on the cost of the other kinds of foreign bytes that the fuzzers know:
// files of samples, images, lists, side files, and words of servers and users.
#include <fstream>
#include <sstream>

#include "corruption/doubling.h"
#include "dataset/manifest.h"
#include "image/check_image.h"
#include "image/probe.h"
#include "recordio/irheader.h"
#include "recordio/recordio_framing.h"
#include "remote/aws_profile.h"
#include "remote/credential_services.h"
#include "remote/http_answer.h"
#include "remote/s3_answer.h"
#include "source/list_file.h"
#include "support/jpeg_maker.h"
#include "support/png_maker.h"
#include "tasks/task_note.h"
#include "tasks/task_traces.h"
#include "tasks/verify_note.h"
#include "unit/lmdb/file_maker.h"
#include "unit/tfrecord/tfrecord_bytes.h"
#include "unit/webdataset/tar_bytes.h"

namespace shardine::seed_cost_test {
namespace {

const std::string kJpeg = "\xff\xd8\xff\xe0";

std::string RecordIoFile(std::size_t count, const std::string& record) {
  MemoryStorage storage;
  auto file = storage.Create("x");
  REQUIRE(file.ok());
  RecordIoFileWriter writer(*std::move(file));
  while (count-- > 0) REQUIRE(writer.Append({}, AsBytes(record)).ok());
  REQUIRE(writer.Finish().ok());
  return *storage.Get("x");
}

TEST_CASE("Records and labels of RecordIO cost what their bytes do",
          "[cost][recordio]") {
  const auto record = [](std::size_t labels, const std::string& image) {
    std::string bytes;
    AppendRecordPrefix(7, std::vector<Label>(labels, Label(1)), bytes);
    return bytes + image;
  };
  CheckDoubling("recordio/mxnet", 10, "OK", [&](std::size_t size) {
    return RecordIoFile(size, record(1, kJpeg));
  });
  CheckDoubling("recordio/mxnet", 100, "OK", [&](std::size_t size) {
    return RecordIoFile(2, record(size, kJpeg));
  });
  // A record of a part for each magic number in it.
  CheckDoubling("recordio/mxnet", 100, "OK", [&](std::size_t size) {
    return RecordIoFile(2, record(1, Times(size, "\x0a\x23\xd7\xce")));
  });
}

TEST_CASE("Records and features of TFRecord cost what their bytes do",
          "[cost][tfrecord]") {
  using Features = std::vector<std::pair<std::string, std::string>>;
  const auto file = [](std::size_t count, const Features& more) {
    Features features = {{"image/encoded", BytesFeature({kJpeg})}};
    features.insert(features.end(), more.begin(), more.end());
    return FileOf(std::vector<std::string>(count, ExampleOf(features)));
  };
  const std::string format = "tfrecord/imagenet";
  CheckDoubling(format, 10, "OK",
                [&](std::size_t size) { return file(size, {}); });
  CheckDoubling(format, 10, "", [&](std::size_t size) {
    Features features;
    for (std::size_t i = 0; i < size; ++i) {
      features.emplace_back(Name(i), Int64Feature({1}));
    }
    return file(1, features);
  });
  // One name again and again, and one feature of many values.
  CheckDoubling(format, 10, "", [&](std::size_t size) {
    return file(1, Features(size, {"same", Int64Feature({1})}));
  });
  CheckDoubling(format, 100, "OK", [&](std::size_t size) {
    return file(1, {{"image/class/label",
                     Int64Feature(std::vector<std::int64_t>(size, 1))}});
  });
  CheckDoubling(format, 100, "", [&](std::size_t size) {
    return file(1, {{"texts", BytesFeature(std::vector<std::string>(size))}});
  });
  CheckDoubling(format, 100, "OK", [&](std::size_t size) {
    return file(1, {{"reals", FloatFeature(std::vector<float>(size, 0.5F))}});
  });
}

TEST_CASE("Samples, members and labels of tars cost what their bytes do",
          "[cost][tar]") {
  CheckDoubling("webdataset", 4, "OK", [](std::size_t size) {
    return Each(size,
                [](std::size_t i) {
                  return TarFile(Name(i) + ".jpg", kJpeg) +
                         TarFile(Name(i) + ".cls", "1");
                }) +
           kTarEnd;
  });
  CheckDoubling("webdataset", 4, "OK", [](std::size_t size) {
    return Each(size,
                [](std::size_t i) { return TarFile("a." + Name(i), "1"); }) +
           kTarEnd;
  });
  CheckDoubling("webdataset", 1000, "OK", [](std::size_t size) {
    return TarFile("a.jpg", kJpeg) +
           TarFile("a.json", R"({"labels": [1)" + Times(size, ",1") + "]}") +
           kTarEnd;
  });
  CheckDoubling("webdataset", 1000, "OK", [](std::size_t size) {
    return TarFile("a.jpg", kJpeg) +
           TarFile("a.json", Times(size, "[") + Times(size, "]")) + kTarEnd;
  });
  // Records of one header, of many words and of one.
  for (const bool many : {false, true}) {
    CheckDoubling("webdataset", 30, "OK", [&](std::size_t size) {
      return TarFile("x",
                     Each(size,
                          [&](std::size_t i) {
                            return PaxRecord(many ? Name(i) : "w", "v");
                          }),
                     'x') +
             TarFile("a.jpg", kJpeg) + kTarEnd;
    });
  }
}

// A tree of leaves of eight entries, below branches of eight.
std::string EntriesFile(std::size_t count, const std::string& value) {
  constexpr std::size_t kEach = 8;
  std::string pages;
  std::uint64_t next = 2;
  std::vector<std::pair<std::string, std::uint64_t>> level;
  for (std::size_t i = 0; i < count; i += kEach) {
    PageMaker leaf(next, kLmdbLeaf, kSmallPage);
    for (std::size_t k = i; k < std::min(count, i + kEach); ++k) {
      leaf.Value(Name(k), value);
    }
    level.emplace_back(Name(i), next++);
    pages += leaf.Make();
  }
  LmdbMeta meta{.depth = 1, .leaf_pages = level.size(), .entries = count};
  while (level.size() > 1) {
    std::vector<std::pair<std::string, std::uint64_t>> above;
    for (std::size_t i = 0; i < level.size(); i += kEach) {
      PageMaker branch(next, kLmdbBranch, kSmallPage);
      for (std::size_t k = i; k < std::min(level.size(), i + kEach); ++k) {
        branch.Child(k == i ? "" : level[k].first, level[k].second);
      }
      above.emplace_back(level[i].first, next++);
      pages += branch.Make();
    }
    level = above;
    ++meta.depth;
    meta.branch_pages += level.size();
  }
  meta.root = level[0].second;
  return MadeFile(meta, pages);
}

TEST_CASE("Entries and floats of LMDB cost what their bytes do",
          "[cost][lmdb]") {
  const auto datum = [](const std::string& rest) {
    return std::string("\x08\1\x10\1\x18\1\x28\1") + rest;
  };
  const auto database = [](const std::string& value) {
    const std::string pages = ValuePages(3, value);
    PageMaker leaf(2, kLmdbLeaf, kSmallPage);
    leaf.Overflow("00000000", static_cast<std::uint32_t>(value.size()), 3);
    return MadeFile({.root = 2,
                     .depth = 1,
                     .leaf_pages = 1,
                     .overflow_pages = pages.size() / kSmallPage,
                     .entries = 1},
                    leaf.Make() + pages);
  };
  CheckDoubling("lmdb/datum", 10, "OK", [&](std::size_t size) {
    return EntriesFile(size, datum("\x22\4" + kJpeg + "\x38\1"));
  });
  // Floats one by one, the data again and again, fields that nobody knows.
  for (const std::string part : {"\x35"
                                 "abcd",
                                 "\x22\1d", "\x4a\1u"}) {
    CheckDoubling("lmdb/datum", 1000, "", [&](std::size_t size) {
      return database(datum(Times(size, part)));
    });
  }
}

Status CheckImages(const std::string& image) {
  const ByteView bytes = AsBytes(image);
  const std::uint64_t trailing = TrailingBytes(bytes);
  const ImageVerdict verdict = CheckImage(bytes, ImageCheck::kDecode);
  if (verdict.good() && trailing == 0) return {};
  return Status(Code::kCorrupt, verdict.reason + " " + verdict.detail);
}

TEST_CASE("Segments, scans and chunks of images cost what their bytes do",
          "[cost][image]") {
  const std::string jpeg = MakeJpeg({.width = 16, .height = 16});
  const auto check = [](std::size_t first, const std::string& end,
                        const std::function<std::string(std::size_t)>& make) {
    CheckDoubling(first, end, make, CheckImages);
  };
  check(100, "OK", [&](std::size_t size) {
    return InsertAfterSoi(jpeg, Times(size, JpegSegment(0xe5, "app")));
  });
  check(100, "OK", [&](std::size_t size) {
    return InsertAfterSoi(jpeg, Times(size, ExifSegment(6, true)));
  });
  const JpegMarkerPlace tables = FindJpegMarker(jpeg, 0xdb);
  check(100, "OK", [&](std::size_t size) {
    return InsertAfterSoi(jpeg,
                          Times(size, jpeg.substr(tables.offset, tables.size)));
  });
  check(1, "", [&](std::size_t size) { return MakeManyScans(size); });
  check(16, "OK", [&](std::size_t size) {
    return MakeJpeg({.width = 64,
                     .height = static_cast<std::uint32_t>(size),
                     .restart_mcus = 1});
  });
  check(100, "",
        [&](std::size_t size) { return jpeg + Times(size, "\xff\xd8"); });
  check(10, "", [&](std::size_t size) { return jpeg + Times(size, jpeg); });

  const PngSpec spec;
  const std::string data = ZlibStored(PngPixelData(spec));
  const std::string before = PngSignature() + PngHeaderChunk(spec);
  const std::string after =
      MakePngChunk("IDAT", data) + MakePngChunk("IEND", "");
  check(100, "OK", [&](std::size_t size) {
    return before + Times(size, MakePngChunk("tEXt", "a")) + after;
  });
  check(100, "", [&](std::size_t size) {
    return before + Times(size, MakePngChunk("IDAT", "")) + after;
  });
  check(16, "OK", [&](std::size_t size) {
    return MakePng({.width = 64,
                    .height = static_cast<std::uint32_t>(size),
                    .idat_size = 1});
  });
}

TEST_CASE("Lines and labels of lists cost what their bytes do",
          "[cost][list]") {
  const auto read = [](const std::string& bytes) {
    MemoryStorage storage;
    storage.Put("list", bytes);
    const auto file = storage.Open("list");
    REQUIRE(file.ok());
    ListReader reader(**file);
    for (ListEntry entry;;) {
      const auto more = reader.Next(entry);
      if (!more.ok() || !*more) return more.status();
    }
  };
  CheckDoubling(
      300, "OK",
      [](std::size_t size) {
        return Each(size, [](std::size_t i) {
          return std::to_string(i) + "\t1\tp/" + Name(i) + "\n";
        });
      },
      read);
  CheckDoubling(
      300, "",
      [](std::size_t size) { return "0\t" + Times(size, "1\t") + "path\n"; },
      read);
  CheckDoubling(
      300, "",
      [](std::size_t size) { return "0\t1\t" + Times(size, "p/") + "\n"; },
      read);
  CheckDoubling(
      300, "OK", [](std::size_t size) { return Times(size, "\r\n"); }, read);
}

std::string Seed(const std::string& name) {
  std::ifstream file(SHARDINE_TESTDATA "/seeds/" + name);
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  return text.str();
}

TEST_CASE("Lists and levels of manifests and notes cost what their bytes do",
          "[cost][manifest]") {
  const auto manifest = ParseManifest(Seed("manifest/two_splits.json"));
  REQUIRE(manifest.status().ToString() == "OK");
  const auto parse = [](const std::string& text) {
    static_cast<void>(ParseTaskNote(text));
    static_cast<void>(ParseVerifyNote(text));
    static_cast<void>(ParseRunningTask(text));
    static_cast<void>(ParseFailedTask(text));
    static_cast<void>(ParseCredentials(text, "here"));
    return ParseManifest(text).status();
  };
  const auto many =
      [&](const std::function<void(Manifest&, std::size_t)>& add) {
        CheckDoubling(
            50, "",
            [&](std::size_t size) {
              Manifest made = *manifest;
              for (std::size_t i = 0; i < size; ++i) add(made, i);
              return SerializeManifest(made);
            },
            parse);
      };
  many([](Manifest& made, std::size_t i) {
    made.classes.push_back({Name(i), static_cast<std::int64_t>(i + 1000), 0});
  });
  many([](Manifest& made, std::size_t i) {
    made.splits.back().shards.push_back({{"w" + Name(i), 1, {}}, 0, {}});
  });
  many([](Manifest& made, std::size_t i) {
    auto& companions = made.splits.back().shards.back().companions;
    companions.push_back({"z" + Name(i), 1, {}});
  });
  many([](Manifest& made, std::size_t i) {
    made.files.push_back({"z" + Name(i), 1, {}});
  });
  many([](Manifest& made, std::size_t i) {
    made.rejected.push_back({"z" + Name(i), "skip", 1});
    made.ignored.push_back({"z" + Name(i), 1});
  });
  many([](Manifest& made, std::size_t i) {
    made.made.options["x" + Name(i)] = "1";
    made.splits.back().lacking["x" + Name(i)] = 1;
  });
  // The other texts are of 1 MiB at most.
  const auto manifest_alone = [](const std::string& text) {
    return ParseManifest(text).status();
  };
  CheckDoubling(5'000, "", Numbers, manifest_alone);
  CheckDoubling(5'000, "", Lists, manifest_alone);
  CheckDoubling(
      300, "",
      [&](std::size_t size) { return Times(size, "[") + Times(size, "]"); },
      parse);
  CheckDoubling(
      300, "",
      [&](std::size_t size) {
        return "{" + Times(size, R"("a":1,)") + R"("b":2})";
      },
      parse);
}

TEST_CASE("Words of servers and users cost what their bytes do",
          "[cost][remote]") {
  const auto listing = [](const std::string& xml) {
    return ParseS3Listing(xml, "p/").status();
  };
  const auto listed = [](const std::string& contents) {
    return "<ListBucketResult><IsTruncated>false</IsTruncated>" + contents +
           "</ListBucketResult>";
  };
  CheckDoubling(
      100, "OK",
      [&](std::size_t size) {
        return listed(Each(size, [](std::size_t i) {
          return "<Contents><Key>p/" + Name(i) +
                 "</Key><Size>3</Size><LastModified>2026-01-01T00:00:00.000Z"
                 "</LastModified></Contents>";
        }));
      },
      listing);
  CheckDoubling(
      300, "",
      [&](std::size_t size) {
        return listed(Times(size, "<a>") + Times(size, "</a>"));
      },
      listing);
  CheckDoubling(
      300, "",
      [&](std::size_t size) {
        return listed("<Contents><Key>p/" + Times(size, "&amp;") +
                      "</Key></Contents>");
      },
      listing);

  const auto profile = [](const std::string& text) {
    static_cast<void>(ParseAwsFile(text));
    return Status();
  };
  CheckDoubling(
      100, "OK",
      [](std::size_t size) {
        return Each(size, [](std::size_t i) {
          return "[profile " + Name(i) + "]\nregion = r\ns3 =\n  a = b\n";
        });
      },
      profile);
  CheckDoubling(
      100, "OK",
      [](std::size_t size) {
        return Times(size, "[default]\nregion = r\n  more\n");
      },
      profile);

  const auto answer = [](const std::string& text) {
    HttpAnswer parsed;
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t line = rest.find('\n') + 1;
      if (!parsed.AddLine(rest.substr(0, line))) break;
      rest.remove_prefix(line);
    }
    return Status();
  };
  CheckDoubling(
      100, "OK",
      [](std::size_t size) {
        return "HTTP/1.1 200 OK\r\n" + Each(size, [](std::size_t i) {
                 return "x-" + Name(i) + ": " + Name(i) + "\r\n";
               });
      },
      answer);
  CheckDoubling(
      300, "OK",
      [](std::size_t size) {
        return "HTTP/1.1 200 OK\r\nETag: " + Times(size, "e") + "\r\n";
      },
      answer);
}

}  // namespace
}  // namespace shardine::seed_cost_test
