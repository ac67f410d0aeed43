// The activation that C_ACTIVATION names, of one value.
DEVICE float activated(float x) {
    if constexpr (C_ACTIVATION == 0) return x / (1.0f + expf(-x));
    if constexpr (C_ACTIVATION == 1) return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    if constexpr (C_ACTIVATION == 2) return 0.5f * x * (1.0f + erff(x * 0.70710678118f));
    return fmaxf(x, 0.0f);
}
