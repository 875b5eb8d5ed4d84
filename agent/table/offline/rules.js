"use strict";
// The rules of the game: a circuit of gates that is evaluated for up to 32 states at once, one bit of all numbers for
// each (agent/reasoner/circuit.py says what the numbers mean). A state is a list of words of 32 fluents.

const LANES = 32;
const LONGEST_MATCH = 10000; // joint moves

class Rules {
  constructor(circuit) {
    Object.assign(this, circuit);
    this.fluentCount = this.next.length;
    this.roleCount = this.moveStart.length - 1;
    this.words = Math.max(1, Math.ceil(this.fluentCount / 32));
    this.firstSet = 1 + this.fluentCount;
    this.firstGate = this.firstSet + this.setStart.length - 1;
    this.gateCount = this.gateStart.length - 1;
    this.bits = new Int32Array(this.firstGate + this.gateCount); // [slot] a bit for each state
    this.setsOf = Array.from({ length: this.legalLiterals.length }, () => []); // [row]
    for (let set = 0; set + 1 < this.setStart.length; set++) {
      for (let at = this.setStart[set]; at < this.setStart[set + 1]; at++) this.setsOf[this.setRows[at]].push(set);
    }
    this.loopEnd = new Map();
    for (let at = 0; at < this.loops.length; at += 2) this.loopEnd.set(this.loops[at], this.loops[at + 1]);
    this.loopStarts = [...this.loopEnd.keys()];
    this.initial = this.stateOf([...this.initialFluents].flatMap((holds, fluent) => (holds ? [fluent] : [])));
  }

  // The state in which these fluents hold.
  stateOf(fluents) {
    const state = new Uint32Array(this.words);
    for (const fluent of fluents) state[fluent >> 5] |= 1 << (fluent & 31);
    return state;
  }

  fluentsOf(state) {
    const found = [];
    for (let word = 0; word < state.length; word++) {
      for (let left = state[word]; left; left &= left - 1) found.push(word * 32 + 31 - Math.clz32(left & -left));
    }
    return found;
  }

  read(literal) {
    return this.bits[literal >> 1] ^ -(literal & 1);
  }

  // Evaluates what depends on the states alone. Then `terminal`, `legal` and `goals` tell of them by their places.
  evaluate(states) {
    const { bits } = this;
    bits.fill(0, 0, this.firstGate);
    bits[0] = -1;
    states.forEach((state, lane) => {
      for (let word = 0; word < state.length; word++) {
        for (let left = state[word]; left; left &= left - 1) {
          bits[1 + word * 32 + 31 - Math.clz32(left & -left)] |= 1 << lane;
        }
      }
    });
    this.evaluateGates(0, this.stateGateCount);
  }

  // The states after these joint moves, [state][role] a row, of the states evaluated last.
  after(joints) {
    const { bits } = this;
    bits.fill(0, this.firstSet, this.firstGate);
    joints.forEach((joint, lane) => {
      for (const row of joint) for (const set of this.setsOf[row]) bits[this.firstSet + set] |= 1 << lane;
    });
    this.evaluateGates(this.stateGateCount, this.gateCount);
    const states = joints.map(() => new Uint32Array(this.words));
    const some = joints.length === LANES ? -1 : (1 << joints.length) - 1;
    for (let fluent = 0; fluent < this.fluentCount; fluent++) {
      const bit = 1 << (fluent & 31), word = fluent >> 5;
      for (let left = this.read(this.next[fluent]) & some; left; left &= left - 1) {
        states[31 - Math.clz32(left & -left)][word] |= bit;
      }
    }
    return states;
  }

  evaluateGates(from, to) {
    let at = from;
    for (const start of this.loopStarts) {
      if (start < from || start >= to) continue;
      this.sweep(at, start);
      at = this.loopEnd.get(start);
      for (let gate = start; gate < at; gate++) this.bits[this.firstGate + gate] = -this.loopInitial[gate];
      while (this.sweep(start, at));
    }
    this.sweep(at, to);
  }

  // Evaluates gates in order; returns whether one of them changed.
  sweep(from, to) {
    const { bits, gateStart, gateLiterals, firstGate } = this;
    let changes = false;
    for (let gate = from; gate < to; gate++) {
      let all = -1;
      for (let at = gateStart[gate], end = gateStart[gate + 1]; at < end && all !== 0; at++) {
        const literal = gateLiterals[at];
        all &= bits[literal >> 1] ^ -(literal & 1);
      }
      if (bits[firstGate + gate] !== all) {
        bits[firstGate + gate] = all;
        changes = true;
      }
    }
    return changes;
  }

  terminal(lane) {
    return (this.read(this.terminalLiteral) >> lane & 1) === 1;
  }

  // [role] its legal rows, ascending.
  legal(lane) {
    const found = [];
    for (let role = 0; role < this.roleCount; role++) {
      const rows = [];
      for (let row = this.moveStart[role]; row < this.moveStart[role + 1]; row++) {
        if (this.read(this.legalLiterals[row]) >> lane & 1) rows.push(row);
      }
      found.push(rows);
    }
    return found;
  }

  // [role] its goal, null where the rules give none; the largest counts where several hold.
  goals(lane) {
    const found = Array(this.roleCount).fill(null);
    for (let at = 0; at < this.goalRole.length; at++) {
      if (found[this.goalRole[at]] === null && this.read(this.goalLiteral[at]) >> lane & 1) {
        found[this.goalRole[at]] = this.goalValue[at];
      }
    }
    return found;
  }

  // [role] its goal, 0 where the rules give none.
  payoffs(lane) {
    return this.goals(lane).map((goal) => goal ?? 0);
  }

  // What holds in one state: whether it is terminal, its legal rows and its goals.
  look(state) {
    this.evaluate([state]);
    const terminal = this.terminal(0);
    const legal = terminal ? Array.from({ length: this.roleCount }, () => []) : this.legal(0);
    return { terminal, legal, goals: this.goals(0) };
  }

  step(state, joint) {
    this.evaluate([state]);
    return this.after([joint])[0];
  }

  // The states after several joint moves of one state.
  stepAll(state, joints) {
    const found = [];
    for (let first = 0; first < joints.length; first += LANES) {
      const some = joints.slice(first, first + LANES);
      this.evaluate(some.map(() => state));
      found.push(...this.after(some));
    }
    return found;
  }

  // The largest and the least goal that the rules name for each role.
  goalBounds() {
    const most = Array(this.roleCount).fill(0), least = Array(this.roleCount).fill(100);
    this.goalRole.forEach((role, at) => {
      most[role] = Math.max(most[role], this.goalValue[at]);
      least[role] = Math.min(least[role], this.goalValue[at]);
    });
    return { most, least };
  }
}
