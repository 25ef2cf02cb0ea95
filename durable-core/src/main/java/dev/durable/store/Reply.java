package dev.durable.store;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a run to an update, written by the transition that decides it.
 *
 * @param id of an answer the {@linkplain #idOf id of the update}; of a rejection the message's id, as only the asker of
 *     that message learns of it: the update may be sent again and be accepted then
 * @param kind its kind
 * @param body JSON text: the result, or the failure; null where the run ended
 */
public record Reply(UUID id, Kind kind, @Nullable String body) {
    /** The kinds of answers, each with the code that is stored. */
    public enum Kind {
        COMPLETED(1),
        FAILED(2),
        REJECTED(3),
        /** The run had ended before the update was fed. */
        TOO_LATE(4);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        /** Returns whether the run itself has decided the answer. */
        public boolean isOfRun() {
            return this != TOO_LATE;
        }

        /** Returns whether the run has seen nothing of the update, by its own decision. */
        public boolean isRejection() {
            return this == REJECTED;
        }

        /** Returns the kind with this code. */
        public static Kind of(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("a reply of kind " + code + ", which this version does not know");
        }
    }

    /** Returns the id under which the answer to an update stands among those of its run. */
    public static UUID idOf(String updateId) {
        return UUID.nameUUIDFromBytes(("update " + updateId).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "Reply[" + id + ", " + kind + "]";
    }

    /**
     * A question of a waiting caller.
     *
     * @param run the run that got the update, or the first of its chain: answers are kept for the chain
     * @param message the message that brought it
     * @param answer the {@linkplain #idOf id} of its answer
     */
    public record Question(RunKey run, UUID message, UUID answer) {}

    /**
     * The state of an update.
     *
     * @param question the question
     * @param reply its answer; null where there is none
     * @param waits whether its message waits in the inbox
     * @param open whether the run is open, or one that continues it
     */
    public record State(Question question, @Nullable Reply reply, boolean waits, boolean open) {}
}
