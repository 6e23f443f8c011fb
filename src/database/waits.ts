/**
 * Longest waits in milliseconds: for a connection, for the first look at a server, on a machine that is busy with other starts
 * too, in the meter's queue, and for the answer to a call's statement. A test raises them before it starts the command line,
 * because a process that gets little of the processor would refuse calls.
 */
export const WAITS = { connectMs: 2_000, lookMs: 10_000, queueMs: 900, answerMs: 2_000 }
