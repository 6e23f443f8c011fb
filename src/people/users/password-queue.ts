/**
 * The queue of passwords that wait to be hashed. Two run at once, because each takes 32 MB and a third of a second: one of
 * somebody whom the account knows and one of a stranger, so neither kind, however many come, keeps the other out. Among those who
 * wait, whoever has been wrong least often goes first. Of equal strangers the last to come and the first take turns: the last, because
 * who comes to many attackers passes them; the first, so that nobody who comes over and over keeps another out.
 */

import { TooBusy } from './answers.ts'

/** Inputs of the order of the queue. */
export interface Place {
  /** The account's e-mail address, hashed. */
  account: string
  /** True if the account knows who asks: by a session, by a browser that has signed in before, by a link from a mail. */
  isKnown: boolean
  /** Attempts that the client has made in vain, as far as they are counted. */
  failures: number
  /** True if strangers on this account go one at a time, some time apart. */
  isSlowed?: boolean
}

/** Place of a password hashed by an operator's command. */
export const OWN_PLACE: Place = { account: '', isKnown: true, failures: 0 }

const MAX_AT_ONCE = 2
/** Entries of one kind that may wait: in all, and on one account. */
const ROOM = { total: 100, knownOnAccount: 5, strangersOnAccount: 20 }
const APART_MS = 1_300

interface Entry {
  place: Place
  /** Rises with each one that comes. */
  arrival: number
  begin: () => void
  refuse: (reason: TooBusy) => void
}

/** Bounded queue for one process. */
export class PasswordQueue {
  readonly #apartMs: number
  readonly #waiting: Entry[] = []
  readonly #running: Place[] = []
  /** Slowed accounts on which a stranger's password runs, or began less than `#apartMs` ago. */
  readonly #heldBack = new Set<string>()
  #arrivals = 0
  /** True if the last to come is next among equal strangers. */
  #isLastNext = false

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
      this.#waiting.push({ place, arrival: ++this.#arrivals, begin, refuse })
      this.#turnAway(place)
      this.#beginNext()
    })
    try {
      return await work()
    } finally {
      this.#running.splice(this.#running.indexOf(place), 1)
      this.#beginNext()
    }
  }

  #beginNext() {
    while (this.#running.length < MAX_AT_ONCE) {
      const next = this.#next()
      if (!next) return
      this.#remove(next)
      this.#running.push(next.place)
      if (isSlow(next.place)) this.#holdBack(next.place.account)
      next.begin()
    }
  }

  /** The first of the kind that runs none, else of the other. */
  #next(): Entry | undefined {
    const known = this.#waiting.filter(({ place }) => place.isKnown).sort(byTurn)[0]
    const strangers = this.#waiting.filter(
      ({ place }) => !place.isKnown && !(isSlow(place) && this.#heldBack.has(place.account)),
    )
    const isKnownNext = !this.#running.some(({ isKnown }) => isKnown)
    if ((known && isKnownNext) || strangers.length === 0) return known
    this.#isLastNext = !this.#isLastNext
    const order = this.#isLastNext ? byMerit : byTurn
    return strangers.sort((one, other) => order(one, other) || other.arrival - one.arrival)[0]
  }

  #holdBack(account: string) {
    this.#heldBack.add(account)
    setTimeout(() => {
      this.#heldBack.delete(account)
      this.#beginNext()
    }, this.#apartMs)
  }

  /** Refuses whoever would go last where more wait than there is room for. */
  #turnAway({ isKnown, account }: Place) {
    const alike = this.#waiting.filter(({ place }) => place.isKnown === isKnown).sort(byTurn)
    const onAccount = alike.filter(({ place }) => place.account === account)
    const room = isKnown ? ROOM.knownOnAccount : ROOM.strangersOnAccount
    const last = (onAccount.length > room ? onAccount : alike.slice(ROOM.total)).at(-1)
    if (!last) return
    this.#remove(last)
    last.refuse(new TooBusy('too many passwords wait'))
  }

  #remove(entry: Entry) {
    this.#waiting.splice(this.#waiting.indexOf(entry), 1)
  }
}

function isSlow({ isKnown, isSlowed = false }: Place): boolean {
  return isSlowed && !isKnown
}

/** Negative where `one` goes before `other`; on equal failures an account under attack goes behind others. */
function byMerit(one: Entry, other: Entry): number {
  return (
    one.place.failures - other.place.failures ||
    Number(isSlow(one.place)) - Number(isSlow(other.place))
  )
}

/**
 * The same, and of equals who came first. On an account under attack it is who came last: its owner comes in the middle of the
 * attack, and those who have waited longer are the attackers.
 */
function byTurn(one: Entry, other: Entry): number {
  const older = one.arrival - other.arrival
  return byMerit(one, other) || (isSlow(one.place) ? -older : older)
}
