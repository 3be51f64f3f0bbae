#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/columns.h"
#include "cli/json_text.h"
#include "shardine/did_you_mean.h"
#include "shardine/escape.h"
#include "shardine/format.h"
#include "shardine/format_names.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kFormatsExamples[] =
    "shardine formats\n"
    "shardine formats lmdb\n";

constexpr char kFormatsText[] =
    "A format is a kind of shard file, a layout a convention inside it:\n"
    "--format tfrecord/imagenet:label_offset=1 has both and a parameter. The\n"
    "name of a format alone means its first layout. Short names: rec\n"
    "(recordio), tfrec (tfrecord), h5 (hdf5), wds and tar (webdataset).\n"
    "\n"
    "shardine formats lists all layouts, and what their records hold;\n"
    "shardine formats NAME describes one format: its layouts, the programs\n"
    "that read them, and their parameters.\n"
    "\n"
    "The sidecar index beside each shard keeps ids, keys and exact labels\n"
    "whatever the format. A label that a record would change is refused "
    "without\n"
    "--lossy-labels. --strict refuses all that only the index would keep.\n"
    "\n"
    "The options that take a format: shardine pack, convert, merge and split.\n"
    "shardine index tells the format of a file by its content.\n";

// A layout without a bound has the largest number there is as its limit, or one
// near it.
constexpr std::uint64_t kNoBound =
    std::numeric_limits<std::uint64_t>::max() / 2;

std::string YesNo(bool yes) { return yes ? "yes" : "no"; }

// "1 int64", "many float32".
std::string LabelText(const LayoutInfo& layout) {
  if (layout.max_labels == 0) return "none";
  return (layout.max_labels == 1 ? "1 " : "many ") + layout.label_type;
}

std::string KeyText(const LayoutInfo& layout) {
  if (!layout.keys) return "no";
  std::string text = layout.unique_keys ? "unique" : "yes";
  if (layout.max_key > 0) {
    text += ", to " + std::to_string(layout.max_key) + " B";
  }
  return text;
}

std::string FieldText(const LayoutInfo& layout) {
  return layout.text_field.empty() ? YesNo(layout.fields) : layout.text_field;
}

std::string ImageText(const LayoutInfo& layout) {
  return !layout.array_image     ? "encoded"
         : !layout.encoded_image ? "array"
                                 : "either";
}

// The name has the default parameters after a colon.
std::string PlainName(const LayoutInfo& layout) {
  return layout.name.substr(0, layout.name.find(':'));
}

// "2.0 GiB": limits are powers of two, or next to one; "any": none.
std::string SizeText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB"};
  if (bytes > kNoBound) return "any";
  std::size_t unit = 0;
  std::uint64_t of = 1;
  for (; unit < 3 && bytes / of >= 1024; ++unit) of *= 1024;
  // Rounded to a tenth by half of one. Whole units and the rest are taken
  // apart, since ten times the bytes may not fit.
  const std::uint64_t tenths =
      (bytes + of / 20) / of * 10 + (bytes + of / 20) % of * 10 / of;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         kUnits[unit];
}

// Other programs that read the layout, which is its purpose.
std::string ReadersOf(std::string_view layout) {
  static constexpr std::pair<std::string_view, const char*> kReaders[] = {
      {"recordio/mxnet", "MXNet, DALI"},
      {"tfrecord/imagenet", "TensorFlow, DALI"},
      {"tfrecord/tfds", "TensorFlow, TensorFlow Datasets"},
      {"lmdb/folder2lmdb", "Efficient-PyTorch's ImageFolderLMDB, its forks"},
      {"lmdb/datum", "py-lmdb with Caffe's datum.proto, DALI"},
      {"lmdb/fields", "py-lmdb and NumPy"},
      {"lmdb/tensorpack", "tensorpack"},
      {"lmdb/images", "py-lmdb, by the order of the keys"},
      {"lmdb/pytorch-lmdb", "PyTorch-LMDB"},
      {"lmdb/stylegan2", "StyleGAN2 in PyTorch"},
      {"lmdb/ocr", "deep-text-recognition-benchmark"},
      {"hdf5/fuel", "h5py, Fuel"},
      {"hdf5/array", "h5py, under BigGAN's names"},
      {"hdf5/caffe", "h5py, Caffe"},
      {"webdataset", "webdataset, timm, DALI, tar"}};
  const auto* const found = std::ranges::find(
      kReaders, layout, &std::pair<std::string_view, const char*>::first);
  return found == std::end(kReaders) ? "programs of its own" : found->second;
}

std::vector<Row> Table(const std::vector<FormatInfo>& formats) {
  std::vector<Row> rows = {
      {"layout", "shard", "labels", "ids", "keys", "fields", "image"}};
  for (const FormatInfo& format : formats) {
    for (const LayoutInfo& layout : format.layouts) {
      const bool unique = layout.keys && layout.unique_keys;
      rows.push_back({PlainName(layout), format.suffix, LabelText(layout),
                      YesNo(layout.ids), unique ? "unique" : YesNo(layout.keys),
                      FieldText(layout), ImageText(layout)});
    }
  }
  return rows;
}

