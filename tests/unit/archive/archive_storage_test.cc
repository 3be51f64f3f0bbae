#include "archive/archive_storage.h"

#include <algorithm>

#include "archive/plain_tar.h"
#include "unit/archive/tar_blocks.h"
#include "unit/archive/zip_bytes.h"

namespace shardine::archive_storage_test {
namespace {

bool IsJpg(std::string_view name) { return name.ends_with(".jpg"); }

// One archive "in/x", read as a folder.
struct World {
  explicit World(std::string archive) : storage(below) {
    below.Put("in/x", std::move(archive));
    const auto result = storage.Add("in/x", IsJpg);
    status = result.status();
    if (result.ok()) added = *result;
  }

  std::string Read(const std::string& path) {
    const auto file = storage.Open(path);
    if (!file.ok()) return file.status().ToString();
    std::string text((*file)->size(), '?');
    const auto count = (*file)->ReadAt(
        0, std::as_writable_bytes(std::span(text.data(), text.size())));
    return count.ok() ? text.substr(0, *count) : count.status().ToString();
  }
  // "name" of files, "name/" of folders.
  std::string Names(const std::string& path) {
    auto listed = storage.List(path);
    if (!listed.ok()) return listed.status().ToString();
    std::ranges::sort(*listed, {}, &DirEntry::name);
    std::string text;
    for (const DirEntry& entry : *listed) {
      text += (text.empty() ? "" : " ") + entry.name +
              (entry.kind == FileKind::kDirectory ? "/" : "");
    }
    return text;
  }

  MemoryStorage below;
  ArchiveStorage storage;
  ArchiveStorage::Added added;
  Status status;
};

std::string Link(char type, const std::string& name,
                 const std::string& target) {
  std::string block =
      HeaderBlock({.name = name, .size = Octal(0), .type = type});
  block.replace(157, target.size(), target);
  long sum = 8 * ' ';
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(block[i]);
  }
  char text[16];
  std::snprintf(text, sizeof(text), "%06lo", sum);
  return block.replace(148, 6, text);
}

std::string Folder(const std::string& name) {
  return HeaderBlock({.name = name, .size = Octal(0), .type = '5'});
}

TEST_CASE("A tar is a tree of folders", "[archive_storage]") {
  World world(Folder("./") + Folder("./b/") + TarFile("./b/2.jpg", "two") +
              TarFile("a/c/1.jpg", "one") + TarFile("a!", "") +
              Folder("empty") + kTarEnd);
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.Names("in/x") == "a/ a! b/ empty/");
  CHECK(world.Names("in/x/") == "a/ a! b/ empty/");
  CHECK(world.Names("in/x/./a") == "c/");
  CHECK(world.Names("in/x/empty") == "");
  CHECK(world.Names("in/x/none") == "in/x/none: list: no such file or folder");
  CHECK(world.Read("in/x/a/c/1.jpg") == "one");
  CHECK(world.Read("in/x/b/2.jpg") == "two");
  CHECK(world.Read("in/x/a!") == "");
  CHECK(world.storage.Open("in/x/a").status().code() == Code::kUnsupported);
  CHECK(world.storage.Open("in/x/a/d").status().code() == Code::kNotFound);
  CHECK(world.storage.Stat("in/x")->kind == FileKind::kDirectory);
  CHECK(world.storage.Stat("in/x/b/2.jpg")->size == 3);
  CHECK(world.storage.Stat("in/x/b/2.jpg")->mtime_ns ==
        world.below.Stat("in/x")->mtime_ns);
}

TEST_CASE("Files beside an archive are read as before", "[archive_storage]") {
  World world(TarFile("a.jpg", "x") + kTarEnd);
  world.below.Put("in/xy", "beside");
  CHECK(world.Read("in/xy") == "beside");
  CHECK(world.Names("in") == "x xy");
}

TEST_CASE("Links are the files that they lead to", "[archive_storage]") {
  World world(TarFile("a/1.jpg", "one") + Link('1', "b/2.jpg", "a/1.jpg") +
              Link('2', "b/3.jpg", "../a/4.jpg") +
              Link('2', "a/4.jpg", "./1.jpg") + kTarEnd);
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.Names("in/x/b") == "2.jpg 3.jpg");
  CHECK(world.Read("in/x/b/2.jpg") == "one");
  CHECK(world.Read("in/x/b/3.jpg") == "one");
}

TEST_CASE("The last member of a name holds", "[archive_storage]") {
  World world(TarFile("a.jpg", "old") + TarFile("./a.jpg", "new") + kTarEnd);
  CHECK(world.Read("in/x/a.jpg") == "new");
  CHECK(world.added.repeated == 1);
}

