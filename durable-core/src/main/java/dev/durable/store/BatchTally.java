package dev.durable.store;

/**
 * The counts of a batch's jobs by how far they have come.
 *
 * @param completed ended with a result
 * @param discarded ended without, because what happens to exhausted ones is to be discarded, or an operator said so
 * @param failed failed, timed out, cancelled or terminated
 * @param open not ended; dead letters and incidents are among them
 * @param deadLetters open ones that are dead letters
 * @param incidents open ones that are incidents
 */
public record BatchTally(long completed, long discarded, long failed, long open, long deadLetters, long incidents) {}
