-- Messages tell their origin. A pattern for migrations that change a table: they say why, and what they lock.
-- Why: tests of the way from one version to the next. Locks: ACCESS EXCLUSIVE on outbox for a moment, as a column without a
-- default is added; it waits for open transactions that have written to the outbox.
alter table ${schema}.outbox add column origin text;

insert into ${schema}.schema_version (version, min_library) values (2, '0.1.0');
