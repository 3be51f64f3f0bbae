#include <catch2/catch.hpp>

#include "unit/source/annotation_fixture.h"

namespace shardine::voc_folder_test {
namespace {

using Catch::Contains;

std::string Object(const std::string& name, const std::string& box,
                   const std::string& more = "") {
  std::string text = "<object><name>" + name + "</name>" + more + "<bndbox>";
  const char* const sides[] = {"xmin", "ymin", "xmax", "ymax"};
  std::size_t at = 0;
  for (const char* side : sides) {
    const std::size_t end = std::min(box.find(' ', at), box.size());
    text += "<" + std::string(side) + ">" + box.substr(at, end - at) + "</" +
            side + ">";
    at = std::min(end + 1, box.size());
  }
  return text + "</bndbox></object>";
}

std::string File(const std::string& objects, const std::string& image = "") {
  return "<annotation><filename>" + image +
         "</filename><size><width>10</width><height>8</height></size>" +
         objects + "</annotation>";
}

TEST_CASE("VOC boxes are counted from 1, and have their last pixel",
          "[annotations]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "t/b.c.jpg", "t/other.jpg", "t/bare.jpg"});
  storage.Put("v/Annotations/a.xml",
              File(Object("dog", "1 1 10 8",
                          "<difficult>1</difficult><truncated>0</truncated>"
                          "<part><name>head</name><bndbox><xmin>5</xmin>"
                          "</bndbox></part>") +
                   Object("cat", "2.5 3 4 5.5")));
  storage.Put("v/Annotations/s/b.c.xml", File(""));
  storage.Put("v/Annotations/x.xml",
              File(Object("cat", "0 1 2 3"), "other.jpg"));
  storage.Put("v/Annotations/gone.xml", File(Object("cat", "1 1 2 3")));
  const SourceSet set = Load(storage, AnnotatedBy("voc:v"));
  auto fields = FieldsOf(set, 0);
  CHECK(fields["bbox"] == "2x4 0 0 10 8 1.5 2 4 5.5");
  CHECK(fields["bbox_label"] == "2 1 0");
  CHECK(fields["bbox_difficult"] == "2 1 0");
  CHECK(fields["bbox_truncated"] == "2 0 0");
  CHECK_THAT(fields["annotations"], Contains("<annotation>"));
  CHECK(KeysOf(set) == Strings{"a.jpg", "b.c.jpg", "bare.jpg", "other.jpg"});
  CHECK(FieldsOf(set, 1)["bbox"] == "0x4");
  // By its <filename>, since no image has the stem.
  CHECK(FieldsOf(set, 3)["bbox"] == "1x4 -1 0 2 3");
  CHECK(FieldsOf(set, 2)["bbox"] == "0x4");
  CHECK(set.categories.at(0).name == "cat");
  CHECK(set.categories.at(1).name == "dog");
  CHECK(ProblemsOf(set.ignored) == Strings{"annotation-unmatched gone"});
  const auto is_edge = [](const std::string& note) {
    return note.find("counted from 1") != note.npos;
  };
  CHECK(std::ranges::any_of(set.notes, is_edge));
}

TEST_CASE("A VOC object that cannot be is said by name", "[annotations]") {
  const std::pair<std::string, const char*> faults[] = {
      {Object("dog", "5 1 4 8"), "a box without a size"},
      {Object("dog", "nan 1 4 8"), "no number"},
      {Object("dog", "1 1 1e999 8"), "no number"},
      {Object("dog", "1 1 inf 8"), "no number"},
      {Object("dog", "1 1 8"), "no number"},
      {Object("", "1 1 4 8"), "without a <name>"},
      {"<object><name>dog</name></object>", "whole <bndbox>"},
      {Object("dog", "1 1 4 8", "<difficult>2</difficult>"), "<difficult>"}};
  for (const auto& [object, fault] : faults) {
    INFO(object);
    MemoryStorage storage;
    PutAll(storage, {"t/a.jpg"});
    storage.Put("v/a.xml", File(Object("cat", "1 1 2 2") + object));
    SourceOptions options = AnnotatedBy("voc:v");
    const Status status = LoadError(storage, options);
    CHECK(status.code() == Code::kCorrupt);
    CHECK(status.where().path == "v/a.xml");
    CHECK_THAT(status.message(), Contains("annotation 2 (a)"));
    CHECK_THAT(status.message(), Contains(fault));
    options.bad_annotations = BadAnnotations::kSkip;
    const SourceSet set = Load(storage, options);
    CHECK(FieldsOf(set, 0)["bbox_label"] == "1 0");
    CHECK(ProblemsOf(set.ignored) == Strings{"annotation-dropped a (a.xml:2)"});
  }
}

TEST_CASE("XML that is no VOC is refused", "[annotations]") {
  std::string deep = "<annotation>";
  for (int i = 0; i < 10'000; ++i) deep += "<a>";
  const std::pair<std::string, const char*> files[] = {
      {"", "XML"},
      {"<annotation>", "XML"},
      {std::string("<annotation>\0</annotation>", 26), "XML"},
      {deep, "16 deep"},
      {"<!DOCTYPE a [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>"
       "<annotation>&b;</annotation>",
       "document type"},
      {"<annotation>\xff</annotation>", "UTF-8"},
      {"<annotations><image id='0'/></annotations>", "datumaro"}};
  for (const auto& [xml, fault] : files) {
    INFO(xml.substr(0, 60));
    MemoryStorage storage;
    PutAll(storage, {"t/a.jpg"});
    storage.Put("v/a.xml", xml);
    const Status status = LoadError(storage, AnnotatedBy("voc:v"));
    CHECK_THAT(status.message(), Contains(fault));
    CHECK(status.where().path == "v/a.xml");
  }
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "v/a.txt"});
  CHECK_THAT(LoadError(storage, AnnotatedBy("voc:v")).message(),
             Contains("no .xml"));
  CHECK(LoadError(storage, AnnotatedBy("voc:none")).code() == Code::kNotFound);
}

TEST_CASE("A VOC stem of two images needs the filename", "[annotations]") {
  MemoryStorage storage;
  PutAll(storage, {"t/a.jpg", "t/a.png"});
  storage.Put("v/a.xml", File(Object("cat", "1 1 2 2")));
  CHECK_THAT(LoadError(storage, AnnotatedBy("voc:v")).message(),
             Contains("\"a\" could be t/a.jpg or t/a.png"));
  storage.Put("v/a.xml", File(Object("cat", "1 1 2 2"), "a.png"));
  const SourceSet set = Load(storage, AnnotatedBy("voc:v"));
  CHECK(FieldsOf(set, 0)["bbox"] == "0x4");
  CHECK(FieldsOf(set, 1)["bbox"] == "1x4 0 0 2 2");
}

}  // namespace
}  // namespace shardine::voc_folder_test
