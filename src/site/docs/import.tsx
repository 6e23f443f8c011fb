/** @jsxImportSource hono/jsx */
/** `/docs/import`: what the files of an import may say, from the table by which rows are cleaned. */
import type { Field } from '../../intake/import/fields/types.ts'
import { FIELDS } from '../../intake/import/kinds.ts'
import { KINDS, type KindName } from '../../intake/import/summary.ts'
import { Code, Section, Table } from '../ui/page-parts.tsx'
import { humanize, InlineCode, Prose } from '../ui/text.tsx'
import { type Document, Unsearched } from './document.tsx'

const ABOUT: Readonly<Record<KindName, string>> = {
  companies: 'Projects, investors and services. A new one has a `name` and a `companyType`.',
  people: 'A new one has a first or a last name. The last four fields are private channels.',
  rounds:
    'Funding rounds. A new one has a `company` that is in the directory, or in the file of companies.',
}

export const importing: Document = {
  path: '/docs/import',
  title: 'Import files',
  lead: 'For whoever runs this service: every column that a spreadsheet or JSON file of records may have.',
  body: () => (
    <>
      <Code
        isCommand
        text="chainkin import --companies companies.csv --people people.csv --rounds rounds.csv"
      />
      <p>
        <code>chainkin import --help --fields</code> prints the same tables. Columns are matched
        without case, blanks and marks: <code class="unbroken">First Name</code>,{' '}
        <code>first_name</code> and <code>firstName</code> are one. A blank cell, <code>-</code> and{' '}
        <code>n/a</code> mean nothing. What reads two ways is never guessed: it is named with both
        readings. A field opens to say how it is read, and by which other names.
      </p>
      <p>
        Look first: <code>--dry-run --report problems.csv</code> writes nothing and lists every
        value that can't be stored. <code class="unbroken">--date-order mdy</code> says how dates
        like <code class="unbroken">3/5/24</code> are meant,{' '}
        <code class="unbroken">--fill companyType=project</code> what rows without a value have,{' '}
        <code class="unbroken">--map "Works at=company"</code> what a column means,{' '}
        <code class="unbroken">--map "Raised=amountUsd*1e6"</code> that its amounts are in millions.
      </p>
      <p>
        In the browser an operator drops a file onto <code class="unbroken">/operator/imports</code>
        , says there what its columns mean, sees what it would change, corrects rows in place, and
        imports it.
      </p>
      {KINDS.map((kind) => (
        <Section id={kind} title={humanize(kind)}>
          <p>
            <Prose text={ABOUT[kind]} />
          </p>
          <Unsearched>
            <Table
              label={`Fields of ${kind}`}
              isCards
              columns={[
                'Field',
                { label: 'Type', card: 'end' },
                { label: 'What it says', card: 'line' },
              ]}
              rows={Object.entries(FIELDS[kind]).map(cellsOf)}
            />
          </Unsearched>
        </Section>
      ))}
    </>
  ),
}

const cellsOf = ([name, field]: [string, Field]) => [
  <code>{name}</code>,
  <Prose text={field.type} />,
  <details>
    <summary>
      <Prose text={field.meaning} /> Example: <InlineCode text={field.example} />
    </summary>
    <p>
      How it is read: <Prose text={field.cleans} />
    </p>
    {field.aliases.length > 0 ? <p>Other names: {field.aliases.join(', ')}</p> : null}
  </details>,
]
