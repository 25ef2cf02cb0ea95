-- Open runs and their histories can't be removed; what the views show stands in the catalog.
-- Why: a retention statement without its condition on closed_at removed runs under the hands of their workers.
-- Locks: SHARE ROW EXCLUSIVE on history_event and workflow_run for a moment, as their triggers are made.

-- Retention removes by DELETE on the table as a whole: on a partition by itself nothing looks for open runs.
create or replace function ${schema}.refuse_history_change() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if current_user <> '${name}_retention' or tg_op <> 'DELETE' or tg_table_name <> 'history_event' then
        raise exception using
            errcode = 'DU002',
            message = format('history is append-only: %s on %I.%I is refused', tg_op, tg_table_schema, tg_table_name),
            hint = format('Only the role ${name}_retention may remove history (SET ROLE ${name}_retention), by DELETE on'
                          ' %I.history_event.', tg_table_schema);
    end if;
    return null;
end $$;

-- Once a statement, however much it removes. EXECUTE, so that it is planned for as many rows as there are; by its
-- definer's rights, as retention can't read run_state.
create function ${schema}.refuse_open_runs() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    runs bigint;
    one  text;
begin
    execute 'select count(distinct s.run_id), min(format(''%s (run %s)'', s.workflow_id, s.run_id))'
            '  from gone g join ${schema}.run_state s on s.run_id = g.run_id and s.shard = g.shard'
            || case tg_table_name when 'history_event' then
                ' join ${schema}.workflow_run w on w.run_id = s.run_id and w.shard = s.shard where w.closed_at is null'
               else '' end
       into runs, one;
    if runs > 0 then
        raise exception using
            errcode = 'DU002',
            message = format('DELETE on %I.%I is refused: it would take what %s to go on, such as %s', tg_table_schema,
                             tg_table_name, case runs when 1 then 'an open run needs' else runs || ' open runs need' end, one),
            hint = format('Remove what has been closed for long only (… and closed_at < now() - interval ''1 year'', of'
                          ' %I.workflow_run). If an open run is to go, end it first: client.handle(workflowId)'
                          '.terminate("why").', tg_table_schema);
    end if;
    return null;
end $$;
revoke execute on function ${schema}.refuse_open_runs() from public;

create or replace trigger refuse_open_runs after delete on ${schema}.history_event
    referencing old table as gone for each statement execute function ${schema}.refuse_open_runs();
create or replace trigger refuse_open_runs after delete on ${schema}.workflow_run
    referencing old table as gone for each statement execute function ${schema}.refuse_open_runs();

comment on view ${schema}.v_workflow is 'Durable: one row a run, open or closed';
comment on view ${schema}.v_history is
    'Durable: one row an event; where workflow_id = … order by run_id, event_id. The attributes are as written, but for characters that jsonb refuses';
comment on view ${schema}.v_activity is
    'Durable: one row an activity that was ever scheduled; local ones when they have ended';
comment on view ${schema}.v_queue is
    'Durable: one row a task queue that has something in it, or a setting. at_least: a count stopped at 10,000, or open_runs comes from a sample';
comment on view ${schema}.v_dead_letter is
    'Durable: jobs whose attempts or crashes are used up, until they are resolved or purged; their runs wait';
comment on view ${schema}.v_incident is
    'Durable: the same as v_dead_letter of jobs that wait for an operator and are never purged';

insert into ${schema}.schema_version (version, min_library) values (24, '0.1.0');
