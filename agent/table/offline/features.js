"use strict";
// The features of moves that the knowledge has, and the weights of moves that they add up to
// (agent/knowledge/scoring.py has the plain definition).

const UNIT = 256, EXPONENTIAL_LIMIT = 10 * UNIT;
const PLAYOUT = 0, SELECTION = 1;
const OFF_BOARD = 255; // code of a place outside the board

class Features {
  constructor(features, rules) {
    Object.assign(this, features);
    this.rules = rules;
    this.features.forEach((each, number) => { each.number = number; });
    // [phase][role] the features that act, those that count first in front.
    this.acting = this.lists.map((roles) => roles.map((list) => [...list].map((number) => this.features[number])));
  }

  acts(phase, role) {
    return this.acting[phase][role].length > 0;
  }

  // The board of a state: [point] the code of the piece on it, 0 for none; the smallest counts where there are several.
  occupants(fluents) {
    const codes = new Uint8Array(this.pointCount + 1);
    for (const fluent of fluents) {
      const point = this.fluentPoint[fluent], code = this.fluentPiece[fluent];
      if (point >= 0 && (codes[point] === 0 || code < codes[point])) codes[point] = code;
    }
    return codes;
  }

  // [row] the features that fire for moves of a role: `[[feature]]` in the order of the rows.
  firing(state, lastRows, role, rows, phase) {
    const acting = this.acting[phase][role];
    if (!acting.length) return rows.map(() => []);
    const fluents = this.rules.fluentsOf(state), holds = new Set(fluents);
    const board = { codes: this.occupants(fluents), holds, last: this.lastTargets(lastRows), role, around: new Map() };
    const holding = (item) => item.some((fluent) => holds.has(fluent));
    const possible = acting.filter((each) => each.items.every(holding));
    return rows.map((row) => possible.filter((each) => this.fires(each, board, row)));
  }

  lastTargets(lastRows) {
    if (!lastRows) return [];
    return lastRows.map((row) => this.rowTarget[row]).filter((point) => point !== NOWHERE);
  }

  fires(each, board, row) {
    return each.ways.some((way) => this.firesBy(way, board, row));
  }

  firesBy(way, board, row) {
    if (way.kind === "always") return true;
    if (way.kind === "rows") {
      const meant = (way.set ??= new Set(way.rows)).has(row);
      return meant && (!way.facts || way.facts.some((fluent) => board.holds.has(fluent)));
    }
    const target = this.rowTarget[row];
    if (target === NOWHERE) return false;
    if (way.kind === "distance") {
      const away = board.last.map((point) => this.squaredDistance[target * this.pointCount + point]);
      return away.length > 0 && Math.min(...away) === way.squared;
    }
    if (way.kind === "nearest") {
      const others = this.pointCount - 1;
      const around = this.nearest.subarray(target * others, (target + 1) * others);
      const found = this.occupied(board, `nearest ${target}`, around);
      if (found.length < way.codes.length) return false;
      const own = found.slice(0, way.codes.length).sort((a, b) => a - b);
      return own.every((code, place) => code === way.codes[place]);
    }
    if (way.kind === "line") {
      const first = (way.dimension * this.pointCount + target) * this.lineLength;
      const found = this.occupied(board, `line ${first}`, this.lines.subarray(first, first + this.lineLength));
      return way.codes.every((code, place) => found[place] === code);
    }
    const around = this.neighbours[way.radius], count = way.codes.length;
    return way.codes.every((wanted, place) => {
      const point = around[target * count + place];
      const code = point === this.pointCount ? OFF_BOARD : board.codes[point];
      return wanted === null || wanted === (way.relative ? this.seen[board.role][code] : code);
    });
  }

  // The pieces on some points, those of the first point first.
  occupied(board, key, points) {
    if (!board.around.has(key)) {
      const codes = Array.from(points, (point) => (point === NOWHERE ? 0 : board.codes[point]));
      board.around.set(key, codes.filter((code) => code !== 0));
    }
    return board.around.get(key);
  }

  // The weights of moves, at least 1 each; playouts choose in proportion to them.
  weights(state, lastRows, role, rows, phase) {
    return this.firing(state, lastRows, role, rows, phase).map((found) => this.weightOf(this.sum(found)));
  }

  sum(found) {
    if (this.firstFeature) return found.length ? found[0].weight : 0;
    return found.reduce((total, each) => total + each.weight, 0);
  }

  weightOf(total) {
    if (!this.exponential) return Math.max(1, this.base + total);
    return Math.exp((Math.min(Math.max(total, -EXPONENTIAL_LIMIT), EXPONENTIAL_LIMIT) + EXPONENTIAL_LIMIT) / UNIT);
  }
}
