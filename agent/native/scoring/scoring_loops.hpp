// ScoringKernels for one instruction set. The build compiles it once for each (isa.hpp).
#pragma once

#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "hardware/isa.hpp"
#include "scoring/scoring_kernels.hpp"

namespace gdl::GDL_ISA {

inline constexpr std::int32_t CELLS_AT_ONCE = 8;
inline constexpr std::size_t TARGETS_AT_ONCE = 4;

// The codes of eight cells; the first is in the lowest byte.
GDL_INLINE std::uint64_t gather(const std::uint8_t* cells, const std::uint16_t* list) {
  std::uint64_t codes = 0;
  for (std::int32_t step = 0; step < CELLS_AT_ONCE; ++step) codes |= std::uint64_t{cells[list[step]]} << (8 * step);
  return codes;
}

#if defined(__AVX512VL__)

// Reads a board of few cells, which is held in registers.
class CellReader {
 public:
  explicit CellReader(const PieceLists& around) : around_(around), small_(around.cells.size() <= MOST_CELLS) {
    if (!small_) return;
    for (std::size_t part = 0; part < MOST_CELLS / 32; ++part) {
      const std::size_t first = 32 * part, left = around.cells.size() > first ? around.cells.size() - first : 0;
      const auto some = static_cast<__mmask32>(left >= 32 ? ~0u : (1u << left) - 1);
      cells_[part] =
          _mm512_maskz_cvtepu8_epi16(~__mmask32{0}, _mm256_maskz_loadu_epi8(some, around.cells.data() + first));
    }
  }

  // Reads the codes of the first eight cells in the lists of some targets, at most TARGETS_AT_ONCE.
  GDL_INLINE void read(const std::int32_t* targets, std::size_t count, std::uint64_t* codes) const {
    const auto length = static_cast<std::size_t>(around_.length);
    const auto list = [&](std::size_t target) {
      return around_.lists + static_cast<std::size_t>(targets[target < count ? target : 0]) * length;
    };
    if (!small_) {
      for (std::size_t target = 0; target < count; ++target) codes[target] = gather(around_.cells.data(), list(target));
      return;
    }
    const auto load = [&](std::size_t target) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(list(target)));
    };
    const __m512i low = _mm512_castsi256_si512(_mm256_set_m128i(load(1), load(0)));
    const __m512i places = _mm512_maskz_inserti64x4(__mmask8{0xFF}, low, _mm256_set_m128i(load(3), load(2)), 1);
    const __mmask32 beyond = _mm512_test_epi16_mask(places, _mm512_set1_epi16(64));
    const __m512i found = _mm512_mask_mov_epi16(_mm512_permutex2var_epi16(cells_[0], places, cells_[1]), beyond,
                                                _mm512_permutex2var_epi16(cells_[2], places, cells_[3]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codes), _mm512_maskz_cvtepi16_epi8(~__mmask32{0}, found));
  }

 private:
  static constexpr std::size_t MOST_CELLS = 128;

  const PieceLists& around_;
  bool small_;
  __m512i cells_[MOST_CELLS / 32];
};

#else

class CellReader {
 public:
  explicit CellReader(const PieceLists& around) : around_(around) {}

  GDL_INLINE void read(const std::int32_t* targets, std::size_t count, std::uint64_t* codes) const {
    const auto length = static_cast<std::size_t>(around_.length);
    for (std::size_t target = 0; target < count; ++target) {
      codes[target] = gather(around_.cells.data(), around_.lists + static_cast<std::size_t>(targets[target]) * length);
    }
  }

 private:
  const PieceLists& around_;
};

#endif

// The pieces of a short list, collected cell by cell.
class ShortList {
 public:
  explicit ShortList(const PieceAutomaton& automaton)
      : code_bits_(automaton.code_bits),
        depth_(automaton.depth),
        all_bits_(automaton.code_bits * automaton.depth),
        codes_(((std::uint64_t{1} << automaton.code_bits) - 1) * 0x010101u & ~(~std::uint64_t{0} << 8 * depth_)) {}

