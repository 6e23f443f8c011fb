/** @jsxImportSource hono/jsx */
/** A page for each endpoint: parameters, examples, answers, errors with their cures, price and limits, all from the contract. */
import {
  documentedPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
} from '../../contract/endpoints.ts'
import { ERRORS } from '../../contract/errors.ts'
import type { Child } from '../http/html.ts'
import { Code, Section, Table } from '../ui/page-parts.tsx'
import { InlineCode, Prose } from '../ui/text.tsx'
import { type Document, type DocumentContext, Repeated, Unsearched } from './document.tsx'
import { exampleId, exampleUrl } from './example-call.ts'
import { withExamples } from './example-values.ts'
import { Examples, NothingYet } from './examples.tsx'
import {
  bodyNamesOf,
  bodyOf,
  codesOf,
  type OpenApi,
  type Operation,
  operationAt,
  type Ref,
  recordsOf,
  resolved,
  type Schema,
} from './openapi.ts'
import { Schemas, Type } from './schemas.tsx'
import { TierLimits } from './tier-limits.tsx'

/** In the order of the contract's table. */
export const ENDPOINT_DOCUMENTS: readonly Document[] = (
  Object.keys(ENDPOINTS) as EndpointName[]
).map((endpoint): Document => {
  const { method, path, operationId, summary } = ENDPOINTS[endpoint]
  return {
    path: `/docs/reference/${operationId}`,
    title: `${method} ${documentedPath(path)}`,
    lead: `${summary}.`,
    endpoint,
    body: (context, console) => (
      <EndpointText name={endpoint} context={context} console={console} />
    ),
  }
})

interface EndpointTextProps {
  name: EndpointName
  context: DocumentContext
  console: Child
}

function EndpointText({ name, context, console }: EndpointTextProps) {
  const { path, revealCredits, credits }: Endpoint = ENDPOINTS[name]
  const { examples } = context
  const document = withExamples(context.openapi as OpenApi, examples)
  const operation = operationAt(document, documentedPath(path))
  const canReveal = revealCredits > credits
  return (
    <>
      {operation.description.split('\n\n').map((paragraph) => (
        <p>
          <Prose text={paragraph} />
        </p>
      ))}
      <Section id="parameters" title="Parameters">
        <Parameters document={document} operation={operation} />
      </Section>
      <Section id="example" title="Example">
        <p>
          Set your key first: <code class="unbroken">export API_KEY=ck_live_…</code>.
          {path.includes(':') ? (
            <>
              {' '}
              Put an id or a slug from a list in place of{' '}
              <InlineCode text={exampleId(name, examples)} />.
            </>
          ) : null}
        </p>
        <Examples url={exampleUrl(name, context.site.baseUrl, examples)} />
        <NothingYet isShown={!examples[name]} />
        <ExampleAnswers document={document} operation={operation} />
      </Section>
      {console}
      <Section id="answer" title="What it answers">
        <Answer document={document} operation={operation} />
      </Section>
      <Section id="errors" title="Errors">
        <p>
          <a href={context.href('/docs/errors')}>Errors</a> shows the body of each.
        </p>
        <Errors context={context} operation={operation} document={document} />
      </Section>
      <Section id="limits" title="Limits">
        <p>
          Each call counts against the account’s limit of requests
          {canReveal ? ', and each first reveal also against the limit of first reveals' : null}.{' '}
          <a href={context.href('/docs/limits')}>About limits</a>.
        </p>
        <Repeated>
          <TierLimits hasReveals={canReveal} />
        </Repeated>
      </Section>
    </>
  )
}

interface Described {
  document: OpenApi
  operation: Operation
}

function Parameters({ document, operation }: Described) {
  return (
    <Table
      label="Parameters"
      isCards
      columns={[
        'Parameter',
        { label: 'Type', card: 'end' },
        { label: 'What it does', card: 'line' },
      ]}
      rows={operation.parameters
        .map((it) => resolved(document, it))
        .map((it) => [
          <>
            <code>{it.name}</code>
            {it.required ? ' required' : null}
            {it.in === 'query' ? null : ` (${it.in})`}
          </>,
          <Type type={singleOf(it.schema)} />,
          <>
            <Prose text={it.description ?? ''} />
            {(it.example ?? '') === '' ? null : (
              <Unsearched>
                {' '}
                Example: <InlineCode text={String(it.example)} />
              </Unsearched>
            )}
          </>,
        ])}
    />
  )
}

/** The value of a list of at most one, which is sent as a plain value. */
function singleOf(schema: Schema): Schema | Ref {
  return schema.maxItems === 1 && schema.items ? schema.items : schema
}

/** What live calls are answered; beside the text, where there is room, with the call. */
function ExampleAnswers({ document, operation }: Described) {
  const { 200: ok } = operation.responses
  const examples = (ok && bodyOf(resolved(document, ok))?.examples) ?? {}
  const shown = Object.entries(examples)
    .filter(([name]) => !name.endsWith('_sample'))
    .map(([, it]) => resolved(document, it))
  return (
    <Unsearched>
      {shown.map((it) => (
        <details class="more">
          <summary>{shown.length > 1 ? `Example answer: ${it.summary}` : 'Example answer'}</summary>
          <Code text={JSON.stringify(it.value, null, 2)} language="json" />
        </details>
      ))}
    </Unsearched>
  )
}

/** What a 200 holds: its body with its fields, and what is in it, which has a page of its own as well. */
function Answer({ document, operation }: Described) {
  const { 200: ok } = operation.responses
  const body = ok && bodyOf(resolved(document, ok))
  if (!ok || !body) return null
  const { live, sample } = bodyNamesOf(document, operation)
  return (
    <>
      <p>The body’s fields. More may be added, so ignore those you don’t know.</p>
      <Unsearched>
        <p>
          200: <Prose text={resolved(document, ok).description} /> The body is{' '}
          <Type type={body.schema} />.
        </p>
      </Unsearched>
      <Schemas document={document} names={[live]} />
      <details class="more">
        <summary>{sample ? 'The records in it, and a sample’s body' : 'The records in it'}</summary>
        <Schemas document={document} names={sample ? [sample] : []} />
        <Repeated>
          <Schemas document={document} names={recordsOf(document, operation)} />
        </Repeated>
      </details>
    </>
  )
}

function Errors({ context, document, operation }: Described & { context: DocumentContext }) {
  return (
    <Unsearched>
      <Table
        label="Errors"
        isCards
        columns={['Status and code', 'When', 'What to do']}
        rows={codesOf(document, operation).map((code) => [
          <>
            {ERRORS[code].status} <a href={context.href(`/docs/errors#${code}`)}>{code}</a>
          </>,
          <Prose text={ERRORS[code].cause} />,
          <Prose text={ERRORS[code].cure} />,
        ])}
      />
    </Unsearched>
  )
}
