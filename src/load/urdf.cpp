#include "load/urdf.h"

#include <cctype>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "load/source_text.h"
#include "load/urdf_elements.h"
#include "load/urdf_tree.h"
#include "load/xml_file.h"

namespace gradus {

namespace {

/// In the order of the file, as a person reads it; then what is about the whole file or about its meshes.
void sort_by_place(Diagnostics& notes, const std::string& file) {
  const auto key = [&](const Diagnostic& d) {
    const bool inside = d.place.file == file && d.place.line > 0;
    return std::tuple(!inside, inside ? d.place.line : 0, inside ? d.place.column : 0);
  };
  std::stable_sort(notes.begin(), notes.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
}

bool is_urdf(const XmlFile& xml) {
  const std::string name = xml.root().name();
  if (name == "robot") return true;
  std::string suggestion = "is this a URDF file?";
  if (name == "sdf") suggestion = "SDF is another format: convert the model to URDF";
  if (name == "mujoco") suggestion = "MJCF is another format, not read yet: convert the model to URDF";
  xml.problems().error(xml.place(xml.root()), fmt::format("the outermost element is {}, not 'robot'", in_quotes(name)),
                       suggestion);
  return false;
}

/// URDF does not say which links are feet. Names do: of the bodies with shapes that are called so, the last of every
/// leg. Scenes may name them instead (feet = [...]).
void find_feet(RobotSpec& robot) {
  const auto is_called_foot = [](std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const char* word : {"foot", "sole", "toe", "paw"})
      if (name.find(word) != std::string::npos) return true;
    return false;
  };
  std::vector<std::uint8_t> foot(robot.objects.size(), 0);
  for (std::size_t i = robot.objects.size(); i-- > 0;) {  // children come after their parents
    const ObjectSpec& o = robot.objects[i];
    bool below = foot[i] == 2;  // a foot hangs on it
    const bool shaped = std::any_of(o.shapes.begin(), o.shapes.end(), [](const ShapeSpec& s) { return s.collides; });
    if (!below && shaped && is_called_foot(o.name)) foot[i] = 1, below = true;
    if (below && o.parent) foot[static_cast<std::size_t>(o.parent.value)] = 2;
  }
  for (std::size_t i = 0; i < foot.size(); ++i)
    if (foot[i] == 1) robot.feet.push_back(robot.objects[i].name);
}

std::optional<RobotSpec> read_robot(const XmlFile& xml) {
  if (!is_urdf(xml)) return std::nullopt;
  const auto links = xml.root().children("link");
  if (static_cast<std::size_t>(std::distance(links.begin(), links.end())) > kUrdfLinkLimit) {
    xml.problems().error(xml.place(xml.root()), fmt::format("the robot has more than {} links", kUrdfLinkLimit),
                         "split it");
    return std::nullopt;
  }
  RobotSpec robot = UrdfTree(read_urdf_elements(xml), xml).build();
  find_feet(robot);
  return robot;
}

Result<RobotSpec> finish(const XmlFile& xml, bool readable) {
  std::optional<RobotSpec> robot;
  if (readable) robot = read_robot(xml);
  const bool failed = xml.problems().error_count() > 0;
  Diagnostics notes = std::move(xml.problems()).take(xml.whole_file());
  sort_by_place(notes, xml.path());
  if (failed || !robot) return notes;
  return {std::move(*robot), std::move(notes)};
}

}  // namespace

Result<RobotSpec> load_urdf(const std::string& path) {
  ProblemList problems;
  XmlFile xml(path, problems);
  const bool readable = xml.read(kUrdfFileLimit);
  return finish(xml, readable);
}

Result<RobotSpec> parse_urdf(const std::string& path, std::string text) {
  ProblemList problems;
  XmlFile xml(path, problems);
  const bool readable = xml.parse(std::move(text));
  return finish(xml, readable);
}

}  // namespace gradus
