/** Listening for NOTIFY, on a connection of its own that is made anew when it ends, until somebody stops it. */
import { setTimeout as pause } from 'node:timers/promises'
import type postgres from 'postgres'
import type { ClientEvents } from './driver.ts'

const AGAIN_MS = 250

/**
 * The driver's own `listen` gives up where the first try to connect again fails.
 * @param onNotify called for each NOTIFY on the channel
 * @param onConnect called each time listening begins: what was notified before was missed
 */
export function startListening(
  client: (events: ClientEvents) => postgres.Sql,
  channel: string,
  onNotify: () => void,
  onConnect: () => void,
) {
  let stopped = false
  let sql: postgres.Sql | undefined

  async function listenOnce() {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    let isOver = false
    const current = client({ isOver: () => isOver || stopped, onNotify, onClose: end })
    sql = current
    try {
      await current`listen ${current(channel)}`
      onConnect()
      await ended
    } catch {
      // The next try is what helps; a follower that hears nothing asks each second anyway.
    }
    isOver = true
    await current.end({ timeout: 0 }).catch(() => {})
  }

  async function listen() {
    while (!stopped) {
      await listenOnce()
      if (!stopped) await pause(AGAIN_MS, undefined, { ref: false })
    }
  }

  void listen()
  return {
    async stop() {
      stopped = true
      await sql?.end({ timeout: 0 })
    },
  }
}
