"use strict";
// UCT with learned values at new nodes, features of moves and proofs, as docs/search.md describes it. Playouts to the
// end of the match run side by side in the lanes of the rules. Searches come in slices, so that the page stays alive.

const MOST_LISTED = 1500000; // moves of all nodes of a tree, which take some 100 bytes each; it then grows no more
const MOST_MIXED = 0.5; // share of values in searches that do not trust values alone
const IN_FLIGHT = 16; // playouts that run side by side at most

class Dice {
  constructor(seed) {
    this.state = (seed ^ 0x9e3779b9) >>> 0;
  }

  // A number from 0 to below 1 (mulberry32).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ this.state >>> 15, this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  }

  below(count) {
    return Math.floor(this.next() * count);
  }

  // A place of the list, in proportion to the weights.
  by(weights) {
    let left = this.next() * sumOf(weights);
    const found = weights.findIndex((weight) => (left -= weight) < 0);
    return found < 0 ? weights.length - 1 : found;
  }
}

class Node {
  constructor(state, goals) {
    this.state = state;
    this.goals = goals; // of a terminal state, or proven ones
    this.visits = 0;
    this.moves = null; // [role] its moves; null until they are needed
    this.ranked = false;
    this.solved = false;
    this.proven = new Map(); // by row: the goal that a move of the chooser is proven to bring it
    this.outcome = null; // goals of the best of these
  }
}

class Search {
  // `knowledge` has `values`, `features` and `parameters`; values and features may be null.
  constructor(rules, knowledge, role, seed) {
    this.rules = rules;
    this.values = knowledge.values;
    this.features = knowledge.features;
    this.parameters = knowledge.parameters;
    this.role = role; // the one that searches
    this.dice = new Dice(seed);
    this.bounds = rules.goalBounds();
    this.nodes = new Map();
    this.listed = 0; // moves of all nodes
    this.root = null;
    this.playouts = 0; // of the search of the root
  }

  // Takes the position to search; what the tree knows of it stays. `expected`: playouts that the search may come to.
  begin(state, lastRows, expected) {
    if (this.listed > MOST_LISTED / 2) {
      this.nodes.clear();
      this.listed = 0;
    }
    this.root = this.known(state) ?? this.add(state);
    this.lastRows = lastRows;
    this.playouts = 0;
    this.credit = 0;
    this.expected = expected;
    this.use(expected);
  }

  // Chooses how values are used in a search of so many playouts (trusted_playouts, valued_playouts).
  use(playouts) {
    const { parameters } = this;
    let weight = parameters.value_weight, experience = parameters.experience;
    if (parameters.valued_playouts > 0 && playouts > parameters.valued_playouts) weight = experience = 0;
    else if (parameters.trusted_playouts > 0 && playouts > parameters.trusted_playouts) {
      weight = Math.min(weight, MOST_MIXED);
      experience = 0;
    }
    const known = this.values !== null;
    this.weight = weight;
    this.experience = experience;
    this.valueNodes = known && (weight > 0 || experience > 0);
    this.valueMoves = known && experience > 0;
    this.simulate = !this.valueNodes || weight < 1;
  }

  known(state) {
    return this.nodes.get(state.join());
  }

  add(state) {
    this.rules.evaluate([state]);
    const node = new Node(state, this.rules.terminal(0) ? this.rules.payoffs(0) : null);
    this.nodes.set(state.join(), node);
    return node;
  }

  // Makes playouts until one of the limits; returns how many.
  run(playouts, milliseconds) {
    const end = performance.now() + milliseconds, before = this.playouts;
    while (this.playouts - before < playouts && performance.now() < end && !this.root.solved) {
      if (this.playouts > this.expected) this.use(this.playouts);
      const left = playouts - (this.playouts - before);
      const side = this.simulate ? Math.max(1, Math.min(IN_FLIGHT, left, this.playouts >> 3)) : 1;
      this.batch(side);
    }
    return this.playouts - before;
  }

