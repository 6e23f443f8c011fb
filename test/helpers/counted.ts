/** A database that counts the pieces of work which are done on its connections. */
import type { Database } from '../../src/database/client.ts'

export function counted(database: Database) {
  const used = { times: 0 }
  const use: Database['use'] = (work, options) => {
    used.times++
    return database.use(work, options)
  }
  return { used, database: { ...database, use } }
}
