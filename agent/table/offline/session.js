"use strict";
// A match in this page: people choose, agents search, and the table shows the news. It takes the commands and tells the
// news that a table with a server does (agent/table/session.py).

const SLICE_MS = 30, TELL_MS = 250, LONGEST_LINE = 6, ADVICE_MS = 60000;
const ENDLESS = 1e9; // playouts of a search that ends with its time

class Session {
  constructor(game, seed) {
    this.game = game;
    this.words = new Words(game);
    this.rules = new Rules(game.rules);
    this.dice = new Dice(seed);
    this.agents = { uct: { values: null, features: null, parameters: game.plain } };
    if (game.knowledge) {
      const { values, features, parameters } = game.knowledge;
      this.agents.knowledge = {
        values: values && new Values(values, this.rules, this.words),
        features: features && new Features(features, this.rules),
        parameters,
      };
    }
    this.kinds = ["you", ...Object.keys(this.agents).reverse(), "random"];
    const agent = game.knowledge ? "knowledge" : "uct", chance = this.rules.chance;
    const first = game.roles.findIndex((_, role) => role !== chance);
    this.seats = game.roles.map((_, role) => (role === chance ? "random" : role === first ? "you" : agent));
    this.settings = { strength: { unit: "seconds", amount: 2 }, advice: false, paused: false, turned: false };
    this.serial = 0;
    this.turn = 0; // number of the task that drives the match; a task of another number ends
    this.problem = "";
    this.begin(this.rules.initial);
  }

  begin(state) {
    this.steps = [{ state, joint: null }];
    this.searches = new Map();
    this.chosen = new Map();
    this.thought = this.explanation = null;
    this.serial += 1;
  }

  get state() {
    return this.steps[this.steps.length - 1].state;
  }

  get lastRows() {
    return this.steps.length > 1 ? this.steps[this.steps.length - 2].joint : null;
  }

  look() {
    const now = this.steps[this.steps.length - 1];
    return (now.look ??= this.rules.look(now.state));
  }

  // ---- the connection of the table: commands in, news out

  listen(receive) {
    this.receive = receive;
    this.goOn();
  }

  async send(command) {
    try {
      this.obey(command);
      return "";
    } catch (error) {
      return error.message;
    }
  }

  obey(command) {
    if (command.do === "explain") {
      this.explanation = command.row === null ? null : this.explain(command.row);
      this.tell();
      return;
    }
    if (command.do === "play") this.play(command);
    else if (command.do === "take_back") this.takeBack();
    else if (command.do === "start_again") this.begin(this.rules.initial);
    else if (command.do === "position") this.takePosition(command.facts);
    else if (command.do === "sit") this.sit(command.role, command.seat);
    else Object.assign(this.settings, command, { do: undefined });
    if (command.do === "start_again") this.settings.paused = false;
    this.goOn();
  }

  play({ serial, role, row }) {
    if (serial !== this.serial) throw new Error("the position has changed meanwhile");
    const may = this.seats[role] === "you" && this.look().legal[role].includes(row);
    if (!may) throw new Error("that move is not legal now");
    this.chosen.set(role, row);
  }

  sit(role, seat) {
    if (role === this.rules.chance) {
      throw new Error(`the role ${this.game.roles[role]} moves by chance; nobody else can take its seat`);
    }
    this.seats[role] = seat;
    this.chosen.delete(role);
  }

  takeBack() {
    if (this.steps.length === 1) throw new Error("no move to take back");
    do {
      this.steps.pop();
      this.steps[this.steps.length - 1].joint = null;
    } while (this.steps.length > 1 && this.seats.includes("you") && !this.waiting(["you"]).length);
    this.settings.paused = !this.seats.includes("you");
    this.chosen.clear();
    this.thought = this.explanation = null;
    this.serial += 1;
  }

  takePosition(text) {
    const number = new Map(this.words.fluents.map((fluent, place) => [fluent.toLowerCase(), place]));
    const fluents = readFacts(text).map((fact) => {
      if (!number.has(fact)) throw new Error(`${fact} is no fluent of ${this.game.game}`);
      return number.get(fact);
    });
    const state = this.rules.stateOf(fluents), { terminal, legal } = this.rules.look(state);
    const stuck = legal.findIndex((rows) => rows.length === 0);
    if (!terminal && stuck >= 0) {
      throw new Error(`${this.game.roles[stuck]} has no legal move there, and it is not terminal; is a fact missing, `
        + "such as whose turn it is?");
    }
    this.begin(state);
  }

  // ---- who chooses

  waiting(kinds) {
    const waits = (role) => kinds.includes(this.seats[role]) && !this.chosen.has(role) && this.hasChoice(role);
    return [...this.seats.keys()].filter(waits);
  }

