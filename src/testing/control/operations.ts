/** Operations of a test server's control. Each calls the kit, which checks the arguments. */
import type { Rows } from '../../embed-testing.ts'
import type { Fault, FaultOptions } from '../faults.ts'
import { fixtures } from '../fixtures.ts'
import { checkNames, NotThere, WrongOption } from '../options.ts'
import { ACCOUNT_OPERATIONS } from './account-operations.ts'
import type { Operation } from './operation.ts'
import * as schemas from './schemas.ts'

const shown = ({ id, hits, options }: Fault) => ({ id, hits, options })

const DIRECTORY: readonly Operation[] = [
  {
    method: 'GET',
    path: '/fixtures',
    operationId: 'getFixtures',
    summary: 'The fixed records, which are there unless others were given at the start',
    answer: schemas.fixtures,
    run: () => fixtures,
  },
  {
    method: 'POST',
    path: '/records',
    operationId: 'addRecords',
    summary: 'Add or change records; the API shows them when this has answered',
    body: schemas.records,
    run: (directory, { body }) => directory.records(body as Rows),
  },
  {
    method: 'GET',
    path: '/clock',
    operationId: 'getClock',
    summary: "The directory's time",
    answer: schemas.clock,
    run: (directory) => ({ now: directory.now().toISOString() }),
  },
  {
    method: 'POST',
    path: '/clock',
    operationId: 'moveClock',
    summary: 'Move the clock on: windows end, credits expire',
    body: schemas.clockChange,
    answer: schemas.clock,
    async run(directory, { body }) {
      checkNames('clock', body, ['advance', 'now'])
      const { advance, now } = body as { advance?: string; now?: string }
      if ((advance === undefined) === (now === undefined)) {
        throw new WrongOption('clock: expected one of advance and now')
      }
      if (advance !== undefined) await directory.advance(advance)
      if (now !== undefined) await directory.setNow(now)
      return { now: directory.now().toISOString() }
    },
  },
  {
    method: 'POST',
    path: '/reset',
    operationId: 'reset',
    summary: 'No accounts, windows, faults and calls, and the first time; records stay',
    run: (directory) => directory.reset(),
  },
]

const FAULTS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/faults',
    operationId: 'createFault',
    summary: 'Hit calls with a fault from now on',
    body: schemas.newFault,
    answer: schemas.fault,
    status: 201,
    async run(directory, { body }) {
      const fault = directory.fault(body as FaultOptions)
      await fault.ready
      return shown(fault)
    },
  },
  {
    method: 'GET',
    path: '/faults',
    operationId: 'listFaults',
    summary: 'Faults that are not over',
    answer: schemas.faults,
    run: (directory) => ({ faults: directory.faults().map(shown) }),
  },
  {
    method: 'DELETE',
    path: '/faults',
    operationId: 'endFaults',
    summary: 'End every fault',
    run(directory) {
      for (const fault of directory.faults()) fault.end()
    },
  },
  {
    method: 'DELETE',
    path: '/faults/:id',
    operationId: 'endFault',
    summary: 'End one fault',
    run(directory, { params }) {
      const fault = directory.faults().find(({ id }) => String(id) === params.id)
      if (!fault) throw new NotThere(`there is no fault ${params.id}, or it is over`)
      fault.end()
    },
  },
  {
    method: 'POST',
    path: '/outage',
    operationId: 'startOutage',
    summary: 'Answer as without a database from now on: 503',
    body: schemas.newOutage,
    run(directory, { body }) {
      checkNames('outage', body, ['ms'])
      directory.outage((body as { ms: number }).ms)
    },
  },
  {
    method: 'GET',
    path: '/calls',
    operationId: 'listCalls',
    summary: 'The calls of the API that have ended, with what they were answered and charged',
    query: {
      account: 'Calls of this account alone: its id.',
      path: 'Calls of this path alone, without a query.',
    },
    answer: schemas.calls,
    run: (directory, { query }) => ({ calls: directory.calls(query) }),
  },
]

export const OPERATIONS: readonly Operation[] = [...ACCOUNT_OPERATIONS, ...DIRECTORY, ...FAULTS]
