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

  /** Lets somebody stand in line: a stranger on an account of their own who has not failed yet, but for `place`. */
  async function come(name: string, place: Partial<Place> = {}): Promise<void> {
    const own = { account: `e${++last}`, isKnown: false, failures: 0 }
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

test('two run at once; of those who wait whoever has failed least is next, and of equals the last to come and the first in turns', async () => {
  const line = startQueue()
  occupy(line)
  void line.come('failed thrice', { failures: 3 })
  void line.come('fresh')
  void line.come('failed once', { failures: 1 })
  void line.come('fresh, later')
  void line.come('fresh, last')
  await settled()
  expect(line.running).toHaveLength(2)
  await line.endAll()
  expect(line.began.slice(2)).toEqual([
    'fresh, last',
    'fresh',
    'fresh, later',
    'failed once',
    'failed thrice',
  ])
  expect(line.busy).toEqual([])
})

test.each([true, false])(
  'a flood of one kind leaves the other its own of the two places (known: %j)',
  async (isKnown) => {
    const line = startQueue()
    for (let count = 0; count < 60; count++) void line.come('flood', { isKnown })
    await settled()
    expect(line.began).toEqual(['flood', 'flood'])
    for (let count = 0; count < 3; count++)
      void line.come('other', { isKnown: !isKnown, failures: 5 })
    await line.endOne()
    expect(line.began.at(-1)).toBe('other')
    await line.endOne()
    expect(line.began.at(-1)).toBe('flood')
    await line.endAll()
    expect(line.began.filter((name) => name === 'other')).toHaveLength(3)
  },
)

test.each([true, false])(
  'whoever sends right passwords over and over keeps nobody else out (known: %j)',
  async (isKnown) => {
    const line = startQueue()
    const own = { account: 'mallory', isKnown }
    for (let count = 0; count < 4; count++) void line.come('mallory', own)
    await settled()
    void line.come('somebody', { isKnown })
    for (let round = 0; round < 12; round++) {
      await line.endOne()
      void line.come('mallory', own)
    }
    // Those who waited before go first, and nobody who came later.
    expect(line.began.indexOf('somebody')).toBeLessThanOrEqual(4)
    expect(line.began).toContain('somebody')
    await line.endAll()
  },
)

test('known browsers of one account have five places to wait', async () => {
  const line = startQueue()
  for (let count = 0; count < 9; count++)
    void line.come(`${count}`, { account: 'one', isKnown: true })
  await settled()
  expect(line.busy).toEqual(['7', '8'])
  await line.endAll()
})

/** Milliseconds of a hash on a machine whose processors are busy. */
const HASH_MS = 400

test.each([
  ['a browser that the account knows', { isKnown: true }],
  ['a browser that it has never seen', {}],
])('the owner gets in within 3 s while 70 strangers guess on and on, by %s', async (_, owner) => {
  using time = stopTime()
  const queue = new PasswordQueue()
  const hash = () => new Promise<void>((end) => setTimeout(end, HASH_MS))
  let isOver = false
  const strangers = Array.from({ length: 70 }, async () => {
    for (let failures = 0; !isOver; failures++) {
      const place = { account: 'victim', isKnown: false, isSlowed: true, failures }
      await queue.run(place, hash).catch(() => settled())
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  for (let visit = 0; visit < 20; visit++) {
    await time.pass(50 * visit)
    let waitedMs = 0
    let isIn = false
    const place = { account: 'victim', isKnown: false, isSlowed: true, failures: 0, ...owner }
    const coming = queue.run(place, hash).then(() => {
      isIn = true
    })
    for (; !isIn && waitedMs <= 3_000; waitedMs += 50) await time.pass(50)
    expect(isIn).toBe(true)
    await coming
  }
  isOver = true
  for (let count = 0; count < 100; count++) await time.pass(1_300)
  await Promise.all(strangers)
})

test('a full queue turns away who would come last: in all, and on one account', async () => {
  const line = startQueue()
  occupy(line)
  const attack = { account: 'victim', isSlowed: true }
  for (let count = 0; count < 40; count++) void line.come(`attack ${count}`, attack)
  await settled()
  // The oldest, because the last to come is next.
  expect(line.busy).toEqual(Array.from({ length: 20 }, (_, count) => `attack ${count}`))
  for (let count = 0; count < 80; count++) void line.come(`failed ${count}`, { failures: 5 })
  await line.come('failed more often', { failures: 6 })
  expect(line.busy.slice(20)).toEqual(['failed more often'])
  void line.come('fresh')
  void line.come('known', { isKnown: true })
  await settled()
  expect(line.busy.slice(21)).toEqual(['failed 79'])
  await line.endAll()
  expect(line.began.slice(2, 4)).toEqual(['known', 'fresh'])
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

test('whoever asks for an account that is not under attack goes before equals on one that is', async () => {
  const line = startQueue()
  occupy(line)
  void line.come('somebody')
  void line.come('attack', { isSlowed: true })
  await settled()
  await line.endAll()
  expect(line.began.slice(2)).toEqual(['somebody', 'attack'])
})

test('strangers on an account under attack begin no more often over three processes than in one', async () => {
  const [apartMs, processes] = [40, 3]
  const startedMs = performance.now()
  const queues = Array.from({ length: processes }, () => new PasswordQueue(apartMs, processes))
  let begun = 0
  const flood = queues.map(async (queue) => {
    while (begun < 12) {
      const place = { account: 'victim', isKnown: false, failures: 0 }
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
  const place = { account: 'e', isKnown: false, failures: 0 }
  const failed = await Promise.allSettled(
    Array.from({ length: 5 }, () => queue.run(place, () => Promise.reject(new Error('broken')))),
  )
  expect(failed.map(({ status }) => status)).toEqual(Array(5).fill('rejected'))
  expect(await queue.run(place, async () => 'next')).toBe('next')
})
