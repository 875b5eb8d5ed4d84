"use strict";
// What states are worth by the learned weights: the logistic function of a sum that facts and tuples of facts select
// (agent/values/layout.py has the plain definition), and which of these weights say so.

const NO_WEIGHT = -1, NOWHERE = -1, STEP = 65536;

class Values {
  constructor(values, rules, words) {
    Object.assign(this, values);
    this.rules = rules;
    this.say = words;
    // Whole numbers of 1 / STEP, as searches of the program count, so that sums are the same.
    const stepped = (weight) => Math.round(Math.fround(weight / values.unit) * STEP) / STEP;
    this.weights = Float64Array.from(values.weights, stepped);
    this.turnCount = this.turnFluents.length + 1;
    this.isPiece = new Uint8Array(rules.fluentCount);
    for (const fluent of this.stageFluents) this.isPiece[fluent] = 1;
  }

  // The facts of a state: its fluents, then those of playable cells and of costs. It is evaluated in the first lane.
  facts(state) {
    const fluents = this.rules.fluentsOf(state);
    if (!this.cells && !this.costs) return fluents;
    const facts = [...fluents];
    if (this.cells) facts.push(...this.playable(state, fluents));
    if (this.costs) facts.push(...this.relaxed(state));
    return facts;
  }

  // Fact `cell * kinds + role`: the role alone may move to the empty cell, the last one of a cell: several may.
  playable(state, fluents) {
    const { pieceCell, rowStart, rowCells, kinds, several } = this.cells;
    const filled = new Set(fluents.map((fluent) => pieceCell[fluent]));
    const movers = new Map();
    this.rules.evaluate([state]);
    this.rules.legal(0).forEach((rows, role) => {
      for (const row of rows) {
        for (let at = rowStart[row]; at < rowStart[row + 1]; at++) {
          if (!movers.has(rowCells[at])) movers.set(rowCells[at], new Set());
          movers.get(rowCells[at]).add(role);
        }
      }
    });
    const found = [];
    for (const [cell, roles] of movers) {
      if (filled.has(cell)) continue;
      const own = several && roles.size > 1 ? [kinds - 1] : [...roles];
      for (const kind of own) found.push(this.rules.fluentCount + cell * kinds + kind);
    }
    return found.sort((a, b) => a - b);
  }

  // What the best goal of each role costs it, step by step (agent/native/circuit/relaxed_costs.hpp).
  relaxed(state) {
    const { initial, kinds, terms, stepShape, stepStart, stepSlots, loops, roleSlots, most } = this.costs;
    const cost = new Uint8Array(this.costs.slotCount);
    cost.set(initial);
    const run = (step) => {
      const own = stepSlots[stepStart[step]], kind = kinds[stepShape[step]];
      let at = stepStart[step] + (kind === 2 ? 2 : 1), found = kind === 0 ? 0 : most;
      for (const length of terms[stepShape[step]]) {
        let sum = 0, least = most;
        for (let i = 0; i < length; i++, at++) {
          sum += cost[stepSlots[at]];
          least = Math.min(least, cost[stepSlots[at]]);
        }
        found = kind === 0 ? found + least : Math.min(found, sum);
      }
      if (kind === 2) {
        const literal = stepSlots[stepStart[step] + 1], fluent = literal >> 1;
        const holds = (state[fluent >> 5] >> (fluent & 31) & 1) !== (literal & 1);
        found = holds ? 0 : found + 1;
      }
      const before = cost[own];
      cost[own] = Math.min(found, most);
      return cost[own] !== before;
    };
    let at = 0;
    for (let loop = 0; loop < loops.length; loop += 2) {
      for (; at < loops[loop]; at++) run(at);
      for (let changes = true; changes;) {
        changes = false;
        for (let step = loops[loop]; step < loops[loop + 1]; step++) changes = run(step) || changes;
      }
      at = loops[loop + 1];
    }
    for (; at < stepShape.length; at++) run(at);
    const found = [];
    roleSlots.forEach((slot, role) => {
      if (slot >= 0 && cost[slot] > 0) found.push(this.costs.first + role * most + cost[slot] - 1);
    });
    return found;
  }

  output(player) {
    return this.outputCount === 1 ? 0 : player;
  }

  // The view that counts for a player in the state of these facts, and -1 where its sum counts against the player.
  view(facts, player) {
    const holds = new Set(facts);
    const told = this.turnFluents.findIndex((fluent) => holds.has(fluent));
    const turn = told < 0 ? this.turnFluents.length : told;
    const pieces = facts.reduce((sum, fact) => sum + (fact < this.isPiece.length ? this.isPiece[fact] : 0), 0);
    const stage = this.stageNumbers.reduce((sum, number) => sum + (number <= pieces ? 1 : 0), 0);
    const phase = turn * (this.stageNumbers.length + 1) + stage;
    const view = this.views[phase * this.outputCount + this.output(player)];
    const opponent = this.outputCount < this.players.length && player === 1;
    return [view, Boolean(view.against) !== opponent ? -1 : 1];
  }

  places(view, facts) {
    const places = Int32Array.from(view.tupleWeight);
    for (const fact of facts) {
      for (let at = view.termStart[fact], end = view.termStart[fact + 1]; at < end; at++) {
        places[view.termTuple[at]] += view.term[at];
      }
    }
    return places;
  }