TEST_CASE("A tar of tars has them as folders", "[archive_storage]") {
  const std::string inner = TarFile("1.jpg", "one") + kTarEnd;
  World world(TarFile("n01.tar", inner) + TarFile("README", "x") +
              TarFile("n02.tar", TarFile("2.jpg", "two") +
                                     Link('1', "3.jpg", "2.jpg") + kTarEnd) +
              kTarEnd);
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.Names("in/x") == "README n01/ n02/");
  CHECK(world.Read("in/x/n01/1.jpg") == "one");
  CHECK(world.Read("in/x/n02/3.jpg") == "two");
  World mixed(TarFile("n01.tar", inner) + TarFile("0.jpg", "x") + kTarEnd);
  CHECK(mixed.Names("in/x") == "0.jpg n01.tar");
}

TEST_CASE("Names and sizes of pax, GNU and base 256 are read",
          "[archive_storage]") {
  const std::string name(300, 'n');
  const std::string pax =
      PaxRecord("path", "p/" + name) + PaxRecord("mtime", "1.5");
  std::string size("\x80", 1);
  size += std::string(10, '\0') + '\3';
  World world(TarFile("@pax", pax, 'x') + TarFile("cut", "one") +
              TarFile("@long", "g/" + name + std::string(1, '\0'), 'L') +
              TarFile("cut", "two") + HeaderBlock({.name = "b", .size = size}) +
              Padded("256") +
              HeaderBlock({.name = "u", .size = Octal(1), .prefix = "pre"}) +
              Padded("u") + kTarEnd);
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.Read("in/x/p/" + name) == "one");
  CHECK(world.Read("in/x/g/" + name) == "two");
  CHECK(world.Read("in/x/b") == "256");
  CHECK(world.Read("in/x/pre/u") == "u");
}

TEST_CASE("Hostile tars are refused", "[archive_storage]") {
  const auto check = [](const std::string& archive, Code code,
                        const std::string& text) {
    INFO(text);
    const Status status = World(archive).status;
    CHECK(status.code() == code);
    CHECK_THAT(status.ToString(), Catch::Contains(text));
    CHECK_THAT(status.ToString(), Catch::StartsWith("in/x"));
  };
  const std::string file = TarFile("a.jpg", "x");
  using enum Code;
  check(file + TarFile("/etc/a.jpg", "x") + kTarEnd, kInvalidArgument,
        "byte 1024: member \"/etc/a.jpg\": its path is absolute");
  check(TarFile("b/../../a.jpg", "x") + kTarEnd, kInvalidArgument, "climbs");
  check(TarFile("@", PaxRecord("path", std::string("a\0b", 3)), 'x') + file +
            kTarEnd,
        kInvalidArgument, "NUL");
  check(TarFile("@", std::string(5000, 'a'), 'L') + file + kTarEnd,
        kInvalidArgument, "4096");
  check(file + TarFile("a.jpg/b", "x") + kTarEnd, kUnsupported, "a folder");
  check(file + Folder("a.jpg") + kTarEnd, kUnsupported, "a folder");
  check(Link('2', "d", "/etc") + TarFile("d/a.jpg", "x") + kTarEnd,
        kUnsupported, "a folder");
  check(Link('2', "a.jpg", "/etc/passwd") + kTarEnd, kUnsupported, "-h of tar");
  check(Link('2', "a.jpg", "../../x") + kTarEnd, kUnsupported, "-h of tar");
  check(Link('2', "a.jpg", "a.jpg") + kTarEnd, kUnsupported, "itself");
  check(Folder("d") + Link('2', "a.jpg", "d") + kTarEnd, kUnsupported,
        "no file of the archive");
  check(Link('1', "b.jpg", "a.jpg") + file + kTarEnd, kUnsupported,
        "comes after it");
  check(Link('1', "b.jpg", "none") + kTarEnd, kUnsupported, "no file before");
  check(Link('1', "b.jpg", "../none") + kTarEnd, kInvalidArgument, "climbs");
  check(TarFile("s", "", 'S') + kTarEnd, kUnsupported, "-S");
  check(TarFile("@", PaxRecord("GNU.sparse.major", "1"), 'x') + file + kTarEnd,
        kUnsupported, "-S of tar");
  check(TarFile("d", "", '3') + kTarEnd, kUnsupported, "a device");
  check(TarFile("f", "", '6') + kTarEnd, kUnsupported, "a FIFO");
  check(TarFile("a/", "x", '0') + kTarEnd, kInvalidArgument, "of a folder");
  check(file, kCorrupt, "byte 1024: the archive ends without its end marker");
  check(file.substr(0, 700), kCorrupt, "reaches beyond the end");
  check(file + HeaderBlock({.name = "l", .size = Octal(1ull << 32)}) + kTarEnd,
        kCorrupt, "byte 1024: a file of 4294967296 bytes");
  check(HeaderBlock({.name = "l", .size = std::string(12, '\xff')}) + kTarEnd,
        kCorrupt, "no number");
  check(file + kTarEnd + file, kCorrupt, "follows the end marker");
  check(TarFile("n.tar", file + "rest") + kTarEnd, kCorrupt, "in/x/n.tar");
  check(TarFile("n.tar", TarFile("../a.jpg", "") + kTarEnd) + kTarEnd,
        kInvalidArgument, "climbs");
}

