// The circuit over merged rows.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/circuit_import.hpp"
#include "compiler/circuit_layout.hpp"
#include "compiler/simplifier.hpp"
#include "program/row_merging.hpp"

namespace gdl {

namespace {

constexpr std::size_t SMALLEST_FACTORED = 3;  // so many rows of a set are told by the kind of their keys

// Kinds of keys, such as queens, wherever they stand. Keys are of one kind if a set has rows with both.
class Kinds {
 public:
  explicit Kinds(std::size_t n_fluents) : parent_(n_fluents) {
    for (std::size_t fluent = 0; fluent < n_fluents; ++fluent) parent_[fluent] = static_cast<std::int32_t>(fluent);
  }
  std::int32_t of(std::int32_t key) const {
    while (parent_[static_cast<std::size_t>(key)] != key) key = parent_[static_cast<std::size_t>(key)];
    return key;
  }
  void unite(std::int32_t one, std::int32_t other) {
    const std::int32_t a = of(one), b = of(other);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> parent_;  // [fluent]
};

class Rewriting {
 public:
  Rewriting(const Circuit& circuit, const RowMerging& merging)
      : old_(circuit),
        merging_(merging),
        members_(merging.members()),
        nodes_(static_cast<std::uint32_t>(circuit.n_fluents), merging.move_start),
        imported_(circuit, nodes_, roots_of(circuit)),
        kinds_(static_cast<std::size_t>(circuit.n_fluents)) {}

  Circuit run() && {
    find_kinds();
    for (std::size_t set = 0; set < old_.sets.size(); ++set) imported_.replace(old_.set_slot(set), set_literal(set));
    find_alternatives();
    imported_.import_gates([this](std::span<const Literal> literals) { return gate_literal(literals); });
    Roots roots = renamed(roots_of(old_), imported_);
    roots.legal.clear();
    for (std::size_t merged = 0; merged < members_.size(); ++merged) roots.legal.push_back(legal_literal(merged));
    Pace pace;
    const Nodes nodes = simplified(std::move(nodes_), roots, pace);
    return lay_out_like(old_, nodes, roots);
  }

 private:
  std::int32_t key(std::int32_t row) const { return merging_.key[static_cast<std::size_t>(row)]; }
  std::int32_t merged(std::int32_t row) const { return merging_.merged[static_cast<std::size_t>(row)]; }

  // The merged rows that are in a set as a whole, and the other rows of the set.
  std::pair<RowList, RowList> split(std::size_t set) const {
    std::map<std::int32_t, RowList> found;
    for (const std::int32_t row : old_.sets[set]) found[merged(row)].push_back(row);
    std::pair<RowList, RowList> result;
    for (const auto& [merged, rows] : found) {
      if (rows.size() == members_[static_cast<std::size_t>(merged)].size()) {
        result.first.push_back(merged);
      } else {
        result.second.insert(result.second.end(), rows.begin(), rows.end());
      }
    }
    return result;
  }

  void find_kinds() {
    for (std::size_t set = 0; set < old_.sets.size(); ++set) {
      const RowList rows = split(set).second;
      for (const std::int32_t row : rows) kinds_.unite(key(row), key(rows.front()));
    }
    for (std::size_t row = 0; row < merging_.merged.size(); ++row) {
      const std::int32_t fluent = merging_.key[row];
      if (fluent == NO_KEY) continue;
      const std::size_t role = role_of(merging_.merged[row]);
      groups_of_kind_[{kinds_.of(fluent), role}][fluent] = merging_.group[row];
      rows_of_group_[{merging_.group[row], role}].push_back(merging_.merged[row]);
    }
  }

  std::size_t role_of(std::int32_t merged) const { return role_of_row(merging_.move_start, merged); }
  Literal rows_literal(RowList merged) {
    std::ranges::sort(merged);
    const auto [rest, end] = std::ranges::unique(merged);
    merged.erase(rest, end);
    return nodes_.move_set(merged);
  }

  Literal set_literal(std::size_t set) {
    auto [whole, others] = split(set);
    std::vector<Literal> alternatives;
    if (!whole.empty()) alternatives.push_back(rows_literal(std::move(whole)));
    std::map<std::int32_t, RowList> by_kind;
    for (const std::int32_t row : others) by_kind[kinds_.of(key(row))].push_back(row);
    for (const auto& [kind, rows] : by_kind) {
      if (rows.size() >= SMALLEST_FACTORED && all_of_kind(kind, rows)) {
        RowList places;
        for (const std::int32_t row : rows) places.push_back(merged(row));
        const Literal both[] = {rows_literal(std::move(places)), kind_literal(kind, role_of(merged(rows.front())))};
        alternatives.push_back(nodes_.conjunction(both));
      } else {
        for (const auto& [fluent, places] : by_key(rows)) {
          const Literal both[] = {nodes_.fluent(static_cast<std::uint32_t>(fluent)), rows_literal(places)};
          alternatives.push_back(nodes_.conjunction(both));
        }
      }
    }
    return nodes_.disjunction(alternatives);
  }

