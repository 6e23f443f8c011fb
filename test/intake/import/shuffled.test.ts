/**
 * Namesakes in any order, split into any files, repeated. `IMPORT_SHUFFLES` is how often each property is
 * tried: 12 times here, 300 in `.ci/long models`.
 */
import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMIT_MS } from '../../helpers/limit.ts'
import { sharedDatabase } from '../../helpers/shared.ts'
import { load, type Row } from './sources.ts'

const RUNS = Number(process.env.IMPORT_SHUFFLES ?? 12)

const t = sharedDatabase()
beforeAll(async () => {
  await t.sql`insert into accounts (name, email) values ('A', 'a@example.com')`
})

/** Rows that were taken: a run that refuses all rows would show nothing of anybody. */
const taken = { created: 0, found: 0 }

/** Each run has names of its own, so that the database need not be emptied. */
let run = 0

/** One row about one human being. Every value of a channel says whose it is. */
const SPELLINGS = ['Jané Doe', 'JANÉ doe', 'Jane DOE', 'JaneDoe']
const CHANNELS = ['email', 'linkedinUrl', 'telegram', 'phone', 'twitterHandle'] as const
const channelsOf = (human: number, run: number): Record<(typeof CHANNELS)[number], string> => ({
  email: `h${human}_r${run}@example.com`,
  linkedinUrl: `https://linkedin.com/in/h${human}_r${run}`,
  telegram: `t_h${human}_r${run}`,
  phone: `+1-555-0100-${100 + human}`,
  twitterHandle: `h${human}_r${run}`,
})

interface About {
  human: number
  spelling: string
  title: string
  says: readonly ('value' | 'blank' | 'nothing')[]
}

const about: fc.Arbitrary<About> = fc.record({
  human: fc.integer({ min: 1, max: 4 }),
  spelling: fc.constantFrom(...SPELLINGS),
  title: fc.constantFrom('CEO', 'CTO', 'Analyst'),
  says: fc.array(fc.constantFrom('value', 'value', 'nothing', 'nothing', 'blank'), {
    minLength: CHANNELS.length,
    maxLength: CHANNELS.length,
  }),
})
const abouts = fc.array(about, { minLength: 1, maxLength: 8 })

function rowOf({ human, spelling, title, says }: About, run: number): Row {
  const values = channelsOf(human, run)
  const channels = CHANNELS.flatMap((channel, i) => {
    if (says[i] === 'nothing') return []
    return [[channel, says[i] === 'value' ? values[channel] : null]]
  })
  // The company's run is part of the name, so that runs don't meet.
  return { lastName: `${spelling} ${run}`, jobTitle: title, ...Object.fromEntries(channels) }
}

/** Record id → the human beings whose channels it shows. */
async function shown(run: number): Promise<Map<string, number[]>> {
  const rows = await t.sql`
    select p.id, concat_ws(' ', c.email, c.telegram, c.linkedin_url, p.twitter_handle) as text, c.phone
      from people p left join private_channels c on c.person_id = p.id
     where p.last_name like ${`% ${run}`}`
  return new Map(
    rows.map(({ id, text, phone }) => {
      const named = [...String(text).matchAll(/h(\d)_r/g)].map(([, human]) => Number(human))
      const called = phone ? [Number(String(phone).slice(-3)) - 100] : []
      return [String(id), [...new Set([...named, ...called])]]
    }),
  )
}

const unlockAll = (run: number) => t.sql`
  insert into unlocks (account_id, person_id, at)
  select a.id, p.id, now() from accounts a, people p
   where p.last_name like ${`% ${run}`} on conflict do nothing`

/** A history: files made of the rows in any order, with repeats, and when the account unlocks everybody. */
const history = abouts.chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    files: fc.array(fc.array(fc.integer({ min: 0, max: rows.length - 1 }), { minLength: 1 }), {
      minLength: 2,
      maxLength: 5,
    }),
  }),
)

describe('files of namesakes', () => {
  test(
    'shuffled, split and repeated, never change whose channels an unlock shows',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ rows, files }) => {
          const own = ++run
          const owners = new Map<string, number>()
          for (const file of files) {
            const done = await load(
              t.database,
              'people',
              file.flatMap((i) => (rows[i] ? [rowOf(rows[i], own)] : [])),
            )
            taken.created += done.created
            taken.found += done.updated + done.unchanged
            await unlockAll(own)
            for (const [id, humans] of await shown(own)) {
              expect(humans.length).toBeLessThanOrEqual(1)
              const [human] = humans
              if (human === undefined) continue
              expect(human).toBe(owners.get(id) ?? human)
              owners.set(id, human)
            }
          }
        }),
        { numRuns: RUNS },
      )
      expect(taken.created).toBeGreaterThan(RUNS)
      expect(taken.found).toBeGreaterThan(RUNS)
    },
    LIMIT_MS * 2,
  )

  test(
    'once more, in any order, change no channel',
    async () => {
      const shuffled = abouts.chain((rows) =>
        fc.record({
          rows: fc.constant(rows),
          other: fc.shuffledSubarray([...rows.keys()], { minLength: rows.length }),
        }),
      )
      await fc.assert(
        fc.asyncProperty(shuffled, async ({ rows, other }) => {
          const own = ++run
          await load(
            t.database,
            'people',
            rows.map((row) => rowOf(row, own)),
          )
          const stored = await channels(own)
          const again = await load(
            t.database,
            'people',
            rows.map((row) => rowOf(row, own)),
          )
          expect(again.created).toBe(0)
          const file = other.flatMap((i) => (rows[i] ? [rowOf(rows[i], own)] : []))
          await load(t.database, 'people', file)
          expect(await channels(own)).toEqual(stored)
        }),
        { numRuns: RUNS },
      )
    },
    LIMIT_MS * 2,
  )
})

async function channels(run: number) {
  const rows = await t.sql`
    select p.twitter_handle, c.email, c.telegram, c.linkedin_url, c.phone
      from people p left join private_channels c on c.person_id = p.id
     where p.last_name like ${`% ${run}`} order by 1, 2, 3, 4, 5`
  return rows.map((row) => ({ ...row }))
}