  hasChoice(role) {
    const legal = this.look().legal[role];
    if (legal.length !== 1) return legal.length > 1;
    return this.seats[role] === "you" && this.words.path(legal[0]).length > 0;
  }

  goOn() {
    this.problem = "";
    this.turn += 1;
    this.thinking = false;
    this.tell();
    this.drive(this.turn).catch((error) => {
      this.problem = error.message;
      this.tell();
    });
  }

  async drive(turn) {
    await pause(0);
    while (turn === this.turn && !this.look().terminal && !this.settings.paused) {
      for (const role of this.waiting(["knowledge", "uct", "random"])) {
        const row = this.seats[role] === "random" ? this.randomRow(role) : await this.think(role, turn);
        if (turn !== this.turn) return;
        this.chosen.set(role, row);
      }
      const [person] = this.waiting(["you"]);
      if (person !== undefined) {
        this.tell();
        if (this.settings.advice) await this.think(person, turn, true);
        return;
      }
      this.advance();
      this.tell();
      await pause(this.seats.includes("you") ? 0 : 100);
    }
  }

  randomRow(role) {
    const legal = this.look().legal[role];
    return legal[this.dice.below(legal.length)];
  }

  advance() {
    const joint = this.look().legal.map((rows, role) => this.chosen.get(role) ?? rows[0]);
    this.steps[this.steps.length - 1].joint = joint;
    this.steps.push({ state: this.rules.step(this.state, joint), joint: null });
    this.chosen.clear();
    this.explanation = null;
    this.serial += 1;
  }

  // Searches for a role until its budget is used up; returns the row of the move to make.
  async think(role, turn, advice = false) {
    const kind = this.seats[role] in this.agents ? this.seats[role] : this.game.knowledge ? "knowledge" : "uct";
    const agent = this.agents[kind], key = `${role} ${kind}`;
    if (!this.searches.has(key)) this.searches.set(key, new Search(this.rules, agent, role, this.dice.below(2 ** 31)));
    const search = this.searches.get(key), begin = performance.now(), { unit, amount } = this.settings.strength;
    const playouts = advice || unit === "seconds" ? ENDLESS : unit === "level" ? levelPlayouts(amount) : amount;
    const end = begin + (advice ? ADVICE_MS : unit === "seconds" ? amount * 1000 : Infinity);
    search.begin(this.state, this.lastRows, playouts === ENDLESS ? search.playouts : playouts);
    const fired = this.fired(agent, role), worth = this.worth(role);
    this.thinking = true;
    let told = -Infinity;
    while (search.playouts < playouts && performance.now() < end && !search.root.solved) {
      search.run(playouts - search.playouts, Math.min(SLICE_MS, end - performance.now()));
      if (performance.now() - told > TELL_MS) {
        told = performance.now();
        this.describeThought(search, role, begin, fired, worth);
        this.tell();
      }
      await pause(0);
      if (turn !== this.turn) return null;
    }
    this.thinking = false;
    this.describeThought(search, role, begin, fired, worth);
    this.tell();
    return search.choose(role);
  }

  // ---- what the table shows

  tell() {
    const number = this.steps.length - 1;
    if (this.shown?.serial !== this.serial || this.shown.turned !== this.settings.turned) {
      this.shown = { serial: this.serial, turned: this.settings.turned, board: this.drawBoard() };
    }
    const { terminal, legal, goals } = this.look();
    const waiting = this.waiting(this.kinds), [person = null] = this.waiting(["you"]);
    const fluents = this.rules.fluentsOf(this.state);
    const others = fluents.filter((fluent) => this.words.pointOf(fluent) === NOWHERE);
    this.receive({
      serial: this.serial,
      position: {
        game: this.game.game,
        knowledge: this.game.knowledge?.name ?? "",
        number,
        ended: terminal,
        turned: this.settings.turned,
        board: this.shown.board,
        facts: others.map((fluent) => this.words.fact(fluent)),
        every: fluents.map((fluent) => this.words.fact(fluent)),
        kinds: this.kinds,
        roles: this.game.roles.map((name, role) => ({
          name, seat: this.seats[role], goal: terminal ? goals[role] : null, waiting: waiting.includes(role),
        })),
        person,
        moves: person === null ? [] : this.words.described(legal[person]),
        history: this.steps.slice(0, -1).map((step) => this.words.joint(step.joint)),
      },
      thought: this.thought,
      explanation: this.explanation,
      explains: Boolean(this.game.knowledge?.values),
      saves: false,
      thinking: this.thinking,
      strength: this.settings.strength,
      advice: this.settings.advice,
      paused: this.settings.paused,
      problem: this.problem,
    });
  }

