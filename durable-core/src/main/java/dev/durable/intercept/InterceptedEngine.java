package dev.durable.intercept;

import dev.durable.client.EngineNames;
import java.util.function.UnaryOperator;

/**
 * The engine whose calls an interceptor sees.
 *
 * @param names where its tables are, and what it registers and serves
 * @param masked gives an exception as it may leave the process: a {@link dev.durable.RemoteException} with its type, stack,
 *     causes and suppressed exceptions, and with messages as the engine's {@link dev.durable.client.ErrorSanitizer} leaves
 *     them. Interceptors see exceptions as they were thrown: what writes them anywhere writes these
 */
public record InterceptedEngine(EngineNames names, UnaryOperator<Throwable> masked) {}
