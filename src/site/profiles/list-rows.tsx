/** @jsxImportSource hono/jsx */
/** Rows and columns of the lists of the directory. */
import type { ListName } from '../../contract/vocabulary.ts'
import type { Company } from '../../directory/records/company.ts'
import type { Person } from '../../directory/records/person.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import type { ListColumn, ListRow } from '../ui/list-table.tsx'
import { dollars, figure, formatMonth, humanize, shortened, shortFigure } from '../ui/text.tsx'
import { Channels, Lifecycle } from './rows.tsx'
import { isSelectable, type Reader, SelectBox } from './selection.tsx'
import {
  companyPath,
  investorRecord,
  nameOf,
  type ProjectRecord,
  personPath,
  personRecord,
  projectRecord,
} from './view-models.ts'

const NAME: ListColumn = { label: 'Name', order: 'name' }
const SECTORS: ListColumn = { label: 'Sectors', isExtra: true }
const FOLLOWERS: ListColumn = { label: 'Followers', order: 'followers', isNumber: true }
const RAISED: ListColumn = { label: 'Raised', order: 'raised', isNumber: true }
const LAST_ROUND: ListColumn = { label: 'Last round', order: 'last-round' }

export const COLUMNS: Readonly<Record<ListName, readonly ListColumn[]>> = {
  people: [NAME, { label: 'Company' }, { label: 'Channels on file' }, FOLLOWERS],
  projects: [
    NAME,
    SECTORS,
    RAISED,
    LAST_ROUND,
    { label: 'Investors', order: 'investors', isNumber: true },
    FOLLOWERS,
  ],
  investors: [
    NAME,
    { label: 'Kind' },
    { label: 'Investments', order: 'portfolio', isNumber: true },
    { label: 'Newest investment', isExtra: true },
    { label: 'Return', order: 'roi', isNumber: true },
    FOLLOWERS,
  ],
  services: [NAME, { label: 'Kind' }, SECTORS, RAISED, LAST_ROUND, FOLLOWERS],
}

/** Length of `2026-11-23`. */
const DAY_LENGTH = 10
const SECTORS_SHOWN = 2
/** Characters of a description: about one line of a wide window. */
const DESCRIPTION_CHARACTERS = 110

/** Context of rows. Readers share rows, so it says nothing about the reader but whether they are signed in. */
type RowContext = Pick<PageContext, 'href' | 'picture' | 'directory'> & Reader

function personRow(person: Person, context: RowContext): ListRow {
  const { href, picture } = context
  const record = personRecord(person)
  const { company, jobTitle, creatorFollowerCount } = record
  const name = nameOf(record)
  return {
    name,
    select: isSelectable(context, record) ? <SelectBox id={record.id} name={name} /> : null,
    picture: picture(record),
    href: href(personPath(record)),
    text: jobTitle && <bdi>{jobTitle}</bdi>,
    cells: [
      company && (
        <a href={href(companyPath(company))}>
          <bdi>{company.name}</bdi>
        </a>
      ),
      <Channels person={record} />,
      followersOf(creatorFollowerCount),
    ],
  }
}

function projectRow(company: Company, context: RowContext): ListRow {
  const { funding } = company
  return {
    ...companyHead(company, context),
    cells: [
      <Sectors company={company} />,
      raisedOf(company),
      <LastRound company={company} />,
      funding.investors > 0 ? figure(funding.investors) : null,
      followersOf(company.followers),
    ],
  }
}

function serviceRow(company: Company, context: RowContext): ListRow {
  return {
    ...companyHead(company, context),
    cells: [
      humanize(company.companyType),
      <Sectors company={company} />,
      raisedOf(company),
      <LastRound company={company} />,
      followersOf(company.followers),
    ],
  }
}

function fundRow(company: Company, context: RowContext): ListRow {
  const fund = investorRecord(company)
  const { fundType, trustTier, fundAllTimeRoiPct: roi, portfolioCount } = fund
  const [newest] = context.directory.portfolio(company, 1)
  const recent = context.directory.recentInvestments(company)
  const isAngel = fund.entityKind === 'individual' && !/^angel$/i.test(fundType ?? '')
  return {
    ...companyHead(company, context),
    cells: [
      <>
        {isAngel ? 'Angel' : fundType ? humanize(fundType) : 'Fund'}
        {trustTier ? <span class="second">{humanize(trustTier)}</span> : null}
      </>,
      portfolioCount > 0 ? (
        <>
          {figure(portfolioCount)}{' '}
          {recent > 0 ? <span class="second">{figure(recent)} in 12 months</span> : null}
        </>
      ) : null,
      newest ? (
        <a href={context.href(companyPath(newest.company))}>
          <bdi>{newest.company.name}</bdi>
        </a>
      ) : null,
      roi === null ? null : `${figure(roi)}%`,
      followersOf(company.followers),
    ],
  }
}

/** First cell of a company: its name, and what distinguishes it from namesakes. */
export function companyHead(
  company: Company,
  { href, picture, session }: RowContext,
): Omit<ListRow, 'cells'> {
  const record = projectRecord(company)
  const { name, ticker, domain, aiSummary } = record
  return {
    name,
    // Strangers have no lists.
    select: session ? <SelectBox id={company.id} name={name} /> : null,
    picture: picture(record),
    href: href(companyPath(company)),
    marks: (
      <>
        {ticker ? <span class="ticker">${ticker}</span> : null} <Lifecycle of={record} />
      </>
    ),
    text:
      domain || aiSummary ? (
        <>
          {domain ? <bdi class="domain">{domain}</bdi> : null}
          {domain && aiSummary ? ' · ' : null}
          {aiSummary ? <bdi>{descriptionOf(record)}</bdi> : null}
        </>
      ) : null,
  }
}

function Sectors({ company: { sectors, chains } }: { company: Company }): Child {
  const words = sectors.length > 0 ? sectors : chains
  if (words.length === 0) return <span class="quiet">–</span>
  const rest = words.length - SECTORS_SHOWN
  return (
    <>
      {words.slice(0, SECTORS_SHOWN).map((word, i) => (
        <>
          {i > 0 ? ', ' : null}
          <bdi>{word}</bdi>
        </>
      ))}
      {rest > 0 ? <span class="quiet">&nbsp;+{rest}</span> : null}
    </>
  )
}

function LastRound({ company: { funding } }: { company: Company }): Child {
  const { stage, announcedAt } = funding
  if (stage === null && announcedAt === null) return <span class="quiet">–</span>
  const at = announcedAt === null ? null : new Date(announcedAt).toISOString()
  return (
    <>
      <bdi>{stage ?? 'Round'}</bdi>
      {at ? (
        <time class="second" datetime={at.slice(0, DAY_LENGTH)}>
          {formatMonth(at)}
        </time>
      ) : null}
    </>
  )
}

const raisedOf = ({ funding }: Company) =>
  funding.raisedUsd === null ? null : dollars(funding.raisedUsd)

const followersOf = (count: number | null) => (count ? shortFigure(count) : null)

/** Description for a row. */
const descriptionOf = ({ name, aiSummary }: ProjectRecord): string | null =>
  aiSummary && shortened(withoutName(aiSummary, name), DESCRIPTION_CHARACTERS)

/** Shortens "Aurora is a DAO toolkit" to "A DAO toolkit". */
function withoutName(text: string, name: string): string {
  const beginning = `${name} is `
  const rest = text.startsWith(beginning) ? text.slice(beginning.length) : text
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

export const ROWS = {
  people: personRow,
  projects: projectRow,
  investors: fundRow,
  services: serviceRow,
} as const
