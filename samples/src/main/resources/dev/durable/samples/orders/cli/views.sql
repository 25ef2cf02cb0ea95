-- How the orders of the last day stand. A window of time is one of run ids: it costs what is in it.
select status, coalesce(failure ->> 'type', '') as failure, count(*),
       round(avg(extract(epoch from closed_at - started_at)), 1) as seconds
from durable.v_workflow
where type = 'OrderWorkflow' and run_id >= durable.run_id_at(now() - interval '1 day')
group by 1, 2
order by 3 desc;

-- The latest order that the carrier took at a later attempt, step by step.
select a.workflow_id, a.seq, a.activity, a.state, a.attempt,
       round(extract(epoch from a.ended_at - a.scheduled_at), 2) as seconds
from durable.v_activity a
where a.run_id = (select run_id from durable.v_activity
                  where run_id >= durable.run_id_at(now() - interval '1 day')
                    and activity = 'Shipping.ship' and attempt > 1
                  order by scheduled_at desc limit 1)
order by a.seq;

-- The same order, event by event.
select h.event_id, h.at, h.type,
       coalesce(h.attributes ->> 'activity', h.attributes -> 'failure' ->> 'message', '') as what
from durable.v_history h
where h.run_id = (select run_id from durable.v_activity
                  where run_id >= durable.run_id_at(now() - interval '1 day')
                    and activity = 'Shipping.ship' and attempt > 1
                  order by scheduled_at desc limit 1)
order by h.event_id;

-- What was refunded and why: the shop's ledger, joined with the workflows that wrote it.
select l.order_id, l.amount, l.at, w.failure_message
from shop.ledger l
join durable.v_workflow w on w.workflow_id = 'order-' || l.order_id
where l.kind = 'REFUND'
order by l.at desc
limit 5;
