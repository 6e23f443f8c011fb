/** Whose password comes when: a queue whose work ends when the test says so. */
import { expect, jest, spyOn, test } from 'bun:test'
import { TooBusy } from '../../../src/people/users/answers.ts'
import { PasswordQueue, type Place } from '../../../src/people/users/password-queue.ts'

/** A queue, who began in their order, and the end of whoever runs. */
function startQueue(apartMs = 0) {
  const queue = new PasswordQueue(apartMs)
  const began: string[] = []
  const busy: string[] = []
  const running: (() => void)[] = []
  let last = 0

  /** Lets somebody stand in line: a stranger from an address of their own who has not failed yet, but for `place`. */
  async function come(name: string, place: Partial<Place> = {}): Promise<void> {
    const own = { address: `a${++last}`, account: `e${last}`, isKnown: false, failures: 0 }
    const work = () => {
      began.push(name)
      return new Promise<void>((end) => running.push(end))
    }
    await queue.run({ ...own, ...place }, work).catch((error: unknown) => {
      if (!(error instanceof TooBusy)) throw error
      busy.push(name)
    })
  }
  async function endOne(): Promise<void> {
    running.shift()?.()
    await settled()
  }
  async function endAll(): Promise<void> {
    while (running.length > 0) await endOne()
  }
  return { began, busy, running, come, endOne, endAll }
}

/** Lets what is pending go on, as between two events. */
async function settled() {
  for (let n = 0; n < 100; n++) await Promise.resolve()
}

/** From now on time passes when the test says so. */
function stopTime() {
  jest.useFakeTimers()
  let nowMs = 1_000
  const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
  return {
    async pass(ms: number) {
      nowMs += ms
      jest.advanceTimersByTime(ms)
      await settled()
    },
    [Symbol.dispose]() {
      clock.mockRestore()
      jest.useRealTimers()
    },
  }
}

/** As many as run at once. */
function occupy({ come }: ReturnType<typeof startQueue>) {
  for (const name of ['first', 'second']) void come(name)
}

test('two run at once; who is known goes first, then who has failed least, and of those the newest and the oldest in turns', async () => {
  const line = startQueue()
  occupy(line)
  void line.come('failed thrice', { failures: 3 })
  void line.come('fresh')
  void line.come('failed once', { failures: 1 })
  void line.come('fresh, later')
  void line.come('fresh, last')
  void line.come('known', { isKnown: true, failures: 9 })
  await settled()
  expect(line.running).toHaveLength(2)
  await line.endAll()
  expect(line.began.slice(2)).toEqual([
    'known',
    'fresh, last',
    'fresh',
    'fresh, later',
    'failed once',
    'failed thrice',
  ])
  expect(line.busy).toEqual([])
})

test('100 of 100 known browsers and 100 of 100 fresh addresses are served during 70 strangers who try on and on', async () => {
  const line = startQueue()
  let isOver = false
  const failures = new Map<number, number>()
  const strangers = Array.from({ length: 70 }, async (_, stranger) => {
    while (!isOver) {
      const failed = (failures.get(stranger) ?? 0) + 1
      failures.set(stranger, failed)
      await line.come('stranger', { address: `s${stranger}`, failures: failed })
    }
  })
  /** How many passwords began while each of the people waited. */
  const waits: number[] = []
  for (let person = 0; person < 200; person++) {
    await settled()
    const before = line.began.length
    let isServed = false
    const own = { isKnown: person % 2 === 0 }
    const coming = line.come('person', own).then(() => {
      isServed = true
    })
    while (!isServed) await line.endOne()
    waits.push(line.began.slice(before).indexOf('person'))
    await coming
  }
  isOver = true
  await line.endAll()
  await Promise.all(strangers)
  expect(line.began.filter((name) => name === 'person')).toHaveLength(200)
  expect(line.busy).not.toContain('person')
  // Who has not failed is the next to begin.
  expect(Math.max(...waits)).toBe(0)
})

test('who comes to 70 strangers with fresh addresses begins second at the latest, and none of the 70 waits for more than 140', async () => {
  const line = startQueue()
  occupy(line)
  for (let stranger = 0; stranger < 70; stranger++) void line.come(`stranger ${stranger}`)
  await settled()
  const waits: number[] = []
  for (let person = 0; person < 70; person++) {
    const name = `person ${person}`
    void line.come(name)
    const before = line.began.length
    await line.endOne()
    await line.endOne()
    waits.push(line.began.slice(before).indexOf(name))
  }
  expect(new Set(waits)).toEqual(new Set([0]))
  expect(line.began.filter((name) => name.startsWith('stranger'))).toHaveLength(70)
  expect(line.busy).toEqual([])
  await line.endAll()
})

test('a full queue turns away who would come last, and is never longer than its places', async () => {
  const line = startQueue()
  occupy(line)
  for (let stranger = 0; stranger < 100; stranger++)
    void line.come(`failed ${stranger}`, { failures: 5 })
  await line.come('one more who failed', { failures: 5 })
  expect(line.busy).toEqual(['one more who failed'])
  void line.come('fresh')
  await settled()
  expect(line.busy).toEqual(['one more who failed', 'failed 99'])
  void line.come('known', { isKnown: true })
  await settled()
  expect(line.busy).toHaveLength(2)
  await line.endAll()
  expect(line.began.slice(2, 5)).toEqual(['known', 'fresh', 'failed 0'])
  expect(line.began).toHaveLength(103)
})

