/**
 * The queue of passwords that wait to be hashed. Few run at once, because each takes 32 MB and a third of a second.
 * People whom the account knows go first and have places of their own; after each of them two strangers go. So neither
 * kind, however many come, keeps the other out. Of those who are known, an account's first goes before the second of
 * any other, so nobody gets more turns by sending more at once.
 *
 * Among strangers, the address that has been wrong least often goes first; among equals, the one that came last and the
 * one that has waited longest take turns. A person who comes to many attackers with fresh addresses passes them by the
 * first kind of turn, and by the second waits at most twice as long as in a queue without an order.
 */

import { TooBusy } from './answers.ts'

/** Inputs of the order of the queue. */
export interface Place {
  /** The client's, as `limitedAs` gives it: an IPv4 address, or the /64 of an IPv6 address. */
  address: string
  /** The account's e-mail address, hashed. */
  account: string
  /** Whether the account knows who asks: by a session, by a browser that has signed in before, by a link from a mail. */
  isKnown: boolean
  /** Attempts that the client's address has made in vain, as far as they are counted. */
  failures: number
  /** Whether strangers on this account go one at a time, some time apart. */
  isSlowed?: boolean
}

/** Place of a password hashed by an operator's command. */
export const OWN_PLACE: Place = { address: '', account: '', isKnown: true, failures: 0 }

/** How many may wait: in all, of one client address, and on one account. */
interface Room {
  total: number
  address: number
  account: number
}

/** Many people may share an address, and those who are known have signed in before. */
const KNOWN_ROOM: Room = { total: 200, address: 200, account: 5 }
const STRANGERS_ROOM: Room = { total: 100, address: 10, account: 20 }

const MAX_AT_ONCE = 2
const STRANGERS_AFTER_KNOWN = 2
const APART_MS = 1_300

interface Entry {
  place: Place
  /** Number of entries on the same account when a known person came; 0 for strangers. */
  before: number
  /** Rises with each one that comes. */
  arrival: number
  begin: () => void
  refuse: (reason: TooBusy) => void
}

/** Bounded queue for one process. */
export class PasswordQueue {
  readonly #apartMs: number
  readonly #waiting: Entry[] = []
  /** Slowed accounts on which a stranger's password runs, or began less than `#apartMs` ago. */
  readonly #heldBack = new Set<string>()
  #running = 0
  #arrivals = 0
  /** Strangers that have begun since somebody who is known. */
  #strangers = STRANGERS_AFTER_KNOWN

  /**
   * @param apartMs from one stranger's password to the next one's on a slowed account: between their beginnings
   * @param processes that have such a queue: each leaves the others their share of an account's time
   */
  constructor(apartMs = APART_MS, processes = 1) {
    this.#apartMs = apartMs * processes
  }

  /** Runs `work` when its turn has come. @throws TooBusy */
  async run<T>(place: Place, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin, refuse) => {
      const before = this.#othersOf(place)
      const entry = { place, before, arrival: ++this.#arrivals, begin, refuse }
      this.#makeRoom(entry)
      this.#waiting.push(entry)
      this.#beginNext()
    })
    const begunMs = performance.now()
    try {
      return await work()
    } finally {
      this.#end(place, begunMs)
    }
  }

  #beginNext() {
    while (this.#running < MAX_AT_ONCE) {
      const next = this.#next()
      if (!next) return
      this.#remove(next)
      this.#strangers = next.place.isKnown ? 0 : this.#strangers + 1
      this.#running++
      if (isSlow(next.place)) this.#heldBack.add(next.place.account)
      next.begin()
    }
  }

  #next(): Entry | undefined {
    const known = this.#waiting.filter(({ place }) => place.isKnown).sort(oldestFirst)[0]
    if (known && this.#strangers >= STRANGERS_AFTER_KNOWN) return known
    const mayBegin = ({ place }: Entry) =>
      !place.isKnown && !(isSlow(place) && this.#heldBack.has(place.account))
    const order = this.#strangers % 2 === 0 ? newestFirst : oldestFirst
    return this.#waiting.filter(mayBegin).sort(order)[0] ?? known
  }

  /** @param begunMs by `performance.now()` */
  #end(place: Place, begunMs: number) {
    this.#running--
    if (isSlow(place)) {
      const release = () => {
        this.#heldBack.delete(place.account)
        this.#beginNext()
      }
      setTimeout(release, Math.max(0, begunMs + this.#apartMs - performance.now()))
    }
    this.#beginNext()
  }

  /** Where no room is left, turns away whoever comes last: the newcomer, or somebody who would go after them. */
  #makeRoom(newcomer: Entry) {
    const { place } = newcomer
    const room = place.isKnown ? KNOWN_ROOM : STRANGERS_ROOM
    const alike = this.#waiting.filter((other) => other.place.isKnown === place.isKnown)
    const groups = [
      {
        most: room.address,
        entries: alike.filter((other) => other.place.address === place.address),
      },
      {
        most: room.account,
        entries: alike.filter((other) => other.place.account === place.account),
      },
      { most: room.total, entries: alike },
    ]
    // All is decided before anybody is sent away: who finds no place takes nobody's.
    const leaving = new Set<Entry>()
    for (const { most, entries } of groups) {
      const group = entries.filter((other) => !leaving.has(other))
      if (group.length < most) continue
      const last = group.sort(oldestFirst).at(-1)
      if (!last || oldestFirst(last, newcomer) < 0) throw busy()
      leaving.add(last)
    }
    for (const entry of leaving) {
      this.#remove(entry)
      entry.refuse(busy())
    }
  }

  /** Number of waiting entries on the same account, so that whoever sends many at once goes behind others; known people only. */
  #othersOf({ account, isKnown }: Place): number {
    if (!isKnown) return 0
    return this.#waiting.filter(({ place }) => place.isKnown && place.account === account).length
  }

  #remove(entry: Entry) {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1)
  }
}

function isSlow({ isKnown, isSlowed = false }: Place): boolean {
  return isSlowed && !isKnown
}

/**
 * Negative where `one` goes before `other`: who has failed less, who asks for an account that is not under attack, who
 * came first. On an account under attack it is always who came last: its owner comes in the middle of the attack, and
 * those who have waited longer are the attackers.
 */
function oldestFirst(one: Entry, other: Entry): number {
  return (
    byMerit(one, other) ||
    (isSlow(one.place) ? other.arrival - one.arrival : one.arrival - other.arrival)
  )
}

/** The same, but among equals who came last. */
function newestFirst(one: Entry, other: Entry): number {
  return byMerit(one, other) || other.arrival - one.arrival
}

function byMerit(one: Entry, other: Entry): number {
  return (
    one.place.failures - other.place.failures ||
    one.before - other.before ||
    Number(isSlow(one.place)) - Number(isSlow(other.place))
  )
}

function busy(): TooBusy {
  return new TooBusy('too many passwords wait')
}
