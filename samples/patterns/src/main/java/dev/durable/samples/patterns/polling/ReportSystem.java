package dev.durable.samples.patterns.polling;

import java.util.Optional;
import java.util.UUID;

/** The interface of the other system: it makes reports, and does not say when one is ready. */
public interface ReportSystem {
    String begin(UUID request, String report);

    /** Returns the report, once it is ready. */
    Optional<String> result(String job);

    void abandon(String job);
}
