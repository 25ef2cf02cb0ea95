package dev.durable.client;

import dev.durable.ForeignInstallationException;
import dev.durable.OnExhausted;
import dev.durable.RegistrationException;
import dev.durable.Run;
import dev.durable.UsageException;
import dev.durable.Workflow;
import dev.durable.intercept.ClientInterceptor;
import dev.durable.intercept.ContextPropagator;
import dev.durable.intercept.Interceptor;
import dev.durable.intercept.WorkerInterceptor;
import dev.durable.internal.engine.EngineBuilder;
import dev.durable.observe.EngineObserver;
import dev.durable.observe.EngineStatistics;
import dev.durable.store.StoreSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * The engine of a process, which is worker and client in one. {@code DurableEngine.builder(store).register(…).start()}.
 * Thread-safe. Closing it drains: running activities get the grace period, claims not yet begun are given back at once.
 */
public interface DurableEngine extends AutoCloseable {

    /** Begins with the store that keeps the histories: a PostgresHistoryStore, an EmbeddedPostgres, one in memory. */
    static Builder builder(StoreSource store) {
        return new EngineBuilder(store.historyStore());
    }

    /** Starts workflows and talks to them. */
    DurableClient client();

    /**
     * Returns whether this process can do its work: false when it was closed; when its database could not be used for
     * 15 seconds, be it a worker or only a client; when something has failed at every try for a minute; when a loop
     * hangs, and when a step of the worker's upkeep is late; when the store is not this process's own; when its user
     * lacks a right. {@link #problems()} says which. It becomes true again by itself.
     */
    boolean healthy();

    /**
     * The problems of this process in words, each with the usual cause and the way out: the last answer of a database
     * that can't be reached or written (a standby, say), a schema that is not this process's own, a right that is
     * missing, a loop that hangs, what has failed at every try for a minute, a step of upkeep that is late. Empty while
     * all is well. It may say something some seconds before {@link #healthy()} is false, as an outage that passes is
     * none to act upon; and of a replica that is read from it only says so here, as the work goes on. Asks no database:
     * what it says of the schema and of rights is up to ten seconds old.
     */
    List<String> problems();

    /**
     * The steps of this process's upkeep: when each was last done, how long that took, how many rows it changed, and
     * whether it is late. Empty for a client only. {@link #healthy()} is false while a step is late.
     */
    List<UpkeepStep> upkeep();

    /** The current state of the worker: its session, its slots, its zombies. */
    WorkerStatus worker();

    /** Where its tables are, and the names of what it registers and serves: the same from its start to its end. */
    EngineNames names();

    /** The sizes of this process's queues for writing and of its memory of runs; for gauges. Asks no database. */
    EngineStatistics statistics();

    /**
     * Drains and stops. Then the threads of the runs that are in memory here end: what their code does in {@code finally}
     * has no effect on the runs, which go on elsewhere, or later. The call waits for these threads for ten seconds at
     * most.
     */
    @Override
    void close();

    /** The settings of an engine. */
    interface Builder {
        /** Workflow classes and activity instances, sorted by their annotations. */
        Builder register(Object... classesAndInstances);

        /** An implementation of the named activity type. */
        <A> Builder activity(Class<A> type, A implementation);

        /** Serves a task queue; {@code "default"} is served when none is named. */
        Builder queue(String name, Consumer<QueueOptions> options);

        /**
         * Serves several task queues with one pool of slots: {@code pool("io", p -> p.slots(50).queue("mail", 3)
         * .queue("default", 1))}. While all have jobs, each gets its part by weight; what one leaves, others take.
         */
        Builder pool(String name, Consumer<PoolOptions> options);

        /** Overrides from configuration: {@code durable.activities.Payments.start-to-close} and the like. */
        Builder configuration(java.util.Map<String, String> properties);

        /** How this process is named in events and views; default {@code host/pid}. */
        Builder identity(String identity);

