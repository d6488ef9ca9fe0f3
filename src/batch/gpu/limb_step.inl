/// Bodies of limb_step.h.
#pragma once

#define GRADUS_WALKER \
  template <class T, class Room, class Has> \
  GRADUS_INLINE
#define GRADUS_OF LimbWalker<T, Room, Has>

namespace gradus {

// ---- constants

GRADUS_WALKER void GRADUS_OF::place(int i, LinkT<T>& l) const {
  const Four<T> a = tables_.links[i].place, x = tables_.links[i].axis;
  l.p_PB = {a.x, a.y, a.z};
  l.rotor = a.w;
  l.axis = {x.x, x.y, x.z};
  l.same_origin = false;
  l.prismatic = Has::prismatic && (robot_.code[i] & kPrismatic);
}

GRADUS_WALKER void GRADUS_OF::weigh(int i, LinkT<T>& l) const {
  const Four<T> m = tables_.links[i].mass, J = tables_.links[i].inertia, p = tables_.links[i].products;
  const std::uint32_t code = robot_.code[i];
  l.com = {m.x, m.y, m.z};
  l.mass = m.w;
  l.J = {J.x, p.x, p.y, J.y, p.z, J.z};
  l.round = static_cast<Axis>(code >> kRoundShift & kAxisBits);
  l.diagonal = code & kDiagonal;
}

GRADUS_WALKER typename GRADUS_OF::Drive GRADUS_OF::drive_of(int i) const {
  const LimbJointT<T>& j = tables_.joints[i - 1];
  const Four<T> s = j.servo, stop = j.stop, p = j.passive;
  const T o = T(0.0);
  return {stop.x, stop.y, stop.z, stop.w, p.x, Has::passive ? p.y : o, Has::passive ? p.z : o, {s.x, s.y, s.z, p.w, s.w}};
}

/// Calls f with a link whose axis the compiler knows.
template <class T, class Room, class Has>
template <class Fn>
GRADUS_INLINE void GRADUS_OF::with_axis(int i, LinkT<T>& l, const Fn& f) const {
  switch (static_cast<Axis>(robot_.code[i] & kAxisBits)) {
    case Axis::x:
      l.axis_kind = Axis::x;
      return f(l);
    case Axis::y:
      l.axis_kind = Axis::y;
      return f(l);
    case Axis::z:
      l.axis_kind = Axis::z;
      return f(l);
    case Axis::general:
      l.axis_kind = Axis::general;
      return f(l);
  }
}

// ---- frames

/// n: 0 before the step, 1 at the new place in flight
GRADUS_WALKER FrameT<T> GRADUS_OF::frame_at(int slot, int n) const {
  T x[kFrameFar];
  GRADUS_UNROLL
  for (int k = 0; k < kFrameFar; ++k) x[k] = slot_far(slot, n * kFrameFar + k);
  return {{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}},
          {x[9], x[10], x[11]},
          {{x[12], x[13], x[14]}, {x[15], x[16], x[17]}},
          zero6<T>()};
}
GRADUS_WALKER void GRADUS_OF::put_frame(int slot, int n, const Frame& f) const {
  const T x[kFrameFar] = {f.R.x.x, f.R.x.y, f.R.x.z, f.R.y.x, f.R.y.y, f.R.y.z, f.R.z.x, f.R.z.y, f.R.z.z,
                          f.p.x,   f.p.y,   f.p.z,   f.V.a.x, f.V.a.y, f.V.a.z, f.V.l.x, f.V.l.y, f.V.l.z};
  GRADUS_UNROLL
  for (int k = 0; k < kFrameFar; ++k) slot_far(slot, n * kFrameFar + k) = x[k];
}

/// From the frame of a link's parent to its own.
GRADUS_WALKER void GRADUS_OF::out(const LinkT<T>& l, T q, T v, T s, T c, Frame& f) const {
  const Frame parent = f;
  step_out(l, q, v, s, c, parent, f);
}

// ---- drives

GRADUS_WALKER void GRADUS_OF::put_drive(int i, const DriveForceT<T>& d, bool simple) {
  keep(i, kTau) = d.tau;
  keep(i, kSlope) = d.e;
  const Word bit = joint_bit(i);
  driven_ = simple ? driven_ & ~bit : driven_ | bit;
  if (!room.some(!simple) || simple) return;
  const T x[] = {d.tau, d.e, d.servo_tau, d.servo_slope, d.held, d.stop_tau, d.stop_slope, d.rub_tau, d.rub_slope};
  GRADUS_UNROLL
  for (int k = 0; k < 9; ++k) joint_far(i, 1 + k) = x[k];
}

