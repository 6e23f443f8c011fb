/** @jsxImportSource hono/jsx */
/** `/docs/reference`: every endpoint and every record, from the document that `/openapi.json` serves. */
import { ERRORS } from '../../contract/errors.ts'
import { Code, Curl, Section, Table } from '../components/page-parts.tsx'
import { Prose } from '../components/text.tsx'
import { type Document, type DocumentContext, Unsearched } from './document.tsx'
import {
  nameOfRef,
  type OpenApi,
  type Operation,
  type Parameter,
  type Response,
  resolved,
} from './openapi.ts'
import { Schemas, Type } from './schemas.tsx'

export const reference: Document = {
  path: '/docs/reference',
  title: 'Reference',
  lead: 'Every endpoint with its parameters and answers, and every record with its fields.',
  body: (context) => {
    const document = context.openapi as OpenApi
    const operations = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }))
    return (
      <>
        <p>
          <a href={context.href('/openapi.json')}>The OpenAPI document</a> works with client
          generators, Postman and Insomnia.
        </p>
        <nav class="index" aria-label="Endpoints">
          <ul>
            {operations.map(({ operationId, path }) => (
              <li>
                <a href={`#${operationId}`}>{path}</a>
              </li>
            ))}
            <li>
              <a href="#records">Records</a>
            </li>
          </ul>
        </nav>
        {operations.map((operation) => (
          <Endpoint {...operation} document={document} context={context} />
        ))}
        <Section id="headers" title="Headers of every answer">
          <Table
            label="Headers"
            columns={['Header', 'What it says']}
            rows={Object.entries(document.components.headers).map(([name, { description }]) => [
              <code>{name}</code>,
              <Prose text={description} />,
            ])}
          />
        </Section>
        <Section id="records" title="Records">
          <p>Every field is present unless its type says otherwise. Fields may be added.</p>
          <Schemas document={document} />
        </Section>
      </>
    )
  },
}

type Described = Operation & { path: string; document: OpenApi; context: DocumentContext }

function Endpoint({ operationId, path, summary, description, ...rest }: Described) {
  const { document, context } = rest
  const parameters = rest.parameters.map((it) => resolved(document, it))
  const responses = Object.entries(rest.responses).map(
    ([status, response]) => [status, resolved(document, response)] as const,
  )
  return (
    <section class="entry" id={operationId} aria-labelledby={`${operationId}-title`}>
      <h2 id={`${operationId}-title`}>
        <code>GET {path}</code>
      </h2>
      <p class="lead">{summary}</p>
      {description.split('\n\n').map((paragraph) => (
        <p>
          <Prose text={paragraph} />
        </p>
      ))}
      <Curl url={context.site.baseUrl + exampleOf(path, parameters)} />
      {parameters.length > 0 ? (
        <Table
          label={`Parameters of ${path}`}
          columns={['Parameter', 'Type', 'What it does']}
          rows={parameters.map((it) => [
            <>
              <code>{it.name}</code>
              {it.required ? ' required' : null}
              {it.in === 'query' ? null : ` (${it.in})`}
            </>,
            <Type type={it.schema} />,
            <Prose text={it.description ?? ''} />,
          ])}
        />
      ) : null}
      <Unsearched>
        <Table
          label={`Answers of ${path}`}
          columns={['Status', 'When', 'Body']}
          rows={responses.map(([status, response]) => [
            status,
            <Prose text={response.description} />,
            <Body response={response} context={context} />,
          ])}
        />
      </Unsearched>
      {responses
        .filter(([status]) => status === '200')
        .flatMap(([, response]) => Object.values(bodyOf(response)?.examples ?? {}))
        .map((it) => resolved(document, it))
        .map((it) => (
          <details class="more">
            <summary>Example: {it.summary}</summary>
            <Code text={JSON.stringify(it.value, null, 2)} />
          </details>
        ))}
    </section>
  )
}

/** Returns an example path, with the parameters that it requires. */
function exampleOf(path: string, parameters: readonly Parameter[]): string {
  const required = parameters.filter((it) => it.required)
  const query = new URLSearchParams(
    required.filter((it) => it.in === 'query').map((it) => [it.name, String(it.example)]),
  )
  const filled = required
    .filter((it) => it.in === 'path')
    .reduce((text, it) => text.replace(`{${it.name}}`, String(it.example)), path)
  return filled + (query.size > 0 ? `?${query}` : '')
}

const bodyOf = (response: Response) => response.content?.['application/json']

/** The schema of a 200, or links to the codes of an error. */
function Body({ response, context }: { response: Response; context: DocumentContext }) {
  const body = bodyOf(response)
  if (!body) return null
  const codes = Object.values(body.examples ?? {}).flatMap((it) =>
    '$ref' in it && nameOfRef(it) in ERRORS ? [nameOfRef(it)] : [],
  )
  if (codes.length === 0) return <Type type={body.schema} />
  return (
    <>
      {codes.map((code, i) => (
        <>
          {i > 0 ? ', ' : null}
          <a href={context.href(`/docs/errors#${code}`)}>{code}</a>
        </>
      ))}
    </>
  )
}