        /**
         * Names the build of the workflow code that this process has, such as {@code "2026-11-27.1"}: a name that each
         * deployment has anew, the same in all of its processes; none by default. Each open run shows the build that made
         * its last turn ({@link WorkflowSummary#build}), and the back-off of a run that {@linkplain
         * WorkflowDescription#stalledBy stalls} holds back only processes of the build that could not go on with it: those of
         * another build try at once. Without a name it holds back all processes.
         *
         * @throws IllegalArgumentException where it is blank or longer than 64 characters, or has blanks around it, or
         *     characters that can't be seen
         */
        Builder build(String name);

        /**
         * Names the installation that this process belongs to, such as {@code "prod"}; without a name by default. The
         * store keeps the first name that it is given, and a process of another one does not work there: {@link
         * #start()} is refused with {@link ForeignInstallationException}. A client ({@link #clientOnly()}) starts, and
         * reads.
         *
         * <p>Without a name the store knows the database that it was made in, which tells a copy by {@code CREATE DATABASE …
         * TEMPLATE} and a restored dump, but not a snapshot of the whole server: that one needs names. See {@link
         * Installation}.
         *
         * @throws IllegalArgumentException where it is blank or longer than 100 characters
         */
        Builder installation(String name);

        /**
         * How long running activities may go on at {@link DurableEngine#close()}; default 10s, and a hundred years at most.
         * A close takes at most some twenty seconds more, also while the database does not answer.
         *
         * @throws IllegalArgumentException where it is negative
         */
        Builder drainTimeout(Duration timeout);

        /**
         * Others take this process for dead when its beat stands still for that long; default 30s. Processes may have
         * different ones.
         *
         * @throws IllegalArgumentException below 100 milliseconds or above a day
         */
        Builder sessionLease(Duration lease);

        /**
         * How long the body of a background job that was cancelled may go on, to stop by itself or to come to its result;
         * default 30s. Then it is interrupted, and its job ends as cancelled whatever the body does. Start-to-close may
         * end it earlier.
         *
         * @throws IllegalArgumentException where it is negative; more than a hundred years are a hundred
         */
        Builder cancelGrace(Duration grace);

        /**
         * Upper bound of an idle poll; default 1s.
         *
         * @throws IllegalArgumentException below 10 milliseconds or above a hundred years
         */
        Builder pollInterval(Duration interval);

        /**
         * How many bodies of transactional activities run at once in this process, over all queues and within their slots:
         * each keeps a connection of the store's pool from its beginning to its end. Default: what the pool spares, its
         * maximum less six that the engine itself may need; four where the pool does not tell its size; at least one.
         */
        Builder maxTransactionalActivities(int atOnce);

        /**
         * How long a call of the client waits while the database does not answer, before it throws {@link
         * dev.durable.StoreUnavailableException}; default 60s. One time for all that a call waits for: connections of the
         * pool, whatever its own timeout is, locks, and the answer. A call that works through many rows (a stream, an order to
         * many, {@code enqueueAll}) has it for each portion; {@code count()} of very many rows needs it as well, {@code
         * count(bound)} does not. Waits for a result or the rest of a batch have their own time limits.
         *
         * @throws IllegalArgumentException below a millisecond or above a hundred years
         */
        Builder callTimeout(Duration timeout);

        /** The largest payload in bytes of UTF-8; default 2 MiB. */
        Builder maxPayloadBytes(int bytes);

        /**
         * The most events of a run's history; default 51,200. A step that would exceed it and does not end the run is not
         * written: the run stalls, and goes on when code is deployed that ends it by {@code Durable.continueAsNew}, or when
         * the limit is raised.
         *
         * @throws IllegalArgumentException where it is less than 1
         */
        Builder maxHistoryEvents(long events);

        /**
         * The most bytes of payloads in a run's history, where each character counts as one; default 50 MiB. Beyond it
         * is as beyond {@link #maxHistoryEvents}.
         *
         * @throws IllegalArgumentException where it is less than 1
         */
        Builder maxHistoryBytes(long bytes);

        /**
         * Changes how values are written as JSON: modules, mixins, features. Gets the builder after our own settings; what
         * is written must stay readable for as long as there are histories with it.
         */
        Builder jsonMapper(Consumer<? super JsonMapper.Builder> customizer);

