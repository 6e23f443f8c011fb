/** @jsxImportSource hono/jsx */
/** `/connections/people/{id}` and `/connections/companies/{id}`: all connections of a record, in pages. */

import type { Page, PageContext } from '../../http/page.ts'
import {
  allOfCompany,
  allOfPerson,
  CONNECTIONS_PARAMETERS,
  type ConnectionsQuery,
  type ListedLayer,
} from '../../profiles/connections.ts'
import { idOf, recordNotFound } from '../../profiles/profile-parts.tsx'
import { companyPath, nameOf, personPath, personRecord } from '../../profiles/view-models.ts'
import { knownValuesOf, queryOf } from '../../ui/list-query.ts'
import { Section } from '../../ui/page-parts.tsx'
import { Pager } from '../../ui/pager.tsx'

export function companyConnectionsPage(context: PageContext): Page {
  const { directory } = context
  const query = knownValuesOf(CONNECTIONS_PARAMETERS, context.query)
  const company = directory.company(idOf(context))
  if (!company) throw recordNotFound('company')
  const layers = allOfCompany(directory, company, query)
  const record = { name: company.name, path: companyPath(company) }
  return connectionsPage(context, record, layers, query)
}

export function personConnectionsPage(context: PageContext): Page {
  const { directory } = context
  const query = knownValuesOf(CONNECTIONS_PARAMETERS, context.query)
  const person = directory.person(idOf(context))
  if (!person) throw recordNotFound('person')
  const layers = allOfPerson(directory, person, query)
  const record = { name: nameOf(personRecord(person)), path: personPath(person) }
  return connectionsPage(context, record, layers, query)
}

function connectionsPage(
  { href, path }: PageContext,
  record: { name: string; path: string },
  layers: readonly ListedLayer[],
  query: ConnectionsQuery,
): Page {
  return {
    title: `Connections of ${record.name}`,
    isUnlisted: true,
    main: (
      <>
        <h1>
          Connections of <bdi>{record.name}</bdi>
        </h1>
        <p>
          <a href={href(record.path)}>Back to the profile</a>
        </p>
        {layers.length === 0 ? <p class="empty">None are on record.</p> : null}
        {layers.map(({ name, title, count, page, totalPages, nodes }) => (
          <Section id={name} title={title} count={count}>
            <ul class="connected">
              {nodes.map((node) => (
                <li>
                  <a href={href(node.path)}>
                    <bdi>{node.name}</bdi>
                  </a>
                  {node.through.length > 0 ? <span class="quiet"> with </span> : null}
                  {node.through.map((one, i) => (
                    <span class="quiet">
                      {i > 0 ? ', ' : null}
                      <bdi>{one}</bdi>
                    </span>
                  ))}
                </li>
              ))}
            </ul>
            <Pager
              page={page}
              totalPages={totalPages}
              label={`Pages of ${title}`}
              href={(number) =>
                `${href(path)}${queryOf(CONNECTIONS_PARAMETERS, { ...query, [name]: number })}#${name}`
              }
            />
          </Section>
        ))}
      </>
    ),
  }
}
