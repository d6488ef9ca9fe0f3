/// fly of limb_step.h: the sums of motion/flight.inl, limb by limb. Numbers of equations are those of that file. Frames are
/// walked once; what the walks inwards and outwards read of a link (27 numbers) lies far meanwhile.
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

/// Momenta of link i into the sums, and how they change.
GRADUS_WALKER Vec6T<T> GRADUS_OF::change_of(int i, const Frame& f0, const Frame& f1, V3 rise, LimbFlightT<T>& sum,
                                            RigidInertiaT<T>& I1) const {
  LinkT<T> l;
  weigh(i, l);
  I1 = own_inertia(l, f1);
  if (!(robot_.code[i] & kHasMass)) return zero6<T>();
  const RigidInertiaT<T> I0 = own_inertia(l, f0);
  const V6 H0 = I0 * f0.V;
  V6 H1 = I1 * V6{f1.V.a, f1.V.l + rise};
  H1.a += cross(rise * (T(0.5) * robot_.h), H1.l);
  sum.start += H0;
  sum.mc += I0.h;
  sum.I.A += I1.A, sum.I.h += I1.h, sum.I.m += I1.m;
  return H1 - H0;
}

/// (3) of the joints and the first part of (1), links' changes of momentum, and the sums of them all.
GRADUS_WALKER LimbFlightT<T> GRADUS_OF::begin_flight(const V6& acc0) {
  const T o = T(0.0), h = robot_.h;
  const V3 rise = acc0.l * h;
  LimbFlightT<T> sum{zero6<T>(), zero3<T>(), {{o, o, o, o, o, o}, zero3<T>(), o}, zero6<T>()};
  for (int r = 0; r < runs(); ++r) {
    const LimbRun& u = run(r);
    Frame f0 = u.slot < 0 ? root_frame() : frame_at(u.slot, 0), f1 = u.slot < 0 ? next_root_frame(acc0) : frame_at(u.slot, 1);
    for (int k = u.first; k <= u.last; ++k) {
      if (k > 0) {
        const T a = keep(k, kBias), q = keep(k, kPlace), v = keep(k, kSpeed), e = keep(k, kSlope);
        const T soft = T(1.0) - e * keep(k, kPerD), v1 = v + h * a;
        const T q1 = q + h * (v1 - T(0.5) * soft * (h * a));
        T s1, c1;
        sine_cosine(q1, s1, c1);
        LinkT<T> l;
        place(k, l);
        keep(k, kTau) = h * (keep(k, kTau) - (e + l.rotor) * a);
        keep(k, kBias) = v1;
        keep(k, kPlace) = q1;
        const T s = keep(k, kSine), c = keep(k, kCosine);
        with_axis(k, l, [&](const LinkT<T>& j) { out(j, q, v, s, c, f0), out(j, q1, v1, s1, c1, f1); });
        if (slot_of(k) >= 0) put_frame(slot_of(k), 1, f1);
      }
      RigidInertiaT<T> I1;
      const V6 D = change_of(k, f0, f1, rise, sum, I1);
      put_vector(&link_far(k, 0), D);
      put_vector(&link_far(k, 6), f0.S);
      put_vector(&link_far(k, 12), f1.S);
      put_vector(&link_far(k, 18), V6{{I1.A.xx, I1.A.xy, I1.A.xz}, {I1.A.yy, I1.A.yz, I1.A.zz}});
      link_far(k, 24) = I1.h.x, link_far(k, 25) = I1.h.y, link_far(k, 26) = I1.h.z;
    }
  }
  return sum;
}

