"use strict";
// The names of roles, facts, moves, cells and pieces, as the rule sheet spells them, and sentences made of them.

class Words {
  constructor(game) {
    this.roles = game.roles;
    this.fluents = game.fluents.split("\n");
    this.moves = game.moves.split("\n");
    this.board = game.board;
    this.labels = new Map();
  }

  role(role) {
    return this.roles[role];
  }

  fact(fluent) {
    return this.fluents[fluent];
  }

  pointOf(fluent) {
    return this.board ? this.board.fluentPoint[fluent] : NOWHERE;
  }

  pieceOf(fluent) {
    return this.board.pieces[this.board.fluentPiece[fluent] - 1].name;
  }

  // Who may move to an empty cell; the kind after those of the roles stands for several.
  mover(kind) {
    return `nothing (${kind < this.roles.length ? this.roles[kind] : "several roles"} may move there)`;
  }

  // What stands at some cells, equal contents together; null stands for nothing.
  contents(cells, contents, playable) {
    const at = new Map();
    cells.forEach((point, place) => {
      const content = contents[place] ?? (playable ? "nothing (no move leads there)" : "nothing");
      if (!at.has(content)) at.set(content, []);
      at.get(content).push(this.board.points[point]);
    });
    const said = [...at].map(([content, found]) => `${content} at ${found.join(", ")}`), last = said.pop();
    return said.length ? `${said.join("; ")} and ${last}` : last;
  }

  // The fields that a move names, the target last.
  path(row) {
    if (!this.board) return [];
    const { pathStart, pathPoints, points } = this.board;
    return [...pathPoints.subarray(pathStart[row], pathStart[row + 1])].map((point) => points[point]);
  }

  // The piece and the fields of a move, or the whole move if it names no field.
  label(row) {
    if (!this.labels.has(row)) {
      const path = this.path(row), code = this.board ? this.board.movePiece[row] : -1;
      const fields = path.join(" → "), named = code > 0 ? `${this.board.pieces[code - 1].name} ${fields}` : fields;
      this.labels.set(row, path.length ? named : this.moves[row]);
    }
    return this.labels.get(row);
  }

  // A joint move without the roles that only wait.
  joint(rows) {
    const labels = rows.map((row) => this.label(row));
    const said = labels.filter((label) => label.toLowerCase() !== "noop");
    return (said.length ? said : labels.slice(0, 1)).join(", ");
  }

  // Moves with the fields they name and a label, short if it is unambiguous.
  described(rows) {
    const shared = new Map();
    for (const row of rows) shared.set(this.label(row), (shared.get(this.label(row)) ?? 0) + 1);
    return rows.map((row) => ({
      row,
      text: this.moves[row],
      label: shared.get(this.label(row)) === 1 ? this.label(row) : this.moves[row],
      path: this.path(row),
    }));
  }
}

// Reads facts such as `(cell 1 1 x)` and returns their texts in one spelling.
function readFacts(text) {
  const tokens = text.replace(/;.*$/gm, "").match(/[()]|[^\s()]+/g) ?? [], found = [];
  const read = () => {
    const token = tokens.shift();
    if (token === ")") throw new Error("a closing parenthesis too many");
    if (token !== "(") return token.toLowerCase();
    const parts = [];
    while (tokens.length && tokens[0] !== ")") parts.push(read());
    if (!tokens.length) throw new Error("a parenthesis is not closed");
    tokens.shift();
    return `(${parts.join(" ")})`;
  };
  while (tokens.length) found.push(read().replace(/^\(true (.*)\)$/, "$1"));
  return found;
}
