"use strict";
// The table in the browser: it shows the news that its connection brings, and sends people's commands. The connection
// leads to a server (connection.js), or to a match in this page (offline/session.js).
// Names from the rules are inserted as text. Only the drawing of the board, which the server escapes, is inserted as
// markup.

const SVG = "http://www.w3.org/2000/svg";
const SHOWN_MOVES = 12, SHOWN_FEATURES = 3, SHOWN_REASONS = 8;
const CLOSE = 10; // difference of the best and the worst move below which worths have a decimal
const KINDS = { you: "you", knowledge: "agent", uct: "agent without knowledge", random: "random moves" };
const DEFAULTS = { seconds: 2, playouts: 1000, level: 5 };
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const VERDICTS = { 1: "proven: no move brings more", "-1": "proven to bring the least" };

let news = null;     // the newest state
let source = null;   // the field clicked first, "1 2"
let offered = [];    // moves to choose from if two clicks leave several
let allMoves = false, allReasons = false;
let pressed = false; // whether the list of moves is being clicked on, and must not change meanwhile
const opened = new Set(); // moves whose features are all shown
const by = (id) => document.getElementById(id);

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

async function send(command) {
  showProblem(await connection.send(command));
}

function showProblem(text) {
  by("problem").textContent = text;
  by("problem").hidden = !text;
}

// ---- the position

function showPosition() {
  const { position } = news, focused = document.activeElement?.dataset?.point;
  document.title = `${position.game} · agent table`;
  by("game").textContent = position.game;
  by("board").innerHTML = position.board;
  const drawing = by("board").firstElementChild;
  if (drawing) {
    const box = drawing.viewBox.baseVal;
    drawing.setAttribute("role", "group");
    drawing.style.setProperty("--ratio", box.width / box.height);
    for (const field of drawing.querySelectorAll(".field")) {
      field.addEventListener("click", () => click(field.dataset.point));
      field.addEventListener("keydown", (event) => {
        const way = ARROWS[event.key];
        if (way) goTo(field, way);
        else if (event.key === "Enter" || event.key === " ") click(field.dataset.point);
        else return;
        event.preventDefault();
      });
    }
  }
  by("facts").replaceChildren(...position.facts.map((fact) => make("li", {}, fact)));
  by("history").replaceChildren(...position.history.map((told) => make("li", {}, told)));
  by("history").scrollTop = by("history").scrollHeight;
  by("back").disabled = position.number === 0;
  by("turn").hidden = !position.board;
  by("save").hidden = !news.saves;
  source = null;
  offered = [];
  showRoles();
  showChoice();
  if (focused) fieldAt(focused)?.focus();
}

function fieldAt(point) {
  return by("board").querySelector(`.field[data-point="${point}"]`);
}

function showRoles() {
  const { position } = news;
  by("roles").replaceChildren(...position.roles.map((role, number) => {
    const seat = make("select", {
      "aria-label": `Who plays ${role.name}`,
      onchange: (event) => send({ do: "sit", role: number, seat: event.target.value }),
    }, ...position.kinds.map((kind) => make("option", { value: kind, selected: kind === role.seat }, kindName(kind))));
    const parts = [make("i"), make("b", {}, role.name), seat];
    if (role.goal !== null) parts.push(make("output", {}, String(role.goal)));
    const thinks = role.waiting && role.seat !== "you" && news.thinking;
    return make("li", { class: `${role.waiting ? "waiting" : ""} ${thinks ? "thinking" : ""}` }, ...parts);
  }));
}

function kindName(kind) {
  const { kinds, knowledge } = news.position;
  if (kind === "knowledge" && knowledge) return `agent with ${knowledge}`;
  return kind === "uct" && !kinds.includes("knowledge") ? "agent" : KINDS[kind] ?? kind;
}

function showStatus() {
  const { position } = news;
  const waiting = position.roles.filter((role) => role.waiting);
  let text = "";
  if (position.ended) {
    const goals = position.roles.map((role) => `${role.name} ${role.goal ?? "no goal"}`);
    text = `The match is over: ${goals.join(", ")}.`;
  } else if (news.paused) text = "Paused.";
  else if (position.person !== null) text = `Your move as ${position.roles[position.person].name}.`;
  else if (waiting.length) text = `${waiting.map((role) => role.name).join(" and ")} thinking …`;
  by("status").textContent = text;
  by("status").classList.toggle("yours", position.person !== null && !news.paused);
  by("pause").hidden = position.ended || position.roles.some((role) => role.seat === "you") && !news.paused;
  by("pause").textContent = news.paused ? "Go on" : "Pause";
  if (document.activeElement !== by("amount")) by("amount").value = news.strength.amount;
  by("unit").value = news.strength.unit;
  by("advice").checked = news.advice;
}

