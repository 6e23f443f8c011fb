/** Calls of the API go before parts of pages, which come all the same. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { listen } from '../../src/runtime.ts'
import { createTurns, ownTurn } from '../../src/turns.ts'

/** Longer than this test may take. */
const FOREVER_MS = 3_600_000
/** More than a part that waits for nobody takes to begin. */
const SOME_TURNS = 5

/** Asks for a turn and looks whether it is had yet. */
function part(askForTurn: () => Promise<void>) {
  const state = { hasBegun: false }
  const begun = askForTurn().then(() => {
    state.hasBegun = true
  })
  return { state, begun }
}

async function someTurns() {
  for (let number = 0; number < SOME_TURNS; number++) await turn()
}

test('a part of a page waits while a call is in hand, and begins after the last one is answered', async () => {
  const { callArrived, ownTurn } = createTurns(FOREVER_MS)
  const [first, second] = [callArrived(), callArrived()]
  const { state, begun } = part(ownTurn)
  await someTurns()
  expect(state.hasBegun).toBe(false)
  first()
  await someTurns()
  expect(state.hasBegun).toBe(false)
  second()
  // Not in the turn of the answer.
  await Promise.resolve()
  expect(state.hasBegun).toBe(false)
  await begun
})

test('a call that is held back to be refused holds up no page, and counts again afterwards', async () => {
  const { callArrived, heldBack, ownTurn } = createTurns(FOREVER_MS)
  const answered = callArrived()
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const refused = heldBack(() => over)
  await ownTurn()
  end()
  await refused
  const { state, begun } = part(ownTurn)
  await someTurns()
  expect(state.hasBegun).toBe(false)
  answered()
  await begun
})

test('a call that arrives between two parts goes before the second', async () => {
  const { callArrived, ownTurn } = createTurns(FOREVER_MS)
  await ownTurn()
  const second = part(ownTurn)
  const answered = callArrived()
  await someTurns()
  expect(second.state.hasBegun).toBe(false)
  answered()
  await second.begun
})

test('while some call is always in hand, parts come one after the other all the same', async () => {
  const { callArrived, ownTurn } = createTurns(1)
  const answered = callArrived()
  const order: number[] = []
  await Promise.all(
    [1, 2, 3].map(async (number) => {
      await ownTurn()
      order.push(number)
    }),
  )
  expect(order).toEqual([1, 2, 3])
  answered()
  await ownTurn()
})

test('parts wait for a request of a listener that goes first, until it is answered', async () => {
  let handled = Promise.withResolvers<void>()
  let answer = Promise.withResolvers<Response>()
  const listener = listen({
    host: '127.0.0.1',
    port: 0,
    goesFirst: true,
    fetch() {
      handled.resolve()
      return answer.promise
    },
  })
  /** Whether the part had not begun when the request was answered. On a machine that stands still its patience ends before. */
  async function hasWaited() {
    handled = Promise.withResolvers()
    answer = Promise.withResolvers()
    const answered = fetch(`http://127.0.0.1:${listener.port}`)
    await handled.promise
    const { state, begun } = part(ownTurn)
    await someTurns()
    const waited = !state.hasBegun
    answer.resolve(new Response('answer'))
    expect(await (await answered).text()).toBe('answer')
    await begun
    return waited
  }
  let tries = 0
  while (!(await hasWaited())) expect(++tries).toBeLessThan(100)
  await listener.stop(true)
})
