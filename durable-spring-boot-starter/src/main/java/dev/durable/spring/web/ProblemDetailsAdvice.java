package dev.durable.spring.web;

import dev.durable.DurableException;
import dev.durable.RefusedInputException;
import dev.durable.StoreUnavailableException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.internal.text.Thrown;
import dev.durable.spring.Masked;
import java.net.URI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers with problem details where an exception of Durable's client leaves a controller. Handlers of the application's
 * own come first: those of the controller, and those of each other advice.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class ProblemDetailsAdvice {
    private static final Logger log = LoggerFactory.getLogger(ProblemDetailsAdvice.class);

    private final DurableWebProperties properties;

    ProblemDetailsAdvice(DurableWebProperties properties) {
        this.properties = properties;
    }

    /**
     * @param thrown what left the controller: Spring also comes here for the causes of exceptions, which stay what the
     *     application made of them
     */
    @ExceptionHandler({DurableException.class, RefusedInputException.class})
    ResponseEntity<ProblemDetail> answer(Exception thrown) throws Exception {
        Problem problem = Problem.of(thrown).orElse(null);
        if (problem == null) {
            throw thrown;
        }
        if (thrown instanceof StoreUnavailableException) {
            log.warn("answered {}: {}", problem.status().value(), message(thrown));
        } else {
            log.debug("answered {}: {}", problem.status().value(), message(thrown));
        }
        return ResponseEntity.status(problem.status())
                .headers(headers -> retryAfter(problem, headers))
                .body(details(problem, thrown));
    }

    private void retryAfter(Problem problem, HttpHeaders headers) {
        if (problem.passes()) {
            headers.set(
                    HttpHeaders.RETRY_AFTER,
                    Long.toString(Math.max(1, properties.retryAfter().toSeconds())));
        }
    }

    /** Messages of the engine are masked already, and may quote what a caller passed. */
    private static String message(Exception thrown) {
        String message = Thrown.of(thrown).message();
        return message == null ? "" : Masked.text(message);
    }

    private ProblemDetail details(Problem problem, Exception thrown) {
        String message = message(thrown);
        ProblemDetail details = ProblemDetail.forStatusAndDetail(
                problem.status(), properties.includeMessage() && !message.isEmpty() ? message : problem.detail());
        details.setType(URI.create("urn:durable:problem:" + problem.type()));
        details.setTitle(problem.title());
        if (thrown instanceof WorkflowAlreadyStartedException started) {
            started.workflowId().ifPresent(id -> details.setProperty("workflowId", id));
            started.runId().ifPresent(id -> details.setProperty("runId", id));
        }
        return details;
    }
}
