package dev.durable.logs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line that shows a marked payload fails its test, wherever in it that stands and though no appender writes the line. By
 * itself, as each test that ends meanwhile would take these lines for its own.
 */
@Isolated
class MarkedLinesTest {
    private static final Logger log = LoggerFactory.getLogger(MarkedLinesTest.class);

    @Test
    void a_line_that_shows_a_payload_is_told_once_with_its_logger_and_its_test() {
        MarkedLines.listen();
        log.debug("it is {}", MarkedLines.MARKER);
        log.debug(
                "it was thrown", new IllegalStateException("outer", new IllegalArgumentException(MarkedLines.MARKER)));
        log.debug("something else");

        assertThatThrownBy(() -> MarkedLines.check("[this test]"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("until the end of [this test] these lines of the log show a payload: "
                        + MarkedLinesTest.class.getName())
                .hasMessageContaining("it is " + MarkedLines.MARKER)
                .hasMessageContaining("it was thrown")
                .hasMessageNotContaining("something else");
        assertThatCode(() -> MarkedLines.check("[this test]")).doesNotThrowAnyException();
    }
}
