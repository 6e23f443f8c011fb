/** Opens the directory: everything from the database in memory, followed from then on. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { SnapshotRefused } from '../../index-build/snapshot.ts'
import type { Database } from '../database/client.ts'
import type { Log } from '../log.ts'
import { listCompanies } from './companies.ts'
import type { Directory } from './directory.ts'
import { follow } from './follow.ts'
import { loadState, type Pace, type State } from './load.ts'
import type { Memory } from './memory.ts'
import { listPeople } from './people.ts'
import { teamOf } from './person.ts'
import { loadSnapshot } from './snapshot.ts'

export interface DirectoryOptions {
  log: Log
  /** A file that `index build` wrote: starts from it and reads on, or says in the log why not. */
  snapshot?: string | undefined
}

/** Nobody is served yet: in big pieces, without a rest. */
const STARTING: Pace = { slice: 500, pause: () => setImmediate() }
/**
 * Pieces hold the event loop for a millisecond or two. Whoever is served meanwhile gets more than that
 * after each, because a call needs several turns of the loop.
 */
const SERVING: Pace = { slice: 40, pause: () => setTimeout(3) }

const COWORKERS_MAX = 100

export async function openDirectory(
  database: Database,
  { log, snapshot }: DirectoryOptions,
): Promise<Directory> {
  const startedAt = performance.now()
  const state =
    (snapshot && (await fromSnapshot(database, snapshot, log))) ||
    (await loadState(database, STARTING))
  let pace = STARTING
  const follower = await follow(database, state, log, () => pace)
  // A snapshot may be an hour behind: nobody is served before it has caught up.
  await follower.refresh()
  pace = SERVING
  const memory = () => follower.state.memory
  warmUp(memory())
  const counts = () => ({
    people: memory().people.size,
    companies: memory().companies.size,
    rounds: memory().roundCount,
  })
  log.info('directory loaded', { ...counts(), ms: Math.round(performance.now() - startedAt) })

  return {
    people: (query) => listPeople(memory().people, query),
    companies: (directory, query) => listCompanies(memory().companies, directory, query),
    search: (q, limit) => ({
      projects: listCompanies(memory().companies, 'projects', { q, sectors: [], page: 1, limit })
        .companies,
      people: listPeople(memory().people, { q, roles: [], channels: [], page: 1, limit }).people,
    }),
    person: (idOrSlug) => memory().person(idOrSlug),
    company: (idOrSlug) => memory().company(idOrSlug),
    lists: (company, directory) => company.directories.includes(directory),
    team: teamOf,
    coworkers: (person) =>
      person.company
        ? teamOf(person.company)
            .slice(0, COWORKERS_MAX + 1)
            .filter((other) => other !== person)
            .slice(0, COWORKERS_MAX)
        : [],
    get counts() {
      return counts()
    },
    get position() {
      return follower.state.position
    },
    refresh: follower.refresh,
    rebuild: follower.rebuild,
    stop: follower.stop,
  }
}

async function fromSnapshot(database: Database, file: string, log: Log): Promise<State | null> {
  try {
    return await loadSnapshot(database, file, STARTING)
  } catch (error) {
    if (!(error instanceof SnapshotRefused)) throw error
    log.warn('index snapshot refused, reading the database instead', { reason: error.message })
    return null
  }
}

/**
 * Asks a few queries before anyone does: the first of their kind run uncompiled and take tens of
 * milliseconds, in which nobody else would be answered. What single letters match is kept from then on.
 */
function warmUp({ companies, people }: Memory) {
  const page = { roles: [], channels: [], sectors: [], page: 1, limit: 12 }
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    for (const q of [letter, `${letter}nna smyth`]) {
      listPeople(people, { ...page, q })
      listCompanies(companies, 'projects', { ...page, q })
    }
    listPeople(people, { ...page, q: `${letter}n`, roles: ['founder'], sort: 'name' })
  }
}