  // Whether the merged rows of some rows stand for no other rows of the kind.
  bool all_of_kind(std::int32_t kind, const RowList& rows) const {
    RowList all;
    for (const std::int32_t row : rows) {
      for (const std::int32_t other : members_[static_cast<std::size_t>(merged(row))]) {
        if (kinds_.of(key(other)) == kind) all.push_back(other);
      }
    }
    std::ranges::sort(all);
    const auto [rest, end] = std::ranges::unique(all);
    all.erase(rest, end);
    RowList own = rows;
    std::ranges::sort(own);
    return all == own;
  }

  std::map<std::int32_t, RowList> by_key(const RowList& rows) const {
    std::map<std::int32_t, RowList> found;
    for (const std::int32_t row : rows) found[key(row)].push_back(merged(row));
    return found;
  }

  // The literal that holds where the move made is of a kind: one of the keys of the kind holds, and the move is of that
  // key's group. Another key of the group does not hold then, so that only rows of this one are legal.
  Literal kind_literal(std::int32_t kind, std::size_t role) {
    const auto [place, is_new] = kind_literals_.try_emplace({kind, role}, FALSE_LITERAL);
    if (!is_new) return place->second;
    std::vector<Literal> alternatives;
    for (const auto& [fluent, group] : groups_of_kind_[{kind, role}]) {
      const Literal both[] = {nodes_.fluent(static_cast<std::uint32_t>(fluent)),
                              rows_literal(rows_of_group_[{group, role}])};
      alternatives.push_back(nodes_.conjunction(both));
    }
    return place->second = nodes_.disjunction(alternatives);
  }

  // Finds merged rows that are legal where a condition of all their rows holds and also one of a row's own. A gate that
  // asks for all of the latter, as the question whether there is any move does, then asks for their OR, which has fewer
  // parts.
  void find_alternatives() {
    for (std::size_t merged = 0; merged < members_.size(); ++merged) {
      const RowList& rows = members_[merged];
      if (rows.size() < 2) continue;
      const auto one = parts_of(rows[0]), other = parts_of(rows[1]);
      const auto shared = std::ranges::find_first_of(one, other);
      if (one.size() != 2 || shared == one.end()) continue;
      Alternatives found{*shared, {}};
      for (const std::int32_t row : rows) {
        const auto parts = parts_of(row);
        if (parts.size() != 2 || std::ranges::find(parts, *shared) == parts.end()) break;
        found.own.push_back(parts[0] == *shared ? parts[1] : parts[0]);
      }
      if (found.own.size() != rows.size()) continue;
      for (const Literal literal : found.own) alternative_of_.emplace(literal, merged);
      alternatives_.emplace(merged, std::move(found));
    }
  }

  std::span<const Literal> parts_of(std::int32_t row) const {
    const Literal literal = old_.legal[static_cast<std::size_t>(row)];
    if (is_complemented(literal) || !old_.is_gate(slot_of(literal))) return {};
    return old_.literals_at(slot_of(literal));
  }

  Literal any_of(std::span<const Literal> literals) { return nodes_.disjunction(imported_(literals)); }
  Literal legal_literal(std::size_t merged) {
    if (const auto found = alternatives_.find(merged); found != alternatives_.end()) {
      const Literal both[] = {imported_(found->second.shared), any_of(found->second.own)};
      return nodes_.conjunction(both);
    }
    std::vector<Literal> legal;
    for (const std::int32_t row : members_[merged]) legal.push_back(old_.legal[static_cast<std::size_t>(row)]);
    return any_of(legal);
  }

  // The AND of a gate's literals, where the OR of alternatives replaces those that are all there.
  Literal gate_literal(std::span<const Literal> literals) {
    std::map<std::size_t, std::size_t> seen;  // merged row -> alternatives among the literals
    for (const Literal literal : literals) {
      if (const auto found = alternative_of_.find(negated(literal)); found != alternative_of_.end())
        ++seen[found->second];
    }
    std::erase_if(seen, [&](const auto& entry) { return entry.second != alternatives_.at(entry.first).own.size(); });
    std::vector<Literal> result;
    for (const Literal literal : literals) {
      const auto found = alternative_of_.find(negated(literal));
      if (found == alternative_of_.end() || !seen.contains(found->second)) result.push_back(imported_(literal));
    }
    for (const auto& [merged, count] : seen) result.push_back(negated(any_of(alternatives_.at(merged).own)));
    return nodes_.conjunction(result);
  }

  const Circuit& old_;
  const RowMerging& merging_;
  const std::vector<RowList> members_;
  Nodes nodes_;
  CircuitImport imported_;
  struct Alternatives {
    Literal shared;            // a literal of the old circuit, as are those of `own`
    std::vector<Literal> own;  // [member]
  };
  std::map<std::size_t, Alternatives> alternatives_;         // merged row ->
  std::unordered_map<Literal, std::size_t> alternative_of_;  // a literal of some `own` -> merged row
  Kinds kinds_;
  using OfRole = std::pair<std::int32_t, std::size_t>;
  std::map<OfRole, std::map<std::int32_t, std::int32_t>> groups_of_kind_;  // kind, role -> key -> its group
  std::map<OfRole, RowList> rows_of_group_;                                // group, role -> merged rows
  std::map<OfRole, Literal> kind_literals_;                                // kind, role
};

}  // namespace

Circuit circuit_of_merged_rows(const Circuit& circuit, const RowMerging& merging) {
  return Rewriting(circuit, merging).run();
}

}  // namespace gdl
