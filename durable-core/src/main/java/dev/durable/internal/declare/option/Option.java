package dev.durable.internal.declare.option;

/** The options of an activity that annotations, configuration and call sites can set, with their configuration keys. */
public enum Option {
    TASK_QUEUE("task-queue", OptionValue.TEXT),
    START_TO_CLOSE("start-to-close", OptionValue.TIMEOUT),
    SCHEDULE_TO_START("schedule-to-start", OptionValue.TIMEOUT),
    SCHEDULE_TO_CLOSE("schedule-to-close", OptionValue.TIMEOUT),
    HEARTBEAT_TIMEOUT("heartbeat-timeout", OptionValue.TIMEOUT),
    PRIORITY("priority", OptionValue.INTEGER),
    TRANSACTIONAL("transactional", OptionValue.SWITCH),
    LOCAL("local", OptionValue.SWITCH),
    AT_MOST_ONCE("at-most-once", OptionValue.SWITCH),
    LIMIT_KEY("limit-key", OptionValue.TEXT),
    CANCELLATION("cancellation", OptionValue.CANCELLATION),
    MAX_ATTEMPTS("retry.max-attempts", OptionValue.COUNT),
    INITIAL_INTERVAL("retry.initial-interval", OptionValue.DELAY),
    BACKOFF("retry.backoff", OptionValue.FACTOR),
    GROWTH("retry.growth", OptionValue.GROWTH),
    MAX_INTERVAL("retry.max-interval", OptionValue.DELAY),
    JITTER("retry.jitter", OptionValue.FRACTION),
    DO_NOT_RETRY("retry.do-not-retry", OptionValue.CLASS_NAMES),
    MAX_WORKER_CRASHES("retry.max-worker-crashes", OptionValue.COUNT),
    ON_EXHAUSTED("retry.on-exhausted", OptionValue.EXHAUSTED),
    RETRY_IF("retry.retry-if", OptionValue.CLASS_NAME);

    private final String key;
    private final OptionValue value;

    Option(String key, OptionValue value) {
        this.key = key;
        this.value = value;
    }

    /** Returns the key in configuration: {@code retry.max-attempts}. */
    public String key() {
        return key;
    }

    public OptionValue value() {
        return value;
    }

    /** Returns the name in annotations and at call sites: {@code maxAttempts}. */
    public String attribute() {
        String[] words = key.substring(key.indexOf('.') + 1).split("-", -1);
        StringBuilder name = new StringBuilder(words[0]);
        for (int i = 1; i < words.length; i++) {
            name.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
        }
        return name.toString();
    }
}
