package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What error messages lose before they are recorded. */
class ErrorSanitizerTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "connect to jdbc:postgresql://app:s3cret@db:5432/orders failed | connect to jdbc:postgresql://***@db:5432/orders failed",
                "jdbc:postgresql://db/orders?user=app&password=s3cret&ssl=true | jdbc:postgresql://db/orders?user=app&password=***&ssl=true",
                "jdbc:oracle:thin:app/s3cret@db:1521/orders | jdbc:oracle:thin:***@db:1521/orders",
                "https://ann:pw@api.acme.com/v1 says 401 | https://***@api.acme.com/v1 says 401",
                "Authorization: Bearer abcDEF123.456-x_y | Authorization: Bearer ***",
                "sent Basic YW5uOnMzY3JldA== | sent Basic ***",
                "https://ann:p@ss:w@api.acme.com/v1 | https://***@api.acme.com/v1",
                "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln refused | jwt *** refused",
                "{\"user\":\"ann\",\"password\":\"a b c\",\"n\":1} | {\"user\":\"ann\",\"password\":***,\"n\":1}",
                "client_secret='x y' and api-key: k-1 | client_secret=*** and api-key: ***",
                "no account for ann.lee+shop@mail.acme.co.uk | no account for ***@***",
                "access_token=abc&id=7 | access_token=***&id=7",
            })
    void secrets_are_masked(String message, String recorded) {
        assertThat(ErrorSanitizer.DEFAULT.sanitize(message)).isEqualTo(recorded);
        assertThat(ErrorSanitizer.DEFAULT.sanitize(recorded))
                .as("once is enough")
                .isEqualTo(recorded);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no order 42 in region eu-1",
                "connect to jdbc:postgresql://db:5432/orders failed",
                "Unexpected token: END_OBJECT at [line 3, column: 7]",
                "the password must not be empty",
                "the bearer of this letter",
                "at 10:30:12 http://acme.com:8080/a@b was slow",
            })
    void what_is_no_secret_stays(String message) {
        assertThat(ErrorSanitizer.DEFAULT.sanitize(message)).isEqualTo(message);
    }

    @Test
    void hostile_messages_cost_linear_time() {
        for (String piece : new String[] {"a.", "a@", "://a:", "password", "eyJaaaaa.", "\"", "bearer "}) {
            String hostile = piece.repeat(16_384 / piece.length());
            long before = System.nanoTime();
            ErrorSanitizer.DEFAULT.sanitize(hostile);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
        }
    }
}