GRADUS_WALKER void GRADUS_OF::begin_drive(int i, T q, T v) {
  const Drive j = drive_of(i);
  const T h = robot_.h;
  T goal = joint_far(i, 0);
  if (Has::mimics && robot_.mimic_of[i] >= 0) {
    const Four<T> m = tables_.joints[i - 1].mimic;
    const int o = robot_.mimic_of[i] + 1;
    goal = m.x * (keep(o, kPlace) + h * keep(o, kSpeed)) + m.y;
  }
  DriveForceT<T> d{};
  servo::evaluate(j, q, v, j.servo.kp * (goal - q - h * v), h * h * j.servo.kp, j.servo.kd, h * j.servo.kd, h, d);
  put_drive(i, d, d.held == T(0.0) && d.stop_slope == T(0.0) && !(j.friction > T(0.0)) && !(j.spring > T(0.0)));
}

GRADUS_WALKER bool GRADUS_OF::review_drive(int i, T v, T a) {
  const Drive j = drive_of(i);
  const T h = robot_.h;
  DriveForceT<T> d{};
  const bool driven = driven_ & joint_bit(i);
  if (room.some(driven) && driven)
    d = {joint_far(i, 1), joint_far(i, 2), joint_far(i, 3), joint_far(i, 4), joint_far(i, 5),
         joint_far(i, 6), joint_far(i, 7), joint_far(i, 8), joint_far(i, 9)};
  else  // the servo alone, within its bounds
    d.tau = keep(i, kTau), d.e = keep(i, kSlope), d.servo_tau = d.tau + (j.servo.kd + j.damping) * v, d.servo_slope = h * h * j.servo.kp;
  bool changed = servo::review(j, v, a, h, d);
  if (d.stop_slope != T(0.0)) changed = servo::review_stop(a, d) || changed;
  if (j.friction > T(0.0)) changed = servo::review_friction(j, v, a, h, d) || changed;
  if (changed) put_drive(i, d, false);
  return changed;
}

// ---- points

GRADUS_WALKER ground::SearchT<T, LevelT<T>> GRADUS_OF::search() const {
  return {Axes{}, base(2) - robot_.offset, T(T(ground::kNear) + robot_.h * T(ground::kFastest)), robot_.h, robot_.h * robot_.gravity.z,
          root_velocity()};
}

GRADUS_WALKER void GRADUS_OF::find_points(int i, const Frame& f) {
  if (!(robot_.code[i] & kHasPoints) || !robot_.ground) return;
  const auto s = search();
  const Four<T> bound = tables_.links[i].bound;
  const V3 a = s.ground.in_axes_of(f.R);
  const T over = s.root_height + s.ground.along(f.p);
  if (!(over + dot(a, V3{bound.x, bound.y, bound.z}) - bound.w <= s.reach)) return;
  const auto l = ground::near_link(s, f, a, over);
  const int bit = first_bit(i) - robot_.point_begin[i];
  for (int k = robot_.point_begin[i]; k < robot_.point_begin[i + 1]; ++k) {
    const ContactPointT<T>& p = tables_.points[k];
    if (ground::touches(s, l, p.p_BC, p.radius)) near_ |= Word(1) << (bit + k);
  }
}

template <class T, class Room, class Has>
template <class Fn>
GRADUS_INLINE void GRADUS_OF::each_touching(int i, const Fn& f) const {
  Word m = near_ & static_cast<Word>(robot_.point_bits[i]);
  const int shift = robot_.point_begin[i] - first_bit(i);
  while (m) {
    const int bit = lowest_bit(m);
    m &= m - 1;
    f(bit + shift, Word(1) << bit);
  }
}

GRADUS_WALKER ContactMemoryT<T> GRADUS_OF::memory(int k, Word bit) const {
  const T o = T(0.0);
  if (!(valid_ & bit)) return {o, o, o, o};
  const int at = parity_ * 4;
  return {point_far(k, at), point_far(k, at + 1), point_far(k, at + 2), point_far(k, at + 3)};
}

