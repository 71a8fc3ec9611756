"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const LABELS = {
    approve: "Approve", deny: "Deny", happened: "It happened", retry: "It did not; try again", give_up: "Give up",
  };
  const TITLES = {
    gate_already_decided: "Somebody has decided", link_expired: "No longer valid",
    link_outdated: "The gate has changed", link_used: "No longer valid",
  };
  const TRY_AGAIN = [
    "unreachable", "unknown_decision", "sign_in_needed", "link_of_another", "unauthenticated", "bad_token",
    "bad_signature", "token_expired", "token_stripped", "wrong_audience", "wrong_issuer", "email_not_verified",
    "not_a_user", "rate_limited",
  ];
  const PARTS = ["message", "why", "preview", "facts", "answer", "renew", "command"];
  let busy = false;

  const gate = () => decodeURIComponent(location.pathname.split("/").pop());
  const token = () => new URLSearchParams(location.hash.slice(1)).get("t") || "";

  // Kept in the field only. Behind Identity-Aware Proxy none is needed: its own sign-in comes along.
  function proof() {
    const access = $("access").value.trim();
    return access ? { Authorization: `Bearer ${access}` } : {};
  }

  async function ask(what, more = {}) {
    let response, said;
    try {
      response = await fetch(`/v1/links/${what}`, {
        method: "POST", credentials: "same-origin", cache: "no-store", referrerPolicy: "no-referrer",
        headers: { "Content-Type": "application/json", ...proof() },
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

  function typed(command) {
    const [before, ...remark] = command.split("  # ");
    return [`${before} --url ${location.origin}`, ...remark].join("  # ");
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
    put("command-text", typed(found.command));
    if (found.decided) return tell(`${found.decided}.`, "");
    $("sign-in").hidden = !found.sign_in;
    $("command").hidden = !found.sign_in;
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
    if (TRY_AGAIN.includes(code)) return tell([detail, remedy].filter(Boolean).join(" "), "bad");
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
      put("command-text", typed(`entracte approve ${gate()}`));
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