test('strangers of one address, or on one account, have a part of the places', async () => {
  const line = startQueue()
  occupy(line)
  for (let count = 0; count < 60; count++) void line.come('one address', { address: 'mallory' })
  for (let count = 0; count < 60; count++) void line.come('one account', { account: 'victim' })
  void line.come('somebody else')
  await settled()
  await line.endAll()
  const served = (name: string) => line.began.filter((each) => each === name).length
  expect([served('one address'), served('one account'), served('somebody else')]).toEqual([
    10, 20, 1,
  ])
  expect(line.busy).toHaveLength(90)
})

test('on an account under attack strangers go one at a time, some time apart; whoever is known, and everybody else, goes on', async () => {
  using time = stopTime()
  const line = startQueue(40)
  const attack = { account: 'victim', isSlowed: true }
  void line.come('stranger', attack)
  void line.come('next stranger', { ...attack, failures: 1 })
  void line.come('owner in a new browser', attack)
  void line.come('owner', { ...attack, isKnown: true })
  await line.endOne()
  void line.come('somebody else')
  await line.endAll()
  expect(line.began).toEqual(['stranger', 'owner', 'somebody else'])
  await time.pass(39)
  expect(line.began).toHaveLength(3)
  await time.pass(1)
  expect(line.began.slice(3)).toEqual(['owner in a new browser'])
  await line.endAll()
  await time.pass(40)
  expect(line.began.slice(4)).toEqual(['next stranger'])
  await line.endAll()
  expect(line.busy).toEqual([])
})

test('on an account under attack whoever came last is next, so its owner doesn’t wait for those before', async () => {
  using time = stopTime()
  const line = startQueue(10)
  const attack = { account: 'victim', isSlowed: true }
  void line.come('stranger', attack)
  await settled()
  for (let stranger = 0; stranger < 30; stranger++) void line.come(`stranger ${stranger}`, attack)
  void line.come('owner in a new browser', attack)
  await line.endOne()
  await time.pass(10)
  await line.endOne()
  expect(line.began).toEqual(['stranger', 'owner in a new browser'])
  expect(line.busy).toHaveLength(11)
  while (line.began.length < 21 || line.running.length > 0) {
    await line.endOne()
    await time.pass(10)
  }
})

test('an account that never stops sending right passwords keeps no stranger out', async () => {
  const line = startQueue()
  const own = { account: 'mallory', isKnown: true }
  for (let count = 0; count < 7; count++) void line.come('known', own)
  void line.come('stranger')
  for (let round = 0; round < 5; round++) {
    await line.endOne()
    void line.come('known', own)
  }
  expect(line.began.indexOf('stranger')).toBe(2)
  await line.endAll()
})

test('40 accounts that send as many right passwords as may wait keep no known browser of another account out', async () => {
  const line = startQueue()
  for (let count = 0; count < 202; count++)
    void line.come('flood', { account: `mallory ${count % 40}`, isKnown: true })
  await settled()
  void line.come('owner', { isKnown: true })
  const before = line.began.length
  await line.endAll()
  // The first that each account sent goes before the owner, and nothing else does.
  expect(line.began.indexOf('owner') - before).toBe(40)
  expect(line.busy).toEqual(['flood'])
})

test('who finds no place takes nobody’s', async () => {
  const line = startQueue()
  occupy(line)
  const [office, victim] = [{ address: 'office' }, { account: 'victim' }]
  for (let count = 0; count < 20; count++) void line.come('on the account', victim)
  for (let count = 0; count < 10; count++) void line.come('colleague', { ...office, failures: 3 })
  // Before the colleagues, and behind all who wait on the account.
  await line.come('one more', { ...office, ...victim, failures: 1 })
  await settled()
  expect(line.busy).toEqual(['one more'])
  await line.endAll()
})

test('strangers on an account under attack begin no more often over three processes than in one', async () => {
  const [apartMs, processes] = [40, 3]
  const startedMs = performance.now()
  const queues = Array.from({ length: processes }, () => new PasswordQueue(apartMs, processes))
  let begun = 0
  const flood = queues.map(async (queue) => {
    for (let number = 0; begun < 12; number++) {
      const place = { address: `a${number}`, account: 'victim', isKnown: false, failures: 0 }
      await queue.run({ ...place, isSlowed: true }, async () => {
        begun++
        // The first of each process, and one in each span of time; a timer may end a moment early.
        const spans = (performance.now() - startedMs) / apartMs
        expect(begun).toBeLessThanOrEqual(processes + spans + 1)
      })
    }
  })
  await Promise.all(flood)
})

test('work that fails gives its place on', async () => {
  const queue = new PasswordQueue()
  const place = { address: 'a', account: 'e', isKnown: false, failures: 0 }
  const failed = await Promise.allSettled(
    Array.from({ length: 5 }, () => queue.run(place, () => Promise.reject(new Error('broken')))),
  )
  expect(failed.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(await queue.run(place, async () => 'next')).toBe('next')
})
