/// fly of limb_step.h: the sums of motion/flight.inl, limb by limb. Numbers of equations are those of that file.
#pragma once

namespace gradus {

/// The root at the new place: its orientation, and v¹.
GRADUS_WALKER FrameT<T> GRADUS_OF::next_root_frame(const V6& acc0) const {
  const QuatT<T> turn = root_turn();
  if (!is_free()) return {to_matrix(turn), zero3<T>(), zero6<T>(), zero6<T>()};
  const T h = robot_.h, o = T(0.0), q[7] = {o, o, o, turn.w, turn.x, turn.y, turn.z};
  const V3 w0 = root_spin(), w1 = w0 + acc0.a * h;
  return {to_matrix(mean_turn(q, w0, w1, h)), zero3<T>(), {w1, zero3<T>()}, zero6<T>()};
}

/// (3) of the joints, and the first part of (1).
GRADUS_WALKER void GRADUS_OF::begin_flight() {
  const T h = robot_.h;
  for (int r = 0; r < runs(); ++r)
    for (int k = run(r).first; k <= run(r).last; ++k) {
      const T a = keep(k, kBias), q = keep(k, kPlace), e = keep(k, kSlope);
      const T soft = T(1.0) - e * keep(k, kPerD), v1 = keep(k, kSpeed) + h * a;
      const T q1 = q + h * (v1 - T(0.5) * soft * (h * a));
      keep(k, kTau) = h * (keep(k, kTau) - (e + tables_.links[k].place.w) * a);
      keep(k, kBias) = v1;
      keep(k, kPlace) = q1;
      if (Has::prismatic && (robot_.code[k] & kPrismatic)) {
        keep(k, kSine) = q;
        continue;
      }
      T s, c;
      sine_cosine(q1, s, c);
      keep(k, kSlope) = s;
      joint_far(k, 1) = c;
    }
}

/// Frames before and at the new place.
GRADUS_WALKER void GRADUS_OF::out_both(int i, const LinkT<T>& l, Frame& f0, Frame& f1) const {
  const T s = keep(i, kSine);
  out(l, s, keep(i, kSpeed), s, keep(i, kCosine), f0);
  out(l, keep(i, kPlace), keep(i, kBias), keep(i, kSlope), joint_far(i, 1), f1);
}
GRADUS_WALKER void GRADUS_OF::in_both(int i, const LinkT<T>& l, Frame& f0, Frame& f1) const {
  const T s = keep(i, kSine);
  step_in(l, s, keep(i, kSpeed), s, keep(i, kCosine), f0);
  step_in(l, keep(i, kPlace), keep(i, kBias), keep(i, kSlope), joint_far(i, 1), f1);
}

/// Frames of branching links at the new place.
GRADUS_WALKER void GRADUS_OF::lead_next(const Frame& root1) {
  for (int r = 0; r < runs(); ++r) {
    const LimbRun& u = run(r);
    if (!u.leads) continue;
    Frame now = u.slot < 0 ? root1 : frame_at(u.slot, 1);
    for (int k = u.first; k <= u.last; ++k) {
      LinkT<T> l;
      place(k, l);
      with_axis(k, l, [&](const LinkT<T>& j) {
        out(j, keep(k, kPlace), keep(k, kBias), keep(k, kSlope), joint_far(k, 1), now);
      });
      if (robot_.slot[k] >= 0) put_frame(robot_.slot[k], 1, now);
    }
  }
}

/// Momenta of link i, and how they change.
GRADUS_WALKER void GRADUS_OF::add_change(int i, const Frame& f0, const Frame& f1, V3 rise, LimbFlightT<T>& sum, V6& D) const {
  if (!(robot_.code[i] & kHasMass)) return;
  LinkT<T> l;
  weigh(i, l);
  const RigidInertiaT<T> I0 = own_inertia(l, f0), I1 = own_inertia(l, f1);
  const V6 H0 = I0 * f0.V;
  V6 H1 = I1 * V6{f1.V.a, f1.V.l + rise};
  H1.a += cross(rise * (T(0.5) * robot_.h), H1.l);
  D += H1 - H0;
  sum.start += H0;
  sum.mc += I0.h;
  sum.I.A += I1.A, sum.I.h += I1.h, sum.I.m += I1.m;
}

/// (1), (2) from the tips to the root.
GRADUS_WALKER LimbFlightT<T> GRADUS_OF::fly_inward(const V6& acc0) {
  const T o = T(0.0);
  const V3 rise = acc0.l * robot_.h;
  const Frame root1 = next_root_frame(acc0);
  lead_next(root1);
  LimbFlightT<T> sum{zero6<T>(), zero3<T>(), {{o, o, o, o, o, o}, zero3<T>(), o}, zero6<T>()};
  for (int r = runs() - 1; r >= 0; --r) {
    const LimbRun& u = run(r);
    Frame f0 = u.slot < 0 ? root_frame() : frame_at(u.slot, 0), f1 = u.slot < 0 ? root1 : frame_at(u.slot, 1);
    LinkT<T> l;
    for (int k = u.first; k <= u.last; ++k) {
      place(k, l);
      with_axis(k, l, [&](const LinkT<T>& j) { out_both(k, j, f0, f1); });
    }
    V6 D = zero6<T>(), g = zero6<T>();
    for (int k = u.last; k >= u.first; --k) {
      if (robot_.slot[k] >= 0) {
        const int at = 2 * kFrameFar;
        D += vector_at(&slot_far(robot_.slot[k], at)), g += vector_at(&slot_far(robot_.slot[k], at + 6));
      }
      add_change(k, f0, f1, rise, sum, D);
      const T x = keep(k, kTau) - dot((f0.S + f1.S) * T(0.5), D) + dot(f0.S, g);
      keep(k, kTau) = x;
      g = g - vector_at(&keep(k, kU)) * (keep(k, kPerD) * x);
      if (k == u.first) break;
      place(k, l);
      with_axis(k, l, [&](const LinkT<T>& j) { in_both(k, j, f0, f1); });
      place(k - 1, l);
      with_axis(k - 1, l, [&](const LinkT<T>& j) { set_subspace(j, f0), set_subspace(j, f1); });
    }
    if (u.slot < 0) {
      sum.left += g - D;
    } else {
      T *d = &slot_far(u.slot, 2 * kFrameFar), *e = &slot_far(u.slot, 2 * kFrameFar + 6);
      put_vector(d, u.opens ? D : D + vector_at(d));
      put_vector(e, u.opens ? g : g + vector_at(e));
    }
  }
  if (!rooted()) return sum;
  V6 D = zero6<T>();
  add_change(0, root_frame(), root1, rise, sum, D);
  sum.left = sum.left - D;
  return sum;
}

GRADUS_WALKER void GRADUS_OF::put_flight(T* to, const LimbFlightT<T>& s) const {
  constexpr int n = Room::stride;
  put_vector(to, s.start);
  put_vector(to + 6 * n, V6{s.mc, s.I.h});
  put_vector(to + 12 * n, V6{{s.I.A.xx, s.I.A.xy, s.I.A.xz}, {s.I.A.yy, s.I.A.yz, s.I.A.zz}});
  to[18 * n] = s.I.m;
}
GRADUS_WALKER LimbFlightT<T> GRADUS_OF::flight_at(const T* from) const {
  constexpr int n = Room::stride;
  const V6 start = vector_at(from), c = vector_at(from + 6 * n), A = vector_at(from + 12 * n);
  return {start, c.a, {{A.a.x, A.a.y, A.a.z, A.l.x, A.l.y, A.l.z}, c.l, from[18 * n]}, zero6<T>()};
}

/// The change of the root's twist by (2), of the sums of all warps; leaves the sums where the factor was.
GRADUS_WALKER Vec6T<T> GRADUS_OF::turn_root(LimbFlightT<T>& s) {
  GRADUS_UNROLL
  for (int w = 0; w < Room::warps; ++w) {
    if (w == room.warp) continue;
    const LimbFlightT<T> other = flight_at(&sum(w, 0));
    s.start += other.start;
    s.mc += other.mc;
    s.I.A += other.I.A, s.I.h += other.I.h, s.I.m += other.I.m;
    s.left += vector_at(&sum(w, 19));
  }
  V6 dV0 = zero6<T>();
  if (is_free()) {
    Factor6T<T> factor;
    int n = 6;
    GRADUS_UNROLL
    for (int i = 0; i < 6; ++i) {
      factor.d_inv[i] = sum(room.warp, n++);
      GRADUS_UNROLL
      for (int k = 0; k < i; ++k) factor.l[i][k] = sum(room.warp, n++);
    }
    dV0 = gradus::solve(factor, s.left);
  }
  put_flight(&sum(room.warp, 6), s);
  return dV0;
}

/// Outwards: changes of speeds, and the momentum at the end.
GRADUS_WALKER Vec6T<T> GRADUS_OF::fly_outward(const V6& acc0, const V6& dV0) {
  const Frame root1 = next_root_frame(acc0);
  const V6 twist0{root1.V.a + dV0.a, acc0.l * robot_.h + dV0.l};
  V6 end = zero6<T>();
  LinkT<T> l;
  for (int r = 0; r < runs(); ++r) {
    const LimbRun& u = run(r);
    const int at = 2 * kFrameFar;
    Frame f0 = u.slot < 0 ? root_frame() : frame_at(u.slot, 0), f1 = u.slot < 0 ? root1 : frame_at(u.slot, 1);
    V6 up = u.slot < 0 ? dV0 : vector_at(&slot_far(u.slot, at)), twist = u.slot < 0 ? twist0 : vector_at(&slot_far(u.slot, at + 6));
    for (int k = u.first; k <= u.last; ++k) {
      place(k, l);
      weigh(k, l);
      with_axis(k, l, [&](const LinkT<T>& j) { out_both(k, j, f0, f1); });
      const T x = (keep(k, kTau) - dot(vector_at(&keep(k, kU)), up)) * keep(k, kPerD);
      up = up + f0.S * x;
      const T v1 = keep(k, kBias) + x;
      keep(k, kBias) = v1;
      twist = twist + f1.S * v1;
      if (robot_.code[k] & kHasMass) end += own_inertia(l, f1) * twist;
      if (robot_.slot[k] >= 0) {
        put_vector(&slot_far(robot_.slot[k], at), up);
        put_vector(&slot_far(robot_.slot[k], at + 6), twist);
      }
    }
  }
  if (rooted() && (robot_.code[0] & kHasMass)) {
    weigh(0, l);
    end += own_inertia(l, root1) * twist0;
  }
  return end;
}

/// (4) and (3) of the root, in place.  end: momentum of all links
GRADUS_WALKER void GRADUS_OF::land(const V6& acc0, const V6& dV0, V6 end) {
  if (!is_free()) return put_vector(&base(7), zero6<T>());
  const T h = robot_.h;
  const V3 g = robot_.gravity, p0 = root_place(), w0 = root_spin(), v0 = root_velocity();
  const QuatT<T> turn = root_turn();
  const LimbFlightT<T> s = flight_at(&sum(room.warp, 6));
  const V3 shift = acc0.l * h * (T(0.5) * h);
  end.a += cross(shift, end.l);
  const T q[7] = {p0.x, p0.y, p0.z, turn.w, turn.x, turn.y, turn.z};
  V3 w1 = w0 + acc0.a * h, v1 = v0 + (acc0.l + g) * h;
  const QuatT<T> turned = mean_turn(q, w0, w1, h);
  w1 += dV0.a, v1 += dV0.l;
  const FlightSumT<T> all{s.start, end, zero6<T>(), zero3<T>(), s.mc, s.I, shift};
  const V3 p = keep_momentum(all, p0, v0, g, false, h, w1, v1);
  base(0) = p.x, base(1) = p.y, base(2) = p.z;
  base(3) = turned.w, base(4) = turned.x, base(5) = turned.y, base(6) = turned.z;
  put_vector(&base(7), V6{w1, v1});
}

/// flies: this world; the others wait.
GRADUS_WALKER void GRADUS_OF::fly(bool flies) {
  const V6 acc0 = root_acc();
  LimbFlightT<T> part;
  if (flies) {
    begin_flight();
    part = fly_inward(acc0);
    if (!rooted()) put_flight(&sum(room.warp, 0), part), put_vector(&sum(room.warp, 19), part.left);
  }
  room.barrier();
  if (flies && rooted()) put_vector(&base(13), turn_root(part));
  room.barrier();
  V6 end;
  const V6 dV0 = vector_at(&base(13));
  if (flies) {
    end = fly_outward(acc0, dV0);
    if (!rooted()) put_vector(&sum(room.warp, 0), end);
  }
  room.barrier();
  if (!flies || !rooted()) return;
  GRADUS_UNROLL
  for (int w = 0; w < Room::warps; ++w)
    if (w != room.warp) end += vector_at(&sum(w, 0));
  land(acc0, dV0, end);
}

}  // namespace gradus
