/// [robot.NAME] tables of scenes.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/field_toml.h"
#include "load/motion_toml.h"
#include "load/parts_toml.h"
#include "load/policy_json.h"
#include "load/walk_toml.h"
#include "model/spec.h"

namespace gradus {

class InstanceReader {
 public:
  InstanceReader(SceneSpec& scene, const LoadOptions& options, ScenePlaces& places, Diagnostics& log)
      : scene_(scene), options_(options), places_(places), log_(log) {}

  void read_all(const toml::table& robots);

 private:
  struct Draft {
    RobotInstanceSpec instance;
    bool sound = false;  // it has a robot
  };

  void read_one(const NamedTable& named, const toml::table& table);
  const Draft* read_like(TableReader& t);
  bool read_model(TableReader& t, Draft& draft);
  const std::optional<RobotSpec>& model(const std::string& path);
  void read_base(TableReader& t, RobotInstanceSpec& r);
  void read_sees(TableReader& t, RobotInstanceSpec& r);
  void read_start(TableReader& t, RobotInstanceSpec& r);
  void read_velocity(const toml::table& table, RobotInstanceSpec& r);
  void read_scatter(const toml::table& table, RobotInstanceSpec& r);
  void read_joints(TableReader& t, RobotInstanceSpec& r);
  void read_servos(TableReader& t, RobotInstanceSpec& r);
  bool read_servo_node(const toml::node& node, ObjectSpec& o, Diagnostics& log);
  void read_servo_of(const NamedTable& named, RobotInstanceSpec& r);
  void recheck(const RobotInstanceSpec& r);
  void read_controller(TableReader& t, RobotInstanceSpec& r);
  void read_controller_table(const toml::table& table, ControllerSpec& c);
  void read_plan(TableReader& t, ControllerSpec& c);
  bool read_address(TableReader& t, const char* key, ControllerSpec& c);
  void read_serial(TableReader& t, RobotInstanceSpec& r);
  void refuse_foreign_keys(TableReader& t);
  void read_program(const toml::node& node, ControllerSpec& c);
  void check_controller_file(const RobotInstanceSpec& r);
  template <class File>
  void check_against(const std::string& path, std::map<std::string, std::optional<File>>& known,
                     Result<File> (*load)(const std::string&),
                     Diagnostics (*check)(const File&, const RobotSpec&, const Place&), const RobotInstanceSpec& r);
  void add_copies(TableReader& t, const RobotInstanceSpec& r);
  void fault(const Place& place, std::string text, std::string suggestion = "");

  SceneSpec& scene_;
  const LoadOptions& options_;
  ScenePlaces& places_;
  Diagnostics& log_;
  std::string path_;                                          // "robot.NAME" of the one being read
  std::map<std::string, Draft> drafts_;                       // earlier robots, for like
  std::map<std::string, std::optional<RobotSpec>> models_;    // by path; nothing if it could not be loaded
  std::map<std::string, std::optional<MotionFile>> motions_;  // by path
  std::map<std::string, std::optional<WalkFile>> walks_;      // by path
  std::map<std::string, std::optional<PolicyFile>> policies_; // by path
  std::map<std::pair<int, std::string>, Place> overridden_;   // (object, property) of the one being read
};

}  // namespace gradus
