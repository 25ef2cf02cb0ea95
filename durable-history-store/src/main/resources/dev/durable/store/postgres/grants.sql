-- All rights of the roles, to be run by the owner of the schema, as often as needed. A store opened with MIGRATE runs it by
-- itself for these roles as soon as they exist; a DBA may run it, too (Schema.grants() prints it with the names in use).
--   durable_worker     the rights of workers and clients: no DDL; history and audit can only be read and appended to
--   durable_retention  may remove history of closed runs (SET ROLE durable_retention; DELETE …) and old rows of the audit
--                      (SELECT durable.purge_audit(…))
--   durable_operator   reads the views and calls the functions of operators (SELECT durable.cancel(…)); these call
--                      durable.operated_run, durable.note_operated, durable.send_operated and durable.set_paused in the
--                      name of the owner, which no role may call by itself
-- None can log in. They are granted to the users that people and processes log in as: GRANT durable_worker TO app;
-- Rights that the roles had before and that are not in this file are revoked. One statement a line.
revoke all on all tables in schema durable from durable_worker;
revoke all on all functions in schema durable from durable_worker;
revoke all on all tables in schema durable from durable_retention;
revoke all on all functions in schema durable from durable_retention;
revoke all on all tables in schema durable from durable_operator;
revoke all on all functions in schema durable from durable_operator;

grant usage on schema durable to durable_worker;
grant select on durable.schema_version to durable_worker;
grant select on durable.installation to durable_worker;
grant select, insert on durable.history_event to durable_worker;
grant select, insert on durable.stream_entry to durable_worker;
grant select, insert on durable.audit to durable_worker;
grant select, insert, delete on durable.notable_run to durable_worker;
grant select, insert, update on durable.workflow_run to durable_worker;
grant select, insert, update on durable.batch_job to durable_worker;
grant select, insert, update on durable.workflow_stream to durable_worker;
grant select, insert, update on durable.stream_source to durable_worker;
grant select, insert, update on durable.queue to durable_worker;
grant select, insert, update, delete on durable.run_state to durable_worker;
grant select, insert, delete on durable.inbox to durable_worker;
grant select, insert, update, delete on durable.reply to durable_worker;
grant select, insert, update, delete on durable.outbox to durable_worker;
grant select, insert, delete on durable.outbox_refused to durable_worker;
grant select, insert, update, delete on durable.activity_job to durable_worker;
grant select, insert, update, delete on durable.activity_heartbeat to durable_worker;
grant select, insert, update, delete on durable.session to durable_worker;
grant select, insert, update, delete on durable.activity_pause to durable_worker;
grant select, insert, update, delete on durable.build_ramp to durable_worker;
grant select, insert, update, delete on durable.limit_key_start to durable_worker;
grant select, insert, delete on durable.kept_place to durable_worker;
grant select, insert, update on durable.admission to durable_worker;
grant select, insert, update, delete on durable.alert to durable_worker;
grant select on durable.v_workflow to durable_worker;
grant select on durable.v_history to durable_worker;
grant select on durable.v_activity to durable_worker;
grant select on durable.v_queue to durable_worker;
grant select on durable.v_dead_letter to durable_worker;
grant select on durable.v_incident to durable_worker;
grant execute on function durable.belongs(text) to durable_worker;
grant execute on function durable.add_history_partitions(timestamptz, timestamptz) to durable_worker;
grant execute on function durable.clock() to durable_worker;
grant execute on function durable.must(boolean, text) to durable_worker;
grant execute on function durable.joined(json, json) to durable_worker;
grant execute on function durable.events_in(json) to durable_worker;
grant execute on function durable.is_deep(text) to durable_worker;
grant execute on function durable.run_id_at(timestamptz) to durable_worker;
grant execute on function durable.run_id_time(uuid) to durable_worker;
grant execute on function durable.note_run() to durable_worker;
grant execute on function durable.has_history_partition(uuid, uuid, regclass) to durable_worker;
grant execute on function durable.history_bound(text, boolean) to durable_worker;
grant execute on function durable.resend_refused(uuid, bigint) to durable_worker;
grant execute on function durable.readable(json) to durable_worker;
grant execute on function durable.seq_of(json) to durable_worker;
grant execute on function durable.this_database() to durable_worker;
grant execute on function durable.instant_text(timestamptz) to durable_worker;
grant execute on function durable.waiting_reasons(uuid) to durable_worker;
grant execute on function durable.why_waiting(text) to durable_worker;

grant usage on schema durable to durable_retention;
grant select, delete on durable.history_event to durable_retention;
grant select, delete on durable.workflow_run to durable_retention;
grant select, delete on durable.batch_job to durable_retention;
grant select on durable.audit to durable_retention;
grant execute on function durable.purge_audit(timestamptz) to durable_retention;
grant execute on function durable.clock() to durable_retention;

grant usage on schema durable to durable_operator;
grant select on durable.schema_version to durable_operator;
grant select on durable.audit to durable_operator;
grant select on durable.v_workflow to durable_operator;
grant select on durable.v_history to durable_operator;
grant select on durable.v_activity to durable_operator;
grant select on durable.v_queue to durable_operator;
grant select on durable.v_dead_letter to durable_operator;
grant select on durable.v_incident to durable_operator;
grant execute on function durable.readable(json) to durable_operator;
grant execute on function durable.seq_of(json) to durable_operator;
grant execute on function durable.joined(json, json) to durable_operator;
grant execute on function durable.events_in(json) to durable_operator;
grant execute on function durable.is_deep(text) to durable_operator;
grant execute on function durable.clock() to durable_operator;
grant execute on function durable.run_id_at(timestamptz) to durable_operator;
grant execute on function durable.signal(text, text, jsonb, text, text, uuid) to durable_operator;
grant execute on function durable.cancel(text, text, text, uuid) to durable_operator;
grant execute on function durable.terminate(text, text, text, uuid) to durable_operator;
grant execute on function durable.pause(text, text, text, uuid) to durable_operator;
grant execute on function durable.resume(text, text, text, uuid) to durable_operator;
grant execute on function durable.retry(text, text, text, uuid) to durable_operator;
