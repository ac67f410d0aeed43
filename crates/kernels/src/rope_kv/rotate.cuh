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

// The values of a pair; `angles` holds (cos, sin) for each rotated pair of the row.
DEVICE float2 turn(Pair p, u32 i, const float* x, const float* angles) {
    float a = x[p.first], b = x[p.second];
    if (!p.turns) return make_float2(a, b);
    float2 t = reinterpret_cast<const float2*>(angles)[i];
    return make_float2(a * t.x - b * t.y, a * t.y + b * t.x);
}
