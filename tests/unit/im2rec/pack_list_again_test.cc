#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "support/fault_storage.h"
#include "unit/im2rec/list_fixture.h"

namespace shardine::pack_list_again_test {
namespace {

using Notes = std::vector<std::string>;

// The list of ten, of which one is missing and one is no image.
void PutTen(MemoryStorage& storage) {
  PutImages(storage, 10);
  storage.Put("/out/a.lst",
              *storage.Get("/out/a.lst") + "10\t0\tnone\nbad\n11\t0\t3\n");
}

ListPacking Noted(Notes& notes, OnBad on_bad = OnBad::kFail) {
  ListPacking packing = PackingOf(on_bad);
  packing.note = [&](const std::string& text) { notes.push_back(text); };
  return packing;
}

// Ends a run as a kill does once `lines` lines are dealt with: at the first
// call that comes so late, which files read ahead make another each time.
void KillAfter(MemoryStorage& memory, std::uint64_t lines,
               ListPacking packing) {
  std::uint64_t done = 0;
  packing.progress = [&](const Progress& now) { done = now.samples; };
  for (std::uint64_t call = 0; done < lines; ++call) {
    const auto entries = memory.List("/out");
    for (const DirEntry& entry : *entries) {
      REQUIRE(memory.Remove("/out/" + entry.name).ok());
    }
    PutTen(memory);
    done = 0;
    FaultStorage storage(
        memory, {.call = call, .error = 5, .effect = Fault::Effect::kCrash});
    REQUIRE_FALSE(PackList(storage, packing).ok());
  }
}

TEST_CASE("PackList goes on where any call ended it, to the same bytes",
          "[im2rec]") {
  const auto effect = GENERATE(Fault::Effect::kError, Fault::Effect::kCrash,
                               Fault::Effect::kShortWrite);
  MemoryStorage undisturbed;
  PutTen(undisturbed);
  REQUIRE(PackList(undisturbed, PackingOf(OnBad::kSkip)).ok());
  const Packed expected = PackedIn(undisturbed);
  const std::size_t files = undisturbed.List("/out")->size();
  CHECK(files == 4);
  bool struck = true;
  std::size_t went_on = 0;
  for (std::uint64_t call = 0; struck; ++call) {
    MemoryStorage memory;
    PutTen(memory);
    FaultStorage storage(
        memory,
        {.operation = effect == Fault::Effect::kShortWrite ? Operation::kWrite
                                                           : Operation::kAny,
         .call = call,
         .error = 28,
         .effect = effect});
    static_cast<void>(PackList(storage, PackingOf(OnBad::kSkip)).ok());
    struck = storage.struck();
    INFO("call " << call);
    Notes notes;
    const auto again = PackList(memory, Noted(notes, OnBad::kSkip));
    REQUIRE(again.ok());
    CHECK(PackedIn(memory) == expected);
    CHECK(again->records == 11);
    CHECK(again->rejected == 2);
    CHECK(again->bytes == expected.rec.size());
    CHECK(memory.List("/out")->size() == files);
    went_on += notes.empty() ? 0 : 1;
  }
  CHECK(went_on > 10);
}

TEST_CASE("PackList reads no image again that is dealt with", "[im2rec]") {
  MemoryStorage undisturbed;
  PutTen(undisturbed);
  REQUIRE(PackList(undisturbed, PackingOf(OnBad::kSkip)).ok());
  MemoryStorage storage;
  PutTen(storage);
  KillAfter(storage, 6, PackingOf(OnBad::kSkip));
  for (const char* name : {"/in/0", "/in/1", "/in/2"}) {
    storage.Put(name, "another image");
  }
  Notes notes;
  REQUIRE(PackList(storage, Noted(notes, OnBad::kSkip)).ok());
  CHECK(PackedIn(storage) == PackedIn(undisturbed));
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("goes on after the first"));
}

TEST_CASE("PackList begins anew for another list and other arguments",
          "[im2rec]") {
  const int change = GENERATE(0, 1, 2);
  MemoryStorage storage;
  PutTen(storage);
  KillAfter(storage, 6, PackingOf(OnBad::kSkip));
  Notes notes;
  ListPacking packing = Noted(notes, OnBad::kSkip);
  if (change == 0) packing.arguments = "--other";
  if (change == 1) storage.Put("/out/a.lst", "7\t1\t9\n");
  if (change == 2) packing.nsplit = 2;
  MemoryStorage fresh;
  PutTen(fresh);
  fresh.Put("/out/a.lst", *storage.Get("/out/a.lst"));
  REQUIRE(PackList(fresh, packing).ok());
  CHECK(notes.empty());
  REQUIRE(PackList(storage, packing).ok());
  CHECK(PackedIn(storage) == PackedIn(fresh));
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("all is done anew"));
  CHECK(storage.List("/out")->size() == fresh.List("/out")->size());
}