  batch(count) {
    const waiting = [];
    for (let number = 0; number < count && !this.root.solved; number++) {
      this.playouts += 1;
      const found = this.descend();
      // Visits count at once: playouts beside this one then look at other moves (virtual loss).
      for (const { node, chosen } of found.path) {
        node.visits += 1;
        for (const move of chosen) move.visits += 1;
      }
      if (found.state) waiting.push(found);
      else this.backUp(found.path, found.goals);
    }
    const ends = this.playOut(waiting);
    waiting.forEach((found, place) => {
      const { values } = found;
      const goals = values === null ? ends[place]
        : ends[place].map((goal, role) => this.weight * values[role] + (1 - this.weight) * goal);
      this.backUp(found.path, goals);
    });
  }

  backUp(path, goals) {
    for (const { chosen } of path) chosen.forEach((move, role) => { move.payoff += goals[role]; });
  }

  // Goes down the tree to a new node or an end. What is still to be played out has a `state` and `values` or null.
  descend() {
    const path = [], own = this.parameters.expansions;
    this.credit += own;
    let allowance = Math.floor(this.credit);
    this.credit -= allowance;
    let node = this.root, joint = this.lastRows;
    for (;;) {
      const values = this.list(node);
      if (node.goals !== null) {
        this.prove(path, node.goals);
        return { path, goals: node.goals };
      }
      if (values) return this.leaf(path, values, node.state, joint);
      this.rank(node, joint);
      const chosen = node.moves.map((moves, role) => this.select(node, role, moves));
      path.push({ node, chosen });
      joint = chosen.map((move) => move.row);
      const state = this.rules.step(node.state, joint);
      let known = this.known(state);
      if (!known && allowance > 0 && this.listed < MOST_LISTED) {
        known = this.add(state);
        allowance -= 1;
        if (allowance === 0 && known.goals === null && !this.valueMoves) known = undefined;
      }
      if (known) {
        node = known;
        continue;
      }
      this.rules.evaluate([state]);
      if (this.rules.terminal(0)) return { path, goals: this.rules.payoffs(0) };
      if (this.valueNodes) return this.leaf(path, this.values.ofState(state), state, joint);
      return { path, state, joint, values: null };
    }
  }

  leaf(path, values, state, joint) {
    return this.simulate ? { path, state, joint, values } : { path, goals: values };
  }

  chooser(node) {
    const choosing = node.moves.flatMap((moves, role) => (moves.length > 1 ? [role] : []));
    if (choosing.length > 1 || choosing[0] === this.rules.chance) return null;
    return choosing[0] ?? 0;
  }

  // Lists the moves of a node when it opens. Returns what it is worth where that ends the playout.
  list(node) {
    if (node.moves !== null || node.goals !== null) return null;
    this.rules.evaluate([node.state]);
    node.moves = this.rules.legal(0).map((rows) => rows.map((row) => ({ row, prior: 1, visits: 0, payoff: 0 })));
    this.listed += sumOf(node.moves.map((moves) => moves.length));
    const empty = node.moves.findIndex((moves) => moves.length === 0);
    if (empty >= 0) throw new Error(`role ${empty + 1} has no legal move in a state that is not terminal`);
    if (!this.valueMoves || (node === this.root && this.chooser(node) === null)) return null;
    const values = this.ofNode(node);
    return node === this.root ? null : values;
  }

  // What an opened node is worth. If one role chooses, its moves are valued, and the best one counts.
  ofNode(node) {
    const role = this.chooser(node);
    if (role === null) return this.values.ofState(node.state);
    const only = node.moves.map((moves) => moves[0].row);
    const joints = node.moves[role].map((move) => only.with(role, move.row));
    const states = this.rules.stepAll(node.state, joints), ends = [];
    for (let first = 0; first < states.length; first += LANES) {
      const some = states.slice(first, first + LANES);
      this.rules.evaluate(some);
      some.forEach((_, lane) => ends.push(this.rules.terminal(lane) ? this.rules.payoffs(lane) : null));
    }
    let best = null;
    node.moves[role].forEach((move, place) => {
      const values = ends[place] ?? this.values.ofState(states[place]);
      if (ends[place]) this.proveMove(node, move.row, ends[place]);
      move.visits += this.experience;
      move.payoff += this.experience * values[role];
      if (best === null || values[role] > best[role]) best = values;
    });
    return best;
  }

  // ---- proofs (MCTS-Solver)

