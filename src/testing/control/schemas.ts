/** Schemas of the control's OpenAPI document. The kit checks values by itself. */
import { Type } from '@sinclair/typebox'
import { FAULT_KINDS, FAULT_STATUSES } from '../faults.ts'
import { count, flag, id, list, named, oneOf, optional, orNull, row, text, time } from './shapes.ts'

export * from './account-schemas.ts'

export const addresses = named(
  'Addresses',
  {
    apiUrl: text('Where the API answers.'),
    appUrl: text('Where the application and the documentation of the API are.'),
    controlUrl: text('Where this control answers.'),
    now: time("The directory's time."),
  },
  'Where the test server is reached, and its time.',
)

export const records = named(
  'Records',
  optional({
    companies: list(row, 'Rows of companies.'),
    people: list(row, 'Rows of people.'),
    rounds: list(row, 'Rows of funding rounds.'),
  }),
  'Rows in the form of the import: what is there already is changed.',
)

export const clock = named(
  'Clock',
  { now: time("The directory's time.") },
  'Windows and expiries are measured by it.',
)

export const clockChange = named(
  'ClockChange',
  optional({
    advance: text('A duration: `61s`, `15m`, `12h` or `7d`.'),
    now: time('A time that is not before the clock’s own.'),
  }),
  'One of the two.',
)

export const newFault = named(
  'NewFault',
  {
    kind: oneOf(
      FAULT_KINDS,
      '`status`: an error as the service gives it (429, 500, 503) or a proxy before it (502, 504). `delay`: the call waits before it is decided. `reset-before-charge` and `reset-after-charge`: the connection is reset. `half-body`: it ends inside the body. `slow`: the body arrives in pieces.',
    ),
    ...optional({
      path: text('Calls of this endpoint, as `/v1/people/{id}`, or of this path alone.'),
      account: id('an account whose calls alone are hit'),
      share: Type.Number({
        description: 'Which part of them, above 0: 0.25 hits each fourth.',
        minimum: 0,
        maximum: 1,
      }),
      count: count('How many calls, then it is over; until it is ended unless given.', 1),
      status: Type.Union(
        FAULT_STATUSES.map((status) => Type.Literal(status)),
        { description: 'Of `status`; 500 unless given.' },
      ),
      charged: flag('Of `status` 502, 503 and 504: the call is charged before.'),
      ms: count('Of `delay` and `slow`; 1000 unless given.'),
    }),
  },
  'A fault to hit calls with; those without a key in force are not hit.',
)

export const fault = named(
  'Fault',
  { id: count('Its number.', 1), hits: count('How many calls it has hit.'), options: newFault },
  'A fault.',
)

export const faults = named('Faults', { faults: list(fault, 'Not over yet.') }, 'Faults.')

export const newOutage = named(
  'NewOutage',
  {
    ms: count('How long, in milliseconds of real time; 0 ends it. The clock moves it on as well.'),
  },
  'An outage of the database.',
)

export const calls = named(
  'Calls',
  {
    calls: list(
      named(
        'Call',
        {
          number: count('1 for the first since the start or the last reset.', 1),
          at: time("When it came, by the directory's clock."),
          method: text('As sent.'),
          path: text('As sent, with its query.'),
          account: orNull(id('the account whose key it carried')),
          idempotencyKey: orNull(text('As sent.')),
          requestId: orNull(text('`X-Request-Id` of the answer.')),
          status: orNull(Type.Integer({ description: 'null where the connection was reset.' })),
          charged: count('Credits that it took, whether its answer arrived or not.'),
          fault: orNull(oneOf(FAULT_KINDS, 'Which fault hit it.')),
          body: Type.Unknown({ description: 'What was answered.' }),
        },
        'A call of the API that has ended.',
      ),
      'In the order in which they came: the newest 1,000.',
    ),
  },
  'The journal.',
)

export const fixtures = named(
  'Fixtures',
  { companies: row, people: row, rounds: row },
  'The fixed records, by short names, as rows of the import.',
)

export const error = named(
  'Error',
  {
    error: Type.Object({
      code: oneOf(
        ['invalid_option', 'not_allowed', 'not_found', 'internal_error'],
        'What went wrong.',
      ),
      message: text('Names what was wrong, and what is allowed.'),
    }),
  },
  'A refusal: nothing was done.',
)