/// Contact k of link i as the last review left it, or its first opinion.
GRADUS_WALKER void GRADUS_OF::contact(int i, int k, Word bit, const Frame& f, const Law& law,
                                      const ContactMemoryT<T>& m, StaticContactT<T>& c) const {
  c.point = k;
  c.link = i;
  c.near = c.active = true;
  c.sliding = m.sliding != T(0.0);
  c.fn = m.fn;
  c.d = zero3<T>();
  ground::fill(search(), f, law.p, c);
  const bool stored = stored_ & bit;
  if (room.some(stored) && stored) {
    const int how = static_cast<int>(point_far(k, 8));
    c.active = how & 1;
    c.sliding = how & 2;
    c.fn = point_far(k, 9);
    c.d = {point_far(k, 10), point_far(k, 11), point_far(k, 12)};
    c.f = {point_far(k, 13), point_far(k, 14), point_far(k, 15)};
    c.W = {point_far(k, 16), point_far(k, 17), point_far(k, 18), point_far(k, 19), point_far(k, 20), point_far(k, 21)};
  } else {
    begin_contact(law, robot_.h * robot_.gravity.z, m, c);
  }
}

GRADUS_WALKER void GRADUS_OF::store(int k, Word bit, const StaticContactT<T>& c) {
  const T x[] = {T((c.active ? 1 : 0) + (c.sliding ? 2 : 0)), c.fn, c.d.x, c.d.y, c.d.z, c.f.x, c.f.y, c.f.z,
                 c.W.xx, c.W.xy, c.W.xz, c.W.yy, c.W.yz, c.W.zz};
  GRADUS_UNROLL
  for (int n = 0; n < 14; ++n) point_far(k, 8 + n) = x[n];
  stored_ |= bit;
}

GRADUS_WALKER void GRADUS_OF::add_contacts(int i, const Frame& f, M6& I, V6& b) {
  each_touching(i, [&](int k, Word bit) {
    const Axes axes{};
    const Law law{axes, robot_.h, tables_.points[k]};
    const ContactMemoryT<T> m = memory(k, bit);
    StaticContactT<T> c;
    contact(i, k, bit, f, law, m, c);
    if (!c.active) return;
    if (calm_ && c.sliding) {
      calm_contact(law, m, V3{point_far(k, 22), point_far(k, 23), point_far(k, 24)}, true, c);
      store(k, bit, c);
    }
    add_point(I, c.r, c.W);
    b = b - wrench_at(c.r, c.f - c.W * robot_.gravity);
  });
}

/// Reviews the contacts of link i, and writes what those remember that are sound.
GRADUS_WALKER std::uint32_t GRADUS_OF::review_points(int i, const Frame& f, const V6& acc, bool review) {
  std::uint32_t how = 0;
  each_touching(i, [&](int k, Word bit) {
    const Axes axes{};
    const Law law{axes, robot_.h, tables_.points[k]};
    const ContactMemoryT<T> before = memory(k, bit);
    StaticContactT<T> c;
    contact(i, k, bit, f, law, before, c);
    const V3 a = velocity_at(acc, c.r) + robot_.gravity;
    if (pass_ == robot_.predictions) point_far(k, 22) = a.x, point_far(k, 23) = a.y, point_far(k, 24) = a.z;
    if (review && review_contact(law, before, a, c)) {
      store(k, bit, c);
      how |= kChanged | kLawChanged;
      return;
    }
    if (!c.active) return;
    how |= kTouching;
    const ContactMemoryT<T> kept = remember_contact(law, before, a, c);
    const int at = (1 - parity_) * 4;
    point_far(k, at) = kept.s1, point_far(k, at + 1) = kept.s2, point_far(k, at + 2) = kept.fn, point_far(k, at + 3) = kept.sliding;
    next_ |= bit;
  });
  return how;
}

// ---- walks

