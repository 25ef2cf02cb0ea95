package dev.durable.store.postgres;

import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Functions and operators that another user has created in a schema of the search_path: for each of PostgreSQL's own
 * that takes its arguments after a conversion (a polymorphic one, text for varchar, bigint for integer), one that takes
 * them without it, and so is preferred. A call fails, and is counted even if its transaction is rolled back.
 */
final class Traps {
    private static final List<String> TYPES = List.of(
            "text",
            "varchar",
            "name",
            "int2",
            "int4",
            "int8",
            "numeric",
            "float8",
            "bool",
            "uuid",
            "timestamptz",
            "interval",
            "json",
            "jsonb",
            "text[]",
            "uuid[]",
            "int4[]",
            "timestamptz[]");

    /** Functions with any number of arguments. */
    private static final List<String> VARIADIC = List.of(
            "format(text,text)",
            "format(text,varchar)",
            "format(text,name)",
            "format(text,text,text)",
            "format(text,text,name,name)",
            "format(text,text,text,text)",
            "format(text,uuid,uuid)",
            "format(text,timestamptz,timestamptz)",
            "format(text,int4,name,text,text,text,text)",
            "concat_ws(text,text,text)",
            "concat_ws(text,oid,oid)",
            "concat(text,text)",
            "json_build_object(text,text)",
            "json_build_object(text,text,text,text)",
            "json_build_object(text,text,text,int4,text,text,text,int4)",
            "json_build_object(text,text,text,text,text,int8)",
            "json_build_object(text,int8)",
            "jsonb_build_object(text,text)",
            "jsonb_build_object(text,text,text,timestamptz,text,jsonb)",
            "hashtextextended(varchar,int4)",
            "pg_notify(varchar,text)",
            "pg_notify(varchar,varchar)");

    private static final String PLANT = """
            set check_function_bodies = off;
            set search_path = pg_catalog;
            create sequence ${schema}.called;
            do $plant$
            declare
                body constant text := $body$ begin
                    perform nextval('${schema}.called');
                    raise exception 'a function that a stranger has planted was called' using errcode = 'XTRAP';
                end $body$;
                types constant text[] := array[${types}];
                one record;
            begin
                for one in
                    with t as (select u.name, u.name::regtype as type from unnest(types) as u(name))
                    select distinct p.proname, string_agg(format_type(x.type, null), ', ' order by x.place) as arguments
                      from pg_proc p
                     cross join t
                     cross join lateral (
                            select a.place,
                                   case when a.type in ('"any"'::regtype, 'anyelement'::regtype, 'anynonarray'::regtype,
                                                        'anycompatible'::regtype, 'anycompatiblenonarray'::regtype)
                                            then t.type
                                        when a.type in ('anyarray'::regtype, 'anycompatiblearray'::regtype)
                                            then (select y.typarray from pg_type y where y.oid = t.type)::regtype
                                        when a.type = 'text'::regtype and t.name in ('varchar', 'name') then t.type
                                        when a.type in ('int8'::regtype, 'numeric'::regtype, 'float8'::regtype)
                                             and t.name in ('int2', 'int4', 'int8', 'numeric') then t.type
                                        else a.type end as type
                              from unnest(p.proargtypes::oid[]) with ordinality as a(type, place)) x
                     where p.pronamespace = 'pg_catalog'::regnamespace and p.prokind in ('f', 'a', 'w')
                       and p.pronargs between 1 and 3 and p.provariadic = 0 and p.prorettype <> 'internal'::regtype
                       and p.proname ~ '^(count|array_agg|json|to_json|unnest|array_|cardinality|lag|first_value|left|substr'
                           '|length|lower|upper|to_char|to_timestamp|to_regclass|to_hex|lpad|repeat|translate|regexp_|concat'
                           '|quote_|set_config|current_setting|hashtext|pg_|has_|ceil|floor|round|greatest|coalesce|generate_'
                           '|sum|avg|min|max|percentile|mode|string_agg|row_number|starts_with|split_part|replace|abs|mod)'
                     group by p.oid, p.proname, t.type
                    having bool_and(x.type is not null and x.type <> 0)
                           and not exists (select from pg_proc o where o.proname = p.proname
                                              and o.pronamespace = 'pg_catalog'::regnamespace
                                              and o.proargtypes::oid[] = array_agg(x.type::oid order by x.place)) loop
                    begin
                        execute format('create function ${schema}.%I(%s) returns text language plpgsql as %L',
                                       one.proname, one.arguments, body);
                    exception when others then null;
                    end;
                end loop;
                for one in
                    select v.call from unnest(array[${calls}]) as v(call) loop
                    begin
                        execute format('create function ${schema}.%s returns text language plpgsql as %L', one.call, body);
                    exception when duplicate_function then null;
                    end;
                end loop;
                for one in
                    select o.name, l.type as l, r.type as r
                      from unnest(array['=', '<>', '<', '<=', '>', '>=', '||', '+', '-', '*', '/', '%', '~', '->', '->>', '&&', '@>'])
                           as o(name)
                     cross join unnest(types) as l(type) cross join unnest(types) as r(type)
                     where not exists (select from pg_operator x where x.oprname = o.name
                                          and x.oprnamespace = 'pg_catalog'::regnamespace
                                          and x.oprleft = l.type::regtype and x.oprright = r.type::regtype) loop
                    if to_regprocedure(format('${schema}.trap(%s, %s)', one.l, one.r)) is null then
                        execute format('create function ${schema}.trap(%s, %s) returns bool language plpgsql as %L', one.l, one.r, body);
                    end if;
                    execute format('create operator ${schema}.%s (leftarg = %s, rightarg = %s, function = ${schema}.trap)',
                                   one.name, one.l, one.r);
                end loop;
            end $plant$;
            grant usage on sequence ${schema}.called to public;
            reset check_function_bodies;
            reset search_path""";

    private Traps() {}

    /** Creates them by this login, in a schema in which it may create. */
    static void plant(DataSource stranger, String schema) {
        Sql.execute(
                stranger,
                PLANT.replace("${schema}", schema)
                        .replace("${types}", list(TYPES))
                        .replace("${calls}", list(VARIADIC)));
    }

    /** Returns whether any was called since then. */
    static boolean anyWasCalled(DataSource dataSource, String schema) {
        return Sql.number(dataSource, "select count(*) from " + schema + ".called c where c.is_called") > 0;
    }

    private static String list(List<String> texts) {
        return texts.stream().map(text -> "'" + text + "'").collect(Collectors.joining(", "));
    }
}
