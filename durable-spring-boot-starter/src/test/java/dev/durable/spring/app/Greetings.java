package dev.durable.spring.app;

import dev.durable.Activity;

/** An activity type whose implementation is a bean. */
@Activity(startToClose = "10s")
public interface Greetings {
    String greet(String name);
}
