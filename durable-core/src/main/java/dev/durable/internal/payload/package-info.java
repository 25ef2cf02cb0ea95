/**
 * Values and exceptions as JSON text and back, by declared types only.
 *
 * <pre>{@code
 * argument, result ── PayloadCodec.encode(value, declared type) ──► Payload ── stored to the byte ──► decode(payload, declared type)
 * exception        ── FailureCodec.encode(thrown, named types)  ──► Failure ── attributes, rows   ──► decode(failure, named types)
 * }</pre>
 *
 * <p><b>A value comes back equal, or is refused when it is written.</b> A value is read much later, by a replay that
 * has no other choice than to go on with it: a silent loss is wrong data for ever, and an unreadable result is a run
 * that stands still. So {@link dev.durable.internal.payload.TypeReview} checks a declared type for parts that could
 * never be read (abstract types, classes without a usable constructor or a visible property), and {@link
 * dev.durable.internal.payload.DeclaredTypeCheck} checks each value whose class is not the declared one.
 *
 * <p><b>No class names in data.</b> The declared type alone decides which class is made. Subtypes are told apart by
 * names that the types themselves declare: {@code @JsonTypeInfo(use = NAME)} with {@code @JsonSubTypes}, or, without
 * any annotation, a sealed type: the simple name of the permitted class, as the property {@code "@type"}. To rename
 * such a class, annotate. {@code use = CLASS} is refused and default typing is off.
 *
 * <p><b>To the last digit.</b> BigDecimal keeps its scale and no number passes through a float. Times keep nanoseconds,
 * offset and zone. NUL and lone surrogates are escaped, so that neither UTF-8 nor the {@code json} type of PostgreSQL loses
 * or refuses them. Sets and maps keep their order; enums go by name.
 *
 * <p><b>Types change while data waits.</b> Unknown properties are ignored, missing ones are null or the primitive's
 * default. A parameter may be added (not as a primitive) or removed at the end, unless arguments are read exactly. Any
 * other change is an error that names the stored value, the place where it does not fit, and the way out.
 *
 * <p>JSON has no word for the class of a collection, so that is not kept (a TreeSet declared as Set comes back as a
 * LinkedHashSet in the same order). Under {@code Object} only the types that JSON distinguishes by itself are accepted;
 * a Long that fits into an Integer would come back as one, and is refused. {@link
 * dev.durable.internal.payload.RicherThanJson} has the JDK's types that have more state than their JSON.
 *
 * <p><b>Exceptions</b> that a signature names come back as instances of their class, with message, cause and fields,
 * and with the state of the JDK's classes that {@link dev.durable.internal.payload.JdkExceptions} knows; the others
 * come back as {@link dev.durable.RemoteException}, with their original stack. {@link
 * dev.durable.internal.payload.FailureCodec} never fails: state that can't be written is left out, and the failure says
 * so.
 */
@NullMarked
package dev.durable.internal.payload;

import org.jspecify.annotations.NullMarked;
