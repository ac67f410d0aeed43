// A score, in base 2, within the bound whose bits C_SOFTCAP are.
DEVICE float capped(float score) {
    if constexpr (C_SOFTCAP == 0) return score;
    float cap = __uint_as_float(C_SOFTCAP) * LOG2E;
    return cap * tanhf(score / cap);
}
