/// Which links of a robot each of the warps that share a world walks [limb_step.h]. A *limb* is a subtree that hangs on the
/// root; a *run* is a row of links each the child of the one before it in number, so a limb is one run or several. Limbs are
/// dealt whole, the costliest first, each to the warp with the least to do; the root goes to the one with the least then.
#pragma once
#include <cstdint>
#include <string>

#include "model/kind_arrays.h"

namespace gradus {

constexpr int kMostLimbWarps = 4;    // that share a world
constexpr int kMostLimbLinks = 40;   // of a robot
constexpr int kMostLimbPoints = 256;  // of a robot
constexpr int kMostWarpPoints = 64;  // and joints, of one warp: bits of a word
constexpr int kMostRuns = 16;        // of one warp

struct LimbRun {
  int first, last;  // links
  int slot;         // of the branching link that carries it, −1: the root
  int how;          // kLeads: to a branching link; kOpens: the first, from the tips inwards, of its warp that hands on to its carrier
  enum { kLeads = 1, kOpens = 2 };
};

struct LimbPlan {
  int warps = 1;
  int root_warp = 0;
  bool root_takes = false;  // its warp walks limbs besides the one that goes on to the root (that of link 1)
  int bits = 0;  // most joints or points of one warp
  int run_count[kMostLimbWarps] = {};
  LimbRun runs[kMostLimbWarps][kMostRuns] = {};  // in rising order; the root is a run of its own
  std::uint8_t joint_bit[kMostLimbLinks] = {};   // of a link's joint, and of its first point, in the words of its warp
  std::uint8_t point_bit[kMostLimbLinks] = {};
};

/// For `warps` warps; 0: as many as the tree has work for (1 or 4). False, with the reason: a robot that limbs cannot do.
template <class F>
bool make_limb_plan(const KindArraysT<F>& kind, int warps, LimbPlan& plan, std::string& error);

// Instances in limb_plan.cpp: float and double.

}  // namespace gradus
