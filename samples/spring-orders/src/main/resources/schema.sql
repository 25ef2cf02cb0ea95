create table if not exists purchase_order (
    id text primary key,
    customer text not null,
    total numeric(12, 2) not null,
    booked boolean not null
);

-- One row for each order that was charged. Nothing here refuses a second one: that there is none is the activity's doing.
create table if not exists booking (
    id bigint generated always as identity primary key,
    order_id text not null,
    amount numeric(12, 2) not null,
    authorization_code text not null
);
