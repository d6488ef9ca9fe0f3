/// URDF: every bad file with its exact messages; good ones value for value, and frames against a second way to compute
/// them.
#include "load/urdf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <sstream>

#include "base/rng.h"
#include "load/mesh.h"
#include "load/source_text.h"
#include "model/inertia.h"
#include "model/model.h"
#include "unit/load/forward_kinematics.h"
#include "unit/load/scratch_folder.h"

namespace gradus {
namespace {

namespace fs = std::filesystem;
const std::string kSource = std::string(GRADUS_SOURCE_DIR) + "/";

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// ---- bad files

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSource + "tests/misuse/urdf")) {
    if (entry.path().extension() == ".expected") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BadFile : public testing::TestWithParam<std::string> {};

TEST_P(BadFile, GivesExactlyTheExpectedMessages) {
  const std::string folder = kSource + "tests/misuse/urdf/", path = folder + GetParam();
  const std::string expected = file_text(path + ".expected");
  const bool robot = path.ends_with(".urdf");
  const auto urdf = robot ? load_urdf(path) : Result<RobotSpec>(Diagnostics{});
  const auto mesh = robot ? Result<MeshSpec>(Diagnostics{}) : load_mesh(path, {1, 1, 1});
  const Diagnostics& notes = robot ? urdf.notes() : mesh.notes();
  EXPECT_EQ(without(without(messages(notes), folder), kSource), expected);
  EXPECT_EQ(robot ? static_cast<bool>(urdf) : static_cast<bool>(mesh), expected.find(": error: ") == std::string::npos);
  EXPECT_FALSE(expected.empty());
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Urdf, BadFile, testing::ValuesIn(bad_files()), test_name);

TEST(UrdfMisuse, HasAtLeastTwentyFiveBadFiles) { EXPECT_GE(bad_files().size(), 25u); }

// ---- files too large to keep

class Urdf : public testing::Test {
 protected:
  Result<RobotSpec> load(const std::string& text) { return load_urdf(folder_.write("r.urdf", text)); }
  std::string said(const Result<RobotSpec>& r) { return folder_.without_folder(messages(r.notes())); }
  ScratchFolder folder_;
};

const std::string kInertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";

std::string chain(int joints) {
  std::string s = "<robot name='chain'>\n<link name='l0'>" + kInertial + "</link>\n";
  for (int i = 1; i <= joints; ++i) {
    const std::string n = std::to_string(i);
    s += "<link name='l" + n + "'>" + kInertial + "</link>\n<joint name='j" + n +
         "' type='continuous'><parent link='l" + std::to_string(i - 1) + "'/><child link='l" + n + "'/></joint>\n";
  }
  return s + "</robot>\n";
}

TEST_F(Urdf, AThousandJointsInAChainLoadAndOneMoreDoesNot) {
  const auto longest = load(chain(1000));
  ASSERT_TRUE(longest) << said(longest);
  EXPECT_EQ(longest->objects.size(), 2001u);
  EXPECT_EQ(said(load(chain(1001))),
            "r.urdf:2004:1: error: more than 1000 joints follow one another; shorten the chain\n");
}

TEST_F(Urdf, ElementsNestedVeryDeeplyAreRefused) {
  std::string s = "<robot name='deep'>";
  for (int i = 0; i < 200'000; ++i) s += "<a>";
  for (int i = 0; i < 200'000; ++i) s += "</a>";
  EXPECT_EQ(said(load(s + "</robot>")),
            "r.urdf:1:3017: error: elements are nested more than 1000 deep; URDF needs five levels\n");
}

TEST_F(Urdf, MoreThanTenThousandLinksAreRefused) {
  std::string s = "<robot name='many'>";
  for (int i = 0; i < 10'001; ++i) s += "<link name='l" + std::to_string(i) + "'/>";
  EXPECT_EQ(said(load(s + "</robot>")), "r.urdf:1:1: error: the robot has more than 10000 links; split it\n");
}

TEST_F(Urdf, MoreMarkupThanMemoryShouldHoldIsRefused) {
  std::string s = "<robot name='many'>";
  for (int i = 0; i < 2'000'000; ++i) s += "<a/>";
  EXPECT_EQ(said(load(s + "</robot>")),
            "r.urdf: error: the file has more than 2000000 elements and attributes; split the robot\n");
}

TEST_F(Urdf, FilesOver64MiBAreRefusedBeforeTheyAreRead) {
  const std::string path = folder_.write("r.urdf", "<robot/>");
  fs::resize_file(path, kUrdfFileLimit + 1);  // sparse: takes no space
  EXPECT_EQ(said(load_urdf(path)),
            "r.urdf: error: the file has 67108865 bytes, more than the limit of 64 MiB; simplify it or split it\n");
}

TEST_F(Urdf, AnAttributeOfMillionsOfNumbersCostsNoMemory) {
  std::string s = "<robot name='r'><link name='a'><collision><geometry><box size='";
  for (int i = 0; i < 3'000'000; ++i) s += "1 ";
  const auto r = load(s + "'/></geometry></collision></link></robot>");
  ASSERT_EQ(r.notes().size(), 1u);
  EXPECT_TRUE(r.notes()[0].text.ends_with(" has 3000000 numbers, it needs 3")) << said(r);
}

TEST_F(Urdf, NamesFromCharacterReferencesMustBeText) {
  EXPECT_EQ(said(load("<robot name='r'><link name='&#xd800;'/></robot>")),
            "r.urdf:1:23: error: the attribute 'name' is not UTF-8 text\n");
  EXPECT_TRUE(load("<robot name='r'><link name='Fu&#xdf;'/></robot>"));
}

/// 9999 suggestions among 9999 names took more than 600 s before they were bounded. Processor time, since the machine
/// may be busy; the limit leaves room for sanitizers.
TEST_F(Urdf, ThousandsOfWrongReferencesAreAnsweredQuickly) {
  std::string s = "<robot name='r'><link name='l0'>" + kInertial + "</link>";
  for (int i = 1; i < 10'000; ++i) {
    const std::string n = std::to_string(i);
    s += "<link name='link_with_a_long_name_" + n + "'>" + kInertial + "</link><joint name='joint_with_a_long_name_" +
         n + "' type='continuous'><parent link='l0'/><child link='link_with_a_long_name_" + n +
         "'/><mimic joint='joint_with_a_lang_name_'/></joint>";
  }
  const std::clock_t start = std::clock();
  EXPECT_EQ(load(s + "</robot>").notes().size(), ProblemList::kShown + 1);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 30);
}

TEST_F(Urdf, AThousandErrorsAreCountedNotShown) {
  std::string s = "<robot name='many'>\n";
  for (int i = 0; i < 1000; ++i) s += "<link/>\n";
  const auto r = load(s + "</robot>");
  EXPECT_FALSE(r);
  EXPECT_EQ(r.notes().size(), 101u);
  EXPECT_EQ(to_string(r.notes().front()),
            folder_.path() + "/r.urdf:2:1: error: <link> has no attribute 'name'; write <link name=\"…\">");
  EXPECT_EQ(to_string(r.notes().back()), folder_.path() + "/r.urdf: error: 900 more errors are not shown");
}

// ---- good files, value for value

TEST_F(Urdf, LinksAndJointsBecomeTheObjectsTheirDocumentationNames) {
  const auto r = load(R"(<robot name="arm">
  <link name="world"/>
  <joint name="bolt" type="fixed"><parent link="world"/><child link="post"/><origin xyz="0 0 0.5" rpy="0 0 0.25"/></joint>
  <link name="post"/>
  <joint name="turn" type="revolute">
    <parent link="post"/><child link="arm"/>
    <origin xyz="0.1 0.2 0.3" rpy="0 -1.5 0"/>
    <axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <link name="arm">
    <inertial><origin xyz="1 2 3"/><mass value="2"/><inertia ixx="3" ixy="0.1" ixz="0.2" iyy="4" iyz="0.3" izz="5"/></inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="hand"/><limit lower="0.1" upper="0.2" effort="5" velocity="6"/>
  </joint>
  <link name="hand">)" +
                      kInertial + R"(</link>
  <joint name="roll" type="continuous">
    <parent link="arm"/><child link="wheel"/><mimic joint="turn" multiplier="-2" offset="0.5"/>
  </joint>
  <link name="wheel">)" +
                      kInertial + R"(</link>
</robot>)");
  ASSERT_TRUE(r) << said(r);
  EXPECT_TRUE(r.notes().empty()) << said(r);
  EXPECT_EQ(r->name, "arm");
  EXPECT_EQ(r->root, RootKind::fixed);
  std::ostringstream list;
  for (const ObjectSpec& o : r->objects) {
    list << o.name << " " << to_string(o.kind) << " after " << (o.parent ? r->objects[o.parent.value].name : "-")
         << "\n";
  }
  EXPECT_EQ(list.str(),
            "world base after -\n"
            "bolt_xyz translation after world\n"
            "bolt rotation after bolt_xyz\n"
            "post translation after bolt\n"
            "turn_xyz translation after post\n"
            "turn_rpy rotation after turn_xyz\n"
            "turn revolute after turn_rpy\n"
            "arm fork after turn\n"
            "slide prismatic after arm\n"
            "hand endpoint after slide\n"
            "roll revolute after arm\n"
            "wheel endpoint after roll\n");
  const auto object = [&](const char* name) -> const ObjectSpec& { return r->objects[r->find(name).value]; };
  EXPECT_EQ(object("bolt_xyz").offset.z, 0.5);
  EXPECT_EQ(object("bolt").axis.z, 1);
  EXPECT_EQ(object("bolt").angle, 0.25);
  EXPECT_EQ(norm(object("turn_xyz").offset - Vec3{0.1, 0.2, 0.3}), 0);
  EXPECT_EQ(object("turn_rpy").axis.y, 1);
  EXPECT_EQ(object("turn_rpy").angle, -1.5);
  const ObjectSpec& turn = object("turn");
  EXPECT_EQ(norm(turn.axis - Vec3{0, 2, 0}), 0);
  EXPECT_EQ(turn.lower, -1);
  EXPECT_EQ(turn.upper, 2);
  EXPECT_EQ(turn.initial, 0);
  EXPECT_EQ(turn.servo.torque, 30);
  EXPECT_EQ(turn.servo.speed, 4);
  EXPECT_EQ(turn.servo.kp, 0);
  EXPECT_EQ(turn.damping, 0.5);
  EXPECT_EQ(turn.friction, 0.25);
  EXPECT_EQ(turn.place.line, 5);
  EXPECT_EQ(turn.place.column, 3);
  const ObjectSpec& arm = object("arm");
  EXPECT_EQ(arm.mass, 2);
  EXPECT_EQ(norm(arm.com - Vec3{1, 2, 3}), 0);
  EXPECT_EQ(arm.inertia.xx, 3);
  EXPECT_EQ(arm.inertia.xy, 0.1);
  EXPECT_EQ(arm.inertia.xz, 0.2);
  EXPECT_EQ(arm.inertia.yy, 4);
  EXPECT_EQ(arm.inertia.yz, 0.3);
  EXPECT_EQ(arm.inertia.zz, 5);
  EXPECT_EQ(object("slide").axis.x, 1) << "URDF's default axis is x";
  EXPECT_EQ(object("slide").initial, 0.1) << "0 is outside the limits";
  const ObjectSpec& roll = object("roll");
  EXPECT_EQ(roll.lower, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(roll.servo.torque, std::numeric_limits<double>::infinity());
  ASSERT_TRUE(roll.mimic);
  EXPECT_EQ(roll.mimic->of, "turn");
  EXPECT_EQ(roll.mimic->multiplier, -2);
  EXPECT_EQ(roll.mimic->offset, 0.5);
  EXPECT_EQ(roll.initial, 0.5);
}

TEST_F(Urdf, TheBaseIsFreeUnlessTheRootIsCalledWorld) {
  const std::string body = "<link name='body'>" + kInertial + "</link>";
  const auto free = load("<robot name='r'>" + body + "</robot>");
  ASSERT_TRUE(free) << said(free);
  EXPECT_EQ(free->root, RootKind::free);
  EXPECT_EQ(free->objects[0].name, "body");
  EXPECT_EQ(free->objects[0].mass, 1);

  const auto joint = [&](const char* type) {
    return load("<robot name='r'><link name='world'/>" + body + "<joint name='j' type='" + type +
                "'><parent link='world'/><child link='body'/></joint></robot>");
  };
  const auto fixed = joint("fixed");
  ASSERT_TRUE(fixed) << said(fixed);
  EXPECT_EQ(fixed->root, RootKind::fixed);
  EXPECT_EQ(fixed->objects[0].name, "world");
  const auto floating = joint("floating");
  ASSERT_TRUE(floating) << said(floating);
  EXPECT_EQ(floating->root, RootKind::free);
  EXPECT_EQ(floating->objects[0].name, "body");
  EXPECT_EQ(floating->objects.size(), 1u);
}

TEST_F(Urdf, ARootWithSeveralChildrenGetsAFork) {
  const auto r = load("<robot name='r'><link name='a'>" + kInertial + "</link><link name='b'/><link name='c'/>" +
                      "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>" +
                      "<joint name='k' type='fixed'><parent link='a'/><child link='c'/></joint></robot>");
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(r->objects[0].mass, 1);
  EXPECT_EQ(r->objects[1].name, "a_fork");
  EXPECT_EQ(r->objects[1].kind, ObjectKind::fork);
  EXPECT_EQ(r->objects[1].mass, 0);
  EXPECT_EQ(r->objects[r->find("k").value].parent.value, 1);
}

TEST_F(Urdf, ALinkNamedLikeAJointGivesWay) {
  const auto r = load("<robot name='my robot'>\n<link name='a'>" + kInertial + "</link><link name='hip'/>" +
                      "<joint name='hip' type='fixed'><parent link='a'/><child link='hip'/></joint></robot>");
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(r->objects[r->find("hip").value].kind, ObjectKind::translation);
  EXPECT_EQ(r->objects[r->find("hip_link").value].kind, ObjectKind::endpoint);
  EXPECT_EQ(said(r),
            "r.urdf:1:8: warning: the robot's name 'my robot' becomes 'my_robot'; use letters, digits, '_' and '-'\n"
            "r.urdf:2:95: warning: the link 'hip' has the name of a joint: it becomes 'hip_link'; give it a name of "
            "its own\n");
}

TEST_F(Urdf, ShapesKeepTheirSizesPosesAndRoles) {
  folder_.make_folder("meshes");
  folder_.write("meshes/m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto r = load(R"(<robot name="r">
  <material name="blue"><color rgba="0 0.25 1 0.5"/></material>
  <link name="a">)" + kInertial +
                      R"(
    <visual><geometry><mesh filename="package://any/meshes/m.obj" scale="2 3 4"/></geometry><material name="late"/></visual>
    <visual><geometry><mesh filename="meshes/m.obj"/></geometry></visual>
    <visual><geometry><mesh filename="meshes/m.obj"/></geometry></visual>
    <collision><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.4" length="0.5"/></geometry></collision>
  </link>
  <link name="b">
    <collision><geometry><capsule radius="0.6" length="0.7"/></geometry></collision>
    <collision><geometry><sphere radius="0.8"/></geometry></collision>
  </link>
  <link name="c"><visual><geometry><sphere radius="1"/></geometry><material name="late"><color rgba="1 0 0 1"/></material></visual></link>
  <link name="d"><visual><geometry><sphere radius="1"/></geometry><material name="blue"/></visual></link>
  <joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint>
  <joint name="cd" type="fixed"><parent link="c"/><child link="d"/></joint>
</robot>)");
  ASSERT_TRUE(r) << said(r);
  EXPECT_TRUE(r.notes().empty()) << said(r);
  const auto object = [&](const char* name) -> const ObjectSpec& { return r->objects[r->find(name).value]; };
  const std::vector<ShapeSpec>& a = object("a").shapes;
  ASSERT_EQ(a.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(a[i].collides, i >= 3);
    EXPECT_EQ(a[i].visible, i < 3);
  }
  ASSERT_EQ(r->meshes.size(), 2u) << "one for each scale";
  EXPECT_EQ(a[0].mesh, 0);
  EXPECT_EQ(a[1].mesh, 1);
  EXPECT_EQ(a[2].mesh, 1);
  EXPECT_EQ(norm(r->meshes[0].vertices[1] - Vec3{2, 0, 0}), 0);
  EXPECT_EQ(norm(r->meshes[0].vertices[2] - Vec3{0, 3, 0}), 0);
  EXPECT_EQ(norm(a[0].size - Vec3{2, 3, 4}), 0);
  EXPECT_EQ(a[3].kind, ShapeKind::box);
  EXPECT_EQ(norm(a[3].size - Vec3{0.1, 0.2, 0.3}), 0);
  EXPECT_NEAR(norm(a[3].X_OS * Vec3{1, 0, 0} - Vec3{1, 3, 3}), 0, 1e-15) << "x of the shape is y of the link";
  EXPECT_EQ(a[4].kind, ShapeKind::cylinder);
  EXPECT_EQ(a[4].radius, 0.4);
  EXPECT_EQ(a[4].length, 0.5);
  const std::vector<ShapeSpec>& b = object("b").shapes;
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b[0].kind, ShapeKind::capsule);
  EXPECT_EQ(b[0].radius, 0.6);
  EXPECT_EQ(b[0].length, 0.7);
  EXPECT_EQ(b[1].kind, ShapeKind::sphere);
  EXPECT_EQ(b[1].radius, 0.8);
  EXPECT_TRUE(b[0].collides && b[0].visible) << "without <visual> the collision shape is drawn";
  EXPECT_EQ(object("a").colour->x, 1);
  EXPECT_EQ(object("d").colour->y, 0.25);
  EXPECT_FALSE(object("b").colour);
}

TEST_F(Urdf, MeshesAreFoundInPackagesAboveTheFile) {
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  folder_.make_folder("some_robot/urdf/variants");
  folder_.make_folder("some_robot/meshes");
  folder_.write("some_robot/meshes/m.obj", obj);
  const std::string path = folder_.write("some_robot/urdf/variants/r.urdf",
                                         "<robot name='r'><link name='a'><collision><geometry><mesh filename="
                                         "'package://some_robot/meshes/m.obj'/></geometry></collision></link></robot>");
  const auto r = load_urdf(path);
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(folder_.without_folder(r->meshes[0].file), "some_robot/meshes/m.obj");
}

// ---- what public files leave out or get wrong

const std::string kBall = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";

/// A link `name` with `inside`, below the link `parent`, by a joint `name`_j.
std::string below(const std::string& parent, const std::string& name, const std::string& inside,
                  const std::string& joint = "type='continuous'", const std::string& in_joint = "") {
  return "<link name='" + name + "'>" + inside + "</link>\n<joint name='" + name + "_j' " + joint + "><parent link='" +
         parent + "'/><child link='" + name + "'/>" + in_joint + "</joint>\n";
}

std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>\n"; }

TEST_F(Urdf, AVisualMeshThatCannotBeReadIsAWarningAndTheCollisionShapeIsDrawn) {
  for (const char* mesh : {"gone.stl", "odd.xyz", "broken.dae"}) {
    folder_.write("odd.xyz", "?");
    folder_.write("broken.dae", "?");
    const auto r = load(robot("<link name='a'>" + kInertial + "<visual><geometry><mesh filename='" + mesh +
                              "'/></geometry></visual>" + kBall + "</link>"));
    ASSERT_TRUE(r) << said(r);
    EXPECT_NE(said(r).find("what touches is drawn instead"), std::string::npos) << said(r);
    ASSERT_EQ(r->objects[0].shapes.size(), 1u);
    EXPECT_TRUE(r->objects[0].shapes[0].collides && r->objects[0].shapes[0].visible) << mesh;
  }
}

TEST_F(Urdf, ACollisionMeshThatIsNotThereIsAWarning) {
  const auto r = load(robot("<link name='a'>" + kInertial +
                            "<collision><geometry><mesh filename='gone.stl'/></geometry></collision></link>"));
  ASSERT_TRUE(r) << said(r);
  EXPECT_TRUE(r->objects[0].shapes.empty());
  EXPECT_NE(said(r).find("goes without this collision shape"), std::string::npos) << said(r);
}

/// A triangle in centimetres, moved by its node; "Z up" must not turn it.
TEST_F(Urdf, ColladaMeshesComeInMetresPlacedByTheirNodesAndNotTurned) {
  folder_.write("m.dae", R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="cm" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 100 0 0 0 200 300</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 50</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  const auto r =
      load(robot("<link name='a'>" + kInertial +
                 "<collision><geometry><mesh filename='m.dae' scale='1 2 1'/></geometry></collision></link>"));
  ASSERT_TRUE(r) << said(r);
  EXPECT_TRUE(r.notes().empty()) << said(r);
  ASSERT_EQ(r->meshes.size(), 1u);
  ASSERT_EQ(r->meshes[0].vertices.size(), 3u);
  EXPECT_NEAR(norm(r->meshes[0].vertices[0] - Vec3{0, 0, 0.5}), 0, 1e-6);
  EXPECT_NEAR(norm(r->meshes[0].vertices[1] - Vec3{1, 0, 0.5}), 0, 1e-6);
  EXPECT_NEAR(norm(r->meshes[0].vertices[2] - Vec3{0, 4, 3.5}), 0, 1e-6) << "2 m times the scale 2; 3 m and the node";
}

TEST_F(Urdf, PointMassesAndEmptyFramesAreFineAsPartsOfARigidBody) {
  const std::string point = "<inertial><mass value='1e-6'/><inertia ixx='0' iyy='0' izz='0'/></inertial>";
  const auto r = load(robot("<link name='a'>" + kInertial + "</link>" + below("a", "camera", point, "type='fixed'") +
                            below("camera", "frame", "", "type='fixed'")));
  ASSERT_TRUE(r) << said(r);
  EXPECT_TRUE(r.notes().empty()) << said(r);
  EXPECT_EQ(r->objects[r->find("camera").value].mass, 1e-6);
}

/// Alone at a joint it needs an inertia: that of a ball of its mass and 1000 kg/m³, I = 2/5 m r².
TEST_F(Urdf, APointMassAloneGetsTheInertiaOfABall) {
  const std::string point = "<inertial><mass value='2'/><inertia ixx='0' iyy='0' izz='0'/></inertial>";
  const auto r = load(robot("<link name='a'>" + kInertial + "</link>" + below("a", "b", point)));
  ASSERT_TRUE(r) << said(r);
  const double radius = std::cbrt(3 * 2 / (4 * 3.14159265358979 * 1000));
  EXPECT_NEAR(r->objects[r->find("b").value].inertia.xx, 0.4 * 2 * radius * radius, 1e-12);
  EXPECT_NE(said(r).find("a mass without inertia"), std::string::npos) << said(r);
}

/// Moments 0.1, 0.1, 0.3 break the triangle inequality. Second moments ½ tr − I = 0.15, 0.15, −0.05; the last becomes a
/// ten-thousandth of the largest, so I = 0.150015, 0.150015, 0.3.
TEST_F(Urdf, AnImpossibleInertiaBecomesTheNearestPossibleOneAndBothAreShown) {
  const auto r =
      load(robot("<link name='a'><inertial><mass value='1'/><inertia ixx='0.1' iyy='0.1' izz='0.3'/>"
                 "</inertial></link>"));
  ASSERT_TRUE(r) << said(r);
  EXPECT_NEAR(r->objects[0].inertia.xx, 0.150015, 1e-12);
  EXPECT_NEAR(r->objects[0].inertia.yy, 0.150015, 1e-12);
  EXPECT_NEAR(r->objects[0].inertia.zz, 0.3, 1e-12);
  EXPECT_NE(said(r).find("0.1 0.1 0.3 0 0 0: it becomes 0.15 0.15 0.3 0 0 0"), std::string::npos) << said(r);
}

TEST_F(Urdf, NamesThatAPathCannotHoldAreRenamedAndStillFound) {
  const auto r =
      load(robot("<link name='arm/base.1'>" + kInertial + "</link>" +
                 below("arm/base.1", "hand=1", kInertial, "type='continuous'") +
                 below("arm/base.1", "hand.1", kInertial, "type='continuous'", "<mimic joint='hand=1_j'/>")));
  ASSERT_TRUE(r) << said(r);
  for (const char* name : {"arm_base_1", "hand_1", "hand_1_j", "hand_1_", "hand_1_j_"})
    EXPECT_TRUE(r->find(name)) << name;
  EXPECT_EQ(r->objects[r->find("hand_1_j_").value].mimic->of, "hand_1_j");
  EXPECT_NE(said(r).find("the name 'arm/base.1' becomes 'arm_base_1'"), std::string::npos) << said(r);
}

TEST_F(Urdf, ARangeFromZeroToZeroAReversedOneAndNoneMeanUnlimited) {
  for (const char* limit : {"<limit lower='0' upper='0' effort='1' velocity='1'/>", "<limit effort='1' velocity='1'/>",
                            "<limit lower='1' upper='-1' effort='1' velocity='1'/>", ""}) {
    const auto r =
        load(robot("<link name='a'>" + kInertial + "</link>" + below("a", "b", kInertial, "type='revolute'", limit)));
    ASSERT_TRUE(r) << said(r);
    const ObjectSpec& joint = r->objects[r->find("b_j").value];
    EXPECT_EQ(joint.lower, -std::numeric_limits<double>::infinity()) << limit;
    EXPECT_EQ(joint.upper, std::numeric_limits<double>::infinity()) << limit;
    EXPECT_NE(said(r).find("taken as unlimited"), std::string::npos) << said(r);
  }
}

/// Box 0.1 × 0.2 × 0.3 m at 1000 kg/m³: 6 kg, Ixx = 6 (0.2² + 0.3²)/12 = 0.065 kg m².
TEST_F(Urdf, AMovingLinkWithoutMassGetsThatOfItsShapes) {
  const auto r = load(robot(
      "<link name='a'>" + kInertial + "</link>" +
      below("a", "b", "<collision><origin xyz='0 0 1'/><geometry><box size='0.1 0.2 0.3'/></geometry></collision>")));
  ASSERT_TRUE(r) << said(r);
  const ObjectSpec& b = r->objects[r->find("b").value];
  EXPECT_NEAR(b.mass, 6, 1e-12);
  EXPECT_NEAR(b.com.z, 1, 1e-12);
  EXPECT_NEAR(b.inertia.xx, 0.065, 1e-12);
}

TEST_F(Urdf, AJointThatMovesNothingAtAllGetsARotor) {
  const auto r = load(robot("<link name='a'>" + kInertial + "</link>" + below("a", "b", "")));
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(r->objects[r->find("b_j").value].servo.rotor, 1e-3);
  EXPECT_EQ(r->objects[r->find("b").value].mass, 0);
}

/// 54 N m bring 1e-3 kg m² to 3 rad/s within 0.06 ms: no motor does. 54 · 5 ms / 3 = 0.09 kg m² is the motor's own. A
/// link of 1 kg m² is left alone (54 N m · 1 ms < 3 rad/s · 1 kg m²), and so is one of an unknown motor.
TEST_F(Urdf, ALinkTooLightForItsMotorGetsTheMotorsInertia) {
  const std::string light = "<inertial><mass value='0.1'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3'/></inertial>";
  const std::string motor = "<limit lower='-1' upper='1' effort='54' velocity='3'/>",
                    none = "<limit lower='-1' upper='1' effort='0' velocity='0'/>";
  const auto r = load(
      robot("<link name='a'>" + kInertial + "</link>" + below("a", "b", light, "type='revolute'", motor) +
            below("a", "c", kInertial, "type='revolute'", motor) + below("a", "d", light, "type='revolute'", none)));
  ASSERT_TRUE(r) << said(r);
  EXPECT_NEAR(r->objects[r->find("b_j").value].servo.rotor, 0.09, 1e-12);
  EXPECT_EQ(r->objects[r->find("c_j").value].servo.rotor, 0);
  EXPECT_EQ(r->objects[r->find("d_j").value].servo.rotor, 0);
  EXPECT_NE(said(r).find("the motor's own inertia is missing"), std::string::npos) << said(r);
}

TEST_F(Urdf, ARootWithoutMassIsBoltedToTheWorld) {
  const auto r = load(robot("<link name='a'/>" + below("a", "b", kInertial)));
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(r->root, RootKind::fixed);
  EXPECT_NE(said(r).find("bolted to the world"), std::string::npos) << said(r);
}

TEST_F(Urdf, TheLinkWorldNeedNotBeWritten) {
  const auto r = load(robot("<link name='a'>" + kInertial +
                            "</link><joint name='j' type='fixed'><parent link='world'/><child link='a'/></joint>"));
  ASSERT_TRUE(r) << said(r);
  EXPECT_EQ(r->root, RootKind::fixed);
}

TEST_F(Urdf, BytesOfOtherEncodingsInACommentAreAWarning) {
  const auto r =
      load(robot("<!-- Gr\xf6\xdf"
                 "e --><link name='a'>" +
                 kInertial + "</link>"));
  ASSERT_TRUE(r) << said(r);
  EXPECT_NE(said(r).find("become '?'"), std::string::npos) << said(r);
}

TEST(Inertia, PrincipalAxesRebuildTheMatrixAndPossibleOnesStayAsTheyAre) {
  const RandomKey key{11, 0, 1};
  for (std::uint64_t n = 0; n < 100; ++n) {
    const auto x = [&](int i) { return random_in(key, n, static_cast<std::uint32_t>(i), -1, 1); };
    const Sym3 S{x(0), x(1), x(2), x(3), x(4), x(5)};
    const PrincipalAxes axes = principal_axes(S);
    const Sym3 again = rotated_diagonal(axes.R, axes.values.x, axes.values.y, axes.values.z);
    EXPECT_NEAR(again.xx, S.xx, 1e-14);
    EXPECT_NEAR(again.xy, S.xy, 1e-14);
    EXPECT_NEAR(again.yz, S.yz, 1e-14);
    EXPECT_NEAR(dot(axes.R.x, cross(axes.R.y, axes.R.z)), 1, 1e-14) << "a rotation";
    const auto possible = nearest_possible_inertia(S);
    if (!possible) continue;
    EXPECT_TRUE(positive_definite(*possible) && triangle_holds(*possible));
    const auto twice = nearest_possible_inertia(*possible);
    ASSERT_TRUE(twice);
    EXPECT_NEAR(twice->xx, possible->xx, 1e-12);
    EXPECT_NEAR(twice->xz, possible->xz, 1e-12);
  }
}

// ---- truth

Vec3 random_vector(const RandomKey& key, std::uint64_t step, double most) {
  return {random_in(key, step, 0, -most, most), random_in(key, step, 1, -most, most),
          random_in(key, step, 2, -most, most)};
}

std::string numbers(Vec3 v) {
  char s[100];
  std::snprintf(s, sizeof s, "%.17g %.17g %.17g", v.x, v.y, v.z);
  return s;
}

Mat3 about(int axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  if (axis == 0) return {{1, 0, 0}, {0, c, s}, {0, -s, c}};
  if (axis == 1) return {{c, 0, -s}, {0, 1, 0}, {s, 0, c}};
  return {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
}

/// URDF's definition, with elementary matrices: fixed axes, roll first, so R = Rz(yaw) Ry(pitch) Rx(roll).
Mat3 rotation_of(Vec3 rpy) { return about(2, rpy.z) * (about(1, rpy.y) * about(0, rpy.x)); }

/// I' = R I Rᵀ element by element, I'_ij = Σ R_ik I_kl R_jl.
TEST_F(Urdf, InertiaIsTurnedByTheOriginsRpy) {
  const RandomKey key{7, 0, 1};
  for (std::uint64_t n = 0; n < 50; ++n) {
    const Vec3 rpy = random_vector(key, n, 3);
    const auto r = load("<robot name='r'><link name='a'><inertial><origin rpy='" + numbers(rpy) +
                        "'/><mass value='1'/><inertia ixx='2' ixy='0.3' ixz='-0.2' iyy='3' iyz='0.1' izz='4'/>"
                        "</inertial></link></robot>");
    ASSERT_TRUE(r) << said(r);
    const Mat3 R = rotation_of(rpy);
    const double M[3][3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    const double I[3][3] = {{2, 0.3, -0.2}, {0.3, 3, 0.1}, {-0.2, 0.1, 4}};
    double J[3][3] = {};
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k < 9; ++k) J[i / 3][i % 3] += M[i / 3][k / 3] * I[k / 3][k % 3] * M[i % 3][k % 3];
    }
    const Sym3& S = r->objects[0].inertia;
    EXPECT_NEAR(S.xx, J[0][0], 1e-14);
    EXPECT_NEAR(S.xy, J[0][1], 1e-14);
    EXPECT_NEAR(S.xz, J[0][2], 1e-14);
    EXPECT_NEAR(S.yy, J[1][1], 1e-14);
    EXPECT_NEAR(S.yz, J[1][2], 1e-14);
    EXPECT_NEAR(S.zz, J[2][2], 1e-14);
  }
}

struct RandomJoint {
  Vec3 xyz, rpy, axis;
  bool revolute;
};

/// Random arms: the frames of the objects (spec.h) against URDF's own definition, X_PC = (xyz, R(rpy)) · motion(axis,
/// q).
TEST_F(Urdf, FramesAreThoseOfUrdfsDefinition) {
  const RandomKey key{11, 0, 2};
  for (std::uint64_t robot = 0; robot < 20; ++robot) {
    std::string text = "<robot name='r'><link name='l0'>" + kInertial + "</link>";
    std::vector<RandomJoint> joints;
    for (std::uint64_t j = 0; j < 7; ++j) {
      const std::uint64_t n = 100 * robot + 3 * j;
      joints.push_back(
          {random_vector(key, n, 1), random_vector(key, n + 1, 3), random_vector(key, n + 2, 2), j % 3 != 2});
      const std::string a = std::to_string(j), b = std::to_string(j + 1);
      text += "<link name='l" + b + "'>" + kInertial + "</link><joint name='j" + b + "' type='" +
              (joints.back().revolute ? "continuous" : "prismatic") + "'><parent link='l" + a + "'/><child link='l" +
              b + "'/><origin xyz='" + numbers(joints.back().xyz) + "' rpy='" + numbers(joints.back().rpy) +
              "'/><axis xyz='" + numbers(joints.back().axis) +
              "'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>";
    }
    const auto r = load(text + "</robot>");
    ASSERT_TRUE(r) << said(r);
    std::map<std::string, double> q;
    Pose X_WL = identity_pose();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const double angle = random_in(key, 5000 + robot, static_cast<std::uint32_t>(j), -3, 3);
      q["j" + std::to_string(j + 1)] = angle;
      const Vec3 u = joints[j].axis * (1 / norm(joints[j].axis));
      const Pose motion =
          joints[j].revolute ? Pose{rodrigues(u, angle), {0, 0, 0}} : Pose{identity3<double>(), u * angle};
      X_WL = X_WL * (Pose{rotation_of(joints[j].rpy), joints[j].xyz} * motion);
    }
    const Pose found = forward_kinematics(*r, q)[r->find("l7").value];
    EXPECT_NEAR(norm(found.p - X_WL.p), 0, 1e-13);
    EXPECT_NEAR(norm(found.R.x - X_WL.R.x), 0, 1e-13);
    EXPECT_NEAR(norm(found.R.y - X_WL.R.y), 0, 1e-13);
  }
}

TEST_F(Urdf, AnArmAndTheSameArmFromTheBuilderHaveTheSameFramesAndMasses) {
  const auto r = load(R"(<robot name="arm">
  <link name="world"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.03" iyy="0.03" izz="0.01"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.005"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="world"/><child link="upper"/><origin xyz="0 0 1" rpy="3.141592653589793 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.1 0 0.4" rpy="0 0 0.5"/><axis xyz="1 1 0"/></joint>
</robot>)");
  ASSERT_TRUE(r) << said(r);
  RobotBuilder b("arm");
  b.base("world").fixed().translation("to_shoulder", {0, 0, 1}).rotation("down", {1, 0, 0}, M_PI);
  b.revolute("shoulder", {0, 1, 0}).mass(2, {0, 0, 0.2}, {0.03, 0, 0, 0.03, 0, 0.01});
  b.translation("to_elbow", {0.1, 0, 0.4}).rotation("twist", {0, 0, 1}, 0.5);
  b.revolute("elbow", {1, 1, 0}).mass(1, {0, 0, 0.1}, {0.01, 0, 0, 0.01, 0, 0.005});
  const RandomKey key{3, 0, 3};
  for (std::uint64_t n = 0; n < 50; ++n) {
    const std::map<std::string, double> q{{"shoulder", random_in(key, n, 0, -4, 4)},
                                          {"elbow", random_in(key, n, 1, -4, 4)}};
    const std::vector<Pose> X = forward_kinematics(*r, q), Y = forward_kinematics(b.spec(), q);
    for (const auto& [link, joint] : {std::pair{"upper", "shoulder"}, std::pair{"lower", "elbow"}}) {
      const ObjectId l = r->find(link), j = b.spec().find(joint);
      const Vec3 com = X[l.value] * r->objects[l.value].com;
      EXPECT_NEAR(norm(com - Y[j.value] * b.spec().objects[j.value].com), 0, 1e-14);
      EXPECT_NEAR(norm(X[l.value].R.x - Y[j.value].R.x), 0, 1e-14);
      EXPECT_NEAR(norm(X[l.value].R.z - Y[j.value].R.z), 0, 1e-14);
    }
  }
}

// ---- the robots that ship

TEST(ShippedUrdf, PendulumLoadsCleanly) {
  const auto r = load_urdf(kSource + "robots/pendulum.urdf");
  ASSERT_TRUE(r) << messages(r.notes());
  EXPECT_TRUE(r.notes().empty()) << messages(r.notes());
  EXPECT_EQ(r->root, RootKind::fixed);
}

double value_of(const RobotSpec& r, const std::map<std::string, double>& q, const std::string& object,
                double Vec3::*part) {
  return forward_kinematics(r, q)[r.find(object).value].p.*part;
}

TEST(ShippedUrdf, QuadrupedIsLeftRightSymmetricAndStandsOnItsFeet) {
  const auto r = load_urdf(kSource + "robots/quadruped.urdf");
  ASSERT_TRUE(r) << messages(r.notes());
  EXPECT_TRUE(r.notes().empty()) << messages(r.notes());
  double mass = 0;
  int joints = 0;
  const std::map<std::string, double> stand;  // all at zero
  for (const ObjectSpec& o : r->objects) {
    mass += o.mass;
    joints += o.is_joint();
  }
  EXPECT_EQ(joints, 12);
  EXPECT_NEAR(mass, 12, 0.5);
  // the same angles left and right (roll mirrored) give mirrored feet
  std::map<std::string, double> q = stand;
  q["front_left_hip_roll"] = 0.3;
  q["front_right_hip_roll"] = -0.3;
  q["front_left_hip_pitch"] = q["front_right_hip_pitch"] = 0.4;
  q["front_left_knee"] = q["front_right_knee"] = -0.7;
  const std::vector<Pose> X = forward_kinematics(*r, q);
  const Vec3 left = X[r->find("front_left_foot").value].p, right = X[r->find("front_right_foot").value].p;
  EXPECT_NEAR(left.x, right.x, 1e-12);
  EXPECT_NEAR(left.y, -right.y, 1e-12);
  EXPECT_NEAR(left.z, right.z, 1e-12);
  EXPECT_GT(left.y, value_of(*r, stand, "front_left_foot", &Vec3::y)) << "positive roll swings the left leg outwards";
  // standing: the centre of mass lies above the rectangle of the feet, all four at one height
  const std::vector<Pose> S = forward_kinematics(*r, stand);
  Vec3 com{0, 0, 0};
  for (std::size_t i = 0; i < r->objects.size(); ++i) com += (S[i] * r->objects[i].com) * (r->objects[i].mass / mass);
  const Vec3 front = S[r->find("front_left_foot").value].p, rear = S[r->find("rear_right_foot").value].p;
  EXPECT_NEAR(front.z, rear.z, 1e-12);
  EXPECT_LT(front.z, -0.2);
  EXPECT_NEAR(com.x, (front.x + rear.x) / 2, 0.03);
  EXPECT_NEAR(com.y, 0, 1e-12);
  // left and right bodies mirror each other: m equal, com.y and I_xy, I_yz of opposite sign
  for (const ObjectSpec& o : r->objects) {
    const std::size_t at = o.name.find("_left_");
    if (at == std::string::npos) continue;
    const ObjectId id = r->find(std::string(o.name).replace(at, 6, "_right_"));
    ASSERT_TRUE(id) << o.name;
    const ObjectSpec& m = r->objects[id.value];
    EXPECT_EQ(o.mass, m.mass);
    EXPECT_EQ(o.com.x, m.com.x);
    EXPECT_EQ(o.com.y, -m.com.y);
    EXPECT_EQ(o.inertia.xy, -m.inertia.xy);
    EXPECT_EQ(o.inertia.yz, -m.inertia.yz);
    EXPECT_EQ(o.inertia.yy, m.inertia.yy);
    EXPECT_EQ(o.shapes.size(), m.shapes.size());
  }
}

}  // namespace
}  // namespace gradus
