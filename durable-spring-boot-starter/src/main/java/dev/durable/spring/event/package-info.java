/**
 * The events of this process's engine as application events: a bean hears them by {@code @EventListener} or {@code
 * @TransactionalEventListener}.
 *
 * <p><b>When.</b> After the commit of the fact that an event reports, on one thread of its own, in a transaction of
 * Spring's that is begun for the event where there is one transaction manager. So a {@code @TransactionalEventListener}
 * is called as always, and what a listener writes commits with its return. Only kinds of events that have listeners are
 * published. They wait in a queue of their engine that holds a thousand; an event that comes while it is full is
 * dropped, and the log says how many were. Where the application has several engines, each event names the schema of
 * its own.
 *
 * <p><b>By whom.</b> The process that wrote the fact publishes its event, and no other: among all processes one hears
 * that a workflow completed, the one whose worker completed it. A process that only starts workflows hears nothing of
 * their ends. There is no scope in which each process would hear each event, as that would have each process read what
 * all others do; a listener can forward events to them, by whatever the application has for that. Two kinds differ: a
 * run that stalls does so by the code of one process, and each that tries it says so, once for a run and a reason; and
 * an {@link dev.durable.spring.event.AlertEvent} is published by one process for all, at most once an hour for what
 * failed alike, where {@code durable.events.alerts} is on.
 *
 * <p><b>When a process dies.</b> An event is no message. A process that dies after the commit and before its listeners
 * have returned has not delivered it, and no other process will. Where the answer to a COMMIT was lost and the outcome
 * is looked up, it is published once, or in a rare case twice. So events are for what may be missed: mails to
 * operators, caches, progress bars. What must happen belongs into the workflow, as an activity; the history is the
 * truth.
 */
@NullMarked
package dev.durable.spring.event;

import org.jspecify.annotations.NullMarked;
