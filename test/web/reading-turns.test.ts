/** What a page reads in several turns of the event loop is of one moment of the directory. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { inSteps } from '../../src/web/directory/listed.ts'
import { ofOneMoment } from '../../src/web/directory/one-moment.ts'

/** A directory of one number, which is another object after each change. */
function counter() {
  let state = { number: 0 }
  return {
    moment: () => state,
    change: () => {
      state = { number: state.number + 1 }
    },
    number: () => state.number,
  }
}

test('D169: what came meanwhile goes between two steps', async () => {
  const directory = counter()
  const seen: string[] = []
  function* read() {
    for (const step of ['one', 'two', 'three']) {
      seen.push(step)
      setImmediate(() => seen.push('call'))
      yield
    }
    return seen.length
  }
  expect(await ofOneMoment(directory, read)).toBe(6)
  expect(seen).toEqual(['one', 'call', 'two', 'call', 'three', 'call'])
})

test('D41: where the directory changes between two steps, all is read again, of one moment and without a pause', async () => {
  const directory = counter()
  let turns = 0
  let isDone = false
  // It changes in every turn: what went on in turns would never be of one moment.
  const change = () => {
    turns++
    directory.change()
    if (!isDone) setImmediate(change)
  }
  setImmediate(change)
  function* read() {
    const [first, firstTurn] = [directory.number(), turns]
    yield
    yield
    return { numbers: [first, directory.number()], turns: turns - firstTurn }
  }
  const { numbers, turns: taken } = await ofOneMoment(directory, read)
  isDone = true
  await turn()
  expect(new Set(numbers).size).toBe(1)
  expect(numbers[0]).toBeGreaterThan(0)
  expect(taken).toBe(0)
})

test('D169: a list that is searched is found in one turn and counted in the next; without a search all is read at once', async () => {
  const seen: (string | boolean)[] = []
  const read = ({ isCounted = true }) => {
    seen.push(isCounted)
    setImmediate(() => seen.push('call'))
    return { isCounted }
  }
  const directory = counter()
  expect(await ofOneMoment(directory, () => inSteps('ann', read))).toEqual({ isCounted: true })
  expect(seen).toEqual([false, 'call', true])
  await turn()
  seen.length = 0
  expect(await ofOneMoment(directory, () => inSteps('', read))).toEqual({ isCounted: true })
  expect(seen).toEqual([true])
})
