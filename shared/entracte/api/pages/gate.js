"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const LABELS = {
    approve: "Approve", deny: "Deny", happened: "It happened", retry: "It did not; try again", give_up: "Give up",
  };
  const TITLES = {
    gate_already_decided: "Somebody has decided", link_expired: "No longer valid",
    link_outdated: "The gate has changed", link_used: "No longer valid",
    sign_in_needed: "A link alone does not decide this",
  };
  const PARTS = ["message", "why", "preview", "facts", "answer", "renew", "command"];
  let busy = false;

  const gate = () => decodeURIComponent(location.pathname.split("/").pop());
  const token = () => new URLSearchParams(location.hash.slice(1)).get("t") || "";

  async function ask(what, more = {}) {
    let response, said;
    try {
      response = await fetch(`/v1/links/${what}`, {
        method: "POST", credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token: token(), gate: gate(), ...more }),
      });
      said = await response.json();
    } catch {
      return { failed: { code: "unreachable", detail: "There was no answer. Are you online?", remedy: "" } };
    }
    if (response.ok) return { said };
    const code = String(said.type).replace("urn:entracte:", "");
    return { failed: { code, detail: String(said.detail), remedy: String(said.remedy) } };
  }

  function put(id, text) {
    $(id).textContent = text;
    $(id).hidden = !text;
  }

  function tell(text, kind) {
    put("message", text);
    $("message").className = kind;
  }

  function only(title) {
    for (const id of PARTS) $(id).hidden = true;
    $("question").textContent = title;
  }

  function element(name, text, kind) {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  function show(found) {
    only(found.question || `${found.tool}: go ahead?`);
    document.title = `Entracte: ${$("question").textContent}`;
    put("why", found.why);
    $("preview").replaceChildren(...found.preview.map((line) => element("li", line, { "+": "added", "-": "removed" }[line[0]])));
    $("preview").hidden = !found.preview.length;
    const facts = [["Asked by", found.asked_by], ["Call", found.tool], ["Gate", found.gate]];
    $("facts").replaceChildren(...facts.filter(([, fact]) => fact).flatMap(([name, fact]) => [element("dt", name), element("dd", fact)]));
    $("facts").hidden = false;
    put("command-text", found.command);
    if (found.decided) return tell(`${found.decided}.`, "");
    if (found.sign_in) {
      $("command").hidden = false;
      return tell("This gate has to know for sure who decides: a link alone does not decide it. Sign in to do so.", "");
    }
    offer(found);
  }

  function offer(found) {
    const question = found.decisions.length === 0;
    $("approver").textContent = found.approver;
    $("reason-label").textContent = question ? "Your answer" : "Reason (optional)";
    const words = question ? [""] : found.decisions;
    $("buttons").replaceChildren(...words.map((word) => {
      const kind = { "": "yes", approve: "yes", deny: "no" }[word];
      const button = element("button", question ? "Send the answer" : LABELS[word] || word, kind);
      button.type = "button";
      button.addEventListener("click", () => decide(word));
      return button;
    }));
    $("answer").hidden = false;
  }

  async function decide(word) {
    const written = $("reason").value.trim();
    if (busy || (!word && !written)) return $("reason").focus();
    lock(true);
    const more = word ? { decision: word, reason: written } : { decision: written };
    const { said, failed } = await ask("decision", more);
    lock(false);
    if (failed) return refuse(failed);
    show(said);
    tell(said.decided ? `Thank you. ${said.decided}.` : "Thank you. Your answer is recorded.", "good");
    $("question").focus();
  }

  function refuse({ code, detail, remedy }) {
    if (code === "unreachable" || code === "unknown_decision") return tell(detail, "bad");
    only(TITLES[code] || "This link does not open a gate");
    tell([detail, remedy].filter(Boolean).join(" "), code === "gate_already_decided" ? "" : "bad");
    $("renew").hidden = !["link_expired", "link_outdated", "link_used"].includes(code);
    $("question").focus();
  }

  async function renew() {
    if (busy) return;
    lock(true);
    const { failed } = await ask("renew");
    lock(false);
    if (failed) return refuse(failed);
    only("Look into your mail");
    tell("If the gate still waits for you, a new link is on its way. There is one in five minutes at most.", "good");
  }

  function lock(on) {
    busy = on;
    for (const button of document.querySelectorAll("button")) button.disabled = on;
  }

  async function open() {
    only("One moment…");
    if (!token()) {
      only("A gate waits for a decision");
      put("command-text", `entracte approve ${gate()}`);
      $("command").hidden = false;
      return tell("Those who may decide it are sent a link that does. This address is not such a link.", "");
    }
    const { said, failed } = await ask("preview");
    failed ? refuse(failed) : show(said);
  }

  $("renew").addEventListener("click", renew);
  $("answer").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", open);
  open();
})();
