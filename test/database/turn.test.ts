/** When a guest's turn ends in a process that is late. The clock and the timers are the test's; nothing runs. */
import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test'
import { query } from '../../src/database/protocol.ts'
import { Session } from '../../src/database/session.ts'
import { type Engine, HOLD_MS, SessionScheduler } from '../../src/database/session-scheduler.ts'

const SLEEP = query('select pg_sleep(100)')
const BEGIN = query('begin')
const COMMIT = query('commit')
const CALL = query('select 1')

/** Answers everything at once but `SLEEP`, which lasts until it is interrupted or `wake` is called. */
class FakeEngine implements Engine {
  wake = () => {}
  async run(messages: Uint8Array): Promise<boolean> {
    const sent = Buffer.from(messages)
    if (sent.equals(SLEEP)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
    return !sent.equals(BEGIN)
  }
  interrupt() {
    this.wake()
  }
}

let nowMs = 0
let engine: FakeEngine
let scheduler: SessionScheduler

beforeEach(() => {
  jest.useFakeTimers()
  nowMs = 1_000
  spyOn(performance, 'now').mockImplementation(() => nowMs)
  engine = new FakeEngine()
  scheduler = new SessionScheduler(engine)
})

afterEach(() => {
  jest.restoreAllMocks()
  jest.useRealTimers()
})

/** Lets what is pending go on, as between two events. */
async function settle() {
  for (let n = 0; n < 100; n++) await Promise.resolve()
}

/** Lets time pass, and the timers go off `lateMs` after they should. */
async function pass(ms: number, lateMs = 0) {
  nowMs += ms + lateMs
  jest.advanceTimersByTime(ms)
  await settle()
}

/** A client that sends messages; `told` is what it was answered. */
function client(kind: 'guest' | 'service', ...messages: Uint8Array[]) {
  const told: string[] = []
  const session = new Session({
    kind,
    send: (bytes) => told.push(Buffer.from(bytes).toString('latin1')),
    onEnd: () => {},
  })
  function send(...more: Uint8Array[]) {
    for (const each of more) session.receive(each)
    scheduler.request(session)
  }
  send(...messages)
  return { session, told, send, isServed: () => session.pendingBytes === 0 }
}

/** A guest that has its turn, and a call that waits for its end. */
async function heldUp(...messages: Uint8Array[]) {
  const guest = client('guest', ...messages)
  await settle()
  const call = client('service', CALL)
  await settle()
  expect(call.isServed()).toBe(false)
  return { guest, call }
}

describe('a guest that holds others up', () => {
  test('is interrupted at the limit, not before', async () => {
    const { guest, call } = await heldUp(SLEEP)
    await pass(HOLD_MS - 1)
    expect(call.isServed()).toBe(false)
    await pass(1)
    expect(guest.told.join()).toContain('57014')
    expect(call.isServed()).toBe(true)
  })

  test('gets no more time for a statement that runs on while this process is busy', async () => {
    const { guest, call } = await heldUp(SLEEP)
    await pass(HOLD_MS, 600)
    await pass(1)
    expect(guest.told.join()).toContain('57014')
    expect(call.isServed()).toBe(true)
  })

  test('stays where its statement had ended before the limit, and the busy process had not seen it', async () => {
    const { guest, call } = await heldUp(SLEEP)
    await pass(HOLD_MS, 600)
    engine.wake()
    await settle()
    await pass(1)
    expect(guest.session.isOver).toBe(false)
    expect(call.isServed()).toBe(true)
  })

  test('stays where it ends its transaction as soon as this process is not busy any more', async () => {
    const { guest, call } = await heldUp(BEGIN)
    await pass(HOLD_MS, 600)
    await pass(20)
    guest.send(COMMIT)
    await settle()
    expect(guest.session.isOver).toBe(false)
    expect(call.isServed()).toBe(true)
  })

  test('is sent away 50 ms after this process was busy, where it stays silent', async () => {
    const { guest, call } = await heldUp(BEGIN)
    await pass(HOLD_MS, 600)
    await pass(49)
    expect(call.isServed()).toBe(false)
    await pass(1)
    expect(guest.told.join()).toContain('57014')
    expect(call.isServed()).toBe(true)
  })
})