  proveMove(node, row, goals) {
    const role = this.chooser(node);
    if (!this.parameters.solver || role === null || node.solved || node.proven.has(row)) return node.solved;
    node.proven.set(row, goals[role]);
    if (node.outcome === null || goals[role] > node.outcome[role]) node.outcome = goals;
    if (goals[role] === this.bounds.most[role] || node.proven.size === node.moves[role].length) {
      node.solved = true;
      node.goals = node.outcome;
    }
    return node.solved;
  }

  prove(path, goals) {
    for (let at = path.length - 1; at >= 0; at--) {
      const { node, chosen } = path[at], role = this.chooser(node);
      if (role === null || !this.proveMove(node, chosen[role].row, goals)) return;
      goals = node.goals;
    }
  }

  // 1 for a move proven best, -1 for one proven to bring the least while others may bring more.
  verdict(node, role, row) {
    if (!node.proven.has(row)) return 0;
    if (node.solved && node.proven.get(row) === node.outcome[role]) return 1;
    return node.proven.get(row) <= this.bounds.least[role] ? -1 : 0;
  }

  // ---- the choice at a node

  informed(role) {
    return this.features !== null && this.features.acts(SELECTION, role);
  }

  rank(node, lastRows) {
    if (node.ranked || node.visits < this.parameters.scoring_visits) return;
    node.ranked = true;
    node.moves.forEach((moves, role) => {
      if (moves.length < 2 || !this.informed(role)) return;
      const weights = this.features.weights(node.state, lastRows, role, moves.map((move) => move.row), SELECTION);
      const whole = this.parameters.exploration === "puct" ? sumOf(weights) : Math.max(...weights);
      moves.forEach((move, place) => { move.prior = weights[place] / whole; });
      moves.sort((a, b) => b.prior - a.prior || a.row - b.row);
    });
  }

  select(node, role, moves) {
    if (moves.length === 1) return moves[0];
    if (role === this.rules.chance) return moves[this.dice.below(moves.length)];
    if (!(node.ranked && this.informed(role))) return this.selectPlainly(node, moves);
    const some = moves.slice(0, this.width(moves.length, node.visits));
    const fresh = some.filter((move) => move.visits === 0), seen = some.filter((move) => move.visits > 0);
    const bound = (move) => (
      node.proven.get(move.row) ?? move.payoff / move.visits + this.exploration(node, move, move.visits));
    const best = this.largest(seen, bound);
    if (!fresh.length) return best;
    const mean = seen.length ? meanGoal(seen) : 0;
    if (best && bound(best) > mean + this.exploration(node, fresh[0], 1)) return best;
    const alike = fresh.filter((move) => move.prior === fresh[0].prior);
    return alike[this.dice.below(alike.length)];
  }

  selectPlainly(node, moves) {
    const { uct_c: constant, first_play_urgency: urgency } = this.parameters;
    const growth = this.growth(node.visits);
    const bound = (move) => (
      node.proven.get(move.row) ?? move.payoff / move.visits + constant * Math.sqrt(growth / move.visits));
    const seen = moves.filter((move) => move.visits > 0), fresh = moves.filter((move) => move.visits === 0);
    const best = this.largest(seen, bound);
    if (!fresh.length) return best;
    if (best) {
      if (bound(best) > meanGoal(seen) + urgency + constant * Math.sqrt(growth)) return best;
    }
    return fresh[this.dice.below(fresh.length)];
  }

  largest(moves, bound) {
    let best, most = -Infinity;
    for (const move of moves) {
      const own = bound(move);
      if (own > most) [best, most] = [move, own];
    }
    return best;
  }

  growth(visits) {
    const { uct_growth: growth } = this.parameters;
    if (growth === "root" || (growth === "deep" && visits > 1000)) return 0.2184424 * Math.sqrt(visits);
    return visits ? Math.log(visits) : 0;
  }

  // What is added to the mean of a move where knowledge ranks the moves; a move never visited counts as visited once.
  exploration(node, move, visits) {
    const { parameters } = this;
    if (parameters.exploration === "puct") {
      return parameters.puct_c * Math.sqrt(Math.max(node.visits, 1)) * move.prior / (move.visits + 1);
    }
    const bias = parameters.bias / (move.visits + 1) ** parameters.fade * move.prior;
    return parameters.uct_c * Math.sqrt(this.growth(node.visits) / visits) + bias;
  }

