package dev.durable.declare;

/**
 * An activity and what implements it here.
 *
 * @param activity the activity
 * @param implementation the object whose method runs
 */
public record ActivityBinding(ActivityMethod activity, Object implementation) {}
