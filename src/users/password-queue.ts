/**
 * The queue of passwords that wait to be hashed. Few run at once, because each takes 32 MB and a quarter of a second.
 * Whoever the account knows goes first and has places of their own; after each of them a stranger goes; among strangers,
 * whose address has been wrong least often goes first. So neither kind, however many come, keeps the other out (D111).
 */

/** Too many passwords wait to be hashed. Nothing was done; the same can be tried again in a few seconds. */
export class PasswordsBusy extends Error {
  override name = 'PasswordsBusy'
}

/** What decides when a password's turn comes. */
export interface Place {
  /** The client's, as `limitedAs` gives it: an IPv4 address, or the /64 of an IPv6 address. */
  address: string
  /** The account's e-mail address, hashed. */
  account: string
  /** Whether the account knows who asks: by a session, by a browser that has signed in before, by a link from a mail. */
  isKnown: boolean
  /** Attempts that the client's address has made in vain, as far as they are counted. */
  failures: number
  /** Whether strangers on this account go one at a time, with a pause after each (D110). */
  isSlowed?: boolean
}

/** Of a password that the operator's own command hashes. */
export const OWN_PLACE: Place = { address: '', account: '', isKnown: true, failures: 0 }

/** How many may wait: in all, of one client address, and on one account. */
interface Room {
  total: number
  address: number
  account: number
}

/** Many people may share an address, and those who are known have proven that they are people of ours. */
const KNOWN_ROOM: Room = { total: 200, address: 200, account: 5 }
const STRANGERS_ROOM: Room = { total: 100, address: 10, account: 20 }

const MAX_AT_ONCE = 2
const PAUSE_MS = 1_000

interface Entry {
  place: Place
  /** Rises with each one that comes. */
  arrival: number
  begin: () => void
  refuse: (reason: PasswordsBusy) => void
}

/** @param pauseMs how long strangers on a slowed account pause after each password; a second where it is not given */
export function createPasswordQueue(pauseMs = PAUSE_MS) {
  const waiting: Entry[] = []
  /** Slowed accounts on which a stranger's password runs, or ran within the last pause. */
  const pausing = new Set<string>()
  let running = 0
  let arrivals = 0
  /** Whether the last that began was known: then a stranger is next. */
  let wasKnown = false

  /** Runs `work` when its turn has come. @throws PasswordsBusy */
  async function run<T>(place: Place, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin, refuse) => {
      const entry = { place, arrival: ++arrivals, begin, refuse }
      makeRoom(entry)
      waiting.push(entry)
      beginNext()
    })
    try {
      return await work()
    } finally {
      end(place)
    }
  }

  function beginNext() {
    while (running < MAX_AT_ONCE) {
      const ready = inOrder(waiting.filter(({ place }) => !isHeldBack(place)))
      const stranger = wasKnown ? ready.find(({ place }) => !place.isKnown) : undefined
      const next = stranger ?? ready[0]
      if (!next) return
      remove(next)
      wasKnown = next.place.isKnown
      running++
      if (isSlow(next.place)) pausing.add(next.place.account)
      next.begin()
    }
  }

  function end(place: Place) {
    running--
    if (isSlow(place)) {
      setTimeout(() => {
        pausing.delete(place.account)
        beginNext()
      }, pauseMs)
    }
    beginNext()
  }

  const isHeldBack = (place: Place) => isSlow(place) && pausing.has(place.account)

  /** Where no room is left, turns away whoever comes last: the newcomer, or somebody who would go after them. */
  function makeRoom(newcomer: Entry) {
    const { place } = newcomer
    const room = place.isKnown ? KNOWN_ROOM : STRANGERS_ROOM
    const alike = () => waiting.filter((other) => other.place.isKnown === place.isKnown)
    const groups = [
      {
        most: room.address,
        of: () => alike().filter((other) => other.place.address === place.address),
      },
      {
        most: room.account,
        of: () => alike().filter((other) => other.place.account === place.account),
      },
      { most: room.total, of: alike },
    ]
    for (const { most, of } of groups) {
      const group = of()
      if (group.length < most) continue
      const last = inOrder(group).at(-1)
      if (!last || order(last, newcomer) < 0) throw busy()
      remove(last)
      last.refuse(busy())
    }
  }

  function remove(entry: Entry) {
    waiting.splice(waiting.indexOf(entry), 1)
  }

  return { run }
}

function isSlow({ isKnown, isSlowed = false }: Place): boolean {
  return isSlowed && !isKnown
}

/**
 * Negative where `one` goes before `other`: who is known, who has failed less, who asks for an account that is not under
 * attack, who came first. On an account under attack it is who came last: its owner comes in the middle of the
 * attack, and those who have waited longer are the attackers.
 */
function order({ place: one, arrival }: Entry, { place: other, arrival: others }: Entry): number {
  return (
    Number(other.isKnown) - Number(one.isKnown) ||
    one.failures - other.failures ||
    Number(isSlow(one)) - Number(isSlow(other)) ||
    (isSlow(one) ? others - arrival : arrival - others)
  )
}

function inOrder(entries: readonly Entry[]): Entry[] {
  return entries.toSorted(order)
}

function busy(): PasswordsBusy {
  return new PasswordsBusy('too many passwords wait')
}