  int depth() const { return depth_; }
  // The places of the codes of the first pieces, a byte each.
  std::uint64_t first_codes() const { return codes_; }

  GDL_INLINE void begin() { index_ = 0, bits_ = 0; }
  GDL_INLINE bool full() const { return bits_ >= all_bits_; }
  GDL_INLINE std::size_t index() const { return index_ & ((std::uint64_t{1} << all_bits_) - 1); }

#if defined(__AVX512VL__) && defined(__BMI2__)

  // Reads eight cells at once. AVX2 alone is not enough: some processors that have it execute this slowly.
  GDL_INLINE void add(std::uint64_t cells) {
    constexpr std::uint64_t LOW = 0x7F7F7F7F7F7F7F7F;
    const std::uint64_t occupied = (((cells & LOW) + LOW) | cells) & ~LOW;
    const std::uint64_t pieces = _pext_u64(cells, (occupied >> 7) * 0xFF);
    index_ |= _pext_u64(pieces, codes_) << bits_;
    bits_ += code_bits_ * __builtin_popcountll(occupied);
  }

#else

  // Reads eight cells; once the occupied cells among them are read, no cell adds anything.
  GDL_INLINE void add(std::uint64_t cells) {
    constexpr std::uint64_t LAST_CELL = std::uint64_t{1} << 63;
    for (int piece = 0; piece < depth_; ++piece) {
      const int shift = std::countr_zero(cells | LAST_CELL) & ~7;
      const std::uint64_t code = (cells >> shift) & 0xFF;
      cells &= ~(std::uint64_t{0xFF} << shift);
      index_ |= code << bits_;
      bits_ += code != 0 ? code_bits_ : 0;
    }
  }

#endif

 private:
  int code_bits_, depth_, all_bits_;
  std::uint64_t codes_;  // places of the codes of the first pieces
  std::uint64_t index_ = 0;
  int bits_ = 0;  // number of known bits of the index
};

// Reads eight cells at a time. Once the occupied cells among them are read, no cell leads the automaton on.
template <bool FirstFeature>
GDL_INLINE std::int32_t walk(const PieceAutomaton& automaton, std::uint64_t codes, std::int32_t& node,
                             const std::int32_t* adds, std::int32_t value) {
  constexpr std::uint64_t LAST_CELL = std::uint64_t{1} << 63;
  for (std::int32_t step = 0; step < automaton.depth; ++step) {
    const int shift = std::countr_zero(codes | LAST_CELL) & ~7;
    const std::size_t code = (codes >> shift) & 0xFF;
    codes &= ~(std::uint64_t{0xFF} << shift);
    const PieceAutomaton::AutomatonEdge& edge = automaton.edges[static_cast<std::size_t>(node) | code];
    node = edge.next;
    value = join<FirstFeature>(value, adds[edge.adds]);
  }
  return value;
}

// The amount that the pieces of a list add, given its first eight cells.
GDL_INLINE std::size_t index_of(const PieceLists& around, std::int32_t target, std::uint64_t codes, ShortList& pieces) {
  const std::uint16_t* list = around.lists + static_cast<std::size_t>(target) * static_cast<std::size_t>(around.length);
  pieces.begin();
  pieces.add(codes);
  for (std::int32_t cell = CELLS_AT_ONCE; cell < around.length && !pieces.full(); cell += CELLS_AT_ONCE) {
    pieces.add(gather(around.cells.data(), list + cell));
  }
  return pieces.index();
}

#if defined(__AVX512VL__) && defined(__BMI2__)

