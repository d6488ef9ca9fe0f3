/// COLLADA and other mesh files through Assimp: all triangles of all nodes, placed by the nodes' transforms.
///
/// A COLLADA file says how long its unit is, which Assimp applies, and which axis is up, which is ignored: URDF files
/// mean the coordinates as they stand, and so do the programs that the files were made with.
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <exception>

#include "load/mesh_builder.h"

namespace gradus {
namespace {

Vec3 placed(const aiMatrix4x4& X, const aiVector3D& p) {
  const aiVector3D q = X * p;
  return {q.x, q.y, q.z};
}

void add_mesh(const aiMesh& m, const aiMatrix4x4& X, MeshBuilder& mesh, std::size_t& skipped) {
  for (unsigned f = 0; f < m.mNumFaces && !mesh.full(); ++f) {
    const aiFace& face = m.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines; polygons were cut into triangles
    std::array<Vec3, 3> corners;
    for (unsigned k = 0; k < 3; ++k) corners[k] = placed(X, m.mVertices[face.mIndices[k]]);
    if (!mesh.add_triangle(corners)) ++skipped;
  }
}

/// The stack is explicit: no file can exhaust the program's own.
std::size_t add_nodes(const aiScene& scene, MeshBuilder& mesh) {
  struct Task {
    const aiNode* node;
    aiMatrix4x4 X;
  };
  std::vector<Task> tasks{{scene.mRootNode, scene.mRootNode->mTransformation}};
  std::size_t skipped = 0;
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    for (unsigned i = 0; i < task.node->mNumMeshes; ++i)
      add_mesh(*scene.mMeshes[task.node->mMeshes[i]], task.X, mesh, skipped);
    for (unsigned i = task.node->mNumChildren; i-- > 0;) {
      const aiNode* child = task.node->mChildren[i];
      tasks.push_back({child, task.X * child->mTransformation});
    }
  }
  return skipped;
}

}  // namespace

bool assimp_reads(const std::string& extension) {
  static const std::array<const char*, 4> kExtensions{".dae", ".ply", ".gltf", ".glb"};
  return std::any_of(kExtensions.begin(), kExtensions.end(), [&](const char* e) { return extension == e; });
}

void read_with_assimp(std::string_view bytes, const std::string& extension, const Place& place, MeshBuilder& mesh,
                      ProblemList& problems) {
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_Triangulate, extension.c_str() + 1);
  } catch (const std::exception& e) {
    return problems.error(place, "Assimp cannot read it: " + in_quotes(e.what(), 200), "export the mesh again");
  }
  if (scene == nullptr || scene->mRootNode == nullptr)
    return problems.error(place, "Assimp cannot read it: " + in_quotes(importer.GetErrorString(), 200),
                          "export the mesh again");
  if (const std::size_t skipped = add_nodes(*scene, mesh); skipped > 0)
    problems.error(place, std::to_string(skipped) + " triangles have a coordinate that is not a finite number",
                   "repair the mesh and export it again");
}

}  // namespace gradus