TEST_CASE("A zip is a tree of folders", "[archive_storage]") {
  const bool has_zip64 = GENERATE(false, true);
  World world(
      ZipOf({{.name = "b/", .plain = ""},
             {.name = "b/1.jpg", .plain = "one"},
             {.name = "b/2.jpg", .plain = "two", .stored = Deflated("two")},
             {.name = "c.jpg", .plain = "x", .flags = 8, .has_zip64 = true},
             {.name = "l.jpg", .plain = "b/2.jpg", .mode = 0120777},
             {.name = "none", .plain = "", .stored = Deflated("")},
             {.name = "__MACOSX/._c.jpg", .plain = "mac"}},
            has_zip64));
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.Names("in/x") == "b/ c.jpg l.jpg none");
  CHECK(world.Read("in/x/b/1.jpg") == "one");
  CHECK(world.Read("in/x/b/2.jpg") == "two");
  CHECK(world.Read("in/x/c.jpg") == "x");
  CHECK(world.Read("in/x/l.jpg") == "two");
  CHECK(world.Read("in/x/none") == "");
  CHECK(world.added.left_out == 1);
  // From the middle.
  const auto file = world.storage.Open("in/x/b/2.jpg");
  std::byte bytes[8];
  CHECK(*(*file)->ReadAt(1, bytes) == 2);
  CHECK(AsText(std::span(bytes).first(2)) == "wo");
  CHECK(*(*file)->ReadAt(0, std::span(bytes).first(1)) == 1);
  CHECK(*(*file)->ReadAt(3, bytes) == 0);
}

TEST_CASE("Hostile zips are refused", "[archive_storage]") {
  const auto check = [](const std::string& archive, Code code,
                        const std::string& text) {
    INFO(text);
    const Status status = World(archive).status;
    CHECK(status.code() == code);
    CHECK_THAT(status.ToString(), Catch::Contains(text));
    CHECK_THAT(status.ToString(), Catch::StartsWith("in/x"));
  };
  using enum Code;
  const ZipFile one{.name = "a.jpg", .plain = "one"};
  const std::string whole = ZipOf({one});
  check(ZipOf({{.name = "../a.jpg", .plain = "x"}}), kInvalidArgument,
        "climbs");
  check(ZipOf({{.name = "/a.jpg", .plain = "x"}}), kInvalidArgument,
        "absolute");
  check(ZipOf({{.name = "a.jpg", .plain = "x", .flags = 1}}), kUnsupported,
        "member \"a.jpg\": is encrypted");
  check(ZipOf({{.name = "a.jpg", .plain = "x", .mode = 0120777}}), kUnsupported,
        "the symbolic link");
  check(ZipOf({{.name = "a.jpg", .plain = "x", .size_off_by = 1}}), kCorrupt,
        "sizes contradict");
  check(ZipOf({{.name = "a.jpg",
                .plain = "x",
                .stored = Deflated("x"),
                .has_zip64 = true,
                .size_off_by = std::int64_t{1} << 40}}),
        kCorrupt, "sizes contradict");
  check(ZipOf({{.name = "a.jpg",
                .plain = "x",
                .stored = Deflated("x"),
                .has_zip64 = true,
                .size_off_by = INT64_MIN}}),
        kCorrupt, "sizes contradict");
  check(ZipOf({{.name = "a.jpg", .plain = "one", .local_extra = 9}, one}),
        kCorrupt, "shares bytes");
  check(ZipOf({{.name = "a.jpg", .plain = "one", .local_extra = 9}}), kCorrupt,
        "reaches beyond");
  check(whole.substr(0, whole.size() - 4), kCorrupt, "without the record");
  check("PK\3\4", kCorrupt, "without the record");
  check("PK\3\4" + whole, kCorrupt, "put before it");
  std::string renamed = whole;
  renamed[30] = 'b';
  check(renamed, kCorrupt, "contradicts the directory");
  std::string twice = whole;
  const std::size_t entry = whole.find("PK\1\2");
  const std::size_t end = whole.find("PK\5\6");
  const std::string copy = whole.substr(entry, end - entry);
  twice.insert(end, copy);
  twice[end + copy.size() + 10] = 2;
  twice[end + copy.size() + 12] = static_cast<char>(2 * copy.size());
  check(twice, kCorrupt, "shares bytes");
  std::string method = whole;
  method[entry + 10] = 12;
  check(method, kUnsupported, "neither stored nor deflated");
  std::string count = whole;
  count[end + 10] = 3;
  check(count, kCorrupt, "has 1 members");
}

