package dev.durable.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.fuzz.Fuzz;
import dev.durable.store.Nudges.JobBuried;
import dev.durable.store.Nudges.JobsReady;
import dev.durable.store.Nudges.OutboxFilled;
import dev.durable.store.Nudges.RulesChanged;
import dev.durable.store.Nudges.RunClosed;
import dev.durable.store.Nudges.RunsDue;
import dev.durable.store.Nudges.UpdateAnswered;
import dev.durable.store.postgres.internal.nudge.NudgeMessage;
import dev.durable.store.postgres.internal.sql.MemoJson;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;

/** Texts from the channel and from columns of JSON, changed at random. */
class FuzzedTextTest {
    private static final UUID ID = UUID.fromString("0195504a-8e80-7abc-8def-0123456789ab");

    /** Any user of the channel can send messages, so none of them may raise an error. */
    @Test
    void nudges() {
        List<String> recorded = NudgeMessage.encode(
                ID.toString(),
                List.of(
                        new RunsDue("default"),
                        new JobsReady("späte Öfen %20+&"),
                        new RulesChanged(),
                        new RunClosed(ID),
                        new UpdateAnswered(ID),
                        new JobBuried(),
                        new OutboxFilled()));
        Fuzz.of("nudges", List.of(recorded.getFirst(), NudgeMessage.ask(ID.toString())))
                .through(NudgeMessage::decode, List.of());
    }

    @Test
    void memos() {
        String recorded = MemoJson.write(Map.of("customer", "Zoë \0 \ud83d", "b", "2"));
        assertThat(recorded).isNotNull();
        Fuzz.of("memos", List.of(recorded, "{}")).through(MemoJson::read, List.of(JacksonException.class));
    }
}
