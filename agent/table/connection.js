"use strict";
// The connection of the table with its server: commands go out, news comes in as server-sent events.

const connection = {
  listen(receive, lost) {
    const events = new EventSource("news");
    events.onmessage = (event) => receive(JSON.parse(event.data));
    events.onerror = () => lost("The table does not answer; it may have been closed.");
  },
  // Returns what is wrong with a command, an empty text if it was obeyed.
  async send(command) {
    try {
      const answer = await fetch("do", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
      });
      return answer.ok ? "" : answer.text();
    } catch {
      return "The table does not answer; it may have been closed.";
    }
  },
};