TEST_CASE("PackList goes on from an earlier mark where the last fails",
          "[im2rec][corruption]") {
  MemoryStorage undisturbed;
  PutTen(undisturbed);
  REQUIRE(PackList(undisturbed, PackingOf(OnBad::kSkip)).ok());
  MemoryStorage killed;
  PutTen(killed);
  KillAfter(killed, 12, PackingOf(OnBad::kSkip));
  const std::string path =
      TemporaryName(GENERATE(as<std::string>(), "/out/a.rec", "/out/a.idx",
                             "/out/a.rec.rejected.jsonl"));
  const std::string whole = *killed.Get(path);
  REQUIRE(whole.size() > 20);
  const std::vector<DirEntry> left = *killed.List("/out");
  std::size_t begun_anew = 0;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    MemoryStorage storage;
    PutTen(storage);
    for (const DirEntry& entry : left) {
      storage.Put("/out/" + entry.name, *killed.Get("/out/" + entry.name));
    }
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    storage.Put(path, damaged);
    INFO(path << " byte " << at);
    Notes notes;
    REQUIRE(PackList(storage, Noted(notes, OnBad::kSkip)).ok());
    CHECK(PackedIn(storage) == PackedIn(undisturbed));
    REQUIRE(notes.size() == 1);
    begun_anew += notes[0].find("anew") != std::string::npos ? 1 : 0;
  }
  // All but the damage before the first mark.
  CHECK(begun_anew <= 36 / 7 + 1);
}

TEST_CASE("PackList that failed at an image goes on when it is mended",
          "[im2rec]") {
  MemoryStorage storage;
  PutImages(storage, 5);
  REQUIRE(storage.Remove("/in/3").ok());
  Notes notes;
  CHECK(PackList(storage, Noted(notes)).status().code() == Code::kNotFound);
  CHECK(notes == Notes{"what is done is kept: the same command goes on there"});
  CHECK_FALSE(storage.Get("/out/a.rec").ok());
  storage.Put("/in/3", "xxx");
  notes.clear();
  REQUIRE(PackList(storage, Noted(notes)).ok());
  CHECK(notes == Notes{"goes on after the first 3 lines, which an earlier run "
                       "dealt with"});
  MemoryStorage undisturbed;
  PutImages(undisturbed, 5);
  REQUIRE(PackList(undisturbed, PackingOf()).ok());
  CHECK(PackedIn(storage) == PackedIn(undisturbed));
}

TEST_CASE("PackList keeps a list that is done for a run of several lists",
          "[im2rec]") {
  MemoryStorage storage;
  PutImages(storage, 5);
  ListPacking packing = PackingOf();
  packing.keep_journal = true;
  REQUIRE(PackList(storage, packing).ok());
  const Packed expected = PackedIn(storage);
  storage.Put("/in/0", "another image");
  Notes notes;
  ListPacking again = Noted(notes);
  again.keep_journal = true;
  const auto packed = PackList(storage, again);
  REQUIRE(packed.ok());
  CHECK(packed->records == 5);
  CHECK(PackedIn(storage) == expected);
  CHECK(notes == Notes{"/out/a.rec was made by the run that this one goes on "
                       "with"});
  // Without the journal it is a run like any other.
  REQUIRE(RemoveWorkJournal(storage, "/out/a.rec").ok());
  REQUIRE(PackList(storage, PackingOf()).ok());
  CHECK_FALSE(PackedIn(storage) == expected);
}

TEST_CASE("PackList refuses a .rec that another run is writing", "[im2rec]") {
  MemoryStorage storage;
  PutImages(storage, 2);
  const auto held = storage.Lock("/out/.a.rec.lock");
  REQUIRE(held.ok());
  const Status status = PackList(storage, PackingOf()).status();
  CHECK(status.code() == Code::kAlreadyExists);
  CHECK(status.ToString() == "/out/a.rec: another im2rec is writing this file");
}

}  // namespace
}  // namespace shardine::pack_list_again_test