TEST_CASE("A member that does not inflate names itself", "[archive_storage]") {
  const std::string text(100, 'x');
  World longer(ZipOf({{.name = "a.jpg",
                       .plain = text,
                       .stored = Deflated(text),
                       .size_off_by = -1}}));
  CHECK_THAT(longer.Read("in/x/a.jpg"),
             Catch::StartsWith("in/x: byte 139: member \"a.jpg\": it inflates "
                               "to more than its stated 99 bytes"));
  World shorter(ZipOf({{.name = "a.jpg",
                        .plain = text,
                        .stored = Deflated(text),
                        .size_off_by = 1}}));
  CHECK_THAT(shorter.Read("in/x/a.jpg"),
             Catch::Contains("ends after 100 of 101 bytes"));
  World other(ZipOf({{.name = "a.jpg",
                      .plain = text,
                      .stored = Deflated("yyy" + text.substr(3))}}));
  CHECK_THAT(other.Read("in/x/a.jpg"), Catch::Contains("another CRC-32"));
  std::string zip = ZipOf({{.name = "a.jpg", .plain = text}});
  zip[40] = 'y';
  CHECK_THAT(World(zip).Read("in/x/a.jpg"), Catch::Contains("another CRC-32"));
  World cut(ZipOf({{.name = "a.jpg",
                    .plain = text,
                    .stored = Deflated(text).substr(0, 60)}}));
  CHECK_THAT(cut.Read("in/x/a.jpg"), Catch::Contains("ends after 55 of 100"));
}

TEST_CASE("A compressed tar is a tree, too", "[archive_storage]") {
  const std::string tar = TarFile("a/1.jpg", "one") + kTarEnd;
  const bool is_gzip = GENERATE(true, false);
  const std::string file = is_gzip ? Gzipped(tar) : OfZstd(tar);
  World world(file);
  REQUIRE(world.status.ToString() == "OK");
  CHECK(world.added.in_memory == tar.size());
  CHECK(world.Names("in/x") == "a/");
  CHECK(world.Read("in/x/a/1.jpg") == "one");
  const Status cut = World(file.substr(0, file.size() - 3)).status;
  CHECK(cut.code() == Code::kCorrupt);
  CHECK(cut.where().path == "in/x");
}

TEST_CASE("A compressed tar that is too large is refused",
          "[archive_storage]") {
  MemoryStorage storage;
  storage.Put("x", OfZstd(std::string(2000, 'x')));
  const auto file = storage.Open("x");
  CHECK((*DecompressTar(**file, Compression::kZstd, 2000))->size() == 2000);
  const Status more = DecompressTar(**file, Compression::kZstd, 1999).status();
  CHECK(more.code() == Code::kUnsupported);
  CHECK_THAT(more.ToString(), Catch::StartsWith("x: holds more than"));
}

TEST_CASE("An archive that changes is told", "[archive_storage]") {
  World world(TarFile("a.jpg", "x") + kTarEnd);
  CHECK(world.storage.Stat("in/x/a.jpg").ok());
  world.below.Put("in/x", TarFile("a.jpg", "y") + kTarEnd);
  CHECK(world.storage.Stat("in/x/a.jpg").status().code() == Code::kChanged);
  REQUIRE(world.below.Remove("in/x").ok());
  CHECK(world.storage.Stat("in/x/a.jpg").status().code() == Code::kChanged);
}

TEST_CASE("Files of no kind are no archives", "[archive_storage]") {
  CHECK(World("").status.code() == Code::kUnsupported);
  CHECK(World("\xff\xd8\xff").status.code() == Code::kUnsupported);
  CHECK(World("\x1f\x8b\x08 no gzip").status.code() == Code::kUnsupported);
  // A zip without members, and a tar.
  CHECK(World(ZipOf({})).status.ToString() == "OK");
}

}  // namespace
}  // namespace shardine::archive_storage_test
