-- When somebody was last told of a failure, so that one failure of ten thousand jobs is one alert.
-- Why: alerts of dead letters and incidents. Locks: nothing that exists (a new table only).

-- told_until: what was buried up to then was part of what the alert told.
create table ${schema}.alert (
    at          timestamptz not null,
    told_until  timestamptz not null,
    fingerprint text        not null primary key
) with (autovacuum_vacuum_threshold = 100);

do $grant$
begin
    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant select, insert, update, delete on ${schema}.alert to %I', '${name}_worker');
    end if;
end $grant$;

insert into ${schema}.schema_version (version, min_library) values (9, '0.1.0');
