"""Signed links (runtime/…/links.py, runtime/…/linked_gates.py): one gate, one person, once, for some time."""

from __future__ import annotations

import pytest
from itsdangerous.url_safe import URLSafeSerializer
from msgspec.structs import asdict

from entracte.errors import Conflict, Forbidden, InvalidInput, NotFound, RetryableError
from entracte.harness import Mask
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.linked_gates import RENEWAL_EVERY_S
from entracte.toolbox.ask_user import ask_user
from tests.gates.linked import SECRET, Linked, token_of
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, policy
from tests.masking.clinic import SEALING_KEY

OPS, SEC, EVE = "ops@shop.example", "sec@shop.example", "eve@shop.example"
BOB = ("send", {"to": "bob"})


def scene(*wanted: tuple[str, object], rule: str = f"approvers: [{OPS}, {SEC}]") -> Scene:
    """A run that waits for somebody to let its mails go out."""
    return Scene(*(wanted or (SEND,)), rules=policy(send=f"class: irreversible, {rule}"))


def untouched(found: Scene) -> bool:
    """Nothing is decided, recorded or sent, also after everything has been delivered."""
    found.settle()
    return (found.gate.status, found.gate.votes, found.shop.done) == ("waiting", (), [])


@pytest.mark.parametrize(("decision", "sent"), [("approve", [("send", "ada")]), ("deny", [])])
def test_a_link_decides_its_gate(decision: str, sent: object):
    """As the person whom it was made for, with their reason; the run goes on."""
    found = scene()
    linked = Linked(found)
    gate, claim = linked.links.decide(linked.token(OPS), decision, reason="By phone.")
    (vote,) = gate.votes
    assert (vote.by, vote.via, vote.decision, vote.reason, claim.approver) == (OPS, "link", decision, "By phone.", OPS)
    found.settle()
    assert (found.status, found.shop.done) == ("succeeded", sent)


def test_the_owner_decides_by_link_what_names_nobody():
    """A gate without approvers is theirs."""
    found = scene(rule="gate: always")
    linked = Linked(found)
    assert linked.links.decide(linked.token("ada"), "approve")[0].status == "approved"


def test_looking_at_a_link_decides_nothing_and_uses_nothing():
    """However often: it can still be used."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    for _ in "123":
        linked.links.show(token)
    assert untouched(found)
    assert linked.links.decide(token, "approve")[0].status == "approved"


def test_a_forged_link_decides_nothing():
    """Signed with another key, for another purpose, by a weaker method (SHA-1), or not at all."""
    found = scene()
    linked = Linked(found)
    claim = asdict(linked.signing.read(linked.token(OPS)))
    forged = [
        Linked(found, key="another-" + SECRET).token(OPS),
        URLSafeSerializer(SECRET).dumps(claim),
        URLSafeSerializer(SECRET, salt="entracte gate link").dumps(claim),
        URLSafeSerializer(SECRET, salt="entracte gate link", signer_kwargs={"key_derivation": "hmac"}).dumps(claim),
        "",
        ".",
        "eyJnYXRlIjoiciJ9",
        "\x00é",
    ]
    assert [linked.refusal(token) for token in forged] == ["link_invalid"] * len(forged)
    assert untouched(found)


def test_an_altered_link_decides_nothing():
    """Not one character of it may be another."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    altered = [token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in range(len(token) - 1)]
    codes = {linked.refusal(changed) for changed in (*altered, token[:-1], f"{token}A", f".{token}")}
    assert (codes, untouched(found)) == ({"link_invalid"}, True)


def test_something_else_that_we_signed_is_no_link():
    """Its content has to be that of a link, all of it and nothing more."""
    found = scene()
    linked = Linked(found)
    claim = asdict(linked.signing.read(linked.token(OPS)))
    serializer = linked.signing._signing()
    others = [{**claim, "x": 1}, {**claim, "until": "later"}, {"gate": claim["gate"]}, [], None, "text"]
    assert {linked.refusal(serializer.dumps(other)) for other in others} == {"link_invalid"}
    assert untouched(found)


def test_a_link_is_over_after_its_time():
    """To the second. The gate waits on, and a new link can be asked for."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    found.world.clock.advance(days=7, seconds=-1)
    assert linked.links.show(token)[0].waiting
    found.world.clock.advance(seconds=1)
    assert (linked.refusal(token), untouched(found)) == ("link_expired", True)


def test_a_link_of_other_arguments_decides_nothing():
    """What its holder saw is not what would be done."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    found.edit_gate(found.gate, z__digest="sha256:" + "0" * 64)
    assert linked.refusal(token) == "link_outdated"
    assert linked.refusal(linked.token(OPS, digest="sha256:" + "1" * 64)) == "link_outdated"
    assert untouched(found)


