/** @jsxImportSource hono/jsx */
/** Search results of all kinds, with what distinguishes namesakes: domain, chains, followers. */
import type { FoundRecord } from '../../directory/records/directory.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, Monogram } from '../ui/badges.tsx'
import { humanize, plural, shortFigure } from '../ui/text.tsx'
import { Channels, Lifecycle, Row } from './rows.tsx'
import { isSelectable, SelectBox } from './selection.tsx'
import {
  companyPath,
  nameOf,
  type PersonRecord,
  personPath,
  personRecord,
  projectRecord,
} from './view-models.ts'

const CHAINS_SHOWN = 2

/** Text, or the company of a person. */
type Fact = string | NonNullable<PersonRecord['company']>

interface Description {
  id: string
  name: string
  ticker: string | null
  /** "Project", "Investor", "Person". */
  kind: string
  path: string
  facts: readonly Fact[]
  text: string | null
  marks: Child
  /** Person for the box; null for companies. */
  person: PersonRecord | null
}

interface ResultProps {
  result: FoundRecord
  context: Pick<PageContext, 'href' | 'picture' | 'session'>
}

export function ResultRow({ result, context }: ResultProps) {
  const { id, name, ticker, kind, path, facts, text, marks, person } = describe(result)
  return (
    <Row
      name={name}
      picture={context.picture({ id })}
      href={context.href(path)}
      select={person && isSelectable(context, person) ? <SelectBox id={id} name={name} /> : null}
      marks={
        <>
          {marks}
          <Badge tone="accent">{kind}</Badge>
        </>
      }
    >
      {ticker ? <span class="ticker">${ticker}</span> : null}
      {facts.length > 0 ? (
        <p class="facts">
          {inLine(facts, (company) => (
            <a href={context.href(companyPath(company))}>{company.name}</a>
          ))}
        </p>
      ) : null}
      {text ? <p class="clamp">{text}</p> : null}
    </Row>
  )
}

/** Option below a search box: a link. */
export function ResultOption({ result, context }: ResultProps) {
  const { id, name, ticker, kind, path, facts } = describe(result)
  return (
    <a role="option" tabindex={-1} href={context.href(path)}>
      <Monogram name={name} picture={context.picture({ id })} />
      <span class="what">
        <span class="name">{name}</span> {ticker ? <span class="ticker">${ticker}</span> : null}{' '}
        <span class="facts">{inLine(facts, ({ name }) => name)}</span>
      </span>{' '}
      <Badge>{kind}</Badge>
    </a>
  )
}

export const isAnySelectable = (result: readonly FoundRecord[], context: ResultProps['context']) =>
  result.some((it) => it.kind === 'person' && isSelectable(context, personRecord(it.person)))

function describe(result: FoundRecord): Description {
  if (result.kind === 'person') {
    const record = personRecord(result.person)
    const { jobTitle, company, creatorFollowerCount } = record
    return {
      id: record.id,
      name: nameOf(record),
      ticker: null,
      kind: 'Person',
      path: personPath(record),
      facts: present(jobTitle, company, followersOf(creatorFollowerCount)),
      text: null,
      marks: <Channels person={record} />,
      person: record,
    }
  }
  const { company } = result
  const record = projectRecord(company)
  const { companyType, portfolioCount } = company
  const isInvestor = companyType === 'investor'
  const isAngel = isInvestor && company.entityKind === 'individual'
  return {
    id: record.id,
    name: record.name,
    ticker: record.ticker,
    kind: isAngel ? 'Angel' : humanize(companyType),
    path: companyPath(company),
    facts: present(
      record.domain,
      chainsOf(company.chains),
      isInvestor && portfolioCount > 0 && plural(portfolioCount, 'investment', 'investments'),
      followersOf(company.followers),
    ),
    text: record.aiSummary,
    marks: <Lifecycle of={record} />,
    person: null,
  }
}

const present = (...facts: (Fact | false | null)[]) =>
  facts.filter((fact): fact is Fact => Boolean(fact))

/** `<bdi>` isolates the text direction of each fact. */
const inLine = (facts: readonly Fact[], named: (company: Exclude<Fact, string>) => Child) =>
  facts.map((fact, n) => (
    <>
      {n > 0 ? ' · ' : ''}
      <bdi>{typeof fact === 'string' ? fact : named(fact)}</bdi>
    </>
  ))

const followersOf = (count: number | null) => (count ? `${shortFigure(count)} followers` : null)

function chainsOf(chains: readonly string[]): string {
  const rest = chains.length - CHAINS_SHOWN
  return chains.slice(0, CHAINS_SHOWN).join(', ') + (rest > 0 ? ` +${rest}` : '')
}