GRADUS_WALKER void GRADUS_OF::hand_over(T* to, const M6& I, const V6& b, bool first) const {
  const T n[kLimbSum] = {I.A.xx,  I.A.xy,  I.A.xz,  I.A.yy,  I.A.yz,  I.A.zz, I.B.x.x, I.B.x.y, I.B.x.z,
                         I.B.y.x, I.B.y.y, I.B.y.z, I.B.z.x, I.B.z.y, I.B.z.z, I.C.xx, I.C.xy,  I.C.xz,
                         I.C.yy,  I.C.yz,  I.C.zz,  b.a.x,   b.a.y,   b.a.z,  b.l.x,   b.l.y,   b.l.z};
  if (first) {
    GRADUS_UNROLL
    for (int k = 0; k < kLimbSum; ++k) to[k * Room::stride] = n[k];
  } else {
    GRADUS_UNROLL
    for (int k = 0; k < kLimbSum; ++k) to[k * Room::stride] += n[k];
  }
}
GRADUS_WALKER void GRADUS_OF::take(const T* from, M6& I, V6& b) const {
  T n[kLimbSum];
  GRADUS_UNROLL
  for (int k = 0; k < kLimbSum; ++k) n[k] = from[k * Room::stride];
  const M6 J{{n[0], n[1], n[2], n[3], n[4], n[5]},
             {{n[6], n[7], n[8]}, {n[9], n[10], n[11]}, {n[12], n[13], n[14]}},
             {n[15], n[16], n[17], n[18], n[19], n[20]}};
  I += J;
  b += V6{{n[21], n[22], n[23]}, {n[24], n[25], n[26]}};
}

/// Of runs that lead to branching links: their joints, and the frames of those links.
GRADUS_WALKER void GRADUS_OF::prepare(bool fresh) {
  for (int r = 0; fresh && r < runs(); ++r) {
    const LimbRun& u = run(r);
    if (!(u.how & LimbRun::kLeads)) continue;
    Frame now = u.slot < 0 ? root_frame() : frame_at(u.slot, 0);
    for (int k = u.first; k <= u.last; ++k) {
      const T q = keep(k, kPlace), v = keep(k, kSpeed);
      T s, c;
      sine_cosine(q, s, c);
      keep(k, kSine) = s, keep(k, kCosine) = c;
      begin_drive(k, q, v);
      LinkT<T> l;
      place(k, l);
      with_axis(k, l, [&](const LinkT<T>& j) { out(j, q, v, s, c, now); });
      if (slot_of(k) >= 0) put_frame(slot_of(k), 0, now);
    }
  }
}

/// From link `last`, where `now` is, inwards to `first`: factors; what the carrier feels in I and b.
GRADUS_WALKER void GRADUS_OF::walk_in(int first, int last, Frame& now, M6& I, V6& b) {
  for (int k = last;; --k) {
    LinkT<T> l;
    place(k, l);
    weigh(k, l);
    RigidInertiaT<T> own;
    V6 own_b;
    own_inertia(l, now, own, own_b);
    I += own;
    b += own_b;
    if (slot_of(k) >= 0) {
      if (k > 0)
        take(&slot_far(slot_of(k), 2 * kFrameFar), I, b);
      else
        take(&sum(room.warp, 0), I, b);
    }
    if (robot_.code[k] & kHasPoints) add_contacts(k, now, I, b);
    if (k == 0) return;
    const T v = keep(k, kSpeed);
    with_axis(k, l, [&](const LinkT<T>& j) { set_subspace(j, now); });  // not kept over points: registers are short
    JointFactorT<T> factor;
    eliminate(now, v, l.rotor, JointForceT<T>{keep(k, kTau), keep(k, kSlope)}, I, b, factor);
    put_vector(&keep(k, kU), factor.U);
    keep(k, kBias) = factor.u;
    keep(k, kPerD) = factor.d_inv;
    if (k == first) return;
    const T s = keep(k, kSine), c = keep(k, kCosine), q = Has::prismatic ? keep(k, kPlace) : T(0.0);
    with_axis(k, l, [&](const LinkT<T>& j) { step_in(j, q, v, s, c, now); });
  }
}