  logOdds(facts, player) {
    const [view, sign] = this.view(facts, player);
    let sum = 0;
    for (const fact of facts) {
      const place = fact < this.rules.fluentCount ? view.factWeight[fact] : NO_WEIGHT;
      if (place !== NO_WEIGHT) sum += this.weights[place];
    }
    for (const place of this.places(view, facts)) sum += this.weights[place];
    return sign * sum;
  }

  // [role] what a state is worth, 0 to 100; 0 to chance.
  ofState(state) {
    const facts = this.facts(state), worth = Array(this.rules.roleCount).fill(0);
    this.players.forEach((role, player) => {
      worth[role] = this.outputCount < this.players.length && player === 1
        ? 100 - worth[this.players[0]] : 100 / (1 + Math.exp(-this.logOdds(facts, player)));
    });
    return worth;
  }

  // What speaks for and against a state for a role, and with another state what changes between the two by the weights
  // of the first: `[{ weight, cells, words }]`, the strongest first.
  contributions(state, role, before = null) {
    const facts = this.facts(state), player = this.players.indexOf(role);
    if (player < 0) return [];
    const [view, sign] = this.view(facts, player);
    const found = this.selected(view, facts);
    if (before !== null) {
      for (const [key, each] of this.selected(view, this.facts(before))) {
        const own = found.get(key);
        if (!own) found.set(key, { ...each, weight: -each.weight, gone: true });
        else if (own.place === each.place) found.delete(key);
        else own.weight -= each.weight;
      }
    }
    return [...found.values()].filter((each) => each.weight).map((each) => ({
      weight: sign * each.weight,
      ...this.described(view, each),
    })).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || (a.words < b.words ? -1 : 1));
  }

  // By fact and by tuple: the place of the weight that is selected, the weight, and the facts that select it.
  selected(view, facts) {
    const found = new Map();
    for (const fact of facts) {
      const place = fact < this.rules.fluentCount ? view.factWeight[fact] : NO_WEIGHT;
      if (place !== NO_WEIGHT) found.set(`fact ${fact}`, { place, weight: this.weights[place], fact });
    }
    const held = new Map();
    for (const fact of facts) {
      for (let at = view.termStart[fact]; at < view.termStart[fact + 1]; at++) {
        if (!held.has(view.termTuple[at])) held.set(view.termTuple[at], []);
        held.get(view.termTuple[at]).push(fact);
      }
    }
    this.places(view, facts).forEach((place, tuple) => {
      found.set(`tuple ${tuple}`, { place, weight: this.weights[place], tuple, held: held.get(tuple) ?? [] });
    });
    return found;
  }

  described(view, each) {
    if (each.fact !== undefined) {
      const point = this.say.pointOf(each.fact);
      const cells = point === NOWHERE ? [] : [point];
      const words = cells.length ? this.say.contents(cells, [this.say.pieceOf(each.fact)], false)
        : this.say.fact(each.fact);
      return { cells, words: each.gone ? `no longer ${words}` : words };
    }
    const facts = this.factsOf(view)[each.tuple], fluents = this.rules.fluentCount;
    if (this.costs && facts[0] >= this.costs.first) return { cells: [], words: this.costsInWords(facts, each.held) };
    const points = [...new Set(facts.map((fact) => this.pointOf(fact)))].sort((a, b) => a - b);
    if (!points.includes(NOWHERE)) {
      const there = new Map(each.held.map((fact) => [this.pointOf(fact), this.contentOf(fact)]));
      const contents = points.map((point) => there.get(point) ?? null);
      return { cells: points, words: this.say.contents(points, contents, facts[facts.length - 1] >= fluents) };
    }
    const names = each.held.map((fact) => this.say.fact(fact));
    if (names.length) return { cells: [], words: names.join(" and ") };
    return { cells: [], words: `none of ${this.say.fact(facts[0])} to ${this.say.fact(facts[facts.length - 1])}` };
  }

  pointOf(fact) {
    const beyond = fact - this.rules.fluentCount;
    return beyond < 0 ? this.say.pointOf(fact) : Math.floor(beyond / this.cells.kinds);
  }

  contentOf(fact) {
    const beyond = fact - this.rules.fluentCount;
    return beyond < 0 ? this.say.pieceOf(fact) : this.say.mover(beyond % this.cells.kinds);
  }

  costsInWords(facts, held) {
    const { first, most } = this.costs;
    const roleOf = (fact) => Math.floor((fact - first) / most);
    const costs = new Map(facts.map((fact) => [roleOf(fact), 0]));
    for (const fact of held) costs.set(roleOf(fact), (fact - first) % most + 1);
    const said = [...costs].map(([role, cost]) => {
      const moves = cost === most ? `${cost} moves or more` : `${cost} move${cost === 1 ? "" : "s"}`;
      return `${this.say.role(role)} ${moves}`;
    });
    return `${said.join(" and ")} from the best goal if nobody stood in the way`;
  }

  // [tuple] its fluents and derived facts, ascending.
  factsOf(view) {
    if (!view.factsOfTuples) {
      view.factsOfTuples = Array.from(view.tupleWeight, () => []);
      for (let fact = 0; fact + 1 < view.termStart.length; fact++) {
        for (let at = view.termStart[fact], end = view.termStart[fact + 1]; at < end; at++) {
          view.factsOfTuples[view.termTuple[at]].push(fact);
        }
      }
    }
    return view.factsOfTuples;
  }
}
