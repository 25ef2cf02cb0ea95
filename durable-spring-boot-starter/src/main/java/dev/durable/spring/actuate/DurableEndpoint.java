package dev.durable.spring.actuate;

import dev.durable.IncidentNotFoundException;
import dev.durable.PayloadException;
import dev.durable.StaleAttemptException;
import dev.durable.StoreUnavailableException;
import dev.durable.WorkflowNotFoundException;
import dev.durable.internal.text.Bounds;
import dev.durable.internal.text.Thrown;
import java.security.Principal;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code /actuator/durable}: work that runs, waits or has failed, and where it is allowed, a few actions of an
 * operator. Answers are pages and short texts, never payloads.
 */
@WebEndpoint(id = "durable")
public final class DurableEndpoint {
    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;

    private final Sections sections;
    private final @Nullable Actions actions;
    private final Supplier<String> process;

    /**
     * @param actions null where the endpoint only reads
     * @param process how this process is named, where a request names no operator
     */
    DurableEndpoint(Sections sections, @Nullable Actions actions, Supplier<String> process) {
        this.sections = sections;
        this.actions = actions;
        this.process = process;
    }

    /** Describes this process and lists the sections. */
    @ReadOperation
    public Map<String, Object> overview() {
        return sections.overview();
    }

    /**
     * One section, or one thing of it.
     *
     * @param path the section, and behind it the id of a workflow, the name of a queue, or workflow id and number of an
     *     incident
     * @param limit the largest page; 20 by default, 100 at most
     * @param next where the page begins, as another page said
     */
    @ReadOperation
    public WebEndpointResponse<Object> section(
            SecurityContext security,
            @Selector(match = Match.ALL_REMAINING) String[] path,
            @Nullable String type,
            @Nullable String status,
            @Nullable String taskQueue,
            @Nullable String activity,
            @Nullable Integer limit,
            @Nullable String next) {
        if (path.length == 0) {
            // As of a path that ends in a slash.
            return new WebEndpointResponse<>(overview());
        }
        Sections.Wanted wanted = new Sections.Wanted(type, status, taskQueue, activity, limit, next);
        return answered(() -> sections.show(path[0], rest(path), wanted, security));
    }

    /**
     * Does something, where {@code durable.actuator.allow-writes} is true.
     *
     * @param action the verb: see {@code docs/spring-operations.md}
     * @param reason why, for history and audit
     * @param by who, where the request is not authenticated, which the audit says; else the authenticated name counts
     */
    @WriteOperation
    public WebEndpointResponse<Object> act(
            SecurityContext security,
            @Selector(match = Match.ALL_REMAINING) String[] path,
            String action,
            @Nullable String reason,
            @Nullable String by) {
        Actions allowed = actions;
        if (allowed == null) {
            return error(
                    FORBIDDEN,
                    "This endpoint only reads. Set durable.actuator.allow-writes=true, and restrict the users that may call it.");
        }
        return answered(() -> {
            if (path.length == 0) {
                throw new BadRequest("Name in the path what this is done to: workflows/order-42");
            }
            return allowed.act(path[0], rest(path), action, actor(security.getPrincipal(), by), reason);
        });
    }

    private String actor(@Nullable Principal principal, @Nullable String by) {
        if (principal == null) {
            // The audit distinguishes the name that a request claims from the user that the application has
            // authenticated.
            return by == null ? process.get() : Bounds.name("by:", by) + " (not authenticated)";
        }
        String user = principal.getName();
        return user == null || user.isBlank() ? "(a user without a name)" : named(user);
    }

    /** As a name of the audit: users are named by directories and certificates, and none is refused for a long name. */
    private static String named(String user) {
        return Bounds.cutWithMark(Bounds.shown(user).strip(), Bounds.NAME);
    }

    private static String rest(String[] path) {
        return String.join("/", Arrays.asList(path).subList(1, path.length));
    }

    private static WebEndpointResponse<Object> answered(Supplier<@Nullable Object> answer) {
        try {
            Object body = answer.get();
            return body == null
                    ? error(WebEndpointResponse.STATUS_NOT_FOUND, "There is no such section.")
                    : new WebEndpointResponse<>(body);
        } catch (WorkflowNotFoundException | IncidentNotFoundException e) {
            return error(WebEndpointResponse.STATUS_NOT_FOUND, e.getMessage());
        } catch (StaleAttemptException e) {
            return error(CONFLICT, e.getMessage());
        } catch (StoreUnavailableException e) {
            return error(
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                    "The database can't be used at the moment; health tells why.");
        } catch (BadRequest | IllegalArgumentException | PayloadException e) {
            return error(WebEndpointResponse.STATUS_BAD_REQUEST, Thrown.of(e).message());
        }
    }

    private static WebEndpointResponse<Object> error(int status, @Nullable String why) {
        return new WebEndpointResponse<>(Map.of("error", why == null ? "" : CutText.text(why)), status);
    }

    /** The request asks for what there is not. */
    static final class BadRequest extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BadRequest(String message) {
            super(message);
        }
    }
}