// ---- choosing a move by one field, by source and target, or by a button

const goal = (move) => move.path[move.path.length - 1];

function click(point) {
  const moves = news.position.moves;
  if (source !== null) {
    const found = moves.filter((move) => move.path.length > 1 && move.path[0] === source && goal(move) === point);
    if (found.length) return decide(found);
  }
  const here = moves.filter((move) => move.path[0] === point);
  if (here.length && here.every((move) => move.path.length === 1)) return decide(here);
  source = here.length && source !== point ? point : null;
  offered = source === null ? [] : here.filter((move) => move.path.length === 1);
  showChoice();
}

// Moves the focus to the nearest field in a direction.
function goTo(field, [right, down]) {
  const middle = (each) => {
    const box = each.querySelector(".cell").getBBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(field);
  let nearest = null, least = Infinity;
  for (const other of by("board").querySelectorAll(".field")) {
    const [toX, toY] = middle(other), along = (toX - x) * right + (toY - y) * down;
    const aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * right);
    if (along > 1 && along + 2 * aside < least) [nearest, least] = [other, along + 2 * aside];
  }
  nearest?.focus();
}

function decide(moves) {
  if (moves.length === 1) return play(moves[0]);
  offered = moves;
  showChoice();
}

function play(move) {
  send({ do: "play", serial: news.serial, role: news.position.person, row: move.row });
}

function showChoice() {
  const { moves } = news.position;
  const sources = new Set(moves.map((move) => move.path[0]));
  const targets = new Set(moves.filter((move) => move.path.length > 1 && move.path[0] === source).map(goal));
  for (const field of by("board").querySelectorAll(".field")) {
    const point = field.dataset.point;
    const may = sources.has(point), to = targets.has(point);
    field.classList.toggle("can", may);
    field.classList.toggle("from", point === source);
    field.classList.toggle("to", to || (source === null && may && !field.querySelector(".piece")));
    field.querySelector(".spot")?.remove();
    if (field.classList.contains("to")) field.append(spot(field));
    field.setAttribute("tabindex", may || to ? "0" : "-1");
    if (may || to) field.setAttribute("role", "button");
    else field.removeAttribute("role");
  }
  draw();
  const listed = offered.length ? offered : moves.filter((move) => !move.path.length);
  const button = (move) => make("button", { type: "button", onclick: () => play(move) }, move.label);
  by("buttons").replaceChildren(...listed.map(button));
  by("choose").textContent = offered.length ? "Several moves go there; choose one:" : "";
  by("choose").hidden = !offered.length;
}

function spot(field) {
  const cell = field.querySelector(".cell"), circle = document.createElementNS(SVG, "circle");
  const side = cell.width.baseVal.value;
  circle.setAttribute("class", "spot");
  circle.setAttribute("cx", cell.x.baseVal.value + side / 2);
  circle.setAttribute("cy", cell.y.baseVal.value + side / 2);
  circle.setAttribute("r", field.querySelector(".piece") ? side * 0.42 : side * 0.13);
  return circle;
}

// ---- the agent's search

const count = (number) => number.toLocaleString("en");

function showThought() {
  const { thought } = news;
  if (pressed) return;
  by("more").hidden = true;
  if (!thought) {
    by("thinker").textContent = "The agent’s view";
    by("search").textContent = "It appears when the agent thinks.";
    by("line").hidden = true;
    by("thoughts").replaceChildren();
    return;
  }
  const rate = thought.seconds > 0 ? Math.round(thought.playouts / thought.seconds) : 0;
  by("thinker").textContent = `${thought.role}, move ${thought.number}`;
  by("search").textContent =
    `${count(thought.playouts)} playouts in ${thought.seconds.toFixed(1)} s, ${count(rate)} per second; ` +
    `${count(thought.nodes)} states`;
  by("line").hidden = !thought.line.length;
  by("line").textContent = `Expects ${thought.line.map((move) => move.replaceAll(" ", "\u00a0")).join(" · ")}`;
  const most = Math.max(1, ...thought.moves.map((move) => move.visits));
  const shown = allMoves ? thought.moves : thought.moves.slice(0, SHOWN_MOVES);
  const worths = thought.moves.some((move) => move.worth !== null);
  by("thoughts").classList.toggle("knowing", thought.words.length > 0);
  by("thoughts").classList.toggle("worthy", worths);
  const items = shown.map((move, place) => thoughtItem(move, thought.words, most, place === 0));
  by("thoughts").replaceChildren(thoughtHead(thought.words, worths), ...items);
  by("more").hidden = thought.moves.length <= SHOWN_MOVES;
  by("more").textContent = allMoves ? "Show the best only" : `Show all ${thought.moves.length} moves`;
}

