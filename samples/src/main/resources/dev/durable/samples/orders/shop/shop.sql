-- The shop's own tables. One process at a time creates them: "if not exists" alone does not survive a race.
select pg_advisory_xact_lock(hashtext('shop.sql'));

create schema if not exists shop;

-- Charges and refunds; the sum per order is what the shop has of it.
create table if not exists shop.ledger (
    idempotency_key text primary key,
    payment_id      uuid           not null,
    order_id        text           not null,
    kind            text           not null check (kind in ('CHARGE', 'REFUND')),
    amount          numeric(12, 2) not null,
    currency        char(3)        not null,
    at              timestamptz    not null default now()
);
create index if not exists ledger_payment on shop.ledger (payment_id);

create table if not exists shop.approval (
    order_id     text primary key,
    customer     text           not null,
    amount       numeric(12, 2) not null,
    currency     char(3)        not null,
    requested_at timestamptz    not null default now(),
    answered_at  timestamptz,
    answered_by  text,
    withdrawn_at timestamptz
);

create table if not exists shop.stock (
    sku     text primary key,
    on_hand int not null check (on_hand >= 0)
);

create table if not exists shop.reservation (
    idempotency_key text primary key,
    order_id        text        not null,
    sku             text        not null references shop.stock,
    quantity        int         not null check (quantity > 0),
    released_at     timestamptz
);
create index if not exists reservation_order on shop.reservation (order_id);

create table if not exists shop.label (
    idempotency_key text primary key,
    order_id        text        not null,
    tracking        text        not null,
    printed_at      timestamptz not null default now()
);

create table if not exists shop.shipment (
    idempotency_key text primary key,
    order_id        text        not null,
    tracking        text        not null,
    attempt         int         not null,
    shipped_at      timestamptz not null default now()
);

-- What the warehouse has; the rattan chair is no longer made.
insert into shop.stock (sku, on_hand) values
    ('BED-OAK-180',     10000),
    ('CHAIR-ASH-02',    10000),
    ('CHAIR-RATTAN-03',     0),
    ('DESK-WALNUT-140', 10000),
    ('LAMP-FLOOR-07',   10000),
    ('LAMP-TABLE-04',   10000),
    ('MIRROR-ROUND-80', 10000),
    ('RUG-WOOL-200',    10000),
    ('SHELF-PINE-05',   10000),
    ('SOFA-LINEN-3',    10000),
    ('TABLE-OAK-160',   10000),
    ('THROW-WOOL-01',   10000)
on conflict do nothing;
