/**
 * Makes the search index of a whole load in a thread of its own, while the load makes the records: together they take
 * longer than all the rest. The index comes back in parts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { URL } from 'node:url' // `Worker` wants this one: to Deno's types the global one is another.
import { Worker } from 'node:worker_threads'
import type { CompanyText, PersonText } from '../../../index-build/documents.ts'
import type { IndexPart } from '../../../index-build/term-index.ts'
import type { Database } from '../../database/client.ts'
import type { RowsById } from './batch.ts'
import { type CompanyRow, LOAD_DEADLINE, type PersonRow } from './rows.ts'

/** Texts of records in the order of their slots, each record once. */
export interface IndexTexts {
  companies: CompanyText[]
  people: PersonText[]
}

/** `IndexTexts` as JSON, because a copy of the objects takes four times as long; or `end`: there are no more. */
export type ToIndexThread = string

/** A part of the index of the records of a kind. */
export type KindIndexPart = IndexPart & { kind: 'company' | 'person' }

/** `taken`: the texts of a message stand in the index. `whole`: all parts were sent. */
export type FromIndexThread = KindIndexPart | 'taken' | 'whole'

/** The thread has ended without an index. */
export class IndexThreadFailed extends Error {
  override name = 'IndexThreadFailed'
}

/** Messages that wait for the thread, at most: each holds the texts of hundreds of records. */
const WAITING_MAX = 50
const WAIT_MS = 2

/** People from which on a thread costs less than it saves. */
const LARGE = 20_000

/** True if the database has so many records that a load of them is worth a thread more. */
async function isLarge(database: Database): Promise<boolean> {
  const [row] = await database.use(
    ({ sql }) => sql<{ people: number }[]>`
      select count(*)::int as people from (select from people limit ${LARGE}) p`,
    LOAD_DEADLINE,
  )
  return row?.people === LARGE
}

/** A thread for the load of this database where it has many records. */
export async function indexThreadFor(database: Database): Promise<IndexThread | null> {
  return (await isLarge(database)) ? new IndexThread() : null
}

export class IndexThread {
  readonly #worker = new Worker(new URL('./index-worker.ts', import.meta.url))
  readonly #parts: KindIndexPart[] = []
  readonly #whole = Promise.withResolvers<void>()
  #waiting = 0
  #failure: IndexThreadFailed | undefined

  constructor() {
    // Whoever adds or asks for the parts is told; until then nobody waits for it.
    this.#whole.promise.catch(() => {})
    this.#worker.on('message', (message: FromIndexThread) => {
      if (message === 'whole') this.#whole.resolve()
      else if (message === 'taken') this.#waiting--
      else this.#parts.push(message)
    })
    this.#worker.on('error', (error: Error) => this.#fail(error.message))
    this.#worker.on('exit', () => this.#fail('it stopped'))
  }

  #fail(reason: string) {
    this.#failure ??= new IndexThreadFailed(reason)
    this.#whole.reject(this.#failure)
  }

  /**
   * Takes in the records that a store without an index has just put, all of them new.
   * @throws IndexThreadFailed
   */
  async add({ companies, people }: RowsById): Promise<void> {
    const texts: IndexTexts = {
      companies: present(companies).map(companyText),
      people: present(people).map(personText),
    }
    this.#post(JSON.stringify(texts))
    this.#waiting++
    while (this.#waiting > WAITING_MAX && !this.#failure) await pause(WAIT_MS)
    if (this.#failure) throw this.#failure
  }

  /** Has the thread send the index once it has taken in all that was added. */
  end() {
    this.#post('end')
  }

  /** @returns the whole index. @throws IndexThreadFailed */
  async parts(): Promise<KindIndexPart[]> {
    await this.#whole.promise
    return this.#parts
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(message: ToIndexThread) {
    this.#worker.postMessage(message)
  }
}

const present = <R>(rows: Map<string, R | null>): R[] =>
  [...rows.values()].filter((row) => row !== null)

/** Columns of a row that make the record's searchable text. */
function companyText(row: CompanyRow): CompanyText {
  const { name, ticker, twitterHandle, domain, aiSummary, handleHistory } = row
  return { name, ticker, twitterHandle, domain, aiSummary, handleHistory }
}

function personText({ firstName, lastName, jobTitle, twitterHandle }: PersonRow): PersonText {
  return { firstName, lastName, jobTitle, twitterHandle }
}