/// The warp's limbs, from their tips to the root: factors, and what the root feels.
GRADUS_WALKER void GRADUS_OF::inward(bool fresh) {
  if (fresh) near_ = stored_ = 0;
  prepare(fresh);
  M6 I = zero66<T>();
  V6 b = zero6<T>();
  for (int r = runs() - 1; r >= 0; --r) {
    const LimbRun& u = run(r);
    Frame now = u.slot < 0 ? root_frame() : frame_at(u.slot, 0);
    for (int k = u.first; k <= u.last; ++k) {
      if (k > 0) {
        const T q = keep(k, kPlace), v = keep(k, kSpeed);
        T s = keep(k, kSine), c = keep(k, kCosine);
        if (fresh && !(u.how & LimbRun::kLeads)) {
          sine_cosine(q, s, c);
          keep(k, kSine) = s, keep(k, kCosine) = c;
          begin_drive(k, q, v);
        }
        LinkT<T> l;
        place(k, l);
        with_axis(k, l, [&](const LinkT<T>& j) { out(j, q, v, s, c, now); });
      }
      if (fresh) find_points(k, now);
    }
    walk_in(u.first, u.last, now, I, b);
    if (rooted() && u.first == 1) continue;  // it goes on to the root, as in aba_inward
    if (u.slot < 0)  // two calls: the compiler then knows which memory each writes
      hand_over(&sum(room.warp, 0), I, b, u.how & LimbRun::kOpens);
    else
      hand_over(&slot_far(u.slot, 2 * kFrameFar), I, b, u.how & LimbRun::kOpens);
    I = zero66<T>(), b = zero6<T>();
  }
  if (rooted()) room.clear();
}

/// The root's acceleration, into the first six sums of its warp, and its factor behind.
GRADUS_WALKER void GRADUS_OF::solve() {
  M6 I = zero66<T>();
  V6 b = zero6<T>();
  GRADUS_UNROLL
  for (int w = 0; w < Room::warps; ++w)
    if (w == robot_.plan.root_warp || robot_.plan.run_count[w] > 0) take(&sum(w, 0), I, b);
  Factor6T<T> factor;
  const V6 acc = solve_root(robot_.root, robot_.gravity, I, b, factor);
  put_vector(&sum(room.warp, 0), acc);
  if (!is_free()) return;
  int n = 6;
  GRADUS_UNROLL
  for (int i = 0; i < 6; ++i) {
    sum(room.warp, n++) = factor.d_inv[i];
    GRADUS_UNROLL
    for (int k = 0; k < i; ++k) sum(room.warp, n++) = factor.l[i][k];
  }
}

/// Accelerations, and whether contacts and drives agree with them.
GRADUS_WALKER std::uint32_t GRADUS_OF::outward(bool review) {
  next_ = 0;
  std::uint32_t how = 0;
  for (int r = 0; r < runs(); ++r) {
    const LimbRun& u = run(r);
    Frame now = u.slot < 0 ? root_frame() : frame_at(u.slot, 0);
    V6 acc = u.slot < 0 ? root_acc() : vector_at(&slot_far(u.slot, 2 * kFrameFar + kLimbSum));
    for (int k = u.first; k <= u.last; ++k) {
      if (k > 0) {
        const T q = keep(k, kPlace), v = keep(k, kSpeed), s = keep(k, kSine), c = keep(k, kCosine);
        LinkT<T> l;
        place(k, l);
        with_axis(k, l, [&](const LinkT<T>& j) { out(j, q, v, s, c, now); });
        const V6 up = acc + velocity_product(now, v);
        const T a = (keep(k, kBias) - dot(vector_at(&keep(k, kU)), up)) * keep(k, kPerD);
        keep(k, kBias) = a;
        acc = up + now.S * a;
        if (slot_of(k) >= 0) put_vector(&slot_far(slot_of(k), 2 * kFrameFar + kLimbSum), acc);
        if (review && review_drive(k, v, a)) how |= kChanged;
      }
      if (robot_.code[k] & kHasPoints) how |= review_points(k, now, acc, review);
    }
  }
  return how;
}

// ---- commit

/// Joint forces; of the base what its acceleration is made of: the velocity before.
GRADUS_WALKER void GRADUS_OF::write_results(T* results) const {
  if (rooted()) put_vector(results + (robot_.nlink - 1) * Room::stride, vector_at(&base(7)));
  for (int r = 0; r < runs(); ++r)
    for (int k = run(r).first > 0 ? run(r).first : 1; k <= run(r).last; ++k)
      results[(k - 1) * Room::stride] = keep(k, kTau) - keep(k, kSlope) * keep(k, kBias);
}

/// The warp's joints.
GRADUS_WALKER void GRADUS_OF::commit(bool flies) {
  const T h = robot_.h;
  for (int r = 0; r < runs(); ++r)
    for (int k = run(r).first > 0 ? run(r).first : 1; k <= run(r).last; ++k) {
      if (flies) {
        keep(k, kSpeed) = keep(k, kBias);
        continue;
      }
      const T v1 = keep(k, kSpeed) + h * keep(k, kBias);
      keep(k, kSpeed) = v1;
      keep(k, kPlace) = keep(k, kPlace) + h * v1;
    }
  valid_ = next_;
  parity_ ^= 1;
}

