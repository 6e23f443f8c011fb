/** @jsxImportSource hono/jsx */
/** `/people`: the list of people, with the API's filters, orders and facets. */
import { PEOPLE_PARAMETERS } from '../../contract/parameters.ts'
import { CONTACT_TYPES } from '../../contract/vocabulary.ts'
import { CHANNEL_NAMES } from '../components/contact.tsx'
import { Checkboxes, Select, SortField } from '../components/form.tsx'
import { listPage } from '../components/list.tsx'
import { PersonRow } from '../components/rows.tsx'
import { humanize } from '../components/text.tsx'
import type { Page, PageContext } from '../http/page.ts'
import { valuesOf } from './list-query.ts'
import { personRecord } from './view-models.ts'

export function peoplePage(context: PageContext): Page {
  const values = valuesOf(PEOPLE_PARAMETERS, context.query)
  const { people, total, facets } = context.directory.people(values)
  return listPage({
    context,
    title: 'People',
    lead: 'Founders, operators and allocators, with the channels on file for each.',
    path: '/people',
    parameters: PEOPLE_PARAMETERS,
    values,
    total,
    fields: (
      <>
        <SortField choices={PEOPLE_PARAMETERS.sort.choices} values={values} fallback="recent" />
        <Select
          name="contactType"
          label="Contact type"
          none="Any"
          options={CONTACT_TYPES.map((value) => ({ value, label: humanize(value) }))}
          chosen={values.contactType}
        />
        <details class="more" open={values.roles.length > 0 || values.channels.length > 0}>
          <summary>Roles and channels</summary>
          <Checkboxes
            name="roles"
            legend="Roles"
            boxes={withChosen(facets.roles, values.roles)}
            chosen={values.roles}
          />
          <Checkboxes
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
    rows: people.map((person) => <PersonRow person={personRecord(person)} context={context} />),
  })
}

/** The facets, and the chosen values that they don't count: a ticked box never disappears. */
function withChosen(
  facets: readonly { value: string; count: number }[],
  chosen: readonly string[],
) {
  const known = new Set(facets.map(({ value }) => value))
  const others = chosen.filter((value) => !known.has(value.toLowerCase()))
  return [...facets, ...others.map((value) => ({ value, count: 0 }))]
}
