/** A small application, and tests of its workflows as a user writes them. */
package dev.durable.spring.test.slice;
