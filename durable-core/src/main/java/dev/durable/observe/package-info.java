/**
 * What an engine tells of its work: {@link dev.durable.observe.EngineObserver} hears each event, and {@link
 * dev.durable.observe.EngineStatistics} shows what waits and what is free when somebody asks. Meters are built on these two
 * (module {@code durable-micrometer}); an application may register observers of its own.
 *
 * <p>Nothing here takes part in the work: events are told after the fact, what an observer throws is logged and dropped, and
 * an engine without observers makes none of these objects. An event that was told may be told again by another process where
 * the answer to a COMMIT was lost, and is never told where a process dies first: these are figures for people, histories are
 * the truth.
 */
@NullMarked
package dev.durable.observe;

import org.jspecify.annotations.NullMarked;
