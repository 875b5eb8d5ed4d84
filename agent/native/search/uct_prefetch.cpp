// Fetches the memory that the steps of a playout read before their turn.
#include "search/uct.hpp"

namespace gdl {

void UctSearch::prefetch_selection() const {
  __builtin_prefetch(this);
  prefetch_bytes(&tree_, 2 * CACHE_LINE);
}

void UctSearch::look_up(int number, const std::uint64_t* state) {
  Flight& flight = flights_[number];
  flight.hash = tree_.hash(state);
  tree_.prefetch_bucket(flight.hash);
}

void UctSearch::prefetch() const { prefetch_bytes(this, offset_of_rarely_read()); }

void UctSearch::prefetch_back_up(int number, int round) const {
  const Flight& flight = flights_[number];
  if (round == 0) {
    flight.prefetch();
    tree_.prefetch_blocks();
    tree_.prefetch(root_);
  } else if (round == 1) {
    prefetch_bytes(flight.path.data(), flight.path.size() * sizeof(PathStep));
    __builtin_prefetch(flight.choice.data());
    tree_.prefetch_rest(root_);
  } else {
    for (const PathStep& step : flight.path) __builtin_prefetch(step.sum, 1);
  }
}

}  // namespace gdl
