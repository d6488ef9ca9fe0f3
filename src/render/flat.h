/// What the rays of one image meet, as plain numbers: every shape in the camera's axes, ready for rays that start at
/// the eye (the origin). Written in double by place.cpp once per image (with a rolling shutter once per band), read by
/// the kernels of every lane count and by a GPU. Nothing here owns memory.
#pragma once
#include <cstdint>

namespace gradus::render {

inline constexpr int kTileWidth = 16, kTileHeight = 8;  // pixels that share one list of shapes
inline constexpr int kTilePixels = kTileWidth * kTileHeight;
inline constexpr int kPad = 16;    // arrays that lanes read are padded to this many numbers
inline constexpr int kChunk = 16;  // shapes that share one rectangle of shadows
inline constexpr int kBeads = 8;
inline constexpr int kFootballPattern = 1, kNumberPattern = 100;
inline constexpr float kFar = 1e6f;  // [m] no ray goes farther

enum class FlatKind : std::int32_t { sphere, capsule, box, cylinder, plane, mesh };

/// One shape. Frame: camera axes, origin at the eye. Lengths in metres.
struct FlatShape {
  FlatKind kind;
  std::int32_t drawn;    // number in DrawnScene::shapes
  std::int32_t segment;  // in the segmentation image
  std::int32_t tree;     // mesh: number of its tree
  std::int32_t pattern;  // 0: none, kFootballPattern, kNumberPattern + the number on front and back of a box
  float near;            // no point is nearer to the eye; at least 1e-4: what is around the eye is not seen
  float bound;           // radius of a sphere around p that holds it
  float r;
  float p[3];               // centre
  float c;                  // sphere: |p|² − r²;  cylinder: |p|² − (p·w)² − r²
  float u[3], v[3], w[3];   // axes; capsule: w from end a to end b, not of unit length
  float h[3];               // half extents; cylinder: h[2]; plane: h[2] = n · p
  float o[3];               // the eye in the shape's axes: −u·p, −v·p, −w·p
  float a[3], b[3];         // capsule: ends
  float ww, wo, q, ca, cb;  // capsule: w·w, −w·a, the quadratic's constant, |a|² − r², |b|² − r²
  float rgb[3];             // albedo, linear
  // Long and thin: its bounding sphere would be in far too many tiles. kBeads spheres of radius bead around it, the
  // first at p − (kBeads − 1)/2 · string.
  float bead, string[3];  // bead 0: not long
};

/// A rectangle or disc painted on the ground, in the ground's axes.
struct Paint {
  float x, y, c, s;  // centre, and cosine and sine of its direction
  float hx, hy;      // half extents; disc: radius in hx
  float rgb[3];      // albedo, linear
  std::int32_t disc;
  float mark;  // 1: paint; 0: of the ground's own colour, which takes paint away
};

struct GroundFlat {
  std::int32_t present;
  float up[3], e1[3], e2[3];  // normal and tangents in the camera's axes
  float height, x, y;         // of the eye over the ground, and its place along e1, e2
  float rgb[3];               // albedo, linear
  float grain;                // contrast of the blades of grass; 0: plain
  float lit;                  // n · light, 0 at least
};

/// Node of a tree over triangles (meshes, hulls, terrain), in the shape's own axes.
struct TreeNode {
  float lo[3], hi[3];
  std::int32_t first;  // inner: left child, the right one follows; leaf: first triangle
  std::int32_t count;  // 0: inner
  std::int32_t axis;   // along which the children lie apart: the nearer one is looked at first
};
struct TreeTriangle {
  float a[3], ab[3], ac[3];  // corner and edges
};
struct Tree {
  const TreeNode* nodes;
  const TreeTriangle* triangles;
  std::int32_t node_count, count;  // count: of triangles
  std::int32_t solid;              // closed: seen from outside alone
};

/// Everything at one instant.
struct Placed {
  const FlatShape* shapes;              // those that may be seen, nearest first, then the others
  std::int32_t count;                   // that may be seen
  const float *cx, *cy, *cz, *cr, *c2;  // (padded) bounding spheres of the shapes in the same order; c2 = |c|²
  GroundFlat ground;
  const Paint* paint;
  std::int32_t paint_count;
  const float *paint_x0, *paint_x1, *paint_y0, *paint_y1;  // (padded) rectangles around them
  float light[3];                                          // towards the light, unit, camera axes
  // Shadows. Numbers of shapes here are places in `shapes`.
  const std::int32_t* place_of;  // (drawn) where a drawn shape is in `shapes`; −1: not seen, casts no shadow
  std::int32_t drawn_count;
  const float *shade_x, *shade_y, *shade_r;                // (drawn, padded) discs on the ground that hold the shadows
  const float *chunk_x0, *chunk_x1, *chunk_y0, *chunk_y1;  // (chunks) rectangles around kChunk of them
  const std::int32_t *blocker_first,
      *blockers;  // (drawn + 1), drawn shapes that may shade this one; null: no body shadows
  const Tree* trees;
  // Sky: colour at the horizon and above
  float sky_low[3], sky_high[3], sky_up[3];  // linear; up: the world's z in the camera's axes
};

/// A tile's cone: all its rays lie inside.
struct TileCone {
  float axis[3], cosine, sine;
};

/// View rays of one lens, in the order of use: tile by tile, row by row, 16 x then 16 y then 16 z.
struct ViewRays {
  const float* directions;
  const TileCone* cones;
  std::int32_t tiles_x, tiles_y;
  float pixel;  // angle of one in the middle   [rad]
};

/// One band of 8 rows at one instant.
struct BandCall {
  ViewRays rays;
  const Placed* placed;
  std::int32_t band;
  std::int32_t smooth, ground_shadows, body_shadows, rolling;
  float turn[3];  // camera's turn from one row to the next, camera axes; zeros: all rows at once      [rad]
  float slack_cos, slack_sin;         // of the turn between the band's middle and its rim
  std::int32_t add;                   // add to what is there (blur) instead of writing it
  std::uint16_t *red, *green, *blue;  // linear light, 0 … 4095, rows of `stride`
  std::int32_t stride;
  float* depth;            // along the optical axis, 0: sky; null: not wanted
  std::uint16_t* segment;  // null: not wanted
  std::int32_t* lists;     // room: (count) shapes of a tile, (drawn) shadows, (paint)
};

/// Rays from one point, for sensors that are no cameras. `count` is a multiple of 16: the last ones are repeated.
struct CastCall {
  const Placed* placed;
  const float *x, *y, *z;  // (count) unit directions in the frame of `placed`
  const TileCone* cones;   // (count / 16) around 16 rays each
  std::int32_t count;
  float range;          // [m]
  std::int32_t ground;  // does the ground count?
  float* distance;      // (count) `range` where nothing is hit
  std::int32_t* shape;  // (count) drawn number, −1: nothing, −2: the ground
  float *nx, *ny, *nz;  // (count) normal of the surface, towards the ray's start
  std::int32_t* lists;  // room: (placed->count)
};

/// Compiled for one number of lanes.
struct RenderKernel {
  const char* name;  // of the instruction set
  int lanes;
  void (*band)(const BandCall& call);
  void (*cast)(const CastCall& call);
  void (*noise)(std::uint16_t* row, int count, float a, float b, std::uint32_t key, std::uint32_t first_pixel);
};

}  // namespace gradus::render
