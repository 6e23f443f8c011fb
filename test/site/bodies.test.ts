/** Bodies of strangers: each has a deadline, and unfinished ones hold no more than a total, for which the costliest gives way. */
import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { bytesOf, createBodyLimits } from '../../src/site/http/body.ts'
import { ClientLeft } from '../../src/site/http/page-error.ts'
import { rejection } from '../helpers/rejection.ts'
import { sharedService } from '../helpers/shared.ts'
import { startTown } from './visitor.ts'

const service = sharedService()

/** A body that comes as the test sends it. */
function sending() {
  let controller: ReadableStreamDefaultController<Uint8Array>
  const state = { isLetGo: false }
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      state.isLetGo = true
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  return {
    request: new Request('http://app.test/', init),
    state,
    send: (bytes: number) => controller.enqueue(new Uint8Array(bytes)),
    isRead: () => (controller.desiredSize ?? 0) > 0,
    end: () => controller.close(),
    breakOff: () => controller.error(new Error('reset')),
  }
}

async function lengthOf(parts: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0
  for await (const part of parts) length += part.byteLength
  return length
}

/** Resolves when all that was sent has been read. */
const turns = () => Bun.sleep(5)

test('a body that is not whole at its deadline is refused, and the connection with it', async () => {
  const { arriving } = createBodyLimits({ maxMs: 10 })
  const slow = sending()
  slow.send(10)
  const refusal = await rejection(lengthOf(arriving(slow.request)))
  expect(refusal).toMatchObject({ status: 408, headers: { connection: 'close' } })
  expect(slow.state.isLetGo).toBe(true)
})

test('beyond the total, of bodies alike the one that came first gives way, and its bytes count no more', async () => {
  const { arriving } = createBodyLimits({ maxTotalBytes: 100 })
  const bodies = Array.from({ length: 5 }, sending)
  const ends = bodies.map(({ request }) =>
    lengthOf(arriving(request)).catch(({ status }: { status: number }) => status),
  )
  for (const { send } of bodies) {
    send(40)
    await turns()
  }
  // Each third one of 40 is too much beside two.
  expect(bodies.map(({ state }) => state.isLetGo)).toEqual([true, true, true, false, false])
  for (const { end } of bodies.slice(3)) end()
  expect(await Promise.all(ends)).toEqual([408, 408, 408, 40, 40])
  const next = sending()
  const whole = lengthOf(arriving(next.request))
  for (const bytes of [40, 40, 20]) next.send(bytes)
  next.end()
  expect(await whole).toBe(100)
})

test('a small body on a slow line, and a large one that comes at once, stay beside bodies that are held back', async () => {
  const { arriving } = createBodyLimits({ maxTotalBytes: 100 })
  const [small, first, second, large] = [sending(), sending(), sending(), sending()]
  const ends = [small, first, second, large].map(({ request }) =>
    lengthOf(arriving(request)).catch(({ status }: { status: number }) => status),
  )
  for (const [body, bytes] of [
    [small, 2],
    [first, 45],
    [second, 45],
  ] as const) {
    body.send(bytes)
    await Bun.sleep(20)
  }
  large.send(60)
  await turns()
  for (const { end, state } of [small, first, second, large]) if (!state.isLetGo) end()
  expect(await Promise.all(ends)).toEqual([2, 408, 408, 60])
})

test('a part that came just before its body gave way counts no more either', async () => {
  const { arriving } = createBodyLimits({ maxTotalBytes: 100 })
  for (let n = 0; n < 5; n++) {
    const [first, next] = [sending(), sending()]
    const refused = rejection(lengthOf(arriving(first.request)))
    const whole = lengthOf(arriving(next.request))
    first.send(60)
    await turns()
    next.send(60)
    first.send(30)
    next.end()
    expect([await refused, await whole]).toEqual([expect.objectContaining({ status: 408 }), 60])
  }
})

test('a client that leaves is no slow one, and holds nothing', async () => {
  const { arriving } = createBodyLimits({ maxTotalBytes: 100 })
  for (let n = 0; n < 3; n++) {
    const left = sending()
    const end = rejection(lengthOf(arriving(left.request)))
    left.send(60)
    await turns()
    left.breakOff()
    expect(await end).toBeInstanceOf(ClientLeft)
  }
})

test('an unfinished body in parts of one byte holds about its bytes, not an object for each part', async () => {
  const count = () => {
    Bun.gc(true)
    return heapStats().objectCount
  }
  const parts = 10_000
  const slow = sending()
  const whole = bytesOf(slow.request, parts, true)
  await turns()
  const before = count()
  for (let part = 0; part < parts; part++) slow.send(1)
  while (!slow.isRead()) await turns()
  expect(count() - before).toBeLessThan(parts / 10)
  slow.end()
  expect((await whole).byteLength).toBe(parts)
})

test('forms that strangers hold back share the total of a process, and the form of somebody who is signed in has no part in it', async () => {
  const town = await startTown(service)
  const person = await town.person()
  const cookie = [...person.cookies].map((pair) => pair.join('=')).join('; ')
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const bytes = 16_000
  /** The answer to a form that was read whole: its bytes are NULs. */
  const whole = 400
  /** Sends a form that never ends, unless it is let go. */
  const hold = (headers: Record<string, string>) => {
    const form = sending()
    const answer = town.site.get('/sign-out', {
      method: 'POST',
      body: form.request.body,
      duplex: 'half',
      headers: { ...type, ...headers },
    } as RequestInit)
    form.send(bytes)
    return { form, answer }
  }
  const known = hold({ cookie })
  while (!known.form.isRead()) await turns()
  const most = Math.floor((16 * 1024 * 1024) / bytes)
  const strangers = Array.from({ length: most + 20 }, () => hold({}))
  const firstToEnd = await Promise.race(strangers.map(({ answer }) => answer))
  expect(firstToEnd.status).toBe(408)
  known.form.end()
  expect((await known.answer).status).toBe(whole)
  for (const { form } of strangers) if (!form.state.isLetGo) form.end()
  const ends = await Promise.all(strangers.map(({ answer }) => answer))
  expect(ends.filter(({ status }) => status === 408).length).toBeGreaterThanOrEqual(20)
  expect(ends.filter(({ status }) => status === whole).length).toBeGreaterThan(0)
})
