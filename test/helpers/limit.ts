/**
 * How long a test or a hook may take, as an option of `bun test`. It ends what hangs and claims nothing of how fast
 * anything is: a limit that a slow machine reaches fails the file, and takes the PostgreSQL of its process with it.
 */
export const LIMIT_MS = 300_000
export const TIMEOUT = `--timeout=${LIMIT_MS}`

/**
 * For the pools and meters of tests, instead of the service's own two seconds: their statements end, and the machine
 * may be busy with the tests of other processes. A test of a deadline has a short one where it is about to pass.
 */
export const PATIENCE_MS = 30_000
