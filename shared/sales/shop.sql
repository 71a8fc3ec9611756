-- A tea merchant's year, the same each time: sums of ids stand in for chance.

CREATE TABLE products (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    kind        TEXT NOT NULL CHECK (kind IN ('green', 'black', 'oolong', 'white')),
    price_cents INTEGER NOT NULL CHECK (price_cents > 0)  -- US cents for 100 g
);

CREATE TABLE orders (
    id         INTEGER PRIMARY KEY,
    product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE RESTRICT,
    day        TEXT NOT NULL CHECK (day IS date(day)),
    city       TEXT NOT NULL,
    grams      INTEGER NOT NULL CHECK (grams > 0)
);

-- What was changed, by idempotency key, and the statements that take it back (changes.py).
CREATE TABLE changes (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    key          TEXT NOT NULL UNIQUE,
    rows_changed INTEGER NOT NULL DEFAULT 0,
    taken_back   INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE undo_log (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    change INTEGER NOT NULL REFERENCES changes (id),
    sql    TEXT NOT NULL
);

INSERT INTO products VALUES
    (1, 'Sencha', 'green', 950), (2, 'Assam', 'black', 700), (3, 'Darjeeling', 'black', 1200),
    (4, 'Tieguanyin', 'oolong', 1500), (5, 'Silver Needle', 'white', 2200), (6, 'Gyokuro', 'green', 3100);

WITH RECURSIVE days(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM days WHERE n < 599)
INSERT INTO orders
SELECT
    n + 1,
    1 + (n * n + n / 6) % 6,
    date('2026-01-01', (n / 2) || ' days'),
    CASE n % 3 WHEN 0 THEN 'Oslo' WHEN 1 THEN 'Kyoto' ELSE 'Hamburg' END,
    100 * (1 + n * 7 % 5) + CASE WHEN (n * n + n / 6) % 6 = 0 AND n / 2 BETWEEN 90 AND 150 THEN 400 ELSE 0 END
FROM days;
