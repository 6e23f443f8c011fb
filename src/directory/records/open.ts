/** Opens the directory: loads the database into memory and follows its changes from then on. */
import type { Database } from '../../database/client.ts'
import type { Log } from '../../log.ts'
import { listCompanies } from './company-collection.ts'
import type { Directory } from './directory.ts'
import { follow } from './follow.ts'
import { indexThreadFor } from './index-thread.ts'
import { KeptAnswers } from './kept-answers.ts'
import { loadState, type State } from './load.ts'
import { loadFrom, type Sources } from './load-source.ts'
import { ALONE, type Pace, SERVING } from './pace.ts'
import { listPeople } from './people-collection.ts'
import { readsOf } from './reads.ts'
import type { Store } from './store.ts'

interface DirectoryOptions {
  log: Log
  standby?: Database | undefined
  hasThread?: boolean
  trims?: boolean
}

/**
 * @param standby a copy of the database from which everything is loaded where it can be; changes are always those of `database`.
 * @param hasThread whether a thread of its own may make the search index of many records: where a core has nothing to do.
 * @param trims whether this process deletes what is old in the change log: of several workers one does.
 */
export async function openDirectory(
  database: Database,
  { log, standby, hasThread = false, trims = true }: DirectoryOptions,
): Promise<Directory> {
  const sources = { primary: database, standby }
  const startedAt = performance.now()
  const state = await fromTables(sources, hasThread, log)
  let pace = ALONE
  const load = (since: number, slowly: Pace) =>
    loadFrom(sources, since, log, (source) => loadState(source, slowly))
  const follower = await follow(database, state, { log, load, pace: () => pace, trims })
  // A standby may be behind: nobody is served before the directory has caught up.
  await follower.refresh()
  pace = SERVING
  // A rebuild puts another store in place, so each call asks for it.
  const store = () => follower.state.store
  warmUp(store())
  const answers = new KeptAnswers()
  const counts = () => ({
    people: store().people.size,
    companies: store().companies.size,
    rounds: store().rounds.size,
  })
  log.info('directory loaded', { ...counts(), ms: Math.round(performance.now() - startedAt) })

  return {
    ...readsOf(store, answers),
    get answers() {
      return answers.counts
    },
    get counts() {
      return counts()
    },
    get following() {
      return follower.following
    },
    get position() {
      return follower.state.position
    },
    refresh: follower.refresh,
    rebuild: follower.rebuild,
    stop: follower.stop,
  }
}

async function fromTables(sources: Sources, hasThread: boolean, log: Log): Promise<State> {
  return loadFrom(sources, 0, log, async (source) => {
    const thread = hasThread ? await indexThreadFor(source) : null
    return loadState(source, ALONE, thread, (reason) => {
      log.warn('the thread for the search index failed, loading without it', { reason })
    })
  })
}

/**
 * Runs a few queries: the first of their kind run uncompiled and hold the event loop for tens of milliseconds, which
 * callers would wait for.
 */
function warmUp({ companies, people }: Store) {
  const page = { page: 1, limit: 12 }
  for (const letter of 'aens') {
    for (const q of [letter, `${letter}nna smyth`]) {
      listPeople(people, { ...page, q })
      listCompanies(companies, 'projects', { ...page, q })
    }
    listPeople(people, { ...page, q: `${letter}n`, roles: ['founder'], sort: 'name' })
  }
}
