-- A table with an index, and a view that shows it. Version 4 was given up before a release.
-- Why: tests of the way from one version to the next. Locks: nothing that exists.
create table ${schema}.origin (
    name       text        not null primary key,
    first_seen timestamptz not null
);
create index origin_by_time on ${schema}.origin (first_seen);
create view ${schema}.v_origin as select o.name, o.first_seen from ${schema}.origin o;

insert into ${schema}.schema_version (version, min_library) values (5, '0.1.0');
