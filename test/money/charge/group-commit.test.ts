import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { DatabaseUnavailable } from '../../../src/database/client.ts'
import { GroupCommit, type GroupCommitOptions } from '../../../src/money/charge/group-commit.ts'

interface TestCall {
  account: string
  id: number
}

/** The clock stands still unless a test lets time pass: a group is stuck, and a call overdue, when it says so. */
let nowMs = 0
beforeEach(() => {
  nowMs = 1_000
  spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => jest.restoreAllMocks())

/** A commit whose groups are answered by the test, one by one. */
function harness(options: Partial<GroupCommitOptions<TestCall, string>> = {}) {
  const groups: {
    ids: number[]
    answer: (outcome?: string) => Promise<void>
    fail: (error: Error) => Promise<void>
  }[] = []
  const commit = (calls: readonly TestCall[]) =>
    new Promise<string[]>((resolve, reject) => {
      groups.push({
        ids: calls.map((call) => call.id),
        answer: (outcome) => {
          resolve(calls.map((call) => outcome ?? `done ${call.id}`))
          return settle()
        },
        fail: (error) => {
          reject(error)
          return settle()
        },
      })
    })
  const group = new GroupCommit<TestCall, string>({
    commit,
    isBusy: (outcome) => outcome === 'busy',
    ...options,
  })
  let last = 0
  const results = new Map<number, string>()
  const errors = new Map<number, Error>()
  const submit = (account: string) => {
    const id = ++last
    group
      .submit({ account, id })
      .then((outcome) => results.set(id, outcome))
      .catch((error: Error) => {
        results.set(id, error.name)
        errors.set(id, error)
      })
    return id
  }
  const sent = () => groups.map((one) => one.ids)
  return { groups, submit, results, errors, sent }
}

/** Lets every promise that can go on go on. */
async function settle() {
  for (let turns = 0; turns < 3; turns++)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Lets time pass until it is so. */
async function until(condition: () => boolean) {
  while (!condition()) {
    await Bun.sleep(1)
    nowMs += 1
  }
}

const unavailable = (isUnknown = false) => new DatabaseUnavailable('test', { isUnknown })

describe('grouping', () => {
  test('a lone call is sent at once: it waits for nobody', async () => {
    const { submit, sent } = harness()
    submit('a')
    await settle()
    expect(sent()).toEqual([[1]])
  })

  test('calls that come in together go together', async () => {
    const { submit, sent, groups, results } = harness()
    for (const account of ['a', 'b', 'c']) submit(account)
    await settle()
    expect(sent()).toEqual([[1, 2, 3]])
    await groups[0]!.answer()
    expect([...results.values()]).toEqual(['done 1', 'done 2', 'done 3'])
  })

  test('calls that arrive while a group is in flight go together in the next one', async () => {
    const { submit, groups, sent } = harness()
    submit('a')
    await settle()
    for (const account of ['b', 'c', 'd']) {
      submit(account)
      await settle()
    }
    expect(sent()).toEqual([[1]])
    await groups[0]!.answer()
    expect(sent()).toEqual([[1], [2, 3, 4]])
  })

  test('so many calls that each group is worth its round trip are shared out among the places', async () => {
    const { submit, sent } = harness({ maxGroupsInFlight: 2 })
    for (let i = 0; i < 60; i++) submit(`account ${i}`)
    await settle()
    expect(sent().map((group) => group.length)).toEqual([30, 30])
  })

  test('a group that is stuck does not hold up the next one', async () => {
    const { submit, groups, sent } = harness({ maxGroupsInFlight: 2 })
    submit('a')
    await settle()
    submit('b')
    await until(() => groups.length === 2)
    expect(sent()).toEqual([[1], [2]])
  })

  test('a group holds at most one call of an account, and no second one while one is in flight', async () => {
    const { submit, groups, sent } = harness()
    for (const account of ['a', 'a', 'a', 'b', 'b']) submit(account)
    await settle()
    expect(sent()).toEqual([[1, 4]])
    await groups[0]!.answer()
    expect(sent()).toEqual([
      [1, 4],
      [2, 5],
    ])
    await groups[1]!.answer()
    expect(sent().at(-1)).toEqual([3])
  })

  test('the calls of an account are decided in the order they came', async () => {
    const { submit, groups, results } = harness({ maxGroupsInFlight: 1 })
    for (let i = 0; i < 10; i++) submit('a')
    await settle()
    for (let i = 0; i < 10; i++) await groups[i]!.answer()
    expect([...results.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('a flood of one account delays no other: accounts take turns', async () => {
    const { submit, groups, sent } = harness({ maxGroupsInFlight: 1, maxGroupSize: 2 })
    for (let i = 0; i < 100; i++) submit('flood')
    await settle()
    const quiet = submit('quiet')
    await groups[0]!.answer()
    expect(sent()[1]).toContain(quiet)
  })

  test('groups and groups in flight stay within their limits', async () => {
    const { submit, groups, sent } = harness({ maxGroupsInFlight: 3, maxGroupSize: 4 })
    for (let i = 0; i < 50; i++) submit(`account ${i}`)
    await settle()
    expect(sent()).toHaveLength(3)
    for (let i = 0; i < groups.length; i++) {
      await groups[i]!.answer()
      expect(groups[i]!.ids.length).toBeLessThanOrEqual(4)
      expect(groups.length - i - 1).toBeLessThanOrEqual(3)
    }
    expect(sent().flat()).toHaveLength(50)
  })
})

describe('refusing', () => {
  test('when too many calls wait, one more is refused at once and the others are not', async () => {
    const { submit, groups, results } = harness({ maxGroupsInFlight: 1, maxWaiting: 2 })
    submit('a')
    await settle()
    for (const account of ['b', 'c', 'd']) submit(account)
    await settle()
    expect([...results]).toEqual([[4, 'DatabaseUnavailable']])
    await groups[0]!.answer()
    await groups[1]!.answer()
    expect(results.get(3)).toBe('done 3')
  })

  test('one account can not fill the queue', async () => {
    const { submit, groups, results } = harness({ maxGroupsInFlight: 1, maxWaitingPerAccount: 2 })
    submit('flood')
    await settle()
    for (let i = 0; i < 4; i++) submit('flood')
    const quiet = submit('quiet')
    await settle()
    expect([...results.keys()]).toEqual([4, 5])
    await groups[0]!.answer()
    expect(groups[1]!.ids).toContain(quiet)
  })

  test('a call that waited too long is refused without being sent, and its account goes on', async () => {
    const { submit, groups, results, sent } = harness({ maxGroupsInFlight: 1, maxWaitMs: 20 })
    submit('a')
    await settle()
    submit('a')
    submit('b')
    await until(() => results.size === 2)
    expect([...results.values()]).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable'])
    await groups[0]!.answer()
    expect(results.get(1)).toBe('done 1')
    submit('a')
    await settle()
    expect(sent()).toEqual([[1], [4]])
  })

  test('calls that need no database any more are answered without it', async () => {
    const known = new Set<string>()
    const { submit, groups, results, sent } = harness({
      maxGroupsInFlight: 1,
      known: ({ account }) => (known.has(account) ? 'known' : undefined),
    })
    for (let i = 0; i < 50; i++) submit('flood')
    await settle()
    const quiet = submit('quiet')
    known.add('flood')
    await groups[0]!.answer()
    expect([...results.values()].filter((outcome) => outcome === 'known')).toHaveLength(49)
    expect(sent()).toEqual([[1], [quiet]])
    await groups[1]!.answer()
    known.clear()
    submit('flood')
    await settle()
    expect(sent()).toHaveLength(3)
  })
})

describe('a busy account', () => {
  test('its call is asked again until it is decided, before its later calls', async () => {
    const { submit, groups, results, sent } = harness({ maxGroupsInFlight: 1 })
    submit('a')
    submit('a')
    await settle()
    await groups[0]!.answer('busy')
    await until(() => groups.length === 2)
    await groups[1]!.answer('busy')
    await until(() => groups.length === 3)
    expect(sent()).toEqual([[1], [1], [1]])
    await groups[2]!.answer()
    await groups[3]!.answer()
    expect([...results]).toEqual([
      [1, 'done 1'],
      [2, 'done 2'],
    ])
  })

  test('the rest of its group is answered, and other groups go on meanwhile', async () => {
    const answers: Record<string, string> = { held: 'busy' }
    const group = new GroupCommit<TestCall, string>({
      commit: async (calls) => calls.map((call) => answers[call.account] ?? 'done'),
      isBusy: (outcome) => outcome === 'busy',
    })
    const held = group.submit({ account: 'held', id: 1 })
    for (let id = 2; id < 20; id++)
      expect(await group.submit({ account: `${id}`, id })).toBe('done')
    answers.held = 'freed'
    expect(await held).toBe('freed')
  })

  test('one that stays held is refused in the end, and so are the calls behind it', async () => {
    const group = new GroupCommit<TestCall, string>({
      commit: async (calls) => {
        nowMs += 1
        return calls.map(() => 'busy')
      },
      isBusy: (outcome) => outcome === 'busy',
      maxWaitMs: 30,
    })
    const results = await Promise.allSettled(
      [1, 2, 3].map((id) => group.submit({ account: 'a', id })),
    )
    expect(results.map((result) => result.status)).toEqual(Array(3).fill('rejected'))
  })

  test('a call that waits to be asked again is refused in time though no other call comes', async () => {
    const { submit, groups, results } = harness({ maxGroupsInFlight: 1, maxWaitMs: 40 })
    submit('held')
    await settle()
    await groups[0]!.answer('busy')
    submit('other')
    await until(() => results.has(1))
    expect(results.get(1)).toBe('DatabaseUnavailable')
  })
})

describe('failures', () => {
  test('when the database is away, the group is refused whole and nothing is asked twice', async () => {
    const { submit, groups, results, sent } = harness({ maxGroupsInFlight: 1 })
    for (const account of ['a', 'b']) submit(account)
    await settle()
    await groups[0]!.fail(unavailable())
    expect([...results.values()]).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable'])
    expect(sent()).toEqual([[1, 2]])
  })

  test('a call that can not be decided does not take its group with it', async () => {
    const group = new GroupCommit<TestCall, string>({
      commit: async (calls) => {
        if (calls.some((call) => call.id === 3)) throw new TypeError('broken')
        return calls.map(() => 'done')
      },
      isBusy: () => false,
      maxGroupsInFlight: 1,
    })
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map((id) => group.submit({ account: `${id}`, id })),
    )
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  test('calls tried alone stop being tried when the database goes away', async () => {
    const { submit, groups, results, sent } = harness({ maxGroupsInFlight: 1 })
    for (const account of ['a', 'b', 'c']) submit(account)
    await settle()
    await groups[0]!.fail(new Error('broken'))
    await groups[1]!.answer()
    await groups[2]!.fail(unavailable())
    expect(sent()).toEqual([[1, 2, 3], [1], [2]])
    expect([...results.values()]).toEqual(['done 1', 'DatabaseUnavailable', 'DatabaseUnavailable'])
  })

  test('a call that nobody waits for any more when its turn comes is not sent', async () => {
    const left = new Set<number>()
    const { groups, submit, errors, sent } = harness({
      unwanted: ({ id }) => (left.has(id) ? new Error('left') : undefined),
    })
    const [first, second, third] = [submit('a'), submit('a'), submit('a')]
    await settle()
    left.add(second)
    await groups[0]?.answer()
    expect(sent()).toEqual([[first], [third]])
    expect(errors.get(second)?.message).toBe('left')
    await groups[1]?.answer()
  })

  test('only the call that was sent last is unknown: those behind it were never sent alone', async () => {
    const { submit, groups, errors } = harness({ maxGroupsInFlight: 1 })
    for (const account of ['a', 'b', 'c']) submit(account)
    await settle()
    await groups[0]!.fail(new Error('broken'))
    await groups[1]!.answer()
    await groups[2]!.fail(unavailable(true))
    expect([...errors.values()]).toMatchObject([{ isUnknown: true }, { isUnknown: false }])
  })

  test('a group whose end is unknown is unknown for each of its calls', async () => {
    const { submit, groups, errors } = harness({ maxGroupsInFlight: 1, maxWaiting: 2 })
    for (const account of ['a', 'b', 'too many']) submit(account)
    await settle()
    await groups[0]!.fail(unavailable(true))
    expect(errors.get(3)).toMatchObject({ isUnknown: false })
    expect([errors.get(1), errors.get(2)]).toMatchObject([{ isUnknown: true }, { isUnknown: true }])
  })

  test("calls tried alone take no more than their group's place among the groups in flight", async () => {
    const { submit, groups, sent } = harness({ maxGroupsInFlight: 1 })
    for (const account of ['a', 'b']) submit(account)
    await settle()
    await groups[0]!.fail(new Error('broken'))
    for (const account of ['c', 'd', 'e']) submit(account)
    await settle()
    expect(sent()).toEqual([[1, 2], [1]])
    await groups[1]!.answer()
    expect(sent().at(-1)).toEqual([2])
    await groups[2]!.answer()
    expect(sent().at(-1)).toEqual([3, 4, 5])
  })

  test('an answer with too few outcomes is an error of its own, not a call left hanging', async () => {
    const group = new GroupCommit<TestCall, string>({ commit: async () => [], isBusy: () => false })
    const error = await group.submit({ account: 'a', id: 1 }).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('without an outcome')
    expect(error).toMatchObject({ isUnknown: true })
  })

  test('after a failure the next call is sent as if nothing had been', async () => {
    const { submit, groups, results } = harness({ maxGroupsInFlight: 1 })
    submit('a')
    await settle()
    await groups[0]!.fail(unavailable())
    submit('a')
    await settle()
    await groups[1]!.answer()
    expect([...results.values()]).toEqual(['DatabaseUnavailable', 'done 2'])
  })
})
