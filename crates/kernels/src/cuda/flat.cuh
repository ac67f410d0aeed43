// Products of 9 to some hundred rows: what the versions for each architecture share.
//
// Weight rows are the rows of the matrix units' products and activation rows their columns, so that few activation rows cost
// few products. k is cut into FLAT_SPLIT parts at multiples of 256 columns, whatever the rows; each part is summed up by
// itself, and the parts are added in order. So the bits of a result depend neither on the other rows nor on the tile.
//
// The operation is the struct E of gemm.cuh. When PAIRED, a tile has FLAT_M / 2 gates and as many ups.
//
// Defines: FLAT_M (weight rows of a tile), FLAT_N (activation rows of a tile), FLAT_SPLIT.

constexpr u32 FLAT_UNITS = ceil_div(C_K, 256);

// Units of 256 columns before part `part`.
DEVICE constexpr u32 flat_cut(u32 part) {
    return part * FLAT_UNITS / FLAT_SPLIT;
}

// Outputs of a tile, and tiles of the weight rows.
template <class E>
constexpr u32 FLAT_OUT = E::PAIRED ? FLAT_M / 2 : FLAT_M;
template <class E>
constexpr u32 FLAT_TILES = ceil_div(E::OUTPUTS, FLAT_OUT<E>);

// The weight row of row `i` of a tile whose first output is `column`; at or beyond E::ROWS there is none.
template <class E>
DEVICE u32 flat_row(u32 column, u32 i) {
    if constexpr (!E::PAIRED) return column + i;
    u32 output = column + i % (FLAT_M / 2);
    return output < E::OUTPUTS ? output + i / (FLAT_M / 2) * E::OUTPUTS : E::ROWS;
}

// A thread's results of one column group: two weight rows, 8 apart, by two activation rows. Lanes exchange some, so that each
// has two neighbouring weight rows of one activation row.
struct FlatPlace {
    u32 row, column;
};

// Of the results whose first weight row has output `column` and whose first activation row is `row`.
DEVICE FlatPlace flat_place(u32 row, u32 column) {
    u32 lane = threadIdx.x % 32;
    return {row + lane % 4 * 2 + lane / 4 % 2, column + (lane / 4 & ~1u)};
}

// `first` and `second` are neighbours in activation rows; the result in weight rows.
DEVICE float2 flat_turn(float first, float second) {
    bool odd = threadIdx.x / 4 % 2;
    float other = __shfl_xor_sync(0xffffffffu, odd ? first : second, 4);
    return odd ? make_float2(other, second) : make_float2(first, other);
}
