/// Puts the links and joints of a URDF file together to the tree of objects of a RobotSpec.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "load/urdf_elements.h"
#include "load/xml_file.h"
#include "model/spec.h"

namespace gradus {

class UrdfTree {
 public:
  UrdfTree(UrdfElements elements, const XmlFile& file);
  /// Every problem of the structure and, by check(), of the objects goes to the file's list.
  RobotSpec build();

 private:
  struct Node {                 // one link, as part of the tree
    std::vector<int> children;  // joints, in the file's order
    int parent = -1;            // joint
  };
  struct Source {  // what an object was made from, for check()
    const PropertyPlaces* places;
    bool generated;  // an object of our own, with a made-up name
  };

  void error(const Place& place, std::string text, std::string suggestion = "") const;
  void warning(const Place& place, std::string text, std::string suggestion = "") const;
  template <class Element, class NameOf>
  std::string nearest_name(const std::string& word, const std::vector<Element>& elements, const NameOf& name_of,
                           const char* otherwise) const;

  void add_world_link();
  void index_links();
  void index_joints();
  void connect_joint(int joint);
  void check_mimics();
  int link_of(const std::string& name, const Place& place) const;
  bool elements_are_complete() const;
  void find_root();
  void report_cycles();
  bool is_empty_root_with_floating_joint(int link) const;
  void choose_root_kind();

  void add_tree();
  void add_base();
  void add_joint(int joint, ObjectId parent);
  ObjectId add_origin(const UrdfJoint& joint, ObjectId parent);
  ObjectId add_link(int link, ObjectId parent);
  ObjectId add(ObjectSpec object, ObjectId parent, Source source);
  std::string name_of_link(const ObjectSpec& body);
  std::string unused_name(std::string name);
  void start_mimics();

  void add_everything_flat();
  void make_names_usable();
  void complete_robot_masses();
  std::optional<Place> place_of(ObjectId object, const char* property) const;
  void check_objects();

  UrdfElements in_;
  const XmlFile& file_;
  std::size_t errors_before_;                            // of the elements
  bool sound_ = true;                                    // no error in the structure so far
  std::unordered_map<std::string, int> links_, joints_;  // by name
  std::unordered_set<std::string> names_;                // taken by objects
  std::vector<Node> nodes_;                              // (links)
  int root_ = -1;                                        // link that becomes the base
  RobotSpec robot_;
  std::vector<Source> sources_;  // (robot_.objects)
};

}  // namespace gradus
