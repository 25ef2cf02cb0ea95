package dev.durable.spring.post;

import dev.durable.Activity;

/** An activity type that beans of all forms implement. */
@Activity
public interface Mail {
    String send();
}
