package dev.durable.internal.client;

import dev.durable.fuzz.Fuzz;
import dev.durable.store.ActivityToken;
import dev.durable.store.JobKey;
import dev.durable.store.RunKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tokens of activities that were changed at random, as texts and behind their Base64: a token, or none. */
class FuzzedTokenTest {
    private static final String TOKEN = ActivityToken.of(
                    new JobKey(new RunKey(UUID.fromString("0195504a-8e80-7abc-8def-0123456789ab"), "order-42"), 3),
                    UUID.fromString("0195504a-8e80-7abc-8def-0123456789ac"),
                    "Payments.charge")
            .text();

    @Test
    void texts() {
        Fuzz.of("tokens", List.of(TOKEN)).through(ActivityToken::read, List.of(IllegalArgumentException.class));
    }

    @Test
    void what_they_say() {
        String plain = new String(Base64.getUrlDecoder().decode(TOKEN), StandardCharsets.UTF_8);
        Fuzz.of("what tokens say", List.of(plain))
                .through(
                        text -> ActivityToken.read(
                                Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))),
                        List.of(IllegalArgumentException.class));
    }
}
