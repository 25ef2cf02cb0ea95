package dev.durable.store;

/**
 * Where a background job stands in the batch that it was enqueued with.
 *
 * @param batch the id of the batch
 * @param number the number of the job's item, from 0
 */
public record BatchPlace(String batch, int number) {}
