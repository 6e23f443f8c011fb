/** @jsxImportSource hono/jsx */
/** The blocks of the home page: heads of lists with what each is ordered by, and the way to all of it. */
import type { Company } from '../../../directory/records/company.ts'
import type { Person } from '../../../directory/records/person.ts'
import type { Child } from '../../http/html.ts'
import type { PageContext } from '../../http/page.ts'
import { nameOfType, type RoundRecord, roundRecords } from '../../profiles/funding.ts'
import { COLUMNS, companyHead, descriptionOf, ROWS } from '../../profiles/list-rows.tsx'
import { Row } from '../../profiles/rows.tsx'
import {
  companyPath,
  nameOf,
  personPath,
  personRecord,
  projectRecord,
} from '../../profiles/view-models.ts'
import { type ListColumn, type ListRow, ListTable } from '../../ui/list-table.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { Day, dollars, figure, plural, shortFigure } from '../../ui/text.tsx'
import type { Head, Heads } from './heads.ts'

/** Leads named in a row, at most. */
const LEADS = 2

const RAISES: readonly ListColumn[] = [
  { label: 'Company' },
  { label: 'Round' },
  { label: 'Amount', isNumber: true },
  { label: 'Led by' },
  { label: 'Announced' },
]

interface BlockProps {
  id: string
  context: PageContext
  head: Pick<Head<unknown>, 'title' | 'path' | 'link'>
  children?: Child
}

function Block({ id, context, head, children }: BlockProps) {
  return (
    <Section id={id} title={head.title}>
      {children}
      <p class="more">
        <a href={context.href(head.path)}>{head.link}</a>
      </p>
    </Section>
  )
}

/** These are no components: they look at the directory, so they are called before anything is rendered. */
export function projectsBlock(context: PageContext, head: Heads['projects']) {
  const { records, raises, title } = head
  if (records.length === 0) return null
  const haveRaised = raises.size > 0
  const rows = haveRaised
    ? Array.from(raises, ([company, place]) => raiseRow(company, place, context))
    : records.map((company) => ROWS.projects(company, context))
  return (
    <Block id="projects" context={context} head={head}>
      <div class={haveRaised ? 'latest' : undefined}>
        <ListTable
          label={title}
          columns={haveRaised ? RAISES : COLUMNS.projects}
          rows={rows}
          order={undefined}
          sorted={(order) => context.href(`/projects?sort=${order}`)}
        />
      </div>
    </Block>
  )
}

/** @param place of the round among those of its company, newest first */
function raiseRow(company: Company, place: number, context: PageContext): ListRow {
  const [round] = roundRecords(context.directory, company, place, place + 1)
  const cells = round ? raiseCells(round, context) : []
  return { ...companyHead(company, context), text: aboutRaise(company), cells }
}

/** What is said of the company below its name. Narrow windows leave the description out, which would be a word or two there. */
function aboutRaise(company: Company): Child {
  const record = projectRecord(company)
  const { domain } = record
  const description = descriptionOf(record)
  return (
    <>
      {domain ? <span class="domain">{domain}</span> : null}
      {description ? (
        <span class="description">
          {domain ? ' · ' : null}
          {description}
        </span>
      ) : null}
    </>
  )
}

function raiseCells(round: RoundRecord, { directory, href }: PageContext): Child[] {
  const { investors, amountUsd, announceDate } = round
  const leads = investors.filter(({ isLead }) => isLead)
  const named = leads.slice(0, LEADS).flatMap(({ id, name }) => {
    const lead = directory.company(id)
    return lead ? [{ name, href: href(companyPath(lead)) }] : []
  })
  return [
    nameOfType(round),
    amountUsd === null ? 'Undisclosed' : dollars(amountUsd),
    named.length > 0 ? (
      <>
        {named.map((lead, i) => (
          <>
            {i > 0 ? ', ' : null}
            <a href={lead.href}>{lead.name}</a>
          </>
        ))}
        {leads.length > named.length ? ` and ${figure(leads.length - named.length)} more` : null}
      </>
    ) : null,
    announceDate ? <Day at={announceDate} /> : null,
  ]
}

/** A row of a short list. */
interface Line extends Omit<ListRow, 'cells' | 'select'> {
  /** What the list is ordered by. */
  by: Child
}

interface LinesProps extends Omit<BlockProps, 'children'> {
  lines: readonly Line[]
}

function Lines({ lines, ...block }: LinesProps) {
  return (
    <Block {...block}>
      <ul class="rows compact">
        {lines.map(({ name, picture, href, marks, text, by }) => (
          <Row name={name} picture={picture} href={href}>
            {marks}
            <p class="clamp">
              {by ? <span class="by">{by}</span> : null}
              {by && text ? ' · ' : null}
              {text ? <bdi>{text}</bdi> : null}
            </p>
          </Row>
        ))}
      </ul>
    </Block>
  )
}

export function peopleBlock(context: PageContext, head: Heads['people']) {
  if (head.records.length === 0) return null
  const lines = head.records.map((person) => personLine(person, context))
  return <Lines id="people" context={context} head={head} lines={lines} />
}

function personLine(person: Person, { href, picture }: PageContext): Line {
  const record = personRecord(person)
  const { jobTitle, company, creatorFollowerCount: followers } = record
  return {
    name: nameOf(record),
    picture: picture(record),
    href: href(personPath(record)),
    text:
      jobTitle || company ? (
        <>
          <bdi>{jobTitle}</bdi>
          {jobTitle && company ? ' · ' : ''}
          <bdi>{company?.name}</bdi>
        </>
      ) : null,
    by: followers ? `${shortFigure(followers)} followers` : null,
  }
}

export function fundsBlock(context: PageContext, head: Heads['funds']) {
  if (head.records.length === 0) return null
  const { directory } = context
  const by = {
    activity: (fund: Company) =>
      `${plural(directory.recentInvestments(fund), 'deal', 'deals')} in 12 months`,
    portfolio: (fund: Company) => plural(fund.portfolioCount, 'investment', 'investments'),
    prominence: () => null,
  }[head.by]
  const lines = head.records.map((fund) => ({ ...shortHead(fund, context), by: by(fund) }))
  return <Lines id="funds" context={context} head={head} lines={lines} />
}

/** Where no description has room. */
const shortHead = (company: Company, context: PageContext) => ({
  ...companyHead(company, context),
  text: projectRecord(company).domain,
})

export function newestBlock(context: PageContext, head: Heads['newest']) {
  if (head.records.length === 0) return null
  const lines = head.records.map((company) => ({
    ...shortHead(company, context),
    by: <Day at={new Date(company.createdAt).toISOString()} />,
  }))
  return <Lines id="newest" context={context} head={head} lines={lines} />
}

export function groupsBlock(context: PageContext, { title, facet, values }: Heads['groups']) {
  if (values.length === 0) return null
  const head = {
    title,
    path: `/projects?more=${facet}#facet-${facet}`,
    link: `Filter projects by ${facet}`,
  }
  return (
    <div class="whole">
      <Block id="groups" context={context} head={head}>
        <ul class="active">
          {values.map(({ value, label, count }) => (
            <li>
              <a href={`${context.href('/projects')}?${new URLSearchParams({ [facet]: value })}`}>
                <bdi>{label}</bdi> <span class="number">{figure(count)}</span>
              </a>
            </li>
          ))}
        </ul>
      </Block>
    </div>
  )
}
