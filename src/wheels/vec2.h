/// Vectors of the playing plane. Angles count from x towards y; ẑ points up.
#pragma once
#include "math/scalar.h"

namespace gradus::wheels {

struct Vec2 {
  double x = 0, y = 0;
};

inline Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator-(Vec2 a) { return {-a.x, -a.y}; }
inline Vec2 operator*(double s, Vec2 a) { return {s * a.x, s * a.y}; }
inline double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
inline double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
inline Vec2 perp(Vec2 a) { return {-a.y, a.x}; }  // ẑ × a
inline double norm(Vec2 a) { return square_root(a.x * a.x + a.y * a.y); }

/// Rotation by an angle, kept as its cosine and sine.
struct Rot2 {
  double c = 1, s = 0;
};
inline Rot2 rotation(double angle) {
  Rot2 r;
  sine_cosine(angle, r.s, r.c);
  return r;
}
inline Vec2 operator*(Rot2 R, Vec2 a) { return {R.c * a.x - R.s * a.y, R.s * a.x + R.c * a.y}; }
inline Vec2 inverse_times(Rot2 R, Vec2 a) { return {R.c * a.x + R.s * a.y, R.c * a.y - R.s * a.x}; }
inline Rot2 inverse_times(Rot2 A, Rot2 B) { return {A.c * B.c + A.s * B.s, A.c * B.s - A.s * B.c}; }

}  // namespace gradus::wheels
