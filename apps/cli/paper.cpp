#include <CLI/CLI.hpp>

#include "papers/paper.h"

#include <cstdio>

#include "cli/commands.h"

namespace gradus::cli {
namespace {

/// The value of a column for one variant, "–" where there is none.
std::string cell(const Json& column, const std::string& variant) {
  const Json* v = &column;
  if (column.is_object()) {
    if (!column.contains(variant)) return "–";
    v = &column[variant];
  }
  if (v->is_string()) return v->get<std::string>();
  if (!v->is_number()) return "–";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v->get<double>());
  return text;
}

void print_cell(const char* name, const std::string& text) {
  if (text != "–") std::printf("   %s %10s", name, text.c_str());
}

void print_row(const Json& row) {
  const std::string unit = row["unit"].get<std::string>();
  std::printf("  %s%s%s\n", row["quantity"].get<std::string>().c_str(), unit.empty() ? "" : ", ", unit.c_str());
  const Json& ours = row["gradus"];
  const Json variants = ours.is_object() ? ours : Json{{"", ours}};
  for (const auto& [variant, value] : variants.items()) {
    std::printf("    %-24s gradus %10s", variant.c_str(), cell(ours, variant).c_str());
    for (const char* column : {"paper", "real"})
      if (row.contains(column)) print_cell(column, cell(row[column], variant));
    if (row.contains("peers") && row["peers"].is_object())
      for (const auto& [peer, column] : row["peers"].items()) print_cell(peer.c_str(), cell(column, variant));
    std::printf("\n");
  }
}

void print_paper(const Json& p) {
  std::printf("%s\n\n", p["name"].get<std::string>().c_str());
  for (const Json& row : p["rows"]) print_row(row);
  std::printf("\n  %s\n", p["verdict"].get<std::string>().c_str());
}

const Paper* find_paper(const std::string& name) {
  for (const Paper& p : all_papers())
    if (name == p.name) return &p;
  return nullptr;
}

struct Options : PaperOptions {
  std::vector<std::string> names;
  bool json = false;
};

int run_papers(const Options& o) {
  if (o.names.empty())
    for (const Paper& p : all_papers()) std::printf("%-20s %s\n", p.name, p.about);
  for (const std::string& name : o.names) {
    const Paper* paper = find_paper(name);
    if (!paper) {
      std::fprintf(stderr, "error: there is no experiment '%s'; gradus paper lists them\n", name.c_str());
      return 2;
    }
    const auto result = paper->run(o);
    if (!result) return 1;
    if (o.json)
      std::printf("%s\n", result->dump(1).c_str());
    else
      print_paper(*result);
  }
  return 0;
}

}  // namespace

void add_paper(CLI::App& app, Outcome& outcome) {
  auto* cmd = app.add_subcommand("paper", "Experiments of the papers that gradus unites; without a name: the list");
  auto o = std::make_shared<Options>();
  cmd->add_option("NAME", o->names, "which experiments");
  cmd->add_option("--data", o->data, "folder with recordings that are not shipped with gradus");
  cmd->add_option("--out", o->out, "folder for CSV files and SVG plots");
  cmd->add_flag("--quick", o->quick, "a shorter run; its figures are not those of the documentation");
  cmd->add_flag("--json", o->json, "one JSON object on standard output");
  cmd->footer("Example: gradus paper murosimf-levels");
  cmd->callback([o, &outcome] { outcome.status = run_papers(*o); });
}

}  // namespace gradus::cli
