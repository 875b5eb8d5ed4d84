"use strict";
// The table in the browser: it shows the states that the server sends (server-sent events) and sends people's commands.
// Names from the rules are inserted as text. Only the drawing of the board, which the server escapes, is inserted as
// markup.

const SVG = "http://www.w3.org/2000/svg";
const SHOWN_MOVES = 12, SHOWN_FEATURES = 3;
const KINDS = { you: "you", knowledge: "agent", uct: "agent without knowledge", random: "random moves" };
const VERDICTS = { 1: "proven: no move brings more", "-1": "proven to bring the least" };

let news = null;     // the newest state
let source = null;   // the field clicked first, "1 2"
let offered = [];    // moves to choose from if two clicks leave several
let allMoves = false;
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
  let text = "";
  try {
    const answer = await fetch("do", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
    });
    if (!answer.ok) text = await answer.text();
  } catch {
    text = "The table does not answer; it may have been closed.";
  }
  showProblem(text);
}

function showProblem(text) {
  by("problem").textContent = text;
  by("problem").hidden = !text;
}

// ---- the position

function showPosition() {
  const { position } = news;
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
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); click(field.dataset.point); }
      });
    }
  }
  by("facts").replaceChildren(...position.facts.map((fact) => make("li", {}, fact)));
  by("history").replaceChildren(...position.history.map((told) => make("li", {}, told)));
  by("history").scrollTop = by("history").scrollHeight;
  by("back").disabled = position.number === 0;
  by("turn").hidden = !position.board;
  source = null;
  offered = [];
  showRoles();
  showChoice();
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
  return kind === "uct" && !news.position.kinds.includes("knowledge") ? "agent" : KINDS[kind];
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
  if (document.activeElement !== by("clock")) by("clock").value = news.clock;
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
    if (may || to) {
      field.setAttribute("tabindex", "0");
      field.setAttribute("role", "button");
    } else {
      field.removeAttribute("tabindex");
      field.removeAttribute("role");
    }
  }
  const listed = offered.length ? offered : moves.filter((move) => !move.path.length);
  by("buttons").replaceChildren(...listed.map((move) => make("button", { type: "button", onclick: () => play(move) }, move.label)));
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
  by("thoughts").classList.toggle("knowing", thought.words.length > 0);
  by("thoughts").replaceChildren(thoughtHead(thought.words), ...shown.map((move, place) => thoughtItem(move, thought.words, most, place === 0)));
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
  return make("li", {
    title: move.text, "aria-expanded": features.length ? String(open) : false,
    onmouseenter: () => hint(move.path), onmouseleave: () => hint([]),
    onclick: () => { if (!opened.delete(move.row)) opened.add(move.row); showThought(); },
  }, make("div", { class: "row" },
    make("span", { class: "move" }, move.label),
    make("span", { class: "sum" }, features.length ? signed(sum) : ""),
    make("span", { class: "visits" }, count(move.visits), make("span", { class: "bar" }, bar)),
    make("span", { class: "value", title: VERDICTS[move.verdict] ?? false }, valueText(move))), ...lines);
}

function valueText(move) {
  const proven = { 1: "✓ ", "-1": "✗ " }[move.verdict] ?? "";
  return proven + (move.value === null ? "–" : move.value.toFixed(1));
}

function thoughtHead(words) {
  const names = ["move", words.length ? "features" : "", "visits", "goal"];
  const titles = ["", "sum of the weights of the features that fire", "playouts that began with the move", "their mean goal"];
  return make("li", { class: "head" }, make("div", { class: "row" },
    ...names.map((name, place) => make("span", { title: titles[place] }, name))));
}

function signed(weight) {
  return make("b", { class: weight < 0 ? "minus" : "plus" }, (weight < 0 ? "−" : "+") + Math.abs(weight).toFixed(2));
}

function hint(path) {
  for (const field of by("board").querySelectorAll(".field")) {
    field.classList.toggle("hint", path.includes(field.dataset.point));
  }
}

// ---- events

function receive(event) {
  const before = news;
  news = JSON.parse(event.data);
  if (JSON.stringify(before?.position) !== JSON.stringify(news.position)) showPosition();
  else if (before.thinking !== news.thinking) showRoles();
  if (before === null || before.thought?.number !== news.thought?.number) opened.clear();
  showStatus();
  showThought();
  if (before?.problem !== news.problem) showProblem(news.problem);
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || news === null) return;
  source = null;
  offered = [];
  showChoice();
});
by("back").addEventListener("click", () => send({ do: "take_back" }));
by("again").addEventListener("click", () => send({ do: "start_again" }));
by("turn").addEventListener("click", () => send({ do: "change", turned: !news.position.turned }));
by("pause").addEventListener("click", () => send({ do: "change", paused: !news.paused }));
by("advice").addEventListener("change", (event) => send({ do: "change", advice: event.target.checked }));
by("clock").addEventListener("change", (event) => send({ do: "change", clock: Number(event.target.value) }));
by("more").addEventListener("click", () => { allMoves = !allMoves; showThought(); });

const events = new EventSource("news");
events.onmessage = receive;
events.onerror = () => { by("status").textContent = "The table does not answer; it may have been closed."; };
