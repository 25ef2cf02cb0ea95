package dev.durable.intercept;

/**
 * Wraps the work of a worker: attempts of activities, turns of workflows, replays. Each method does nothing but proceed
 * unless it is overridden.
 *
 * <p>Interceptors of turns are no workflow code: what they do is not recorded and must not change what the code does. They
 * call nothing of {@code Durable}, and they must be quick: runs of this process wait meanwhile.
 */
public non-sealed interface WorkerInterceptor extends Interceptor {

    /**
     * Around one attempt of an activity in this process, on the thread of its body; inside the transaction of a
     * transactional activity. {@link dev.durable.ActivityContext#current()} is there. An exception counts as the attempt's
     * failure, by the retry policy of the activity, also when the body had returned.
     */
    default void activity(ActivityCall call, Next next) throws Exception {
        next.proceed();
    }

    /**
     * Around one turn of a workflow: an event is fed, and the code runs until it waits. Live turns, and where {@link
     * #seesReplayedTurns()} says so, those of replays, which {@link TurnCall#replaying()} tells. The code itself runs on
     * threads of its own: what is bound to the interceptor's thread is not seen there, see {@link ContextPropagator}. An
     * exception stalls the run: nothing of the turn is written, and it is tried again later. So a turn that was seen may
     * be seen again, as it may after the loss of a process or a claim.
     */
    default void turn(TurnCall call, Next next) throws Exception {
        next.proceed();
    }

    /**
     * Around the scheduling of an activity that a workflow has called, inside its turn; not on replay, but for a local
     * activity whose call is made again after the loss of its process. May change the headers that the attempts of this
     * activity get, which no history records. An exception stalls the run.
     */
    default void schedule(ScheduleCall call, Next next) throws Exception {
        next.proceed();
    }

    /**
     * Around the start of a child by a workflow, inside its turn; not on replay. May change the headers that the child gets
     * with its start, which the history of the child records and that of its parent does not. An exception stalls the run.
     */
    default void startChild(ChildStartCall call, Next next) throws Exception {
        next.proceed();
    }

    /**
     * Around the replay of a run whose history is read: because its next turn is to be made and it is not in the memory of
     * this process, or for a query. An exception stalls the run, or fails the query.
     */
    default void replay(ReplayCall call, Next next) throws Exception {
        next.proceed();
    }

    /**
     * Returns whether {@link #turn} is called for turns of replays, too. Replays are slower then, as each turn is made
     * by itself; asked once, when it is registered.
     */
    default boolean seesReplayedTurns() {
        return false;
    }
}
