#include "shardine/help_text.h"

#include <sstream>
#include <vector>

#include "cli/columns.h"
#include "cli/exit_code.h"
#include "shardine/help_topics.h"

namespace shardine {
namespace {

std::string ExitCodeLine() {
  std::string text;
  for (const ExitCodeText& each : ExitCodeTexts()) {
    text += (text.empty() ? "" : ", ") +
            std::to_string(static_cast<int>(each.code)) + " " + each.name;
  }
  return Hanging("", "Exit codes: " + text + ".", 0);
}

std::string TopicWords() {
  std::string text;
  for (const HelpTopic& topic : HelpTopics()) {
    text += ", " + std::string(topic.name);
  }
  return text;
}

}  // namespace

std::string CommandHelp() {
  std::vector<Row> verbs;
  for (const VerbEntry& verb : Verbs()) {
    verbs.push_back({std::string(verb.name), std::string(verb.summary)});
  }
  verbs.push_back({"help", "say more: shardine help VERB" + TopicWords()});
  verbs.push_back({"version", "say which version this is"});
  return "usage: shardine VERB [options] operands\n\n"
         "Packs image datasets into shards, and proves what it packed.\n\n" +
         Aligned(verbs, "  ") +
         "\n"
         "Results go to standard output, progress and errors to standard "
         "error.\n\n" +
         ExitCodeLine();
}

std::string SynopsisOf(const VerbEntry& entry, const Usage& usage) {
  std::string operands(usage.synopsis);
  if (!operands.empty()) operands.insert(0, 1, ' ');
  return "shardine " + std::string(entry.name) + " [options]" + operands;
}

std::string VerbHelp(const VerbEntry& entry, const Usage& usage,
                     const Options& options) {
  std::string examples;
  std::istringstream lines{std::string(usage.examples)};
  for (std::string line; std::getline(lines, line);) {
    examples += "  " + line + "\n";
  }
  return "usage: " + SynopsisOf(entry, usage) + "\n\n" +
         std::string(usage.text) + "\n" + options.Help() + "\nExamples:\n" +
         examples;
}

}  // namespace shardine
