-- What is nested too deep to be read is shown as one string, too.
-- Why: the server counts its stack while it makes a jsonb of a json, and no handler of its own (pg_input_is_valid) takes the
-- error: an array that was nested some 16,000 deep, which is a json, failed the views for all rows. Locks: none (functions only).

-- Whether a JSON text is nested deeper than 1,064, where nobody can be sure of the stack. (What has more than a thousand
-- values with more than 64 levels below them is taken for deep as well. Durable writes and reads 500 levels.) Round by round
-- the innermost brackets go, until those that are left can't be deep.
create function ${schema}.is_deep(value text) returns boolean
    language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    brackets text;
begin
    if octet_length(value) <= 2000 or octet_length(value) - octet_length(translate(value, '[{', '')) <= 1000 then
        return false;
    end if;
    brackets := regexp_replace(value, '"(?:[^"\\]|\\.)*"', '', 'g');
    brackets := translate(regexp_replace(brackets, '[^][{}]+', '', 'g'), '{}', '[]');
    for round in 1 .. 64 loop
        exit when octet_length(brackets) <= 2000;
        brackets := replace(brackets, '[]', '');
    end loop;
    return octet_length(brackets) > 2000;
end $$;

-- json for reading with jsonb's operators. Payloads may hold what jsonb and ->> refuse (\u0000, unpaired surrogates,
-- numbers out of range): a view that fails on one row is no view, so those characters become \ufffd, and what is still
-- refused comes as one string. Numbers with an exponent of 90 or more stay as they are written, as strings: jsonb would show
-- all their digits. PostgreSQL 16 can ask whether a text is refused, without a handler.
create or replace function ${schema}.readable(value json) returns jsonb
    language plpgsql immutable strict parallel unsafe set search_path = pg_catalog, pg_temp as $$
declare
    mended text := value::text;
begin
    if octet_length(mended) > 2000 and ${schema}.is_deep(mended) then
        return to_jsonb(mended);
    end if;
    if mended ~ '[0-9][eE][+-]?0*(9[0-9]|[1-9][0-9][0-9])' then
        -- Where this is the inside of a string, what comes of it is no JSON, and the whole is shown as one string.
        mended := regexp_replace(mended,
            '(^\s*|[\[,:]\s*)(-?[0-9]+(?:\.[0-9]+)?[eE][+-]?0*(?:9[0-9]|[1-9][0-9][0-9]+))(?=\s*(?:[],}]|$))',
            '\1"\2"', 'g');
    end if;
    if current_setting('server_version_num')::integer >= 160000 then
        if pg_input_is_valid(mended, 'jsonb') then
            return mended::jsonb;
        end if;
        mended := regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g');
        return case when pg_input_is_valid(mended, 'jsonb') then mended::jsonb else to_jsonb(value::text) end;
    end if;
    begin
        return mended::jsonb;
    exception when others then
        begin
            return regexp_replace(mended, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
        exception when others then
            return to_jsonb(value::text);
        end;
    end;
end $$;

-- What stands in an array of informing events, or counts as one.
create function ${schema}.events_in(value json) returns text
    language sql immutable parallel safe
    return case when octet_length(value::text) > 2000 and ${schema}.is_deep(value::text) then to_json(value::text)::text
                when value::text ~ '^\s*\[' then substring(value::text from '^\s*\[(.*)\]\s*$')
                else value::text end;

-- As before, but that an array which is nested too deep is one event, which nobody can read: a claim that reads it with others
-- goes on.
create or replace function ${schema}.joined(first json, second json) returns json
    language sql immutable parallel safe
    return case when first is null or first::text = '[]' then second
            when second is null or second::text = '[]' then first
            when first::text ~ '^\s*\[\s*\]\s*$' then second
            when second::text ~ '^\s*\[\s*\]\s*$' then first
            else ('[' || ${schema}.events_in(first) || ',' || ${schema}.events_in(second) || ']')::json end;

-- As it was: what has a handler is refused in a parallel plan up to PostgreSQL 15, and is not reached on newer ones.
do $parallel$
begin
    execute 'alter function ${schema}.readable(json) parallel '
        || case when current_setting('server_version_num')::integer >= 160000 then 'safe' else 'unsafe' end;
end $parallel$;

insert into ${schema}.schema_version (version, min_library) values (25, '0.1.0');
