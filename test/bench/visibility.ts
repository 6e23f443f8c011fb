/** How long a committed change takes to show in every instance, as their callers see it. */
import { randomUUID } from 'node:crypto'
import type postgres from 'postgres'

export interface Watch {
  sql: postgres.Sql
  /** Addresses of the instances. */
  instances: readonly string[]
  /** Keys of accounts that can pay, so many that none meets its rate limit. */
  keys: readonly string[]
}

export interface TimesToShow {
  name: string
  changes: number
  /** From the commit until the last instance shows it in a list, in search and alone. */
  p50Ms: number
  longestMs: number
}

/** A fine enough answer, of few calls beside those that are measured. */
const POLL_MS = 50
const GIVE_UP_MS = 30_000

/** Commits a person of a new company, waits until everybody shows both, and so on while `goesOn`. */
export async function timesToShow(
  name: string,
  watch: Watch,
  goesOn: (done: number) => boolean,
): Promise<TimesToShow> {
  const tookMs: number[] = []
  while (goesOn(tookMs.length)) {
    const change = await commit(watch.sql)
    const committedAt = performance.now()
    await Promise.all(watch.instances.flatMap((base) => looks(base, change, watch.keys)))
    tookMs.push(performance.now() - committedAt)
  }
  tookMs.sort((a, b) => a - b)
  const at = (share: number) => Math.round(tookMs[Math.floor((tookMs.length - 1) * share)] ?? 0)
  return { name, changes: tookMs.length, p50Ms: at(0.5), longestMs: at(1) }
}

interface Change {
  person: string
  company: string
  word: string
}

async function commit(sql: postgres.Sql): Promise<Change> {
  const change = {
    person: randomUUID(),
    company: randomUUID(),
    word: `zq${randomUUID().replaceAll(/[^a-f]/g, '')}`,
  }
  await sql`
    with company as (
      insert into companies (id, slug, name, company_type)
      values (${change.company}, ${change.company}, ${change.word}, 'project') returning id
    )
    insert into people (id, first_name, last_name, company_id)
    select ${change.person}, ${change.word}, 'Example', id from company`
  return change
}

function looks(base: string, { person, company, word }: Change, keys: readonly string[]) {
  const both = [`"id":"${person}"`, `"id":"${company}"`]
  return [
    shows(`${base}/v1/people?sort=recent&limit=1`, keys, both),
    shows(`${base}/v1/search?q=${word}`, keys, both),
    shows(`${base}/v1/people/${person}`, keys, both),
  ]
}

let calls = 0

/** Calls until the answer holds all the texts. */
async function shows(url: string, keys: readonly string[], texts: readonly string[]) {
  const until = performance.now() + GIVE_UP_MS
  while (performance.now() < until) {
    const headers = { authorization: `Bearer ${keys[calls++ % keys.length]}` }
    const answer = await fetch(url, { headers }).then((response) => response.text())
    if (texts.every((text) => answer.includes(text))) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`${url} did not show a change within ${GIVE_UP_MS} ms`)
}