function thoughtItem(move, words, most, first) {
  const bar = make("i");
  bar.style.width = `${(100 * move.visits) / most}%`;
  const features = [...move.features].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const open = opened.has(move.row);
  const shown = open ? features : features.slice(0, first ? SHOWN_FEATURES : 0);
  const lines = shown.map(([number, weight]) => make("span", { class: "feature" }, signed(weight), words[number]));
  if (shown.length && shown.length < features.length) {
    lines.push(make("span", { class: "feature more" }, `and ${features.length - shown.length} more features`));
  }
  const sum = features.reduce((total, [, weight]) => total + weight, 0);
  const opens = features.length > 0 || news.explains;
  return make("li", {
    title: move.text, "aria-expanded": opens && String(open || news.explanation?.row === move.row),
    onmouseenter: () => hint(move.path), onmouseleave: () => hint([]),
    onclick: () => reveal(move),
  }, make("div", { class: "row" },
    make("span", { class: "move" }, move.label),
    make("span", { class: "worth" }, move.worth === null ? "" : move.worth.toFixed(1)),
    make("span", { class: "sum" }, features.length ? signed(sum) : ""),
    make("span", { class: "visits" }, count(move.visits), make("span", { class: "bar" }, bar)),
    make("span", { class: "value", title: VERDICTS[move.verdict] ?? false }, valueText(move))), ...lines);
}

function valueText(move) {
  const proven = { 1: "✓ ", "-1": "✗ " }[move.verdict] ?? "";
  return proven + (move.value === null ? "–" : move.value.toFixed(1));
}

function thoughtHead(words, worths) {
  const names = ["move", worths ? "worth" : "", words.length ? "features" : "", "visits", "goal"];
  const titles = ["", "what the state after the move is worth by the values alone, without a search",
    "sum of the weights of the features that fire", "playouts that began with the move", "their mean goal"];
  return make("li", { class: "head" }, make("div", { class: "row" },
    ...names.map((name, place) => make("span", { title: titles[place] }, name))));
}

function signed(weight) {
  return make("b", { class: weight < 0 ? "minus" : "plus" }, told(weight));
}

function told(weight) {
  return (weight < 0 ? "−" : "+") + Math.abs(weight).toFixed(2);
}

// Shows or hides the features of a move and what the values say of it.
function reveal(move) {
  const open = opened.delete(move.row);
  if (!open) opened.add(move.row);
  const row = news.explanation?.row === move.row ? null : move.row;
  if (news.explains) send({ do: "explain", serial: news.serial, row });
  showThought();
}

// ---- why: what a move changes by the weights of values

function showExplanation() {
  const { explanation } = news;
  by("why").hidden = !explanation;
  draw();
  if (!explanation) return;
  const move = [...(news.thought?.moves ?? []), ...news.position.moves].find((each) => each.row === explanation.row);
  const shown = allReasons ? explanation.reasons : explanation.reasons.slice(0, SHOWN_REASONS);
  by("reasoned").textContent = `Why ${move?.label ?? "this move"}`;
  const worth = explanation.worth.toFixed(1);
  by("worth").textContent = explanation.ended ? `It ends the match with the goal ${explanation.worth}.`
    : `The state after it is worth ${worth} of 100 without a search. What the move changes, in log-odds:`;
  by("reasons").replaceChildren(...shown.map((reason) => make("li", {
    onmouseenter: () => hint(reason.cells), onmouseleave: () => hint([]),
  }, signed(reason.weight), reason.words)));
  by("all-reasons").hidden = explanation.reasons.length <= SHOWN_REASONS;
  by("all-reasons").textContent = allReasons ? "Show the strongest only" : `Show all ${explanation.reasons.length}`;
}

