#include "load/xml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace gradus {

namespace {

constexpr int kDepthLimit = 1000;
/// A '<' costs 64 bytes and a '=' 40 bytes of memory; this keeps a small file from becoming a gigabyte.
constexpr std::ptrdiff_t kMarkupLimit = 2'000'000;
constexpr const char* kBlank = " \t\r\n";

/// Takes the first word off the text; empty when there is none left.
std::string_view next_word(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(kBlank), text.size());
  const std::size_t end = std::min(text.find_first_of(kBlank, start), text.size());
  const std::string_view word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

std::string suggest(const std::string& word, const std::vector<std::string>& known) {
  return word.size() > 100 ? "" : did_you_mean_or(word, known, "");
}

const char* syntax_text(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_bad_pi:
      return "the <? … ?> is not closed";
    case pugi::status_bad_comment:
      return "the comment is not closed or contains '--'";
    case pugi::status_bad_cdata:
      return "the CDATA section is not closed";
    case pugi::status_bad_doctype:
      return "the DOCTYPE is malformed";
    case pugi::status_bad_start_element:
      return "the start tag is malformed";
    case pugi::status_bad_attribute:
      return "the attribute is malformed";
    case pugi::status_bad_end_element:
      return "the end tag is malformed";
    case pugi::status_end_element_mismatch:
      return "the end tag does not belong to the last open element";
    default:
      return "this is not XML";
  }
}

}  // namespace

XmlFile::XmlFile(std::string path, ProblemList& problems) : path_(std::move(path)), problems_(problems) {}

bool XmlFile::read(std::size_t byte_limit) {
  Result<std::string> bytes = read_bytes(path_, byte_limit);
  if (!bytes) {
    problems_.append(bytes.notes());
    return false;
  }
  return parse(std::move(*bytes));
}

bool XmlFile::parse(std::string text) {
  text_ = std::move(text);
  lines_.emplace(path_, text_);
  if (!check_size_and_encoding()) return false;
  const auto result = document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    report_syntax(result);
    return false;
  }
  return check_depth();
}

bool XmlFile::check_size_and_encoding() {
  const auto markup = std::count_if(text_.begin(), text_.end(), [](char c) { return c == '<' || c == '='; });
  if (markup > kMarkupLimit) {
    problems_.error(whole_file(), fmt::format("the file has more than {} elements and attributes", kMarkupLimit),
                    "split the robot");
    return false;
  }
  for (std::size_t i = text_.size(); i-- > 0 && text_[i] == '\0';) text_[i] = ' ';  // left behind by some editors
  const std::size_t nul = text_.find('\0');
  if (nul != std::string::npos) {
    problems_.error(lines_->at(nul), "the file is not text", "is it the right file?");
    return false;
  }
  replace_foreign_bytes();
  return true;
}

/// Latin-1 in a comment is no reason to refuse a robot.
void XmlFile::replace_foreign_bytes() {
  std::size_t bad = first_invalid_utf8(text_);
  if (bad == std::string::npos) return;
  problems_.warning(lines_->at(bad), "the file is not UTF-8 text: characters of other encodings become '?'",
                    "convert it, e.g. with iconv -t utf-8");
  for (std::size_t from = 0; bad != std::string::npos; from = bad + 1) {
    const std::size_t next = first_invalid_utf8(std::string_view(text_).substr(from));
    if (next == std::string::npos) break;
    bad = from + next;
    text_[bad] = '?';
  }
}

void XmlFile::report_syntax(const pugi::xml_parse_result& result) {
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset));
  if (result.status == pugi::status_no_document_element) {
    problems_.error(lines_->at(0), "there is no element in the file", "is it the right file?");
  } else if (text_.find('>', offset) == std::string::npos) {
    problems_.error(lines_->at(text_.size()), "the file ends before all elements are closed",
                    "it is cut off, or an end tag is missing");
  } else {
    problems_.error(lines_->at(offset), syntax_text(result.status), "look at this place and just before it");
  }
}

/// Walks without recursion: pugixml itself parses any depth, our readers and their callers need not.
bool XmlFile::check_depth() {
  int depth = 1;
  for (pugi::xml_node n = root(); n;) {
    if (depth > kDepthLimit) {
      problems_.error(place(n), fmt::format("elements are nested more than {} deep", kDepthLimit),
                      "URDF needs five levels");
      return false;
    }
    if (n.first_child()) {
      n = n.first_child();
      ++depth;
      continue;
    }
    while (n && n != root() && !n.next_sibling()) {
      n = n.parent();
      --depth;
    }
    n = n == root() ? pugi::xml_node() : n.next_sibling();
  }
  return true;
}

Place XmlFile::place(pugi::xml_node element) const {
  const std::ptrdiff_t name = element.offset_debug();
  return name < 1 ? whole_file() : lines_->at(static_cast<std::size_t>(name) - 1);
}

