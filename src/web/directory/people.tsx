/** @jsxImportSource hono/jsx */
/** `/people`: the list of people, with the filters, orders and facets of the API's. */
import { PEOPLE_PARAMETERS } from '../../contract/parameters.ts'
import { CONTACT_TYPES } from '../../contract/vocabulary.ts'
import { CHANNEL_NAMES } from '../components/channels.ts'
import { Boxes, Select } from '../components/fields.tsx'
import { listPage } from '../components/list.tsx'
import { PersonRow } from '../components/rows.tsx'
import { words } from '../components/text.tsx'
import type { Page, Visit } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { ORDERS } from './orders.ts'
import { personRecord } from './view-models.ts'

export function peoplePage(visit: Visit): Page {
  const values = valuesOf(PEOPLE_PARAMETERS, visit.query)
  const { people, total, facets } = visit.directory.people(values)
  return listPage({
    visit,
    title: 'People',
    lead: 'Founders, operators and allocators, with the channels on file for each.',
    path: '/people',
    parameters: PEOPLE_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <Select
          name="sort"
          label="Order"
          none={values.q ? 'Best match' : 'Newest'}
          options={ORDERS.people}
          chosen={values.sort}
        />
        <Select
          name="contactType"
          label="Contact"
          none="Any"
          options={CONTACT_TYPES.map((value) => ({ value, label: words(value) }))}
          chosen={values.contactType}
        />
        <details class="more" open={values.roles.length > 0 || values.channels.length > 0}>
          <summary>Roles and channels</summary>
          <Boxes
            name="roles"
            legend="Roles"
            boxes={withChosen(facets.roles, values.roles)}
            chosen={values.roles}
          />
          <Boxes
            name="channels"
            legend="Channels on file"
            boxes={withChosen(facets.channels, values.channels).map((box) => ({
              ...box,
              label: CHANNEL_NAMES[box.value as keyof typeof CHANNEL_NAMES].label,
            }))}
            chosen={values.channels}
          />
        </details>
      </>
    ),
    rows: people.map((person) => <PersonRow person={personRecord(person)} visit={visit} />),
  })
}

/** A box that is ticked stays, also where it would leave nothing. */
function withChosen(
  facets: readonly { value: string; count: number }[],
  chosen: readonly string[],
) {
  const counted = new Set(facets.map(({ value }) => value))
  const others = chosen.filter((value) => !counted.has(value.toLowerCase()))
  return [...facets, ...others.map((value) => ({ value, count: 0 }))]
}
