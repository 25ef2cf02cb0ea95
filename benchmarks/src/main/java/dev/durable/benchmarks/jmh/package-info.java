/** The costs of the engine itself, without a database: measured by JMH ({@code benchmarks/run --jmh}). */
@NullMarked
package dev.durable.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
