/**
 * The code of the documentation, compiled and run. A fenced block of the documents names its place here
 * in its first line, {@code ```java order-workflow}; here it stands between {@code // docs: order-workflow} and {@code //
 * docs: end}, in as many pieces as it takes to leave out what only the test needs. {@link
 * dev.durable.samples.snippets.DocsTest} compares them.
 */
package dev.durable.samples.snippets;
