package dev.durable;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What error messages lose before they are recorded. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class ErrorSanitizerTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

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
                "password=\\\"hunter2\\\" refused | password=*** refused",
                "{\\\"password\\\":\\\"hunter2\\\",\\\"n\\\":1} | {\\\"password\\\":***,\\\"n\\\":1}",
                "{\\\"password\\\":\\\"hun\\\\\\\"ter2\\\",\\\"n\\\":1} | {\\\"password\\\":***,\\\"n\\\":1}",
                "{\"password\":\"hun\\\"ter2\",\"n\":1} | {\"password\":***,\"n\":1}",
                "{\"password\":\"hunter2 and then the end | {\"password\":***",
                "{\\\"url\\\":\\\"x?password=hunter2\\\"} | {\\\"url\\\":\\\"x?password=***\\\"}",
                "redis://:hunter2@cache:6379 is away | redis://***@cache:6379 is away",
                "https://u:pa/ss@h/v1 says 401 | https://***@h/v1 says 401",
                "https://u:p@h/a?mail=x@b | https://***@h/a?mail=x@b",
                "aws_secret_access_key=AbC/d+e= rest | aws_secret_access_key=*** rest",
                "{\"secretKey\":\"k\"} | {\"secretKey\":***}",
                "private_key=MIIE, public_key=MIIF | private_key=***, public_key=MIIF",
                "DB_PASS=hunter2 bypass=on | DB_PASS=*** bypass=on",
                "pass=hunter2;user=ann | pass=***;user=ann",
                "token: x | token: ***",
                "Authorization: Token x refused | Authorization: Token *** refused",
                "{\"Authorization\":\"Token x\"} | {\"Authorization\":\"Token ***\"}",
                "Authorization: hunter2 | Authorization: ***",
                "Authorization: Digest username=ann, response=6629 | Authorization: ***",
                "Set-Cookie: SID=31d4; Path=/ | Set-Cookie: ***",
                "{\"cookie\":\"SID=31d4; lang=en\"} | {\"cookie\":\"***\"}",
                "-----BEGIN RSA PRIVATE KEY----- MIIE -----END RSA PRIVATE KEY----- here | *** here",
                "-----BEGIN RSA PRIVATE KEY----- DEK-Info: AES-128-CBC,0A MIIE -----END RSA PRIVATE KEY----- here | *** here",
                "-----BEGIN PGP PRIVATE KEY BLOCK----- lQOY -----END PGP PRIVATE KEY BLOCK----- here | *** here",
                "{password=>\"hunter2\", user: 'ann'} | {password=>***, user: 'ann'}",
                "id-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln refused | *** refused",
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
                "the bypass: on, compass: north, secretary: Ann",
                "the tokens: 3, key=7, Key (workflow_id)=(order-3) exists",
                "at 10:30:12 http://acme.com:8080/a@b was slow",
            })
    void what_is_no_secret_stays(String message) {
        assertThat(ErrorSanitizer.DEFAULT.sanitize(message)).isEqualTo(message);
    }

    /**
     * Each prefix that some mask begins with, so that a search may begin anew at every one of them. Linear is twice the time
     * for twice the text, with half as much again for the clock; what is not costs four times as much.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-eyJ",
                "eyJ-",
                "eyJaaaaa.",
                "-eyJaaaaa.eyJaaaaa",
                "a.",
                "a@",
                "a-",
                "a@a.",
                "://a:",
                "://:",
                "://a:1/",
                "://a:b/",
                "jdbc:oracle:thin:",
                "jdbc:oracle:thin:a/",
                "password",
                "password=",
                "password=\"",
                "password='",
                "password=\\",
                "password=\\\"",
                "password\\\":\\\"\\\\",
                "secret_key_",
                "key_key",
                "token",
                "token:\t",
                "\"",
                "\\",
                "bearer ",
                "basic aaaaa ",
                "authorization: ",
                "authorization: digest ",
                "cookie",
                "cookie: ",
                "-----BEGIN ",
                "-----BEGIN PRIVATE KEY-----",
                "-----BEGIN PRIVATE KEY-----a-",
                " ",
                "x",
            })
    void hostile_messages_cost_linear_time(String piece) {
        for (int warm = 0; warm < 20; warm++) {
            sanitizeNanos(piece, 4 << 10);
        }
        long before = sanitizeNanos(piece, 4 << 10);
        for (int size : new int[] {8 << 10, 16 << 10, 64 << 10}) {
            int times = size == 64 << 10 ? 4 : 2;
            long took = sanitizeNanos(piece, size);
            assertThat(took)
                    .as("%d KiB of %s take %,d ns, and %,d ns for a %dth of it", size >> 10, piece, took, before, times)
                    .isLessThan(Math.max(20_000_000, times * before * 3 / 2));
            before = took;
        }
    }

    /** Of this thread's own, and the least of a few: what the machine does beside it is no cost of ours. */
    private static long sanitizeNanos(String piece, int size) {
        String hostile = piece.repeat(size / piece.length());
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = THREADS.getCurrentThreadCpuTime();
            ErrorSanitizer.DEFAULT.sanitize(hostile);
            least = Math.min(least, THREADS.getCurrentThreadCpuTime() - before);
        }
        return least;
    }
}
