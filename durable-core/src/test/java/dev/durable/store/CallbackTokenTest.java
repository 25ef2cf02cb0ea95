package dev.durable.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class CallbackTokenTest {
    /** Handed out by a version whose ids of callbacks were random as a whole. */
    private static final String OLD =
            "YzEKMDE5MzZiNGUtOGMwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAxCjNmMmExYjRjLTVkNmUtNGY3MC04YTliLTBjMWQyZTNmNGE1YgpjYjljZjdiMgpvcmRlci03";

    @Test
    void a_token_whose_id_names_no_event_is_read_and_its_callback_may_be_opened_anywhere() {
        CallbackToken old = CallbackToken.read(OLD);

        assertThat(old.run()).isEqualTo(new RunKey(UUID.fromString("01936b4e-8c00-7000-8000-000000000001"), "order-7"));
        assertThat(old.callback()).isEqualTo(UUID.fromString("3f2a1b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b"));
        assertThat(old.text()).isEqualTo(OLD);
        assertThat(old.firstEvent(0)).isEqualTo(1);
        assertThat(old.firstEvent(40_000)).isEqualTo(40_001);
    }

    @Test
    void an_id_names_its_event_and_keeps_ninety_random_bits() {
        UUID random = new UUID(0x1111_2222_3333_4abcL, 0x9999_8888_7777_6666L);
        CallbackToken token =
                new CallbackToken(new RunKey(UUID.randomUUID(), "order-7"), CallbackToken.idAt(51_200, random));

        assertThat(token.callback()).isEqualTo(new UUID(0x0000_c800_3333_8abcL, 0x9999_8888_7777_6666L));
        assertThat(CallbackToken.read(token.text()).firstEvent(0)).isEqualTo(51_200);
        assertThat(token.firstEvent(51_100)).isEqualTo(51_200);
        assertThat(token.firstEvent(51_300)).isEqualTo(51_301);
    }

    @Test
    void the_largest_event_that_an_id_can_name_has_32_bits() {
        RunKey run = new RunKey(UUID.randomUUID(), "order-7");
        UUID random = UUID.randomUUID();

        assertThat(new CallbackToken(run, CallbackToken.idAt(0xffff_ffffL, random)).firstEvent(0))
                .isEqualTo(0xffff_ffffL);
        assertThat(CallbackToken.idAt(0x1_0000_0000L, random)).isEqualTo(random);
    }
}
