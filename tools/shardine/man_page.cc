#include "shardine/man_page.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cli/exit_code.h"
#include "shardine/command_options.h"
#include "shardine/help_text.h"
#include "shardine/help_topics.h"
#include "shardine/version.h"

namespace shardine {
namespace {

// Characters that man(7) would take for markup, or print as another character.
std::string Escaped(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.')) escaped = "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Bold(std::string_view text) {
  return "\\fB" + Escaped(text) + "\\fR";
}

std::string Section(std::string_view title, const std::string& content) {
  return ".SH " + std::string(title) + "\n" + content;
}

std::string Entry(std::string_view term, std::string_view text) {
  return ".TP\n" + Bold(term) + "\n" + Escaped(text) + "\n";
}

// Lines that begin with blanks are kept as they are; others are paragraphs.
std::string Paragraphs(std::string_view text) {
  std::string page;
  bool kept = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool keep = line.starts_with(' ');
    if (keep != kept && !line.empty()) {
      page += keep ? ".PP\n.nf\n" : ".fi\n";
      kept = keep;
    }
    page += line.empty() ? ".PP\n" : Escaped(line) + "\n";
  }
  return page + (kept ? ".fi\n" : "");
}

std::string PageName(std::string_view verb) {
  std::string name = "shardine-" + std::string(verb);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// `name` and a short summary. Lines are not adjusted: long names would tear
// them apart.
std::string Begin(const std::string& name, std::string_view summary) {
  return ".TH " + Escaped(name) + " 1 \"\" \"shardine " + Version() +
         "\" \"shardine\"\n.ad l\n.nh\n" +
         Section("NAME", Escaped(name) + " \\- " + Escaped(summary) + "\n");
}

std::string OptionsSection(const Options& options) {
  std::string text;
  for (const Options::Group& group : options.groups()) {
    text += ".SS " + Escaped(group.title) + "\n";
    for (const Options::HelpLine& line : group.lines) {
      text += Entry(line.option, line.text);
    }
  }
  return Section("OPTIONS", text);
}

std::string ExitSection() {
  std::string text;
  for (const ExitCodeText& each : ExitCodeTexts()) {
    text += Entry(std::to_string(static_cast<int>(each.code)),
                  std::string(each.name) + ". " + each.text);
  }
  return Section("EXIT STATUS", text);
}

std::string EnvironmentSection() {
  std::string text;
  for (const Variable& variable : Variables()) {
    text += Entry(variable.names, variable.text);
  }
  return Section("ENVIRONMENT", text);
}

}  // namespace

std::string CommandManPage() {
  std::string verbs;
  std::string pages;
  for (const VerbEntry& verb : Verbs()) {
    verbs += Entry("shardine " + std::string(verb.name), verb.summary);
    pages +=
        (pages.empty() ? "" : ",\n") + Escaped(PageName(verb.name)) + "(1)";
  }
  return Begin("shardine",
               "pack image datasets into shards, and prove what was packed") +
         Section("SYNOPSIS", Bold("shardine") +
                                 " VERB [options] operands\n.br\n" +
                                 Bold("shardine help") + " VERB\n") +
         Section("DESCRIPTION",
                 "Results go to standard output, progress and errors to "
                 "standard error.\nEach verb has a page of its own.\n") +
         Section("VERBS", verbs) +
         Section("LISTS", Paragraphs(FindTopic("lists")->text())) +
         ExitSection() + EnvironmentSection() +
         Section("SEE ALSO", pages + "\n");
}

std::string VerbManPage(const VerbEntry& entry) {
  const std::unique_ptr<Verb> verb = entry.make();
  const Usage usage = verb->usage();
  CommandOptions options(*verb);
  return Begin(PageName(entry.name), entry.summary) +
         Section("SYNOPSIS", Escaped(SynopsisOf(entry, usage)) + "\n") +
         Section("DESCRIPTION", Paragraphs(usage.text)) +
         OptionsSection(options.options()) +
         Section("EXAMPLES", ".nf\n" + Paragraphs(usage.examples) + ".fi\n") +
         ExitSection() +
         Section("SEE ALSO",
                 "shardine(1), which has the environment variables, too\n");
}

}  // namespace shardine