/// pugixml keeps no place for attributes: the start tag is read once more. It is known to be well-formed.
Place XmlFile::place(pugi::xml_node element, std::string_view attribute) const {
  const std::ptrdiff_t name = element.offset_debug();
  if (problems_.full() || name < 1) return place(element);  // only for messages, and they are no longer shown
  std::size_t at = std::min(text_.find_first_of(" \t\r\n/>", static_cast<std::size_t>(name)), text_.size());
  while (true) {
    const std::size_t start = text_.find_first_not_of(kBlank, at);
    const std::size_t equals = text_.find('=', at);
    const std::size_t open = text_.find_first_of("\"'", equals);
    if (start == std::string::npos || equals == std::string::npos || open == std::string::npos) return place(element);
    if (text_[start] == '/' || text_[start] == '>') return place(element);
    const std::string_view word = std::string_view(text_).substr(start, equals - start);
    if (word.substr(0, word.find_first_of(kBlank)) == attribute) return lines_->at(start);
    const std::size_t close = text_.find(text_[open], open + 1);
    if (close == std::string::npos) return place(element);
    at = close + 1;
  }
}

std::string XmlFile::text(pugi::xml_node element, const char* attribute) const {
  const pugi::xml_attribute a = element.attribute(attribute);
  if (!a) {
    report_missing(element, attribute);
  } else if (!*a.value()) {
    problems_.error(place(element, attribute), fmt::format("the attribute '{}' is empty", attribute),
                    "give it a value");
  } else if (first_invalid_utf8(a.value()) != std::string_view::npos) {  // from character references
    problems_.error(place(element, attribute), fmt::format("the attribute '{}' is not UTF-8 text", attribute), "");
    return "";
  }
  return a.value();
}

void XmlFile::report_missing(pugi::xml_node element, const char* attribute) const {
  problems_.error(place(element), fmt::format("<{}> has no attribute '{}'", element.name(), attribute),
                  fmt::format("write <{} {}=\"…\">", element.name(), attribute));
}

bool XmlFile::numbers(pugi::xml_node element, const char* attribute, std::span<double> values) const {
  const std::string value = element.attribute(attribute).value();
  const auto refuse = [&](const std::string& text, std::string suggestion) {
    problems_.error(place(element, attribute), fmt::format("{}: {}", attribute, text), std::move(suggestion));
    return false;
  };
  if (!element.attribute(attribute)) return report_missing(element, attribute), false;
  if (value.find("${") != std::string::npos || value.find("$(") != std::string::npos) {
    return refuse(in_quotes(value) + " is a xacro expression", "expand the file first: xacro FILE > robot.urdf");
  }
  if (value.find(',') != std::string::npos)
    return refuse(in_quotes(value) + " contains a comma",
                  "separate numbers with blanks and write decimals with a point");
  std::string_view rest = value;
  std::vector<double> found;
  std::size_t count = 0;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest), ++count) {
    const std::optional<double> x = parse_number(word);
    if (!x || !std::isfinite(*x))
      return refuse(in_quotes(word) + (x ? " is not a finite number" : " is not a number"), "");
    if (count < values.size()) found.push_back(*x);
  }
  if (count != values.size()) {
    return refuse(
        fmt::format("{} has {} number{}, it needs {}", in_quotes(value), count, count == 1 ? "" : "s", values.size()),
        "");
  }
  std::copy(found.begin(), found.end(), values.begin());
  return true;
}

bool XmlFile::number(pugi::xml_node element, const char* attribute, double& value) const {
  return numbers(element, attribute, {&value, 1});
}

bool XmlFile::vector(pugi::xml_node element, const char* attribute, Vec3& value) const {
  double v[3];
  if (!numbers(element, attribute, v)) return false;
  value = {v[0], v[1], v[2]};
  return true;
}

bool XmlFile::optional_number(pugi::xml_node element, const char* attribute, double& value) const {
  return !element.attribute(attribute) || number(element, attribute, value);
}

bool XmlFile::optional_vector(pugi::xml_node element, const char* attribute, Vec3& value) const {
  return !element.attribute(attribute) || vector(element, attribute, value);
}

pugi::xml_node XmlFile::child(pugi::xml_node element, const char* name) const {
  const pugi::xml_node first = element.child(name), second = first.next_sibling(name);
  if (second) {
    problems_.warning(place(second), fmt::format("a second <{}> in <{}> is ignored", name, element.name()),
                      "remove one");
  }
  return first;
}

void XmlFile::warn_unknown(pugi::xml_node element, const std::vector<std::string>& attributes,
                           const std::vector<std::string>& children, const std::vector<std::string>& ignored) const {
  warn_unknown_attributes(element, attributes);
  const auto among = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const pugi::xml_node n : element.children()) {
    const std::string name = n.name();
    if (n.type() != pugi::node_element || among(children, name) || among(ignored, name)) continue;
    if (name.starts_with("xacro:")) {
      problems_.error(place(n), in_quotes(name) + " is a xacro macro",
                      "expand the file first: xacro FILE > robot.urdf");
    } else {
      problems_.warning(place(n), fmt::format("unknown element {} in <{}> is ignored", in_quotes(name), element.name()),
                        suggest(name, children));
    }
  }
}

void XmlFile::warn_unknown_attributes(pugi::xml_node element, const std::vector<std::string>& known) const {
  std::set<std::string> seen;
  for (const pugi::xml_attribute a : element.attributes()) {
    const std::string name = a.name();
    if (!seen.insert(name).second) {
      problems_.error(place(element), fmt::format("<{}> has the attribute {} twice", element.name(), in_quotes(name)),
                      "remove one");
    } else if (!name.starts_with("xmlns") && std::find(known.begin(), known.end(), name) == known.end()) {
      problems_.warning(place(element, name),
                        fmt::format("unknown attribute {} of <{}> is ignored", in_quotes(name), element.name()),
                        suggest(name, known));
    }
  }
}

}  // namespace gradus
