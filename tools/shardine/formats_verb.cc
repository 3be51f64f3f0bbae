#include <limits>
#include <string>
#include <vector>

#include "cli/columns.h"
#include "cli/json_text.h"
#include "shardine/format.h"
#include "shardine/verb.h"

namespace shardine {
namespace {

constexpr char kFormatsText[] =
    "Lists the formats, their layouts as --format takes them (the first of a\n"
    "format is what its name alone means) and what a record keeps by itself.\n"
    "The sidecar index keeps ids, keys and exact labels whatever the format.\n";

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
  std::string text = !layout.array_image     ? "encoded"
                     : !layout.encoded_image ? "array"
                                             : "either";
  return text + (layout.needs_image ? ", always" : "");
}

// "2.0 GiB": limits are powers of two, or next to one; "any": none.
std::string SizeText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB"};
  // A layout without a bound has the largest number there is as its limit, or
  // one near it.
  if (bytes > std::numeric_limits<std::uint64_t>::max() / 2) return "any";
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

std::vector<Row> Table(const std::vector<FormatInfo>& formats) {
  std::vector<Row> rows = {{"layout", "shard", "index", "labels", "ids", "keys",
                            "fields", "image", "bytes"}};
  for (const FormatInfo& format : formats) {
    for (const LayoutInfo& layout : format.layouts) {
      rows.push_back(
          {layout.name, format.suffix,
           layout.companion_suffix.empty() ? "-" : layout.companion_suffix,
           LabelText(layout), YesNo(layout.ids), KeyText(layout),
           FieldText(layout), ImageText(layout), SizeText(layout.max_payload)});
    }
  }
  return rows;
}

std::string FormatsText(const std::vector<FormatInfo>& formats) {
  std::string text = Aligned(Table(formats));
  std::string parameters;
  std::string suffixes;
  for (const FormatInfo& format : formats) {
    for (const LayoutInfo& layout : format.layouts) {
      for (const FormatParameterInfo& parameter : layout.parameters) {
        // The name has the default parameters after a colon, which would be
        // said twice.
        parameters += "  " + layout.name.substr(0, layout.name.find(':')) +
                      ": " + parameter.name + ", " + parameter.values + "\n";
      }
    }
    if (format.read_suffixes.empty()) continue;
    suffixes += "  " + format.name + ":";
    for (const std::string& suffix : format.read_suffixes) {
      suffixes += " " + suffix;
    }
    suffixes += "\n";
  }
  return text + "\nparameters\n" + parameters + "\nalso read\n" + suffixes;
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
  Usage usage() const override { return {"", 0, 0, kFormatsText}; }

  ServerUse servers() const override { return ServerUse::kNone; }

  void Declare(Options& options) override {
    options.BeginGroup("Output");
    options.Flag("json", json_, "print all of it as one JSON array");
  }

  Result<ExitCode> Run(const std::vector<std::string>&, const Options&,
                       Output& output) override {
    const std::vector<FormatInfo> formats = ListFormats();
    const Status written = output.Write(json_ ? JsonLine(FormatsJson(formats))
                                              : FormatsText(formats));
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
