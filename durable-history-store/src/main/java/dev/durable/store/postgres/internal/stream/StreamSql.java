package dev.durable.store.postgres.internal.stream;

/** The SQL of streams. */
public final class StreamSql {
    private StreamSql() {}

    /**
     * Appends entries. It locks the rows of their streams, in the order of the arrays, which is that of the key, and counts
     * them on; an entry gets its offset by what is left of its stream's batch, itself included. Entries name their
     * stream by its index in that order.
     */
    static final String APPEND = """
            with stream as (
                insert into durable.workflow_stream as s (chain_id, shard, name, next_offset, bytes)
                select u.chain_id, u.shard, u.name, u.entries, u.bytes
                  from unnest(?::uuid[], ?::smallint[], ?::text[], ?::bigint[], ?::bigint[])
                       as u(chain_id, shard, name, entries, bytes)
                on conflict (chain_id, name, shard) do update
                   set next_offset = s.next_offset + excluded.next_offset, bytes = s.bytes + excluded.bytes
                returning s.chain_id, s.shard, s.name, s.next_offset, s.bytes),
            t as materialized (
                select array_agg(s.chain_id order by s.chain_id, s.name) as chains,
                       array_agg(s.shard order by s.chain_id, s.name) as shards,
                       array_agg(s.name order by s.chain_id, s.name) as names,
                       array_agg(s.next_offset order by s.chain_id, s.name) as ends,
                       array_agg(s.bytes order by s.chain_id, s.name) as bytes
                  from stream s)
            insert into durable.stream_entry (chain_id, run_id, entry_offset, bytes_before, written_at, seq, attempt, shard,
                   name, value)
            select t.chains[u.stream], u.run_id, t.ends[u.stream] - u.entries_left, t.bytes[u.stream] - u.bytes_left,
                   durable.clock(), u.seq, u.attempt, t.shards[u.stream], t.names[u.stream], u.value::json
              from t cross join unnest(?::int[], ?::uuid[], ?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::text[])
                       as u(stream, run_id, entries_left, bytes_left, seq, attempt, value)""";

    /**
     * Reads, for appends of jobs that the transaction has locked, the chain, the size of the stream, and what the activity
     * has appended last. The size may grow before the append: then the stream becomes a little larger than its bounds.
     */
    static final String SOURCES = """
            select u.item, s.chain_id, t.next_offset, t.bytes, p.lease, p.number
              from unnest(?::uuid[], ?::smallint[], ?::int[], ?::text[]) with ordinality
                       as u(run_id, shard, seq, name, item)
             cross join lateral (select coalesce(s.chain_id, s.run_id) as chain_id from durable.run_state s
                    where s.run_id = u.run_id and +s.shard = u.shard offset 0) s
              left join lateral (select t.next_offset, t.bytes from durable.workflow_stream t
                    where t.chain_id = s.chain_id and t.name = u.name and t.shard = u.shard offset 0) t on true
              left join lateral (select p.lease, p.number from durable.stream_source p
                    where p.run_id = u.run_id and p.seq = u.seq and p.name = u.name and p.shard = u.shard offset 0) p on true""";

    /** Writes what activities have appended last; what they had appended under another lease is counted before it. */
    static final String NOTE_SOURCES = """
            insert into durable.stream_source as p (run_id, seq, shard, name, lease, number, before)
            select u.run_id, u.seq, u.shard, u.name, u.lease, u.number, 0
              from unnest(?::uuid[], ?::int[], ?::smallint[], ?::text[], ?::uuid[], ?::bigint[])
                   as u(run_id, seq, shard, name, lease, number)
            on conflict (run_id, seq, name, shard) do update
               set lease = excluded.lease, number = excluded.number,
                   before = case when p.lease = excluded.lease then p.before else p.before + p.number + 1 end""";

    static final String APPENDED_BEFORE = """
            select case when p.lease = ?::uuid then p.before else p.before + p.number + 1 end as before
              from durable.stream_source p
             where p.run_id = ? and p.seq = ? and p.name = ? and p.shard = ?""";

    /**
     * Pages of streams, with the open runs of their chains. One statement is one snapshot: it shows the entries of a close
     * together with the close. The size of the values before an entry is stored with it, so that no value is read of an entry
     * that the page leaves out. Rows come in the order of the nested loops. A run of a chain is about as old as its first
     * one or younger, so partitions of months before that are not opened, and neither are those that were made ahead; the
     * clock that made the ids may have been wrong by a month.
     */
    static final String PAGES = """
            select u.item, coalesce(t.next_offset, 0) as size, o.run_id as open_run, e.entry_offset, e.value, e.written_at,
                   e.run_id, e.seq, e.attempt
              from unnest(?::uuid[], ?::text[], ?::smallint[], ?::text[], ?::bigint[], ?::int[])
                   with ordinality as u(chain_id, workflow_id, shard, name, first, most, item)
              left join lateral (select t.next_offset from durable.workflow_stream t
                    where t.chain_id = u.chain_id and t.name = u.name and t.shard = u.shard offset 0) t on true
              left join lateral (select s.run_id from durable.run_state s
                    where s.workflow_id = u.workflow_id and +s.shard = u.shard and u.chain_id in (s.run_id, s.chain_id)
                    offset 0) o on true
              left join lateral (
                    select p.* from (
                        select e.*, e.bytes_before - first_value(e.bytes_before) over (rows unbounded preceding) as before
                          from (select e.entry_offset, e.bytes_before, e.value, e.written_at, e.run_id, e.seq, e.attempt
                                  from durable.stream_entry e
                                 where e.chain_id = u.chain_id and e.name = u.name and e.shard = u.shard
                                   and e.entry_offset >= u.first
                                   and e.run_id >= durable.run_id_at(durable.run_id_time(u.chain_id) - interval '31 days')
                                   and e.run_id < durable.run_id_at(durable.clock() + interval '31 days')
                                 order by e.entry_offset limit u.most) e) p
                     where p.before < ?) e on true""";
}
