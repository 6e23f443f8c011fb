/** Filters and orders of the lists in words: on their pages, and where a view or an export says what it is of. */
import type { Directory } from '../../directory/records/directory.ts'
import type { FacetField } from '../ui/facet-fields.tsx'
import type { Fact } from '../ui/facts.tsx'
import { orderLabel } from '../ui/form.tsx'
import { parameterLabel } from '../ui/list-query.ts'
import { humanize, wordList } from '../ui/text.tsx'
import { CHANNEL_NAMES } from './contact.tsx'

/** Values of a filter that are named; how many more there are is said behind them. */
const NAMED = 5

type FacetNames = Pick<FacetField, 'legend' | 'labels' | 'order'>

/** Rounds from the first to the last; others stand behind them. */
const STAGES = ['pre-seed', 'seed', 'series a', 'series b', 'series c', 'series d', 'series e']

function byStage(one: string, other: string): number {
  const [place, otherPlace] = [one, other].map((stage) => {
    const found = STAGES.indexOf(stage.toLowerCase())
    return found < 0 ? STAGES.length : found
  }) as [number, number]
  return place - otherPlace
}

/** What a facet is called, and its values where they are words of ours. */
const FACETS: Readonly<Record<string, FacetNames>> = {
  roles: { legend: 'Role', labels: humanize },
  channels: {
    legend: 'Channel on file',
    labels: (value) => CHANNEL_NAMES[value as keyof typeof CHANNEL_NAMES].label,
  },
  company: { legend: 'Company' },
  contactType: { legend: 'Contact type', labels: humanize },
  kind: { legend: 'Kind', labels: humanize },
  sector: { legend: 'Sector' },
  chain: { legend: 'Chain' },
  token: {
    legend: 'Token',
    labels: (value) => (value === 'launched' ? 'Launched' : 'Not launched'),
  },
  stage: { legend: 'Last round', order: byStage },
  raised: { legend: 'Last raised in', order: (one, other) => other.localeCompare(one) },
  fundType: { legend: 'Fund type', labels: humanize },
  trustTier: {
    legend: 'Trust tier',
    labels: humanize,
    order: (one, other) => one.localeCompare(other),
  },
  entity: {
    legend: 'Firm or angel',
    labels: (value) => (value.toLowerCase() === 'individual' ? 'Angel' : 'Firm'),
  },
}

/** A facet by its parameter. A company is named as the directory names it. */
export function facetNamesOf(name: string, directory: Directory): FacetNames {
  const { legend = parameterLabel(name), labels, order } = FACETS[name] ?? {}
  return {
    legend,
    order,
    labels: name === 'company' ? (slug) => directory.company(slug)?.name ?? slug : labels,
  }
}

/** The values of a list's parameters, each with its name and the first of its values; those that are absent have no value. */
export function filterFacts(
  values: Readonly<Record<string, unknown>>,
  directory: Directory,
): Fact[] {
  return Object.entries(values).map(([name, value]) => {
    const chosen = [value ?? []].flat().map(String)
    if (name === 'q') return { name: 'Search', value: chosen[0] }
    if (name === 'sort') return { name: 'Sort by', value: chosen.map(orderLabel)[0] }
    const { legend, labels = (one) => one } = facetNamesOf(name, directory)
    const named = chosen.slice(0, NAMED).map((one) => labels(one))
    return { name: legend, value: wordList([...named, ...chosen.slice(NAMED)], NAMED) }
  })
}
