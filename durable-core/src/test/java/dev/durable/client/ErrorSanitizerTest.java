package dev.durable.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
    private static final long SEED = Long.getLong("sanitizer.seed", 20261124L);
    private static final List<String> WORDS = List.of(
            "Key", "Journal", "Jobs", "Monkey", "Survey", "Json", "Order", "Secret", "Basic", "Stripe", "Slack", "Asia",
            "Akia");

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
                "eyJhbGciOiJSU0EifQ.a2V5a2V5.aXZpdml2.Y2lwaGVy.dGFndGFn. Ask again | ***. Ask again",
                "push with ghp_16C7e42F292c6912E7710c838347Ae178B4a refused | push with *** refused",
                "TOKEN_gho_16C7e42F292c6912E7710c838347Ae178B4a | TOKEN_***",
                "https://ghs_16C7e42F292c6912E7710c838347Ae178B4a@github.com/a | https://***@github.com/a",
                "(github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEF) | (***)",
                "AKIAIOSFODNN7EXAMPLE and ASIAIOSFODNN7EXAMPLE. | *** and ***.",
                "key sk_live_EXAMPLEEXAMPLE00, rk_live_EXAMPLEEXAMPLE00 | key ***, ***",
                "No such key: sk_test_EXAMPLEEXAMPLE00 | No such key: ***",
                "hook whsec_AAAAAAAAAAAAAAAAAAAAAAAA/A== | hook ***",
                "slack xoxb-EXAMPLE-EXAMPLE-abcdefghij says no | slack *** says no",
                "slack xoxp-EXAMPLE-EXAMPLE says no | slack *** says no",
                "?key=AIzaEXAMPLE-EXAMPLE_EXAMPLE0000000000000000&q=x | ?key=***&q=x",
                "push with glpat-EXAMPLE_EXAMPLE-0000 refused | push with *** refused",
                "runner glrt-EXAMPLE_EXAMPLE-0000 | runner ***",
                "npm_EXAMPLEEXAMPLEEXAMPLEEXAMPLE0000 | ***",
                "model by hf_EXAMPLEEXAMPLEEXAMPLEEXAMPLE00 | model by ***",
                "Incorrect API key: sk-EXAMPLEEXAMPLEEXAMPLE0000. | Incorrect API key: ***.",
                "Incorrect key sk-proj-EXAMPLE_EXAMPLE-0000, sk-ant-api03-EXAMPLE_EXAMPLE | Incorrect key ***, ***",
                "mail by SG.EXAMPLEEXAMPLEEXAMPLE.EXAMPLE-EXAMPLE_EXAMPLE-EXAMPLE says 401 | mail by *** says 401",
                "JSESSIONID=31D4AB; x | JSESSIONID=***; x",
                "GET /a;jsessionid=31D4AB?q=1 | GET /a;jsessionid=***?q=1",
                "PHPSESSID=31d4ab is over | PHPSESSID=*** is over",
                "exit 1: psql --password hunter2 --host db | exit 1: psql --password *** --host db",
                "exit 1: deploy --auth-token 'hunter 2' -v | exit 1: deploy --auth-token *** -v",
                "<login><user>ann</user><password>hunter2</password> | <login><user>ann</user><password>***</password>",
                "<wsse:Password Type='t'>hunter2</wsse:Password> | <wsse:Password Type='t'>***</wsse:Password>",
                "<db-password><![CDATA[hunter2]]></db-password> | <db-password><![CDATA[***</db-password>",
                "&lt;password&gt;hunter2&lt;/password&gt; | &lt;password&gt;***&lt;/password&gt;",
                "https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=31d4ab | https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=***",
                "https://b.blob.core.windows.net/k?se=1&sig=31d4%2Bab%3D | https://b.blob.core.windows.net/k?se=1&sig=***",
                "Bearer of ya29.EXAMPLE-EXAMPLE_EXAMPLE000 | Bearer of ***",
                "vault says 403 to hvs.EXAMPLEEXAMPLEEXAMPLE0000 | vault says 403 to ***",
                "shpat_31d431d431d431d431d431d431d431d4 | ***",
                "pypi-AgEIcHlwaS5vcmcCJEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE | ***",
                "dop_v1_31d431d431d431d431d431d431d431d431d431d431d431d431d431d431d431d4 | ***",
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
                "ghp_ and sk_live_ and xoxb- and AIza and AKIA begin keys",
                "ASIA-PACIFIC, ASIA0000000000000001, AKIAIOSFODNN7EXAMPLES, task_live_0123456789 and disk_test_0123456789",
                "at com.acme.KeyJournalEntries.loading.first(MonkeyJobs.java:3)",
                "org.acme.HockeyJerseys.catalogue.Sizes not found",
                "the task-0190f3aa-7d1c-7e2b-9c1f-000000000001, desk-1, sk-SK, npm_config, hf_hub, SG.1.2 and -- token",
                "<tokens>3</tokens> <user>ann</user> a<b, 1 &lt; 2, the sig is missing, big=1, config=2",
            })
    void what_is_no_secret_stays(String message) {
        assertThat(ErrorSanitizer.DEFAULT.sanitize(message)).isEqualTo(message);
    }

    @Test
    void ids_and_class_names_stay() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            String id = id(random);
            String message = "order " + id + " of " + id(random) + " (" + id(random) + ") failed: " + id;
            assertThat(ErrorSanitizer.DEFAULT.sanitize(message))
                    .as("seed %d, text %d", SEED, i)
                    .isEqualTo(message);
        }
    }

    /** As people make them. */
    private static String id(Random random) {
        UUID uuid = new UUID(random.nextLong(), random.nextLong());
        return switch (random.nextInt(10)) {
            case 0 -> uuid.toString();
            case 1 -> uuid.toString().replace("-", "");
            case 2 -> "order-" + random.nextInt(1_000_000);
            case 3 -> String.format(Locale.ROOT, "ORD-%04d-%06d", random.nextInt(9_999), random.nextInt(999_999));
            case 4 -> text(random, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 26); // ULID
            case 5 -> uuid + ":" + random.nextInt(1_000);
            case 6 -> text(random, "0123456789abcdef", 40); // git
            case 7 -> "cus_" + text(random, "ABCDEFGHIJKLMNabcdefghijklmn0123456789", 14); // Stripe's own ids
            case 8 -> "arn:aws:s3:::" + text(random, "abcdefghijklmnop-", 20);
            default ->
                text(random, "abcdefgh", 3) + ".acme." + WORDS.get(random.nextInt(WORDS.size()))
                        + WORDS.get(random.nextInt(WORDS.size())) + (random.nextBoolean() ? "" : ".inner.Method")
                        + (random.nextBoolean() ? "" : "$" + WORDS.get(random.nextInt(WORDS.size())));
        };
    }

    private static String text(Random random, String characters, int length) {
        return random.ints(length, 0, characters.length())
                .mapToObj(i -> characters.substring(i, i + 1))
                .collect(Collectors.joining());
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
                "ghp_",
                "ghp_aaaaaaaaaaaaaaaaaaa-",
                "github_pat_",
                "github_pat_aaaaaaaaa-",
                "AKIA",
                "AKIAAAAAAAAAAAAAAAAAA-",
                "sk_live_",
                "sk_live_aaaaaaaaa-",
                "whsec_/",
                "xoxb-",
                "xoxb-a.",
                "xapp-",
                "AIza-",
                "AIzaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.",
                "-aeyJ",
                "glpat-",
                "glpat-aaaaaaaaaaaa.",
                "sk-",
                "sk-ant-",
                "sk-aaaaaaaaaa-",
                "SG.",
                "SG.aaaaaaaaaaaaaaaa-SG.",
                "SG.aaaaaaaaaaaaaaaa.a",
                "hvs.",
                "npm_",
                "hf_a-",
                "ya29.",
                "pypi-",
                "shpat_",
                "dop_v1_",
                "jsessionid=",
                "jsessionid=;",
                "sig=",
                "--password ",
                "--password \"",
                "--a-",
                "-- ",
                "--aaaaaaaaaaaaaaaaaaaa-",
                "<password>",
                "<password ",
                "<password a",
                "<a:",
                "<",
                "&lt;password&gt;",
                "&lt;",
                "<password>&lt;",
                "<password><![CDATA[",
                "eyJaaaaa.aaaaa.aaaaa.aaaaa.",
                " ",
                "x",
            })
    void hostile_messages_cost_linear_time(String piece) {
        for (int warm = 0; warm < 4; warm++) {
            sanitizeNanos(piece, 4 << 10);
        }
        String slow = slowerThanLinear(piece);
        for (int tries = 1; tries < 5 && slow != null; tries++) {
            // Memory that is shared with what else runs costs time of this thread's own; a real square is slow each
            // time.
            slow = slowerThanLinear(piece);
        }
        assertThat(slow).isNull();
    }

    private static @Nullable String slowerThanLinear(String piece) {
        long before = sanitizeNanos(piece, 4 << 10);
        for (int size : new int[] {8 << 10, 16 << 10, 64 << 10}) {
            int times = size == 64 << 10 ? 4 : 2;
            long took = sanitizeNanos(piece, size);
            if (took >= Math.max(20_000_000, times * before * 3 / 2)) {
                return "%d KiB of %s take %,d ns, and %,d ns for a %dth of it"
                        .formatted(size >> 10, piece, took, before, times);
            }
            before = took;
        }
        return null;
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