inline void find_indices(const PieceLists& around, const std::int32_t* targets, const std::uint64_t* codes,
                         std::size_t count, ShortList& pieces, std::uint32_t* indices) {
  const std::uint64_t first_codes = pieces.first_codes();
  const int depth = around.length > CELLS_AT_ONCE ? pieces.depth() : 0;
  for (std::size_t first = 0; first < count; first += CELLS_AT_ONCE) {
    const std::size_t left = count - first, here = left < 8 ? left : 8;
    const auto some = static_cast<__mmask8>((1u << here) - 1);
    const __m512i cells = _mm512_maskz_loadu_epi64(some, codes + first);
    std::uint64_t occupied[8];
    _mm512_storeu_si512(occupied, _mm512_movm_epi8(_mm512_test_epi8_mask(cells, cells)));
    for (std::size_t at = 0; at < here; ++at) {
      const std::uint64_t found = _pext_u64(codes[first + at], occupied[at]);
      std::size_t index = _pext_u64(found, first_codes);
      if (__builtin_popcountll(occupied[at]) < 8 * depth) {
        index = index_of(around, targets[first + at], codes[first + at], pieces);
      }
      indices[first + at] = static_cast<std::uint32_t>(index);
    }
  }
}

#else

inline void find_indices(const PieceLists& around, const std::int32_t* targets, const std::uint64_t* codes,
                         std::size_t count, ShortList& pieces, std::uint32_t* indices) {
  for (std::size_t at = 0; at < count; ++at) {
    indices[at] = static_cast<std::uint32_t>(index_of(around, targets[at], codes[at], pieces));
  }
}

#endif

// Handles many targets at once, in passes that are simple enough to be kept in registers.
template <bool FirstFeature>
void join_short_lists(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                      const std::int32_t* adds, std::int32_t* values) {
  constexpr std::size_t MANY = 32;
  static_assert(MANY % TARGETS_AT_ONCE == 0);
  const CellReader reader(around);
  ShortList pieces(automaton);
  const Slot* lists = automaton.lists.data();
  std::uint64_t codes[MANY];
  std::uint32_t indices[MANY];
  for (std::size_t first = 0; first < targets.size(); first += MANY) {
    const std::size_t left = targets.size() - first, count = left < MANY ? left : MANY;
    const std::int32_t* some = targets.data() + first;
    for (std::size_t at = 0; at < count; at += TARGETS_AT_ONCE) {
      reader.read(some + at, count - at < TARGETS_AT_ONCE ? count - at : TARGETS_AT_ONCE, codes + at);
    }
    find_indices(around, some, codes, count, pieces, indices);
    for (std::size_t at = 0; at < count; ++at) {
      values[first + at] = join<FirstFeature>(values[first + at], adds[lists[indices[at]]]);
    }
  }
}

template <bool FirstFeature>
void join_pieces(const PieceAutomaton& automaton, const PieceLists& around, std::span<const std::int32_t> targets,
                 const std::int32_t* adds, std::int32_t* values) {
  if (!automaton.lists.empty()) return join_short_lists<FirstFeature>(automaton, around, targets, adds, values);
  const CellReader reader(around);
  for (std::size_t first = 0; first < targets.size(); first += TARGETS_AT_ONCE) {
    const std::size_t left = targets.size() - first, count = left < TARGETS_AT_ONCE ? left : TARGETS_AT_ONCE;
    std::uint64_t codes[TARGETS_AT_ONCE];
    reader.read(targets.data() + first, count, codes);
    for (std::size_t target = first; target < first + count; ++target) {
      std::int32_t node = 0;
      values[target] = walk<FirstFeature>(automaton, codes[target - first], node, adds, values[target]);
      const std::uint16_t* list =
          around.lists + static_cast<std::size_t>(targets[target]) * static_cast<std::size_t>(around.length);
      for (std::int32_t cell = CELLS_AT_ONCE; cell < around.length && node < automaton.end_inner;
           cell += CELLS_AT_ONCE) {
        values[target] =
            walk<FirstFeature>(automaton, gather(around.cells.data(), list + cell), node, adds, values[target]);
      }
    }
  }
}

inline constexpr ScoringKernels SCORING_KERNELS{join_pieces<false>, join_pieces<true>};

}  // namespace gdl::GDL_ISA
