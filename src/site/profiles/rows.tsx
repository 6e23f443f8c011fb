/** @jsxImportSource hono/jsx */
/** Records as lists and search show them: name, description and badges. */
import type { UnlockedContact } from '../../money/charge/call.ts'
import type { Child } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, Monogram } from '../ui/badges.tsx'
import { humanize } from '../ui/text.tsx'
import { CHANNEL_NAMES, ContactLine } from './contact.tsx'
import { SelectBox } from './selection.tsx'
import {
  companyPath,
  type MemberRecord,
  nameOf,
  type PersonRecord,
  type ProjectRecord,
  personPath,
} from './view-models.ts'

interface Links {
  context: Pick<PageContext, 'href' | 'picture'>
}

/** Row of a record: name, text and badges. */
export function Row(row: {
  name: string
  picture: string | undefined
  href: string
  marks?: Child
  select?: Child
  children?: Child
}) {
  const { name, picture, href, marks, select, children } = row
  return (
    <li class="row">
      {select}
      <Monogram name={name} picture={picture} />
      <div class="what">
        <a class="name" href={href}>
          <bdi>{name}</bdi>
        </a>{' '}
        {children}
      </div>
      {marks ? <div class="marks">{marks}</div> : null}
    </li>
  )
}

interface PersonRowProps extends Links {
  person: PersonRecord | MemberRecord
  contact?: UnlockedContact | undefined
  /** True to show a box of the page's `SelectionForm`. */
  hasBox?: boolean
}

export function PersonRow(row: PersonRowProps) {
  const { person, context, contact, hasBox } = row
  const { href, picture } = context
  const company = 'company' in person ? person.company : null
  return (
    <Row
      name={nameOf(person)}
      picture={picture(person)}
      href={href(personPath(person))}
      select={hasBox ? <SelectBox id={person.id} name={nameOf(person)} /> : null}
      marks={contact ? <Badge tone="good">Unlocked</Badge> : <Channels person={person} />}
    >
      {person.jobTitle || company ? (
        <p>
          <bdi>{person.jobTitle}</bdi>
          {person.jobTitle && company ? ' · ' : ''}
          {company ? (
            <a href={href(companyPath(company))}>
              <bdi>{company.name}</bdi>
            </a>
          ) : null}
        </p>
      ) : null}
      {contact ? <ContactLine contact={contact} /> : null}
    </Row>
  )
}

/** Names the private channels on file, never their values. */
export function Channels({ person }: { person: PersonRecord | MemberRecord }) {
  const onFile = Object.values(CHANNEL_NAMES).filter(({ flag }) => person[flag])
  if (onFile.length === 0) return <span class="none">No channels on file</span>
  return (
    <>
      <span class="unseen">Channels on file:</span>
      {onFile.map(({ label }) => (
        <Badge>{label}</Badge>
      ))}
    </>
  )
}

interface CompanyRowProps extends Links {
  company: ProjectRecord
  /** Replaces the description. */
  note?: Child
  /** Sectors that the note names already. */
  noted?: readonly string[]
}

export function CompanyRow({ company, note, noted = [], context }: CompanyRowProps) {
  const { href, picture } = context
  const { name, ticker, aiSummary, companyType } = company
  const sectors = company.sectors.filter((sector) => !noted.includes(sector))
  const marks = (
    <>
      <Lifecycle of={company} />
      {companyType === 'project' ? null : <Badge tone="accent">{humanize(companyType)}</Badge>}
      {sectors.slice(0, 3).map((sector) => (
        <Badge>{sector}</Badge>
      ))}
    </>
  )
  return (
    <Row name={name} picture={picture(company)} href={href(companyPath(company))} marks={marks}>
      {ticker ? <span class="ticker">${ticker}</span> : null}
      {note || aiSummary ? (
        <p class={note ? undefined : 'clamp'}>{note ?? <bdi>{aiSummary}</bdi>}</p>
      ) : null}
    </Row>
  )
}

/** Badge of an inactive company. "Deceased" fits investors only, who may be one person. */
export function Lifecycle({ of }: { of: Pick<ProjectRecord, 'lifecycle' | 'companyType'> }) {
  const { lifecycle, companyType } = of
  if (!lifecycle) return null
  const label = companyType === 'investor' ? humanize(lifecycle) : 'Defunct'
  return <Badge tone="bad">{label}</Badge>
}
