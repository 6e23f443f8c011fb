/** @jsxImportSource hono/jsx */
/** Long pages that are written in pieces are the same as in one, give way to others, and fail once. */
import { expect, test } from 'bun:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { InTurn, InTurns } from '../../src/web/components/in-turns.tsx'
import { renderHtml } from '../../src/web/http/html.ts'

/** A page of so many rows, each as the function makes it when it is written. */
function page(rows: number, row: (number: number) => string) {
  const Row = ({ number }: { number: number }) => <li>{row(number)}</li>
  const parts = Array.from({ length: rows }, (_, number) => <Row number={number} />)
  return (
    <ul>
      <InTurns parts={parts} />
      <p>the end</p>
    </ul>
  )
}

test.each([0, 1, 9, 10, 11, 19, 20, 21, 100, 101])(
  '%p rows are written in their order, escaped',
  async (rows) => {
    const items = Array.from({ length: rows }, (_, number) => `<li>${number} &lt;b&gt;</li>`)
    expect(await renderHtml(page(rows, (number) => `${number} <b>`))).toBe(
      `<ul>${items.join('')}<p>the end</p></ul>`,
    )
  },
)

test('pieces of whichever pages come one at a time, with turns of the event loop for others between', async () => {
  let turns = 0
  let isOver = false
  const counting = (async () => {
    for (; !isOver; turns++) await turn()
  })()
  const written: { name: string; turn: number }[] = []
  const named = (name: string) =>
    renderHtml(
      page(100, (number) => {
        if (number % 20 === 0) written.push({ name, turn: turns })
        return name
      }),
    )
  await Promise.all(['a', 'b', 'c'].map(named))
  isOver = true
  await counting
  // The first pieces go with what stands before them.
  const waited = written.slice(3)
  expect(waited).toHaveLength(12)
  expect(new Set(waited.map((it) => it.turn)).size).toBe(12)
})

test('a page that fails does so with its first error, and what waits for its turn is not written', async () => {
  const written: number[] = []
  const failing = (number: number) => {
    written.push(number)
    throw new Error(`row ${number}`)
  }
  const Broken = () => {
    throw new Error('a part that does not wait')
  }
  const waiting = <InTurn>{page(1, failing)}</InTurn>
  const both = (
    <div>
      {waiting}
      <Broken />
    </div>
  )
  await expect(renderHtml(both)).rejects.toThrow('a part that does not wait')
  await pause(20)
  expect(written).toEqual([])
  await expect(renderHtml(<div>{waiting}</div>)).rejects.toThrow('row 0')
})