// Draws on the board what a move changes, each weight in equal parts on its cells, or else the worth of moves.
function draw() {
  for (const drawn of by("board").querySelectorAll(".drawn")) drawn.remove();
  const shares = new Map();
  for (const { weight, cells } of news.explanation?.reasons ?? []) {
    for (const cell of cells) shares.set(cell, (shares.get(cell) ?? 0) + weight / cells.length);
  }
  const largest = Math.max(0, ...[...shares.values()].map(Math.abs));
  for (const [cell, share] of shares) {
    if (Math.abs(share) >= 0.02 * largest) colour(cell, share / largest, told(share));
  }
  if (!by("show").checked || shares.size || !news.thought) return;
  const worth = new Map(), valued = news.thought.moves.some((move) => move.worth !== null), all = [];
  for (const move of news.thought.moves) {
    const own = valued ? move.worth : move.value, end = move.path.length ? goal(move) : null;
    if (own === null) continue;
    all.push(own);
    if (end === null || (source !== null && move.path[0] !== source)) continue;
    worth.set(end, Math.max(worth.get(end) ?? 0, own));
  }
  const best = Math.max(...all), least = Math.min(...all), middle = (best + least) / 2;
  const decimals = best - least < CLOSE ? 1 : 0;
  for (const [cell, own] of worth) {
    colour(cell, best > least ? (own - middle) / (best - middle) : 0, own.toFixed(decimals));
  }
}

function colour(point, share, text) {
  const field = fieldAt(point), cell = field?.querySelector(".cell");
  if (!cell) return;
  const shade = cell.cloneNode(false), box = cell.getBBox(), number = document.createElementNS(SVG, "text");
  shade.setAttribute("class", `drawn ${share < 0 ? "avoided" : "sought"}`);
  shade.setAttribute("fill-opacity", String(0.65 * Math.min(1, Math.abs(share))));
  cell.after(shade);
  number.setAttribute("class", "drawn told");
  number.setAttribute("x", box.x + box.width / 2);
  number.setAttribute("y", field.querySelector(".piece") ? box.y + box.height - 1.5 : box.y + box.height / 2 + 1.4);
  number.textContent = text;
  field.append(number);
}

function hint(path) {
  for (const field of by("board").querySelectorAll(".field")) {
    field.classList.toggle("hint", path.includes(field.dataset.point));
  }
}

// ---- events

function receive(newest) {
  const before = news;
  news = newest;
  if (JSON.stringify(before?.position) !== JSON.stringify(news.position)) showPosition();
  else if (before.thinking !== news.thinking) showRoles();
  if (before === null || before.thought?.number !== news.thought?.number) opened.clear();
  showStatus();
  showThought();
  if (before?.explanation?.row !== news.explanation?.row) allReasons = false;
  showExplanation();
  if (before?.problem !== news.problem) showProblem(news.problem);
}

function letGo() {
  source = null;
  offered = [];
  if (news.explanation) send({ do: "explain", serial: news.serial, row: null });
  showChoice();
}

const KEYS = { u: "back", n: "again", t: "turn", p: "pause", a: "advice", w: "show" };

document.addEventListener("keydown", (event) => {
  if (news === null || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) return;
  if (event.key === "Escape") letGo();
  else if (event.key in KEYS) {
    const button = by(KEYS[event.key]);
    if (!button.hidden && !button.disabled) button.click();
  } else if (event.key >= "1" && event.key <= "9") {
    const move = news.thought?.moves[Number(event.key) - 1];
    if (move) reveal(move);
  }
});

function changeStrength(unit, amount) {
  if (amount > 0) send({ do: "change", strength: { unit, amount } });
}

by("back").addEventListener("click", () => send({ do: "take_back" }));
by("again").addEventListener("click", () => send({ do: "start_again" }));
by("turn").addEventListener("click", () => send({ do: "change", turned: !news.position.turned }));
by("pause").addEventListener("click", () => send({ do: "change", paused: !news.paused }));
by("advice").addEventListener("change", (event) => send({ do: "change", advice: event.target.checked }));
by("unit").addEventListener("change", (event) => changeStrength(event.target.value, DEFAULTS[event.target.value]));
by("amount").addEventListener("change", (event) => changeStrength(by("unit").value, Number(event.target.value)));
by("thoughts").addEventListener("pointerdown", () => { pressed = true; });
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(() => { pressed = false; }));
}
by("show").addEventListener("change", draw);
by("more").addEventListener("click", () => { allMoves = !allMoves; showThought(); });
by("all-reasons").addEventListener("click", () => { allReasons = !allReasons; showExplanation(); });
by("now").addEventListener("click", () => { by("facts-given").value = news.position.every.join("\n"); });
by("take").addEventListener("click", () => send({ do: "position", facts: by("facts-given").value }));

connection.listen(receive, (problem) => { by("status").textContent = problem; });
