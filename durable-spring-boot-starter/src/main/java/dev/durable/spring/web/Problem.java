package dev.durable.spring.web;

import dev.durable.IncidentNotFoundException;
import dev.durable.PayloadException;
import dev.durable.QueueFullException;
import dev.durable.RefusedInputException;
import dev.durable.StaleAttemptException;
import dev.durable.StoreUnavailableException;
import dev.durable.WaitTimedOutException;
import dev.durable.WorkflowAlreadyStartedException;
import dev.durable.WorkflowNotFoundException;
import java.util.Optional;
import org.springframework.http.HttpStatus;

/**
 * The answer to the caller of an HTTP interface for an exception of Durable's client.
 *
 * @param status the response's
 * @param type the last part of the problem's type, {@code urn:durable:problem:…}
 * @param title what kind of problem it is
 * @param detail what it means for the caller; a fixed sentence
 * @param passes whether it is worth trying again later
 */
record Problem(HttpStatus status, String type, String title, String detail, boolean passes) {

    /** Empty where it is not the caller's business: then it is an error of the application, as any other. */
    static Optional<Problem> of(Exception thrown) {
        return Optional.ofNullable(
                switch (thrown) {
                    case WorkflowAlreadyStartedException e ->
                        new Problem(
                                HttpStatus.CONFLICT,
                                "already-started",
                                "Already started",
                                "This id is in use by the run that is named here.",
                                false);
                    case StaleAttemptException e ->
                        new Problem(
                                HttpStatus.CONFLICT,
                                "no-longer-current",
                                "No longer current",
                                "What this was about has ended or was changed meanwhile. Nothing was written.",
                                false);
                    case WorkflowNotFoundException e ->
                        new Problem(
                                HttpStatus.NOT_FOUND,
                                "not-found",
                                "Not found",
                                "There is no such run, or it has ended and takes no more messages.",
                                false);
                    case IncidentNotFoundException e ->
                        new Problem(
                                HttpStatus.NOT_FOUND,
                                "incident-not-found",
                                "Incident not found",
                                "There is no such incident, or it was resolved meanwhile. Nothing was written.",
                                false);
                    case StoreUnavailableException e ->
                        new Problem(
                                HttpStatus.SERVICE_UNAVAILABLE,
                                "unavailable",
                                "Temporarily unavailable",
                                "The database can't be used at the moment. The request may or may not have been carried"
                                        + " out; try again later.",
                                true);
                    case QueueFullException e ->
                        new Problem(
                                HttpStatus.TOO_MANY_REQUESTS,
                                "queue-full",
                                "Too much is waiting",
                                "As much work waits as is allowed. Nothing was started; try again later.",
                                true);
                    case WaitTimedOutException e ->
                        new Problem(
                                HttpStatus.GATEWAY_TIMEOUT,
                                "not-yet",
                                "Not finished yet",
                                "The result was not there in time. The work goes on.",
                                true);
                    case PayloadException e when !e.isOfStored() -> REFUSED;
                    case RefusedInputException e -> REFUSED;
                    default -> null;
                });
    }

    private static final Problem REFUSED = new Problem(
            HttpStatus.BAD_REQUEST,
            "refused-input",
            "Refused input",
            "An id, a name or a value is not what can be taken, or too large. Nothing was written.",
            false);
}
