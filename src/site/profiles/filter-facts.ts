/** Filters and orders in words, for lists, views and exports. */
import type { Directory } from '../../directory/records/directory.ts'
import type { FacetField } from '../ui/facet-fields.tsx'
import type { Fact } from '../ui/facts.tsx'
import { orderLabel } from '../ui/form.tsx'
import { parameterLabel } from '../ui/list-query.ts'
import { humanize, wordList } from '../ui/text.tsx'
import { CHANNEL_NAMES } from './contact.tsx'

/** Values of a filter that are named; others are counted. */
const NAMED = 5

type FacetNames = Pick<FacetField, 'legend' | 'labels' | 'order'>

/** Order of stages; unknown ones come last. */
const STAGES = ['pre-seed', 'seed', 'series a', 'series b', 'series c', 'series d', 'series e']

function byStage(one: string, other: string): number {
  const [place, otherPlace] = [one, other].map((stage) => {
    const index = STAGES.indexOf(stage.toLowerCase())
    return index < 0 ? STAGES.length : index
  }) as [number, number]
  return place - otherPlace
}

/** Legend of each facet, and labels of values that need one. */
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

/** Names for a facet; companies have their names instead of slugs. */
export function facetNamesOf(name: string, directory: Directory): FacetNames {
  const { legend = parameterLabel(name), labels, order } = FACETS[name] ?? {}
  return {
    legend,
    order,
    labels: name === 'company' ? (slug) => directory.company(slug)?.name ?? slug : labels,
  }
}

/** Parameters of a list as facts; absent ones have no value. */
export function filterFacts(
  values: Readonly<Record<string, unknown>>,
  directory: Directory,
): Fact[] {
  return Object.entries(values).map(([name, value]) => {
    const selected = [value ?? []].flat().map(String)
    if (name === 'q') return { name: 'Search', value: selected[0] }
    if (name === 'sort') return { name: 'Sort by', value: selected.map(orderLabel)[0] }
    const { legend, labels = (one) => one } = facetNamesOf(name, directory)
    const named = selected.slice(0, NAMED).map((one) => labels(one))
    return { name: legend, value: wordList([...named, ...selected.slice(NAMED)], NAMED) }
  })
}
