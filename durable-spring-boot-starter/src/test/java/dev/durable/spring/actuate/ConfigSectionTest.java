package dev.durable.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.durable.spring.DurableAutoConfiguration;
import dev.durable.spring.post.Mail;
import dev.durable.store.HistoryStore;
import dev.durable.store.memory.InMemoryHistoryStore;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** To whom values of the configuration are shown. */
class ConfigSectionTest {
    /**
     * A user.
     *
     * @param name who it is
     * @param role the only one
     */
    private record User(String name, String role) implements SecurityContext {
        @Override
        public Principal getPrincipal() {
            return () -> name;
        }

        @Override
        public boolean isUserInRole(String asked) {
            return asked.equals(role);
        }
    }

    @ParameterizedTest
    @CsvSource({
        ", , operator, false", // Boot's default
        "never, , operator, false",
        "always, , , true",
        "when-authorized, , , false",
        "when-authorized, , guest, true",
        "when-authorized, operator, guest, false",
        "when-authorized, operator, operator, true",
    })
    void values_are_shown_to_whom_boot_shows_them_and_those_of_headers_to_nobody(
            @Nullable String showValues, @Nullable String role, @Nullable String user, boolean shown) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(DurableAutoConfiguration.class))
                .withBean(HistoryStore.class, InMemoryHistoryStore::new)
                .withBean(Mail.class, () -> () -> "sent")
                .withPropertyValues(
                        showValues == null ? "a=b" : "management.endpoint.configprops.show-values=" + showValues,
                        role == null ? "a=b" : "management.endpoint.configprops.roles=" + role,
                        "durable.identity=till-3",
                        "durable.client-only=true",
                        "durable.migration-url=jdbc:postgresql://db/shop?password=hunter3",
                        "durable.activities.Mail.headers.Authorization=hunter4",
                        "durable.activities.Mail.methods.send.headers[X-Key]=hunter5",
                        "durable.activities[Mail.headers.cookie]=hunter6")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    String text = new ConfigSection(List.of(), context)
                            .show(user == null ? SecurityContext.NONE : new User("ann", user))
                            .toString();
                    assertThat(text)
                            .contains("maxPayloadSize")
                            .doesNotContain("hunter3", "hunter4", "hunter5", "hunter6");
                    assertThat(text.contains("till-3")).as(text).isEqualTo(shown);
                });
    }
}