  drawBoard() {
    if (!this.game.board) return "";
    const { board } = this.game, side = Number(this.settings.turned), picture = document.createElement("div");
    picture.innerHTML = board.pictures[side];
    const fields = new Map([...picture.querySelectorAll(".field")].map((field) => [field.dataset.point, field]));
    const taken = new Set();
    for (const fluent of this.rules.fluentsOf(this.state)) {
      const point = board.fluentPoint[fluent];
      if (point === NOWHERE || taken.has(point)) continue;
      taken.add(point);
      const place = board.points[point], [x, y] = board.places[side][place];
      const piece = board.pieces[board.fluentPiece[fluent] - 1];
      fields.get(place).insertAdjacentHTML("beforeend", piece.picture);
      const drawn = fields.get(place).lastElementChild;
      drawn.setAttribute("transform", `translate(${x * board.cell} ${y * board.cell})`);
      drawn.querySelector("title").textContent = `${piece.name} ${place}`;
    }
    const last = new Set((this.lastRows ?? []).flatMap((row) => this.words.path(row)));
    for (const place of last) fields.get(place)?.classList.add("last");
    return picture.innerHTML;
  }

  describeThought(search, role, begin, fired, worth) {
    const moves = search.thought(role), told = this.words.described(moves.map((move) => move.row));
    this.thought = {
      role: this.game.roles[role],
      number: this.steps.length,
      playouts: search.playouts,
      seconds: (performance.now() - begin) / 1000,
      nodes: search.nodes.size,
      line: search.line(role, LONGEST_LINE).map((joint) => this.words.joint(joint)),
      words: fired.words,
      moves: moves.map((move, place) => ({
        ...told[place], ...move,
        features: fired.fires.get(move.row) ?? [],
        worth: worth.get(move.row) ?? null,
      })),
    };
  }

  // The features that fire for the legal moves of a role, by the phase in which they act.
  fired(agent, role) {
    const words = [], fires = new Map(), number = new Map();
    if (agent.features) {
      const rows = this.look().legal[role], phase = agent.parameters.features_in_selection ? SELECTION : PLAYOUT;
      agent.features.firing(this.state, this.lastRows, role, rows, phase).forEach((found, place) => {
        fires.set(rows[place], found.map((each) => {
          if (!number.has(each.number)) {
            number.set(each.number, words.length);
            words.push(each.words);
          }
          return [number.get(each.number), each.weight / UNIT];
        }));
      });
    }
    return { words, fires };
  }

  // ---- the worth of moves

  // The state after a move, null where another role chooses at the same time.
  afterwards(role, rows) {
    const { legal } = this.look();
    if (legal.some((other, each) => each !== role && other.length > 1)) return null;
    const only = legal.map((moves) => moves[0]);
    return this.rules.stepAll(this.state, rows.map((row) => only.with(role, row)));
  }

  // By row: what the state after a move is worth to the role, by the values alone.
  worth(role) {
    const values = this.agents.knowledge?.values, rows = this.look().legal[role];
    const states = values ? this.afterwards(role, rows) : null;
    if (!states) return new Map();
    return new Map(states.map((state, place) => [rows[place], this.worthOf(values, state, role)]));
  }

  worthOf(values, state, role) {
    const { terminal, goals } = this.rules.look(state);
    return terminal ? goals[role] ?? 0 : values.ofState(state)[role];
  }

  // What a move changes, by the weights of values: the cells and the words of each weight, the strongest first.
  explain(row) {
    const values = this.agents.knowledge?.values, { legal } = this.look();
    const role = legal.findIndex((rows) => rows.includes(row));
    if (!values || role < 0) throw new Error("there are no values that explain this move");
    const states = this.afterwards(role, [row]);
    if (!states) throw new Error("another role has a choice at the same time, so this move alone has no worth");
    const [state] = states, { terminal } = this.rules.look(state);
    const found = terminal ? [] : values.contributions(state, role, this.state);
    return {
      row,
      worth: this.worthOf(values, state, role),
      ended: terminal,
      reasons: found.map((each) => ({
        weight: each.weight, words: each.words, cells: each.cells.map((point) => this.game.board.points[point]),
      })),
    };
  }
}

// Playouts of a level: each one makes twice as many as the one before.
function levelPlayouts(level) {
  return 10 * 2 ** level;
}

function pause(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

const connection = {
  // Reads the page's content and begins the match; problems are told as those of a lost connection.
  async listen(receive, lost) {
    try {
      const game = await unpack(document.getElementById("content").textContent);
      const seed = new URLSearchParams(location.search).get("seed") ?? Date.now() % 2 ** 31;
      this.session = new Session(game, Number(seed));
      this.session.listen(receive);
    } catch (error) {
      lost(`This page cannot play: ${error.message}.`);
    }
  },
  send(command) {
    return this.session.send(command);
  },
};
