/** @jsxImportSource hono/jsx */
/** A grid of names and values, and the line that names what is missing from it. */
import type { Child } from '../http/html.ts'
import { wordList } from './text.tsx'

export interface Fact {
  name: string
  /** A fact whose value is null or empty is left out. */
  value: Child
}

/** The facts that have a value. */
export const knownFacts = (facts: readonly Fact[]): readonly Fact[] =>
  facts.filter(({ value }) => value !== null && value !== undefined && value !== '')

export function Facts({ facts }: { facts: readonly Fact[] }) {
  const known = knownFacts(facts)
  return (
    <dl class="facts">
      {known.map(({ name, value }) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Says what is not on record, so that nobody looks for it. @param what in words, with their articles @param isAll whether the page has little else */
export function Missing({ what, isAll = false }: { what: readonly string[]; isAll?: boolean }) {
  if (what.length === 0) return null
  const said = `Not on record yet: ${wordList(what, what.length)}.`
  return <p class={isAll ? 'empty' : 'note missing'}>{said}</p>
}