std::string LayoutText(const FormatInfo& format, const LayoutInfo& layout) {
  constexpr std::size_t kColumn = 14;
  std::string text = "\n" + PlainName(layout) + "\n";
  const auto add = [&](std::string_view label, const std::string& value) {
    text += Hanging("  " + std::string(label), value, kColumn);
  };
  add("read by", ReadersOf(PlainName(layout)));
  add("shards", format.suffix +
                    (layout.companion_suffix.empty()
                         ? ""
                         : ", each with an index " + layout.companion_suffix));
  add("labels", LabelText(layout));
  add("ids", YesNo(layout.ids));
  add("keys", KeyText(layout));
  add("fields", FieldText(layout));
  add("image", ImageText(layout) + (layout.needs_image ? ", always" : ""));
  add("a sample", SizeText(layout.max_payload) +
                      (layout.max_payload > kNoBound ? " size" : " at most"));
  for (const FormatParameterInfo& parameter : layout.parameters) {
    add(":" + parameter.name,
        parameter.values +
            (parameter.default_value.empty()
                 ? ""
                 : " (default: " + parameter.default_value + ")"));
  }
  return text;
}

std::string OneFormatText(const FormatInfo& format) {
  std::string reads = format.suffix;
  for (const std::string& suffix : format.read_suffixes) {
    reads += ", " + suffix;
  }
  std::string text =
      format.name + ": writes " + format.suffix + ", reads " + reads + "\n";
  for (const LayoutInfo& layout : format.layouts) {
    text += LayoutText(format, layout);
  }
  return text;
}

std::string FormatsText(const std::vector<FormatInfo>& formats) {
  return Aligned(Table(formats)) +
         "\nshardine formats NAME describes one of them: parameters, limits, "
         "readers.\n";
}

// A short name, a format or one of its layouts.
Result<FormatInfo> FindFormat(const std::vector<FormatInfo>& formats,
                              const std::string& name) {
  const std::string_view resolved = FullFormatName(name);
  std::vector<std::string> names;
  for (const FormatInfo& format : formats) {
    names.push_back(format.name);
    if (format.name == resolved) return format;
    for (const LayoutInfo& layout : format.layouts) {
      names.push_back(PlainName(layout));
      if (names.back() != resolved) continue;
      FormatInfo one = format;
      one.layouts = {layout};
      return one;
    }
  }
  return Status(
      Code::kInvalidArgument,
      "unknown format \"" + EscapeBytes(name) + "\"" + DidYouMean(name, names));
}

Json LayoutJson(const LayoutInfo& layout) {
  Json parameters = Json::array();
  for (const FormatParameterInfo& parameter : layout.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"default", parameter.default_value},
                          {"values", parameter.values}});
  }
  return {{"name", layout.name},
          {"companion_suffix", layout.companion_suffix},
          {"parameters", std::move(parameters)},
          {"readers", ReadersOf(PlainName(layout))},
          {"label_type", layout.label_type},
          {"max_labels", layout.max_labels},
          {"ids", layout.ids},
          {"keys", layout.keys},
          {"max_key", layout.max_key},
          {"unique_keys", layout.unique_keys},
          {"fields", layout.fields},
          {"text_field", layout.text_field},
          {"encoded_image", layout.encoded_image},
          {"array_image", layout.array_image},
          {"needs_image", layout.needs_image},
          {"max_payload", layout.max_payload}};
}

Json FormatsJson(const std::vector<FormatInfo>& formats) {
  Json list = Json::array();
  for (const FormatInfo& format : formats) {
    Json layouts = Json::array();
    for (const LayoutInfo& layout : format.layouts) {
      layouts.push_back(LayoutJson(layout));
    }
    list.push_back({{"name", format.name},
                    {"suffix", format.suffix},
                    {"read_suffixes", format.read_suffixes},
                    {"layouts", std::move(layouts)}});
  }
  return list;
}

class FormatsVerb : public Verb {
 public:
  Usage usage() const override {
    return {"[NAME]", 0, 1, kFormatsText, kFormatsExamples};
  }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print all of it as one JSON array");
  }

  Result<ExitCode> Run(const std::vector<std::string>& operands, const Options&,
                       Output& output) override {
    std::vector<FormatInfo> formats = ListFormats();
    if (!operands.empty()) {
      auto format = FindFormat(formats, operands[0]);
      if (!format.ok()) return std::move(format).status();
      formats = {*std::move(format)};
    }
    const Status written =
        output.Write(json_              ? JsonLine(FormatsJson(formats))
                     : operands.empty() ? FormatsText(formats)
                                        : OneFormatText(formats[0]));
    if (!written.ok()) return written;
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> MakeFormatsVerb() {
  return std::make_unique<FormatsVerb>();
}

}  // namespace shardine