def test_a_link_is_used_once():
    """Whoever finds it later is told who decided what, and changes nothing."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    linked.links.decide(token, "deny")
    for again in ("deny", "approve"):
        with pytest.raises(Conflict, match=f"denied by {OPS} at 2026-01-01 09:00 UTC") as replayed:
            linked.links.decide(token, again)
        assert replayed.value.code == "gate_already_decided"
    found.settle()
    assert (len(found.gates[0].votes), found.shop.done) == (1, [])


def test_the_second_of_two_links_is_told_who_decided_what():
    """Its answer is recorded, and changes nothing."""
    found = scene()
    linked = Linked(found)
    theirs = linked.token(SEC)
    linked.links.decide(linked.token(OPS), "deny")
    with pytest.raises(Conflict, match=f"denied by {OPS}") as late:
        linked.links.decide(theirs, "approve")
    votes = [(vote.by, vote.decision, vote.refused) for vote in found.gates[0].votes]
    assert (late.value.code, votes) == (
        "gate_already_decided",
        [(OPS, "deny", ""), (SEC, "approve", "gate_already_decided")],
    )


def test_a_link_that_is_used_twice_at_once_decides_once():
    """Both have read the gate before either answers. The second is told what the first has decided."""
    found = scene()
    linked, racing = Linked(found), Linked(found)
    token, gates = linked.token(OPS), racing.process.gates

    class Overtaken(Gates):
        """Somebody decides between its reading and its answer."""

        def decide(self, *args, **how):
            linked.links.decide(token, "deny")
            return gates.decide(*args, **how)

    racing.links._gates = Overtaken(racing.process.engine)
    assert racing.refusal(token, "approve") == "gate_already_decided"
    assert [(vote.decision, vote.refused) for vote in found.gates[0].votes] == [("deny", "")]


def test_a_link_decides_no_other_gate():
    """The two mails are two questions; a page of one takes no link to the other."""
    found = scene(SEND, BOB)
    linked = Linked(found)
    first, second = found.gates
    assert linked.refusal(linked.token(OPS, first), gate=second.id) == "link_invalid"
    linked.links.decide(linked.token(OPS, first), "approve", gate=first.id)
    assert [gate.status for gate in found.gates] == ["approved", "waiting"]


@pytest.mark.parametrize("name", [EVE, "ada", ""])
def test_a_link_for_somebody_who_is_not_asked_decides_nothing(name: str):
    """Although it was signed here: perhaps they were asked when it was. The owner may look, and not decide."""
    found = scene()
    linked = Linked(found)
    code = linked.refusal(linked.token(OPS, approver=name))
    found.settle()
    assert (code, found.gate.status, found.shop.done) == (
        "not_an_approver" if name == "ada" else "gate_not_found",
        "waiting",
        [],
    )


def test_a_link_whose_answer_did_not_count_is_used_too():
    """It says why; a new one can be asked for."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS, approver="ada")
    assert [linked.refusal(token), linked.refusal(token)] == ["not_an_approver", "link_used"]
    with pytest.raises(Conflict, match="ada said approve, which did not count"):
        linked.links.decide(token, "approve")


@pytest.mark.parametrize("written_otherwise", ["{}!!!!", "{}==", "{}\u00e9"])
def test_a_link_that_is_written_otherwise_is_the_same_link(written_otherwise: str):
    """Decoders of base64 pass over what is not of it, so that one signature can be written in many ways."""
    linked = Linked(scene())
    token = linked.token(OPS, approver="ada")
    assert [linked.refusal(token), linked.refusal(written_otherwise.format(token))] == ["not_an_approver", "link_used"]


@pytest.mark.parametrize("rule", ["four_eyes: true", "quorum: 2", "four_eyes: true, quorum: 2"])
def test_where_it_matters_who_decides_a_link_alone_does_not(rule: str):
    """One person could hold the links of two. It shows the gate, and says how to decide it."""
    found = scene(rule=f"approvers: [{OPS}, {SEC}], {rule}")
    linked = Linked(found)
    token = linked.token(OPS)
    with pytest.raises(Forbidden, match=f"entracte approve {found.gate.id}") as refused:
        linked.links.decide(token, "approve")
    assert (refused.value.code, linked.links.show(token)[0].id) == ("sign_in_needed", found.gate.id)
    assert untouched(found)


def test_two_people_agree_by_links_once_they_have_signed_in():
    """Each with their own link, under their own name in whatever letters; the run then goes on."""
    found = scene(rule=f"approvers: [{OPS}, {SEC}], quorum: 2")
    linked = Linked(found)
    first = linked.links.decide(linked.token(OPS), "approve", signed_in=OPS.upper())[0]
    second = linked.links.decide(linked.token(SEC), "approve", signed_in=SEC)[0]
    assert (first.status, second.status, [vote.by for vote in second.votes]) == ("waiting", "approved", [OPS, SEC])
    found.settle()
    assert found.shop.done == [("send", "ada")]


@pytest.mark.parametrize("rule", ["quorum: 2", "four_eyes: true", "gate: always"])
def test_whoever_has_signed_in_decides_by_nobody_elses_link(rule: str):
    """The link of another stays unused."""
    found = scene(rule=f"approvers: [{OPS}, {SEC}], {rule}")
    linked = Linked(found)
    token = linked.token(SEC)
    assert linked.refusal(token, signed_in=OPS) == "link_of_another"
    assert untouched(found)
    assert linked.links.decide(token, "approve", signed_in=SEC)[0].votes[0].by == SEC


