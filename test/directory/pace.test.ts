/** Long work beside callers: what they see of it, and that they have their turns. */
import { expect, test } from 'bun:test'
import { inPieces } from '../../src/directory/pace.ts'

/** Runs four steps; somebody else looks at each turn of the event loop. */
async function watched(pieceMs: number) {
  const work = { done: 0, settled: 0, pieces: 0, isOver: false }
  const seen: { done: number; settled: number }[] = []
  function* steps() {
    for (let step = 0; step < 4; step++) yield void work.done++
  }
  const look = () => {
    seen.push({ done: work.done, settled: work.settled })
    if (!work.isOver) setImmediate(look)
  }
  setImmediate(look)
  await inPieces(steps(), { pieceMs, rest: 0 }, () => {
    work.settled = work.done
    work.pieces++
  })
  work.isOver = true
  return { ...work, seen }
}

test('others have a turn after each piece, and never see one that is not settled', async () => {
  const { seen, done, settled } = await watched(0)
  expect(seen.map((look) => look.done)).toEqual(expect.arrayContaining([1, 2, 3, 4]))
  for (const look of seen) expect(look.settled).toBe(look.done)
  expect([done, settled]).toEqual([4, 4])
})

test('steps go together while the piece has time left', async () => {
  const { pieces, settled } = await watched(Number.POSITIVE_INFINITY)
  expect([pieces, settled]).toEqual([1, 4])
})
