-- The support desk's records. `IF NOT EXISTS` everywhere: opening a database that is there changes nothing.

CREATE TABLE IF NOT EXISTS customers (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice, so an old e-mail cannot come to mean someone else
    name    TEXT NOT NULL CHECK (trim(name) <> ''),
    email   TEXT NOT NULL CHECK (email LIKE '%_@_%'),
    plan    TEXT NOT NULL CHECK (plan IN ('Free', 'Pro', 'Team', 'Enterprise')),
    since   TEXT NOT NULL CHECK (since IS date(since)),
    country TEXT NOT NULL DEFAULT '',
    notes   TEXT NOT NULL DEFAULT ''
);

CREATE TABLE IF NOT EXISTS invoices (
    number       TEXT PRIMARY KEY,
    customer_id  INTEGER NOT NULL REFERENCES customers (id) ON DELETE RESTRICT,
    issued       TEXT NOT NULL CHECK (issued IS date(issued)),
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),  -- US cents
    status       TEXT NOT NULL CHECK (status IN ('open', 'paid'))
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS invoices_by_customer ON invoices (customer_id);

-- One row for each changing call that was carried out, written in the transaction of its change.
CREATE TABLE IF NOT EXISTS calls (
    key       TEXT PRIMARY KEY,             -- idempotency key
    tool      TEXT NOT NULL,
    arguments TEXT NOT NULL,                -- canonical JSON
    result    TEXT NOT NULL,                -- JSON, given again to whoever repeats the call
    times     INTEGER NOT NULL DEFAULT 1    -- how often it was asked for; it was done once
) WITHOUT ROWID;
