/**
 * Reads the declarations of users (annotations, signatures, options), refuses all errors at once, and makes stubs and
 * recorded calls of the declared types.
 *
 * <pre>
 *  classes, instances, configuration                    lambda  w -> w.run(order)
 *                │                                               │
 *          Registration ── Problems ──► RegistrationException    Recorder ── Recording ──► Recorded
 *            │        │                                          │
 *   WorkflowClass   Implementations                          CallTable
 *   WorkflowReader  ActivityReader ◄── Configuration             │
 *            │        │                                          ▼
 *            └────────┴─► MethodTable, SignatureReader      EmptyObjects ◄── Stubs ◄── StubCall
 *                              │                           (proxy of an interface, or a
 *                              ▼                            subclass whose constructors never ran)
 *                  Registry: WorkflowType, ActivityType, ActivityBinding, all immutable
 * </pre>
 *
 * <p>Its rules:
 *
 * <ul>
 *   <li>A declaration is right as a whole or refused as a whole, before anything runs. Every {@link
 *       dev.durable.internal.declare.type.Problem} says where, what, and the way out; the wording of a family lives in one class
 *       ({@code …Problems}).
 *   <li>Types come from declared signatures only, generics resolved against the declared class. A type variable that
 *       stays open can't be read back, so it is refused here and not by the payload codec in the middle of a run.
 *   <li>A method is its most specific declaration: overrides, bridges and generic supertypes are {@linkplain
 *       dev.durable.internal.declare.type.MethodTable one entry}. An override need not repeat an annotation.
 *   <li>Options are levels of what is set, merged attribute by attribute: type &lt; method &lt; configuration &lt; call
 *       site. In annotations booleans and {@code doNotRetry} only add; later levels may set them either way.
 *   <li>No object of this package outlives the user's classes: caches per class are {@link java.lang.ClassValue}s.
 * </ul>
 *
 * <table> <caption>Refused declarations</caption>
 *   <tr><th>Declaration</th><th>Way out</th></tr>
 *   <tr><td>no {@code @Run}, or two</td><td>annotate one method</td></tr>
 *   <tr><td>two signals, two queries or two activities of one name (overloads)</td>
 *       <td>rename, or {@code name = "…"}</td></tr>
 *   <tr><td>handlers that are static, private, or have several annotations; a query that returns nothing</td>
 *       <td>a plain method each</td></tr>
 *   <tr><td>final, sealed classes; final handlers and activities; a module that opens nothing</td>
 *       <td>non-final, {@code opens}, or the annotation on an interface</td></tr>
 *   <tr><td>abstract, inner and capturing local workflow classes; several constructors</td>
 *       <td>a static class with one constructor</td></tr>
 *   <tr><td>constructor parameters that are no {@code @Activity} type</td>
 *       <td>an activity, an argument of {@code @Run}, or the call of {@code Durable} that does it</td></tr>
 *   <tr><td>annotations on an interface and on the class that implements it; options on an implementation</td>
 *       <td>keep them on the interface</td></tr>
 *   <tr><td>open type variables</td><td>a subtype that binds them</td></tr>
 *   <tr><td>streams, threads, futures, functions, connections, handles in signatures</td><td>data</td></tr>
 *   <tr><td>bad durations, numbers, names, headers; unknown configuration keys</td>
 *       <td>what is expected, what exists, what is near</td></tr>
 *   <tr><td>names that two workflows, types or activities have; two implementations of one type</td>
 *       <td>rename or remove one</td></tr>
 *   <tr><td>a workflow as an instance, an activity as a class, neither of both</td><td>the other form</td></tr>
 *   <tr><td>a recorded lambda with no call, two, one of another kind, or one that touches the result</td>
 *       <td>exactly one call, returned as it is</td></tr>
 * </table>
 */
@NullMarked
package dev.durable.internal.declare;

import org.jspecify.annotations.NullMarked;
