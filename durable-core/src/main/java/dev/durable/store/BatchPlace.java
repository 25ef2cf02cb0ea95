package dev.durable.store;

/**
 * The place of a background job in its batch: the batch's id and the item's number.
 *
 * @param batch the id of the batch
 * @param number the number of the job's item, from 0
 */
public record BatchPlace(String batch, int number) {}
