#include "program/row_merging.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "program/refuter.hpp"
#include "program/step_cost.hpp"

namespace gdl {

namespace {

using RequiredLiterals = std::vector<std::vector<Literal>>;  // [row]

// RowList merge if they belong to one role, have keys of one group that exclude each other, and are in the same sets as
// far as these do not tell the keys apart.
class Merging {
 public:
  Merging(const Circuit& circuit, const RequiredLiterals& required, const FluentGroups& groups,
          const MutualExclusion& exclusion)
      : circuit_(circuit), exclusion_(exclusion), required_(required), groups_of_(fluents()) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const std::int32_t fluent : groups[group]) {
        groups_of_[static_cast<std::size_t>(fluent)].push_back(static_cast<std::int32_t>(group));
      }
    }
    const auto n_rows = static_cast<std::size_t>(circuit.n_rows());
    result_.merged.resize(n_rows);
    std::iota(result_.merged.begin(), result_.merged.end(), 0);
    result_.key.assign(n_rows, NO_KEY);
    result_.group.assign(n_rows, -1);
  }

  RowMerging run() && {
    for (std::size_t role = 0; role + 1 < circuit_.move_start.size(); ++role) {
      take_keys(circuit_.move_start[role], circuit_.move_start[role + 1]);
    }
    find_signatures();
    for (const auto& [bucket, rows] : buckets_) merge(rows);
    number();
    return std::move(result_);
  }

 private:
  std::size_t fluents() const { return static_cast<std::size_t>(circuit_.n_fluents); }

  // Gives the rows of a role keys, preferably of the groups that merge most rows.
  void take_keys(std::int32_t first, std::int32_t last) {
    std::map<std::int32_t, std::map<std::int32_t, RowList>> by_group;  // group -> key -> rows
    for (std::int32_t row = first; row < last; ++row) {
      for (const Literal literal : required_[static_cast<std::size_t>(row)]) {
        if (is_complemented(literal)) continue;
        const std::int32_t fluent = circuit_.fluent_at(slot_of(literal));
        for (const std::int32_t group : groups_of_[static_cast<std::size_t>(fluent)]) {
          by_group[group][fluent].push_back(row);
        }
      }
    }
    std::vector<std::pair<std::size_t, std::int32_t>> saved;
    for (auto& [group, keys] : by_group) {
      drop_compatible(keys);
      std::size_t all = 0, most = 0;
      for (const auto& [key, rows] : keys) all += rows.size(), most = std::max(most, rows.size());
      if (all > most) saved.emplace_back(all - most, group);
    }
    std::ranges::sort(saved, [](const auto& one, const auto& other) {
      return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    for (const auto& [count, group] : saved) {
      for (const auto& [key, rows] : by_group[group]) {
        for (const std::int32_t row : rows) {
          if (result_.key[static_cast<std::size_t>(row)] != NO_KEY) continue;
          result_.key[static_cast<std::size_t>(row)] = key;
          result_.group[static_cast<std::size_t>(row)] = group;
          buckets_[{first, group}].push_back(row);
        }
      }
    }
  }

  // Keeps the keys that exclude all keys kept before them.
  void drop_compatible(std::map<std::int32_t, RowList>& keys) const {
    RowList kept;
    std::erase_if(keys, [&](const auto& entry) {
      const auto excluded = [&](std::int32_t other) { return exclusion_.exclusive(entry.first, other); };
      if (!std::ranges::all_of(kept, excluded)) return true;
      kept.push_back(entry.first);
      return false;
    });
  }

  // Finds, for every row, the sets that it shares with rows of its bucket that have another key.
  void find_signatures() {
    signature_.resize(result_.key.size());
    std::map<std::pair<std::size_t, std::int32_t>, std::int32_t> key_in;  // role and group -> its key, or several
    constexpr std::int32_t SEVERAL = -2;
    for (std::size_t set = 0; set < circuit_.sets.size(); ++set) {
      key_in.clear();
      const auto for_rows = [&](auto visit) {
        for (const std::int32_t row : circuit_.sets[set]) {
          if (result_.key[row] != NO_KEY)
            visit(row, std::pair(role_of_row(circuit_.move_start, row), result_.group[row]));
        }
      };
      for_rows([&](std::int32_t row, const auto& bucket) {
        const auto [place, is_new] = key_in.try_emplace(bucket, result_.key[row]);
        if (!is_new && place->second != result_.key[row]) place->second = SEVERAL;
      });
      for_rows([&](std::int32_t row, const auto& bucket) {
        if (key_in[bucket] == SEVERAL) signature_[row].push_back(static_cast<std::int32_t>(set));
      });
    }
  }

  // Merges the first rows of all keys of a signature, then the second ones, and so on.
  void merge(const RowList& rows) {
    std::map<RowList, std::map<std::int32_t, RowList>> by_signature;
    for (const std::int32_t row : rows) {
      by_signature[signature_[static_cast<std::size_t>(row)]][result_.key[static_cast<std::size_t>(row)]].push_back(
          row);
    }
    for (const auto& [signature, keys] : by_signature) {
      for (std::size_t turn = 0, left = keys.size(); left != 0; ++turn) {
        RowList together;
        left = 0;
        for (const auto& [key, own] : keys) {
          if (turn < own.size()) together.push_back(own[turn]);
          left += own.size() > turn + 1;
        }
        const std::int32_t first = std::ranges::min(together);
        for (const std::int32_t row : together) result_.merged[static_cast<std::size_t>(row)] = first;
      }
    }
  }

  // Replaces the first row of each merged row by its number.
  void number() {
    std::vector<std::int32_t> number(result_.merged.size());
    std::int32_t next = 0;
    for (std::size_t role = 0; role + 1 < circuit_.move_start.size(); ++role) {
      result_.move_start.push_back(next);
      for (std::int32_t row = circuit_.move_start[role]; row < circuit_.move_start[role + 1]; ++row) {
        std::int32_t& merged = result_.merged[static_cast<std::size_t>(row)];
        if (merged == row) number[static_cast<std::size_t>(row)] = next++;
        merged = number[static_cast<std::size_t>(merged)];
      }
    }
    result_.move_start.push_back(next);
  }

  const Circuit& circuit_;
  const MutualExclusion& exclusion_;
  const RequiredLiterals& required_;
  std::vector<std::vector<std::int32_t>> groups_of_;                  // [fluent]
  std::vector<RowList> signature_;                                    // [row] sets
  std::map<std::pair<std::int32_t, std::int32_t>, RowList> buckets_;  // a role's first row, group -> rows
  RowMerging result_;
};

constexpr std::int32_t FEWEST_ROWS = 64;  // so many rows, of all roles together, are counted and marked in no time
constexpr double WORTHWHILE = 0.9;        // merging must leave at most this part of the cost of a step

// The groups that have keys of several rows.
FluentGroups groups_of_keys(const Circuit& circuit, const RequiredLiterals& required, const FluentGroups& groups) {
  std::vector<std::uint8_t> is_key(static_cast<std::size_t>(circuit.n_fluents), 0);
  for (const auto& literals : required) {
    for (const Literal literal : literals) {
      if (!is_complemented(literal)) is_key[circuit.fluent_at(slot_of(literal))] = 1;
    }
  }
  FluentGroups result;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto members = groups[group];
    if (std::ranges::count_if(members, [&](std::int32_t fluent) { return is_key[fluent] != 0; }) >= 2) {
      result.append(members);
    }
  }
  return result;
}

}  // namespace

std::vector<RowList> RowMerging::members() const {
  std::vector<RowList> members(static_cast<std::size_t>(n_merged()));
  for (std::size_t row = 0; row < merged.size(); ++row) {
    members[static_cast<std::size_t>(merged[row])].push_back(static_cast<std::int32_t>(row));
  }
  return members;
}

std::shared_ptr<const MergedRows> merge_where_worthwhile(const Circuit& circuit, const FluentGroups& groups) {
  if (circuit.n_rows() < FEWEST_ROWS || groups.size() == 0) return nullptr;
  const RequiredLiterals required = required_literals(circuit);
  const FluentGroups suggested = groups_of_keys(circuit, required, groups);
  if (suggested.size() == 0) return nullptr;
  const MutualExclusion exclusion(circuit, suggested);
  RowMerging merging = Merging(circuit, required, suggested, exclusion).run();
  if (merging.n_merged() == circuit.n_rows()) return nullptr;
  Circuit merged = circuit_of_merged_rows(circuit, merging);
  if (step_cost(merged) > WORTHWHILE * step_cost(circuit)) return nullptr;
  return std::make_shared<MergedRows>(MergedRows{std::move(merging), std::move(merged)});
}

}  // namespace gdl
