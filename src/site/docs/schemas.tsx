/** @jsxImportSource hono/jsx */
/** The records of the reference, each a table of fields, and the closed sets. */

import type { Child } from '../http/html.ts'
import { Table } from '../ui/page-parts.tsx'
import { Prose } from '../ui/text.tsx'
import { Repeated } from './document.tsx'
import { nameOfRef, type OpenApi, type Ref, resolved, type Schema } from './openapi.ts'

interface SchemasProps {
  document: OpenApi
  names: readonly string[]
  level?: 'h2' | 'h3'
}

/**
 * Schemas by their names, in the document's order. Where each is a section of a page of many (`h2`), its fields are folded on a
 * phone until it is opened or linked to.
 */
export function Schemas({ document, names, level: Heading = 'h3' }: SchemasProps) {
  const all = Object.entries(document.components.schemas)
  return (
    <>
      {all
        .filter(([name]) => names.includes(name))
        .map(([name, schema]) => (
          <section class="entry" id={`record-${name}`} aria-labelledby={`record-${name}-title`}>
            <Heading id={`record-${name}-title`}>{name}</Heading>
            <p>
              <Prose text={schema.description ?? ''} />
            </p>
            {schema.properties ? (
              <Foldable isFolded={Heading === 'h2'} label={`Fields of ${name}`}>
                <Fields document={document} name={name} schema={schema} />
              </Foldable>
            ) : (
              <p>
                One of <Type type={schema} />.
              </p>
            )}
          </section>
        ))}
    </>
  )
}

function Foldable(of: { isFolded: boolean; label: string; children?: Child }) {
  if (!of.isFolded) return <>{of.children}</>
  return (
    <details class="record-fields">
      <summary>{of.label}</summary>
      {of.children}
    </details>
  )
}

function Fields(of: { document: OpenApi; name: string; schema: Schema }) {
  const { document, name, schema } = of
  return (
    <Table
      label={`Fields of ${name}`}
      isCards
      columns={['Field', { label: 'Type', card: 'end' }, { label: 'What it says', card: 'line' }]}
      rows={Object.entries(schema.properties ?? {}).map(([field, type]) => [
        <code>{field}</code>,
        <>
          <Type type={type} />
          {schema.required?.includes(field) ? null : ', optional'}
        </>,
        <Description document={document} type={type} />,
      ])}
    />
  )
}

/** A type in words; a named type links to its table. */
export function Type({ type }: { type: Schema | Ref }) {
  if ('$ref' in type) {
    const name = nameOfRef(type)
    return <a href={`#record-${name}`}>{name}</a>
  }
  return (
    <>
      {wordsOf(type)}
      {type.nullable ? ' or null' : null}
    </>
  )
}

function wordsOf({ anyOf, allOf, items, enum: values, format, type, ...bounds }: Schema): Child {
  const parts = anyOf ?? allOf
  if (parts) {
    return parts.map((part, i) => (
      <>
        {i > 0 ? ' or ' : null}
        <Type type={part} />
      </>
    ))
  }
  if (items) {
    return (
      <>
        list of <Type type={items} />
      </>
    )
  }
  if (values) return values.map((value) => JSON.stringify(value)).join(', ')
  const { minimum, maximum } = bounds
  return minimum !== undefined && minimum === maximum ? minimum : (format ?? type)
}

/** What a field says; of one without words of its own, what the record that it holds is. */
function Description({ document, type }: { document: OpenApi; type: Schema | Ref }) {
  const { description, ...rest }: Partial<Schema & Ref> = type
  if (description) return <Prose text={description} />
  const named = [type, ...(rest.allOf ?? rest.anyOf ?? []), ...(rest.items ? [rest.items] : [])]
  const record = named.find((it): it is Ref => '$ref' in it)
  if (!record) return null
  return (
    <Repeated>
      <Prose text={resolved<Schema>(document, record).description ?? ''} />
    </Repeated>
  )
}