/// (1), (2) from the tips to the root: what is left there, impulse less change. Each link is read one ahead.
GRADUS_WALKER Vec6T<T> GRADUS_OF::fly_inward() {
  V6 left = zero6<T>();
  for (int r = runs() - 1; r >= 0; --r) {
    const LimbRun& u = run(r);
    V6 D = zero6<T>(), g = zero6<T>();
    V6 change = vector_at(&link_far(u.last, 0)), S0 = vector_at(&link_far(u.last, 6)), S1 = vector_at(&link_far(u.last, 12));
    for (int k = u.last; k >= u.first; --k) {
      const int ahead = k > u.first ? k - 1 : k;
      const V6 change_ahead = vector_at(&link_far(ahead, 0)), S0_ahead = vector_at(&link_far(ahead, 6)),
               S1_ahead = vector_at(&link_far(ahead, 12));
      D += change;
      if (k == 0) break;
      if (slot_of(k) >= 0) {
        const int at = 2 * kFrameFar;
        D += vector_at(&slot_far(slot_of(k), at)), g += vector_at(&slot_far(slot_of(k), at + 6));
      }
      const T x = keep(k, kTau) - dot((S0 + S1) * T(0.5), D) + dot(S0, g);
      keep(k, kTau) = x;
      g = g - vector_at(&keep(k, kU)) * (keep(k, kPerD) * x);
      change = change_ahead, S0 = S0_ahead, S1 = S1_ahead;
    }
    if (u.slot < 0) {
      left += g - D;
    } else {
      T *d = &slot_far(u.slot, 2 * kFrameFar), *e = &slot_far(u.slot, 2 * kFrameFar + 6);
      const bool opens = u.how & LimbRun::kOpens;
      put_vector(d, opens ? D : D + vector_at(d));
      put_vector(e, opens ? g : g + vector_at(e));
    }
  }
  return left;
}

/// Outwards: changes of speeds, and the momentum at the end.  twist0: of the root then
GRADUS_WALKER Vec6T<T> GRADUS_OF::fly_outward(const V6& dV0, const V6& twist0) {
  V6 end = zero6<T>();
  for (int r = 0; r < runs(); ++r) {
    const LimbRun& u = run(r);
    const int at = 2 * kFrameFar;
    V6 up = u.slot < 0 ? dV0 : vector_at(&slot_far(u.slot, at)), twist = u.slot < 0 ? twist0 : vector_at(&slot_far(u.slot, at + 6));
    LimbAheadT<T> now = outward_ahead(u.first);
    for (int k = u.first; k <= u.last; ++k) {
      const LimbAheadT<T> next = outward_ahead(k < u.last ? k + 1 : k);
      if (k > 0) {
        const T x = (keep(k, kTau) - dot(vector_at(&keep(k, kU)), up)) * keep(k, kPerD);
        up = up + now.S0 * x;
        const T v1 = keep(k, kBias) + x;
        keep(k, kBias) = v1;
        twist = twist + now.S1 * v1;
        if (slot_of(k) >= 0) {
          put_vector(&slot_far(slot_of(k), at), up);
          put_vector(&slot_far(slot_of(k), at + 6), twist);
        }
      }
      end += now.I * twist;
      now = next;
    }
  }
  return end;
}

/// What fly_outward reads of link k.
GRADUS_WALKER LimbAheadT<T> GRADUS_OF::outward_ahead(int k) const {
  const V6 A = vector_at(&link_far(k, 18));
  const V3 mc{link_far(k, 24), link_far(k, 25), link_far(k, 26)};
  return {vector_at(&link_far(k, 6)),
          vector_at(&link_far(k, 12)),
          {{A.a.x, A.a.y, A.a.z, A.l.x, A.l.y, A.l.z}, mc, tables_.links[k].mass.w}};
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
  LimbFlightT<T> part;
  if (flies) {
    part = begin_flight(root_acc());
    part.left = fly_inward();
    if (!rooted()) put_flight(&sum(room.warp, 0), part), put_vector(&sum(room.warp, 19), part.left);
  }
  room.barrier();
  if (flies && rooted()) put_vector(&base(13), turn_root(part));
  room.barrier();
  V6 end;
  if (flies) {
    const V6 acc0 = root_acc(), dV0 = vector_at(&base(13));
    const V3 w1 = is_free() ? root_spin() + acc0.a * robot_.h : zero3<T>();
    end = fly_outward(dV0, V6{w1 + dV0.a, acc0.l * robot_.h + dV0.l});
    if (!rooted()) put_vector(&sum(room.warp, 0), end);
  }
  room.barrier();
  if (!flies || !rooted()) return;
  GRADUS_UNROLL
  for (int w = 0; w < Room::warps; ++w)
    if (w != room.warp) end += vector_at(&sum(w, 0));
  land(root_acc(), vector_at(&base(13)), end);
}

}  // namespace gradus
