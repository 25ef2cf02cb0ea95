-- Who may do what. Two roles without login, to be granted to the users that people and processes connect as:
--   ${name}_worker     what a worker or client needs: no DDL, and history can only be read and appended to
--   ${name}_retention  may remove history: SET ROLE ${name}_retention; DELETE … (or drop a partition as its owner)
-- Made only if the migrating user may create roles; if not, a DBA creates them and runs the grants of this file.
-- Why: the first version. Locks: nothing that exists.
do $roles$
declare
    role_name text;
begin
    foreach role_name in array array['${name}_worker', '${name}_retention'] loop
        if to_regrole(quote_ident(role_name)) is null then
            begin
                execute format('create role %I nologin', role_name);
            exception
                when insufficient_privilege then
                    raise notice 'role % is not created: % may not create roles', role_name, current_user;
                when duplicate_object or unique_violation then
                    null; -- made by a migration of the same name in another database of this server at the same time
            end;
        end if;
    end loop;

    if to_regrole(quote_ident('${name}_worker')) is not null then
        execute format('grant usage on schema ${schema} to %I', '${name}_worker');
        execute format('grant select on all tables in schema ${schema} to %I', '${name}_worker');
        execute format('grant insert on ${schema}.history_event to %I', '${name}_worker');
        execute format('grant insert, update, delete on ${schema}.workflow_run, ${schema}.run_state, ${schema}.inbox,'
            ' ${schema}.outbox, ${schema}.outbox_refused, ${schema}.reply, ${schema}.activity_job, ${schema}.activity_heartbeat, ${schema}.session,'
            ' ${schema}.schedule, ${schema}.queue, ${schema}.audit to %I', '${name}_worker');
        execute format('grant execute on all functions in schema ${schema} to %I', '${name}_worker');
    end if;

    if to_regrole(quote_ident('${name}_retention')) is not null then
        execute format('grant usage on schema ${schema} to %I', '${name}_retention');
        execute format('grant select, delete on ${schema}.history_event, ${schema}.workflow_run to %I',
            '${name}_retention');
    end if;
end $roles$;

insert into ${schema}.schema_version (version, min_library) values (6, '0.1.0');