        /**
         * Sets the masks that error messages pass before they are recorded; {@link ErrorSanitizer#DEFAULT} by default.
         */
        Builder errorSanitizer(ErrorSanitizer sanitizer);

        /**
         * Called when activities became dead letters or incidents: after that is durable, and at most once an hour for
         * those that failed alike, by one process for all. An alert comes within a second or so of the failure where a
         * process with a listener learns of it: its own worker had the activity, or nudges of other processes arrive
         * ({@code NOTIFY}); else it may be twelve seconds late. Called on a thread of upkeep: it should not block for
         * long. May be called for several.
         */
        Builder onAlert(Consumer<? super Alert> listener);

        /**
         * How long and how many dead letters are kept; 180 days and 10,000 by default. The activity of one that is purged
         * fails. Incidents are never purged. More than a hundred years are a hundred.
         */
        Builder keepDeadLetters(Duration time, int most);

        /**
         * Sets the end of a background job, {@link DurableClient#enqueue}, whose attempts are used up or that failed
         * for good, where neither its activity's annotations nor configuration say: {@link OnExhausted#DEAD_LETTER} by
         * default, as no code waits for it. Activities of workflows are not concerned: their default is {@link
         * OnExhausted#FAIL}. Jobs that can't be discarded, as their result is a primitive, stay as dead letters for
         * {@code DISCARD}. As with all options that were not chosen for a job, the setting of the worker that begins it
         * counts.
         */
        Builder jobsOnExhausted(OnExhausted then);

        /**
         * A job of an activity that has more or fewer arguments than the method has parameters here can't be read: it is
         * left to other workers for 15 minutes, and then becomes an incident. Unless this is said, a missing one at the end is null and one too many is dropped.
         */
        Builder exactArguments();

        /**
         * An exception that stalls runs instead of failing them, of all workflows that do not say by themselves; may be
         * called for several. {@code stallOn(RuntimeException.class)}: what a workflow does not declare waits for mended
         * code. {@link Workflow#stallOn} tells what counts. Default: none, every exception that leaves {@link Run} fails the
         * run, but for {@link UsageException} and {@link Error}.
         */
        Builder stallOn(Class<? extends Throwable> type);

        /**
         * Wraps calls of the client and work of the worker; see {@link ClientInterceptor} and {@link WorkerInterceptor}, one
         * object may be both. Called in the order in which they are registered here, the first is the outermost.
         */
        Builder intercept(Interceptor... interceptors);

        /**
         * Carries context of callers (keys of the MDC, a tenant) in the headers of runs to the code of workflows and
         * activities: {@code propagate(ContextPropagator.mdc("tenant", "user"))}. Each process that starts runs or works on
         * them needs the same; one that does not know a propagator leaves its headers as they are.
         */
        Builder propagate(ContextPropagator... propagators);

        /**
         * Adds an observer, which hears this engine's events after the observers that were added before. The module
         * {@code durable-micrometer} has one that makes meters of it.
         */
        Builder observe(EngineObserver observer);

        /** No worker: a client only. */
        Builder clientOnly();

        /**
         * Checks everything registered and starts the loops.
         *
         * @throws RegistrationException with everything that is wrong
         * @throws ForeignInstallationException where it is to work and the store holds the work of another installation
         */
        DurableEngine start();
    }

    /** How several task queues share slots in this process. */
    interface PoolOptions {
        /** Activities at once, of all its queues together; default 50. */
        PoolOptions slots(int slots);

        /** Run activity bodies on virtual threads; platform threads by default. */
        PoolOptions virtualThreads(boolean virtual);

        /** Serves this queue, with this part of what is claimed, in proportion to the others; at least 1. */
        PoolOptions queue(String taskQueue, int weight);
    }

    /** How a task queue is served by this process. */
    interface QueueOptions {
        /** Activities at once; default 50. */
        QueueOptions slots(int slots);

        /** Run activity bodies on virtual threads; platform threads by default. */
        QueueOptions virtualThreads(boolean virtual);
    }
}
