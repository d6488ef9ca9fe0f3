/// An XML file with the place of every element and attribute, and attribute readers that report what is wrong.
/// Not to be read by this: entities (pugixml leaves them as text, so nothing can multiply). What is not UTF-8 becomes
/// '?'.
#pragma once
#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/source_text.h"
#include "math/vec.h"

namespace gradus {

class XmlFile {
 public:
  /// Problems go to `problems`, which must outlive the file.
  XmlFile(std::string path, ProblemList& problems);

  /// False after an error: not there, larger than `byte_limit`, not text, malformed, nested too deeply.
  bool read(std::size_t byte_limit);
  /// The same from memory.
  bool parse(std::string text);

  pugi::xml_node root() const { return document_.document_element(); }
  const std::string& path() const { return path_; }
  Place whole_file() const { return {path_, 0, 0}; }
  Place place(pugi::xml_node element) const;                              // of its '<'
  Place place(pugi::xml_node element, std::string_view attribute) const;  // of the attribute's name, else the element
  ProblemList& problems() const { return problems_; }

  /// Attribute that must be there and not be empty; "" after reporting.
  std::string text(pugi::xml_node element, const char* attribute) const;
  /// All finite numbers of an attribute, exactly values.size() of them. False after reporting; then values keep what
  /// they had.
  bool numbers(pugi::xml_node element, const char* attribute, std::span<double> values) const;
  bool number(pugi::xml_node element, const char* attribute, double& value) const;
  bool vector(pugi::xml_node element, const char* attribute, Vec3& value) const;
  /// The same, but an attribute that is not there is no problem.
  bool optional_number(pugi::xml_node element, const char* attribute, double& value) const;
  bool optional_vector(pugi::xml_node element, const char* attribute, Vec3& value) const;

  /// The only child of this name; a second one is reported and ignored.
  pugi::xml_node child(pugi::xml_node element, const char* name) const;
  /// Warns about attributes and children not listed; elements in `ignored` are skipped without a word.
  void warn_unknown(pugi::xml_node element, const std::vector<std::string>& attributes,
                    const std::vector<std::string>& children, const std::vector<std::string>& ignored = {}) const;

 private:
  bool check_size_and_encoding();
  void replace_foreign_bytes();
  bool check_depth();
  void report_syntax(const pugi::xml_parse_result& result);
  void report_missing(pugi::xml_node element, const char* attribute) const;
  void warn_unknown_attributes(pugi::xml_node element, const std::vector<std::string>& known) const;

  std::string path_;
  ProblemList& problems_;
  std::string text_;
  std::optional<LineMap> lines_;
  pugi::xml_document document_;
};

}  // namespace gradus
