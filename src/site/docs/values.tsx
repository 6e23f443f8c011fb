/** @jsxImportSource hono/jsx */
/** `/docs/values`: what the filters of lists take, counted in the directory that is loaded. */
import { documentedPath, ENDPOINTS } from '../../contract/endpoints.ts'
import { FILTERS, type FilterName } from '../../contract/parameters.ts'
import { LISTS, type ListName } from '../../contract/vocabulary.ts'
import { Section, Table } from '../ui/page-parts.tsx'
import { figure } from '../ui/text.tsx'
import {
  type Document,
  type DocumentContext,
  ErrorLink,
  Repeated,
  Unsearched,
} from './document.tsx'

/** Values of a filter that are shown: with those of all lists, a page that a model can read. */
const SHOWN_MAX = 150

export const values: Document = {
  path: '/docs/values',
  title: 'Values of filters',
  lead: 'What roles, channels, sector, fundType and trustTier take, with how many records have it now. This page is free.',
  isLive: true,
  body: (context) => (
    <>
      <p>
        Case is ignored. A value that no record has and that is near one of these is a{' '}
        <ErrorLink code="invalid_parameter" href={context.href} /> which names it, and costs
        nothing; any other unknown value matches nothing, and that answer costs what every list
        does.
      </p>
      <Unsearched>
        <Repeated>
          {LISTS.map((list) => (
            <ListValues list={list} context={context} />
          ))}
        </Repeated>
      </Unsearched>
    </>
  ),
}

function ListValues({ list, context }: { list: ListName; context: DocumentContext }) {
  const { path, parameters } = ENDPOINTS[list]
  const names = FILTERS.filter((name) => Object.hasOwn(parameters, name))
  return (
    <Section id={list} title={<code>GET {documentedPath(path)}</code>}>
      <Table
        label={`Values of ${list}`}
        isCards
        columns={['Parameter', { label: 'Values and their records', card: 'line' }]}
        rows={names.map((name) => [
          <code>{name}</code>,
          <FilterValues list={list} name={name} context={context} />,
        ])}
      />
    </Section>
  )
}

interface FilterValuesProps {
  list: ListName
  name: FilterName
  context: DocumentContext
}

function FilterValues({ list, name, context }: FilterValuesProps) {
  const known = context.directory.values(list, name)
  if (known.length === 0) return <>none yet</>
  const more = known.length - SHOWN_MAX
  return (
    <>
      {known.slice(0, SHOWN_MAX).map(({ value, count }, place) => (
        <>
          {place === 0 ? null : ', '}
          <code dir="auto">{value}</code> {figure(count)}
        </>
      ))}
      {more > 0 ? `, and ${figure(more)} more with fewer records` : null}
    </>
  )
}