def test_a_word_that_is_none_uses_nothing():
    """The page offers words that are; a slip elsewhere can be put right."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    with pytest.raises(InvalidInput) as slip:
        linked.links.decide(token, "aprove")
    assert (slip.value.code, slip.value.pointer, untouched(found)) == ("unknown_decision", "/decision", True)
    assert linked.links.decide(token, "approve")[0].status == "approved"


def test_an_answer_to_a_question_goes_by_link():
    """In any words."""
    shop = Shop()
    shop.tools.append(ask_user)
    found = Scene(("ask_user", {"question": "Which plan?"}), shop=shop)
    linked = Linked(found)
    gate, _ = linked.links.decide(linked.token("ada"), "The Pro plan, please.")
    assert (gate.status, gate.votes[0].decision) == ("decided", "The Pro plan, please.")


def test_an_answer_that_is_masked_is_the_answer_that_was_given():
    """It is kept in other words than it was given in, and has counted all the same."""
    shop = Shop()
    shop.tools.append(ask_user)
    found = Scene(("ask_user", {"question": "Which address?"}), shop=shop, start=False, mask=Mask())
    found.world.secrets = {"ENTRACTE_MASK_KEY": SEALING_KEY}
    found.world.process = found.world.new_process()
    found.settle()
    linked = Linked(found)
    gate, _ = linked.links.decide(linked.token("ada"), "ada@patients.example")
    assert (gate.status, gate.votes[0].decision[:7]) == ("decided", "⟨email-")


def test_a_link_to_a_closed_run_says_that_it_is():
    """Nobody has to decide any more."""
    found = scene()
    linked = Linked(found)
    token = linked.token(OPS)
    found.cancel()
    found.settle()
    assert linked.refusal(token) == "gate_already_decided"


@pytest.mark.parametrize("key", ["", " \n", "short"])
def test_without_a_key_links_are_off(key: str):
    """And say what is missing, to whoever has to see to it."""
    found = scene()
    token, linked = Linked(found).token(OPS), Linked(found, key=key)
    for use in (linked.links.show, linked.links.renew):
        with pytest.raises(NotFound, match=r"Links to gates are off\..*ENTRACTE_LINK_KEY") as off:
            use(token)
        assert off.value.code == "links_off"


def test_keys_are_changed_without_breaking_links():
    """The old one is still accepted; the new one signs."""
    found = scene()
    old, new = Linked(found), Linked(found, key="new-" + SECRET)
    both = Linked(found, key=f"{SECRET} new-{SECRET}")
    assert both.links.show(old.token(OPS))[0].id == new.links.show(both.token(OPS))[0].id == found.gate.id
    assert old.refusal(both.token(OPS)) == "link_invalid"


def test_an_old_link_is_exchanged_for_a_new_one_by_mail():
    """Which goes to whom the old one was for, and decides."""
    found = scene()
    linked = Linked(found, OPS, SEC)
    old = linked.token(OPS)
    found.world.clock.advance(days=8)
    linked.links.renew(old)
    (notice,) = linked.mail.notices
    assert (notice.to, notice.gate, linked.refusal(old)) == ((OPS,), found.gate.id, "link_expired")
    assert linked.links.decide(token_of(notice.link), "approve")[0].status == "approved"


def test_new_links_are_few_however_often_they_are_asked_for():
    """A link that leaked must not fill a mailbox; every one stands in the journal."""
    found = scene()
    linked = Linked(found, OPS, SEC)
    for _ in "123":
        linked.links.renew(linked.token(OPS))
        linked.links.renew(linked.token(SEC))
    assert [notice.to for notice in linked.mail.notices] == [(OPS,), (SEC,)]
    found.world.clock.advance(seconds=RENEWAL_EVERY_S)
    linked.links.renew(linked.token(OPS))
    assert [notice.to for notice in linked.mail.notices] == [(OPS,), (SEC,), (OPS,)]
    journal = found.world.process.runs.journal(found.run).items
    assert len([entry for entry in journal if ".link." in entry.id]) == 3


def test_nobody_learns_from_a_renewal_what_became_of_a_gate():
    """Decided, gone or never theirs: no mail, and no error. A forged link is told that it is one."""
    found = scene(SEND, BOB)
    linked = Linked(found, OPS, SEC, EVE)
    first, _ = found.gates
    decided, gone = linked.token(OPS, first), linked.token(OPS, first, gate=first.id.replace("0", "f"))
    linked.links.decide(linked.token(SEC, first), "deny")
    for token in (decided, gone, linked.token(OPS, first, approver=EVE)):
        linked.links.renew(token)
    assert linked.mail.notices == []
    with pytest.raises(Forbidden):
        linked.links.renew(decided[:-2])


def test_a_new_link_that_cannot_be_sent_now_says_so():
    """The caller tries again later."""
    found = scene()
    linked = Linked(found, OPS)
    linked.mail.faults.append(RetryableError("busy"))
    with pytest.raises(RetryableError, match="busy"):
        linked.links.renew(linked.token(OPS))
