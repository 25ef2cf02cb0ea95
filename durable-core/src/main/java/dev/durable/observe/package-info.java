/**
 * Observation of an engine's work: {@link dev.durable.observe.EngineObserver} hears each event, and {@link
 * dev.durable.observe.EngineStatistics} shows on request how much waits and how much is free. Meters are built on these
 * two (module {@code durable-micrometer}); an application may register observers of its own.
 *
 * <p>Nothing here takes part in the work: observers hear of events after the fact, their exceptions are logged and
 * dropped, and an engine without observers makes none of these objects. Where the answer to a COMMIT was lost, another
 * process may report an event a second time, and a process that dies first reports nothing: these are figures for
 * people, histories are the truth.
 */
@NullMarked
package dev.durable.observe;

import org.jspecify.annotations.NullMarked;
