/** An order system as a Spring Boot application: REST, JPA, one workflow for each order. */
@NullMarked
package dev.durable.samples.springorders;

import org.jspecify.annotations.NullMarked;
