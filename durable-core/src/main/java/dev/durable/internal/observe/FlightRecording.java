package dev.durable.internal.observe;

/**
 * Tells whether this Java image has the flight recorder: an image made by jlink may not have the module {@code
 * jdk.jfr}, and then none of the event classes here may be loaded.
 */
final class FlightRecording {
    static final boolean THERE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}
}