  width(count, visits) {
    const { widening, widening_visits: first, widening_moves: moves, widening_growth: growth } = this.parameters;
    if (!widening || visits < first) return count;
    let width = moves;
    for (let threshold = first * growth; width < count && visits >= threshold; threshold *= growth) width += 1;
    return Math.min(width, count);
  }

  // ---- playouts, side by side

  // The goals that playouts from these states end with, [state][role].
  playOut(starts) {
    const ends = Array(starts.length).fill(null);
    let running = starts.map((start, place) => ({ place, state: start.state, joint: start.joint }));
    for (let number = 0; running.length; number++) {
      if (number > LONGEST_MATCH) throw new Error("a match went on for more than 10,000 moves; let the rules end it");
      this.rules.evaluate(running.map((each) => each.state));
      const going = [], legal = [], lanes = [];
      running.forEach((each, lane) => {
        if (this.rules.terminal(lane)) ends[each.place] = this.rules.payoffs(lane);
        else {
          going.push(each);
          legal.push(this.rules.legal(lane));
          lanes.push(lane);
        }
      });
      if (!going.length) break;
      const knows = number < this.parameters.playout_moves && this.drawsByKnowledge();
      const joints = running.map(() => []);
      going.forEach((each, place) => {
        joints[lanes[place]] = legal[place].map((rows, role) => this.draw(each, role, rows, knows));
      });
      const states = this.rules.after(joints);
      going.forEach((each, place) => {
        each.state = states[lanes[place]];
        each.joint = joints[lanes[place]];
      });
      running = going;
    }
    return ends;
  }

  drawsByKnowledge() {
    return this.features !== null && this.features.lists[PLAYOUT].some((_, role) => this.features.acts(PLAYOUT, role));
  }

  draw(each, role, rows, knows) {
    if (rows.length === 0) throw new Error(`role ${role + 1} has no legal move in a state that is not terminal`);
    if (rows.length === 1) return rows[0];
    const share = this.parameters.opponent_knowledge;
    if (!knows || role === this.rules.chance || (role !== this.role && this.dice.next() >= share)) {
      return rows[this.dice.below(rows.length)];
    }
    return rows[this.dice.by(this.features.weights(each.state, each.joint, role, rows, PLAYOUT))];
  }

  // ---- results

  // The legal moves of a role at the root, best first.
  thought(role) {
    this.list(this.root);
    const found = (this.root.moves?.[role] ?? []).map((move) => ({
      row: move.row,
      visits: move.visits,
      value: move.visits ? move.payoff / move.visits : null,
      verdict: this.verdict(this.root, role, move.row),
    }));
    const order = (move) => [move.verdict, move.visits, move.value ?? 0, -move.row];
    return found.sort((one, other) => compare(order(other), order(one)));
  }

  // The move to make: the best, or, where several roles choose at once, one drawn by its visits.
  choose(role) {
    const moves = this.thought(role), share = this.parameters.mixed_share;
    const choosing = this.root.moves.filter((each, other) => each.length > 1 && other !== this.rules.chance).length;
    const most = Math.max(...moves.map((move) => move.visits));
    if (choosing < 2 || share >= 1 || most === 0) return moves[0].row;
    const drawn = moves.filter((move) => move.visits && move.visits >= share * most);
    return drawn[this.dice.by(drawn.map((move) => move.visits))].row;
  }

  // The joint moves that the search expects, from the best move of a role on.
  line(role, longest) {
    const found = [];
    let node = this.root;
    while (node && node.moves && !(node.goals && !node.solved) && found.length < longest) {
      const joint = node.moves.map((moves, each) => {
        const worth = (move) => [this.verdict(node, each, move.row), move.visits, move.payoff];
        return moves.reduce((best, move) => (compare(worth(move), worth(best)) > 0 ? move : best)).row;
      });
      if (found.length && node.visits === 0) break;
      found.push(joint);
      node = this.known(this.rules.step(node.state, joint));
    }
    return found;
  }
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function meanGoal(moves) {
  return sumOf(moves.map((move) => move.payoff)) / sumOf(moves.map((move) => move.visits));
}

function compare(one, other) {
  const place = one.findIndex((value, at) => value !== other[at]);
  return place < 0 ? 0 : one[place] - other[place];
}
