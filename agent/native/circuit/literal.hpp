// Literals: a Boolean value of a circuit or its complement.
#pragma once

#include <cstdint>

namespace gdl {

// 2 * slot + complement. Slot 0 is the constant TRUE; the owner of the literals says what the other slots are.
using Literal = std::uint32_t;

inline constexpr Literal TRUE_LITERAL = 0;
inline constexpr Literal FALSE_LITERAL = 1;

inline constexpr std::uint32_t slot_of(Literal literal) { return literal >> 1; }
inline constexpr bool is_complemented(Literal literal) { return (literal & 1u) != 0; }
inline constexpr Literal literal_of(std::uint32_t slot) { return 2 * slot; }
inline constexpr Literal negated(Literal literal) { return literal ^ 1u; }
inline constexpr Literal negated_if(bool negate, Literal literal) { return literal ^ static_cast<Literal>(negate); }
// The literal that comes from replacing the slot of `literal` by `replacement`.
inline constexpr Literal replaced(Literal literal, Literal replacement) { return replacement ^ (literal & 1u); }

}  // namespace gdl
