/** Programs that leave the processor to the service that answers on the same machine. */
import { constants, setPriority } from 'node:os'

/**
 * Lets a process go behind others. Whoever starts one says it at once: threads that it makes have what its first one has then, and on
 * Linux none has what is said later.
 * @param pid this process where it is absent
 */
export function yieldProcessor(pid = 0) {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some systems let nobody change it, and a process may have ended.
  }
}
