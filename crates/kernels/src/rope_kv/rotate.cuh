// The elements of a head as pairs: the rotated ones first, then the rest two by two.

struct Pair {
    u32 first, second;
    bool turns;
};

// Pair i of head_dim / 2.
DEVICE Pair pair_of(u32 i) {
    if (i >= C_PAIRS) return {2 * i, 2 * i + 1, false};
    if (C_PAIRING == 0) return {2 * i, 2 * i + 1, true};
    return {i, i + C_PAIRS, true};
}

// A pair as it is before its rotation.
struct Unturned {
    float a, b;
    float2 turn;
};

// Loads pair i; `angles` holds (cos, sin) for each rotated pair of the row.
DEVICE Unturned load_pair(Pair p, u32 i, const float* x, const float* angles) {
    Unturned u = {x[p.first], x[p.second], make_float2(1.0f, 0.0f)};
    if (p.turns) u.turn = reinterpret_cast<const float2*>(angles)[i];
    return u;
}

// `fmaf` says how each is rounded: kernels that rotate must agree to the bit.
DEVICE float2 turn(const Unturned& u) {
    return make_float2(fmaf(u.a, u.turn.x, -(u.b * u.turn.y)), fmaf(u.b, u.turn.x, u.a * u.turn.y));
}

// Elements e and e + 1 of a head, `here`, after their turns; e is even, and `angles` holds (cos, sin) for each rotated pair of the row.
DEVICE float2 turned_two(const float* x, float2 here, u32 e, const float* angles) {
    const float2* of = reinterpret_cast<const float2*>(angles);
    if (e >= 2 * C_PAIRS) return here;
    if (C_PAIRING == 0) return turn({here.x, here.y, of[e / 2]});
    // Where the number of pairs is odd, neighbours may be halves of different pairs.
    bool first = e < C_PAIRS, second_first = e + 1 < C_PAIRS;
    auto one = [&](u32 at, float v, bool is_first) {
        if (at >= 2 * C_PAIRS) return v;
        float2 y = is_first ? turn({v, x[at + C_PAIRS], of[at]}) : turn({x[at - C_PAIRS], v, of[at - C_PAIRS]});
        return is_first ? y.x : y.y;
    };
    if (C_PAIRS % 2 != 0) return make_float2(one(e, here.x, first), one(e + 1, here.y, second_first));
    float2 there = __ldcg(reinterpret_cast<const float2*>(x + (first ? e + C_PAIRS : e - C_PAIRS)));
    u32 i = first ? e : e - C_PAIRS;
    float2 a = of[i], b = of[i + 1];
    if (first) return make_float2(turn({here.x, there.x, a}).x, turn({here.y, there.y, b}).x);
    return make_float2(turn({there.x, here.x, a}).y, turn({there.y, here.y, b}).y);
}

// How element e turns: with which other one, by which pair's angle.
struct Partner {
    u32 other, i;
    bool turns;
};

DEVICE Partner partner_of(u32 e) {
    if (e >= 2 * C_PAIRS) return {e, 0, false};
    if (C_PAIRING == 0) return {e ^ 1, e / 2, true};
    return e < C_PAIRS ? Partner{e + C_PAIRS, e, true} : Partner{e - C_PAIRS, e - C_PAIRS, true};
}

// Element e of a head after its turn by an angle of this (cos, sin).
DEVICE float turned(const float* x, u32 e, const Partner& t, float2 angle) {
    if (!t.turns) return x[e];
    return t.other > e ? turn({x[e], x[t.other], angle}).x : turn({x[t.other], x[e], angle}).y;
}