GRADUS_WALKER void GRADUS_OF::commit_base(bool flies, T* results) {
  if (!flies) {
    T q[7], v[6];
    GRADUS_UNROLL
    for (int i = 0; i < 7; ++i) q[i] = base(i);
    GRADUS_UNROLL
    for (int i = 0; i < 6; ++i) v[i] = base(7 + i);
    commit_root<T>(robot_.root, q, v, root_acc(), robot_.gravity, true, robot_.h, q, v);
    GRADUS_UNROLL
    for (int i = 0; i < 7; ++i) base(i) = q[i];
    GRADUS_UNROLL
    for (int i = 0; i < 6; ++i) base(7 + i) = v[i];
  }
  if (!results) return;
  GRADUS_UNROLL
  for (int i = 0; i < 6; ++i) {
    T& x = results[(robot_.nlink - 1 + i) * Room::stride];
    x = (base(7 + i) - x) / robot_.h;
  }
}

GRADUS_WALKER bool GRADUS_OF::round(bool run, T* results) {
  inward(pass_ == 1);
  room.barrier();
  if (rooted()) solve();
  room.barrier();
  const std::uint32_t how = room.combine(outward(pass_ <= robot_.predictions));
  const bool done = !(how & kChanged), flies = run && done && !(how & kTouching);
  calm_ = !done && pass_ == robot_.predictions && (how & kLawChanged);
  if (run && done && results) write_results(results);
  if (room.any(flies)) fly(flies);
  if (run && done) {
    commit(flies);
    if (rooted()) commit_base(flies, results);
  }
  pass_ = done ? 1 : pass_ + 1;
  return done;
}

// ---- worlds come and go

GRADUS_WALKER void GRADUS_OF::load(const T* row, const RowLayout& at) {
  constexpr int s = Room::stride;
  pass_ = 1, parity_ = 0;
  calm_ = false;
  valid_ = driven_ = 0;
  const auto points = [&](int i) {
    Word bit = Word(1) << first_bit(i);
    for (int k = robot_.point_begin[i]; k < robot_.point_begin[i + 1]; ++k, bit <<= 1) {
      const T* m = row + (at.memory + 4 * k) * s;
      if (m[2 * s] == T(0.0)) continue;  // without a force: nothing
      for (int n = 0; n < 4; ++n) point_far(k, n) = m[n * s];
      valid_ |= bit;
    }
  };
  if (rooted()) {
    for (int i = 0; i < 7; ++i) base(i) = row[(at.q + i) * s];
    for (int i = 0; i < 6; ++i) base(7 + i) = row[(at.v + i) * s];
  }
  for (int r = 0; r < runs(); ++r)
    for (int i = run(r).first; i <= run(r).last; ++i) {
      points(i);
      if (i == 0) continue;
      keep(i, kPlace) = row[(at.q + 6 + i) * s];
      keep(i, kSpeed) = row[(at.v + 5 + i) * s];
      joint_far(i, 0) = row[(at.target + i - 1) * s];
    }
}

GRADUS_WALKER void GRADUS_OF::save(T* row, const RowLayout& at) const {
  constexpr int s = Room::stride;
  const auto points = [&](int i) {
    Word bit = Word(1) << first_bit(i);
    for (int k = robot_.point_begin[i]; k < robot_.point_begin[i + 1]; ++k, bit <<= 1)
      for (int n = 0; n < 4; ++n) row[(at.memory + 4 * k + n) * s] = valid_ & bit ? point_far(k, parity_ * 4 + n) : T(0.0);
  };
  if (rooted()) {
    for (int i = 0; i < 7; ++i) row[(at.q + i) * s] = base(i);
    for (int i = 0; i < 6; ++i) row[(at.v + i) * s] = base(7 + i);
  }
  for (int r = 0; r < runs(); ++r)
    for (int i = run(r).first; i <= run(r).last; ++i) {
      points(i);
      if (i == 0) continue;
      row[(at.q + 6 + i) * s] = keep(i, kPlace);
      row[(at.v + 5 + i) * s] = keep(i, kSpeed);
    }
}

}  // namespace gradus

#include "batch/gpu/limb_flight.inl"

#undef GRADUS_WALKER
#undef GRADUS_OF
