/** @jsxImportSource hono/jsx */
/** Long pages are rendered in parts, and the thread is others' between them. */
import { expect, test } from 'bun:test'
import { setImmediate as turn } from 'node:timers/promises'
import { renderDocument, renderMain } from '../../src/site/frame/layout.tsx'
import { renderHtml } from '../../src/site/http/html.ts'
import { Each, Part } from '../../src/site/ui/part.tsx'
import { SITE } from './site.ts'

const NUMBERS = Array.from({ length: 95 }, (_, number) => number)

test('parts stand in the order of the page, escaped as all of it', async () => {
  const rows = NUMBERS.map((number) => `<b> ${number} & "more"`)
  const whole = await renderHtml(
    <ul>
      {rows.map((row) => (
        <li title={row}>{row}</li>
      ))}
    </ul>,
  )
  const inParts = await renderHtml(
    <ul>
      <Each of={rows}>{(row) => <li title={row}>{row}</li>}</Each>
    </ul>,
  )
  expect(inParts).toBe(whole)
  const nested = (
    <p>
      a{' '}
      <Part>
        b <Part>{() => 'c <'}</Part> d
      </Part>{' '}
      e
    </p>
  )
  expect(await renderHtml(nested)).toBe('<p>a b c &lt; d e</p>')
})

test('the frame of a page has a turn of its own', async () => {
  const page = await renderMain({ title: 'Any', main: <p>any</p> })
  let isDone = false
  const document = renderDocument(page, SITE).finally(() => {
    isDone = true
  })
  // None of these ends the turn of the event loop.
  for (let number = 0; number < 100; number++) await null
  expect(isDone).toBe(false)
  expect(await document).toContain('<p>any</p>')
})

test('of two pages at once no more than ten rows are made in a turn of the event loop, and what came meanwhile goes first', async () => {
  const seen: string[] = []
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const perTurn = new Map<number, number>()
  const row = (number: number) => {
    perTurn.set(turns, (perTurn.get(turns) ?? 0) + 1)
    if (number % 10 === 0) {
      seen.push('part')
      // As a call of the API does that arrives while this part is rendered.
      setImmediate(() => seen.push('call'))
    }
    return <i>{number}</i>
  }
  const page = () =>
    renderHtml(
      <p>
        <Each of={NUMBERS}>{row}</Each>
      </p>,
    )
  await Promise.all([page(), page()])
  await turn()
  isDone = true
  expect(Math.max(...perTurn.values())).toBe(10)
  expect(seen).toEqual(Array.from({ length: 20 }, () => ['part', 'call']).flat())
})

test('the parts of very many pages share turns, so that the last page comes too while calls fill the thread', async () => {
  let turns = 0
  let isDone = false
  const call = () => {
    turns++
    if (!isDone) setImmediate(call)
  }
  setImmediate(call)
  const page = () =>
    renderHtml(
      <p>
        <Each of={NUMBERS}>{(number) => <i>{number}</i>}</Each>
      </p>,
    )
  await Promise.all(Array.from({ length: 40 }, page))
  isDone = true
  // Four hundred parts, one in every other turn, took eight hundred.
  expect(turns).toBeLessThan(300)
})

test('an error in a part is the page’s error, and those of its other parts end nothing', async () => {
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  process.on('unhandledRejection', note)
  const Broken = ({ name }: { name: string }): never => {
    throw new Error(name)
  }
  const page = (last: string | null) => (
    <div>
      {['one', 'two'].map((name) => (
        <Part>
          <Part>
            <Broken name={name} />
          </Part>
        </Part>
      ))}
      {last ? <Broken name={last} /> : null}
    </div>
  )
  expect((await renderHtml(page(null)).catch(String)) as string).toContain('one')
  expect((await renderHtml(page('at once')).catch(String)) as string).toContain('at once')
  for (let turns = 0; turns < 20; turns++) await turn()
  process.off('unhandledRejection', note)
  expect(uncaught).toEqual([])
})
