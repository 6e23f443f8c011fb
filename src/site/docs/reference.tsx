/** @jsxImportSource hono/jsx */
/** `/docs/reference`: the list of endpoints, and every record, from the document that `/openapi.json` serves. */
import { ENDPOINTS } from '../../contract/endpoints.ts'
import { Section, Table } from '../ui/page-parts.tsx'
import { Prose, sentence } from '../ui/text.tsx'
import { type Document, Unsearched } from './document.tsx'
import { ENDPOINT_DOCUMENTS } from './endpoint-document.tsx'
import type { OpenApi } from './openapi.ts'
import { callPriceText } from './price-words.ts'
import { placeOf } from './records.tsx'

export const reference: Document = {
  path: '/docs/reference',
  title: 'Reference',
  lead: 'Every endpoint on a page of its own, the headers of responses, and where each record is explained.',
  body: ({ openapi, href }) => {
    const document = openapi as OpenApi
    return (
      <>
        <p>
          <a href={href('/openapi.json')}>The OpenAPI document</a> works with client generators,
          Postman and Insomnia; it is there <a href={href('/openapi-3.1.json')}>in version 3.1</a>{' '}
          too. <a href={href('/llms.txt')}>llms.txt</a> lists these pages as Markdown, for programs
          that read.
        </p>
        <Unsearched>
          {ENDPOINT_DOCUMENTS.map(({ path, title, endpoint }) => (
            <EndpointEntry href={href(path)} title={title} name={endpoint} />
          ))}
        </Unsearched>
        <Section id="console" title="Calls from these pages">
          <p>
            Each endpoint’s page has a console: signed in, you send the call from there with one of
            your keys, at its usual price, and see what it answers.
          </p>
        </Section>
        <Section id="headers" title="Response headers">
          <Table
            label="Headers"
            isCards
            columns={['Header', { label: 'When it comes, and what it says', card: 'line' }]}
            rows={Object.entries(document.components.headers).map(([name, { description }]) => [
              <code>{name}</code>,
              <Prose text={description} />,
            ])}
          />
        </Section>
        <Section id="records" title="Records">
          <p>Where the fields of each record are explained.</p>
          <Unsearched>
            <ul>
              {Object.entries(document.components.schemas).map(([name, { description = '' }]) => (
                <li id={`record-${name}`}>
                  <a href={href(`${placeOf(document, name)}#record-${name}`)}>{name}</a>:{' '}
                  <Prose text={description} />
                </li>
              ))}
            </ul>
          </Unsearched>
        </Section>
      </>
    )
  },
}

interface EndpointEntryProps {
  href: string
  title: string
  name: Document['endpoint']
}

/** A line that leads to the endpoint's page. Its id is what addresses of this page named before endpoints had pages. */
function EndpointEntry({ href, title, name = 'me' }: EndpointEntryProps) {
  const { operationId, summary, ...price } = ENDPOINTS[name]
  return (
    <section class="entry" id={operationId} aria-labelledby={`${operationId}-title`}>
      <h2 id={`${operationId}-title`}>
        <a href={href}>
          <code>{title}</code>
        </a>
      </h2>
      <p>
        {summary}. {sentence(callPriceText(price))}
      </p>
    </section>
  )
}
