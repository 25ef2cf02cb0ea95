package dev.durable.internal.declare;

import dev.durable.Activity;
import dev.durable.Retry;
import dev.durable.RetryIf;
import dev.durable.internal.declare.option.Option;
import dev.durable.internal.declare.option.OptionLevel;
import dev.durable.internal.declare.type.NameRules;
import dev.durable.internal.declare.type.Problems;
import java.util.List;
import java.util.stream.Stream;

/** Reads the options that one {@link Activity} or {@link Retry} annotation sets into an {@link OptionLevel}. */
final class OptionReader {
    private static final int UNSET_PRIORITY = Integer.MIN_VALUE;
    private static final int UNSET = -1;

    private final String where;
    private final Problems problems;
    private final OptionLevel level = new OptionLevel();

    private OptionReader(String where, Problems problems) {
        this.where = where;
        this.problems = problems;
    }

    /** Returns the options of the annotation at this place. */
    static OptionLevel read(Activity annotation, String where, Problems problems) {
        OptionReader reader = new OptionReader(where, problems);
        reader.readOptions(annotation);
        reader.readRetry(annotation.retry());
        Stream.of(annotation.headers()).forEach(reader::header);
        return reader.level;
    }

    /** Returns the options of a retry policy alone, at this place. */
    static OptionLevel readRetry(Retry annotation, String where, Problems problems) {
        OptionReader reader = new OptionReader(where, problems);
        reader.readRetry(annotation);
        return reader.level;
    }

    /** Returns the exceptions that the annotation names. */
    static List<Class<? extends Throwable>> doNotRetry(Activity annotation) {
        return List.of(annotation.retry().doNotRetry());
    }

    private void readOptions(Activity annotation) {
        text(Option.TASK_QUEUE, annotation.taskQueue());
        text(Option.LIMIT_KEY, annotation.limitKey());
        text(Option.START_TO_CLOSE, annotation.startToClose());
        text(Option.SCHEDULE_TO_START, annotation.scheduleToStart());
        text(Option.SCHEDULE_TO_CLOSE, annotation.scheduleToClose());
        text(Option.HEARTBEAT_TIMEOUT, annotation.heartbeatTimeout());
        if (annotation.cancellation().length > 1) {
            problems.add(OptionProblems.manyCancellations(where, annotation.cancellation()));
        } else if (annotation.cancellation().length == 1) {
            set(Option.CANCELLATION, annotation.cancellation()[0]);
        }
        if (annotation.priority() != UNSET_PRIORITY) {
            set(Option.PRIORITY, annotation.priority());
        }
        if (annotation.transactional()) {
            set(Option.TRANSACTIONAL, true);
        }
        if (annotation.local()) {
            set(Option.LOCAL, true);
        }
        if (annotation.atMostOnce()) {
            set(Option.AT_MOST_ONCE, true);
        }
    }

    private void readRetry(Retry retry) {
        count(Option.MAX_ATTEMPTS, retry.maxAttempts());
        text(Option.INITIAL_INTERVAL, retry.initialInterval());
        number(Option.BACKOFF, retry.backoff());
        if (retry.growth().length > 1) {
            problems.add(OptionProblems.manyGrowths(where, retry.growth()));
        } else if (retry.growth().length == 1) {
            set(Option.GROWTH, retry.growth()[0]);
        }
        text(Option.MAX_INTERVAL, retry.maxInterval());
        number(Option.JITTER, retry.jitter());
        count(Option.MAX_WORKER_CRASHES, retry.maxWorkerCrashes());
        if (retry.onExhausted().length > 1) {
            problems.add(OptionProblems.manyEnds(where, retry.onExhausted()));
        } else if (retry.onExhausted().length == 1) {
            set(Option.ON_EXHAUSTED, retry.onExhausted()[0]);
        }
        if (retry.retryIf() != RetryIf.class) {
            OptionProblems.unusableRetryIf(retry.retryIf())
                    .ifPresent(reason -> problems.add(OptionProblems.wrongRetryIf(where, reason)));
            set(Option.RETRY_IF, retry.retryIf().getName());
        }
        List<String> names = Stream.of(retry.doNotRetry()).map(Class::getName).toList();
        if (!names.isEmpty()) {
            level.doNotRetry(names);
        }
    }

    private void text(Option option, String text) {
        if (!text.isEmpty()) {
            checked(option, () -> level.set(option, option.value().read(text)));
        }
    }

    private void count(Option option, int count) {
        if (count != UNSET) {
            set(option, count);
        }
    }

    private void number(Option option, double number) {
        if (!Double.isNaN(number)) {
            set(option, number);
        }
    }

    private void set(Option option, Object value) {
        checked(option, () -> level.set(option, value));
    }

    private void checked(Option option, Runnable setting) {
        try {
            setting.run();
        } catch (IllegalArgumentException e) {
            problems.add(OptionProblems.wrongAttribute(where, option, e));
        }
    }

    private void header(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0) {
            problems.add(OptionProblems.wrongHeader(where, text));
        } else if (!NameRules.isName(text.substring(0, equals).strip())) {
            problems.add(NameProblems.badName(where + ", header", text.substring(0, equals)));
        } else {
            level.header(
                    text.substring(0, equals).strip(),
                    text.substring(equals + 1).strip());
        }
    }
}
