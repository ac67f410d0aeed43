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

DEVICE float2 turn(const Unturned& u) {
    return make_float2(u.a * u.turn.x - u.b * u.turn.y, u.a * u.turn.y + u.b * u.turn.x);
}

// How element e turns: with which other one, by which pair's angle.
struct Turn {
    u32 other, i;
    bool turns;
};

DEVICE Turn turn_of(u32 e) {
    if (e >= 2 * C_PAIRS) return {e, 0, false};
    if (C_PAIRING == 0) return {e ^ 1, e / 2, true};
    return e < C_PAIRS ? Turn{e + C_PAIRS, e, true} : Turn{e - C_PAIRS, e - C_PAIRS, true};
}

// Element e of a head after its turn by an angle of this (cos, sin).
DEVICE float turned(const float* x, u32 e, const Turn& t, float2 angle) {
    if (!t.turns) return x[e];
    return t.other > e ? x[e] * angle.x - x[t.other] * angle.y : x[t.other] * angle.y + x[e] * angle.x;
}
