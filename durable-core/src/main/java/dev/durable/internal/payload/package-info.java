/**
 * Values and exceptions as JSON text and back, by declared types only.
 *
 * <pre>{@code
 * argument, result ── PayloadCodec.encode(value, declared type) ──► Payload ── stored to the byte ──► decode(payload, declared type)
 * exception        ── FailureCodec.encode(thrown, named types)  ──► Failure ── attributes, rows   ──► decode(failure, named types)
 * }</pre>
 *
 * <p><b>A value comes back equal, or is refused when it is written.</b> What is written is read much later, by a replay
 * that has no other choice than to go on with it: a silent loss is wrong data for ever, and an unreadable result is a run
 * that stands still. So {@link dev.durable.internal.payload.TypeReview} looks through a declared type for what could never be read
 * (abstract types, classes without a usable constructor or a visible property), and {@link
 * dev.durable.internal.payload.DeclaredTypeCheck} looks at each value that is of another class than declared.
 *
 * <p><b>No class names in data.</b> The declared type is the only one who says what to make. Subtypes are told apart by
 * names that the types themselves declare: {@code @JsonTypeInfo(use = NAME)} with {@code @JsonSubTypes}, or, without any
 * annotation, a sealed type: the simple name of the permitted class, as the property {@code "@type"}. To rename such a
 * class, annotate. {@code use = CLASS} is refused and default typing is off.
 *
 * <p><b>To the last digit.</b> BigDecimal keeps its scale and no number passes through a float. Times keep nanoseconds,
 * offset and zone. NUL and lone surrogates are escaped, so that neither UTF-8 nor the {@code json} type of PostgreSQL loses
 * or refuses them. Sets and maps keep their order; enums go by name.
 *
 * <p><b>Types change while data waits.</b> Unknown properties are ignored, missing ones are null or the primitive's
 * default. A parameter may be added (not as a primitive) or removed at the end, unless arguments are read exactly. Anything
 * else is an error that says what is stored, where it does not fit, and what to do.
 *
 * <p>What is not kept, since JSON has no word for it: the class of a collection (a TreeSet declared as Set comes back as a
 * LinkedHashSet in the same order). Under {@code Object} only what JSON says by itself is accepted; a Long that fits into
 * an Integer would come back as one, and is refused. {@link dev.durable.internal.payload.RicherThanJson} has the JDK's types that
 * have more state than their JSON.
 *
 * <p><b>Exceptions</b> that a signature names come back as themselves, with message, cause and own fields, and with what
 * {@link dev.durable.internal.payload.JdkExceptions} knows of the JDK's; the others as
 * {@link dev.durable.RemoteException}, with the stack they had. {@link dev.durable.internal.payload.FailureCodec} never fails: what
 * can't travel is left out, and says so.
 */
@NullMarked
package dev.durable.internal.payload;

import org.jspecify.annotations.NullMarked;
