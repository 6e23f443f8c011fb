/** @jsxImportSource hono/jsx */
/** Records as lists and search show them: a line of a name, what it is, and what there is to know. */
import type { UnlockedContact } from '../../metering/meter.ts'
import {
  companyPath,
  type InvestorRecord,
  type MemberRecord,
  nameOf,
  type PersonRecord,
  type ProjectRecord,
  personPath,
} from '../directory/view-models.ts'
import type { Html } from '../http/html.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, Monogram } from './badges.tsx'
import { CHANNEL_NAMES } from './channels.ts'
import { ContactLine } from './contact.tsx'
import { humanize, plural, shortFigure } from './text.tsx'

type Linked = Pick<PageContext, 'href'>

interface PersonRowProps {
  person: PersonRecord | MemberRecord
  context: Linked
  contact?: UnlockedContact | undefined
}

/** @param contact the person's channels, where this answer was paid for and they are unlocked */
export function PersonRow({ person, context: { href }, contact }: PersonRowProps): Html | null {
  const name = nameOf(person)
  const company = 'company' in person ? person.company : null
  return (
    <li class="row">
      <Monogram name={name} />
      <div class="what">
        <a class="name" href={href(personPath(person))}>
          {name}
        </a>
        {person.jobTitle || company ? (
          <p>
            {person.jobTitle}
            {person.jobTitle && company ? ' · ' : ''}
            {company ? <a href={href(companyPath(company))}>{company.name}</a> : null}
          </p>
        ) : null}
        {contact ? <ContactLine contact={contact} /> : null}
      </div>
      {contact ? (
        <div class="marks">
          <Badge tone="good">Unlocked</Badge>
        </div>
      ) : (
        <Channels person={person} />
      )}
    </li>
  )
}

/** Which private channels are on file: never what they say. */
function Channels({ person }: { person: PersonRecord | MemberRecord }): Html {
  const onFile = Object.values(CHANNEL_NAMES).filter(({ flag }) => person[flag])
  return (
    <div class="marks">
      {onFile.length > 0 ? (
        <span class="unseen">Channels on file:</span>
      ) : (
        <span class="none">No channels on file</span>
      )}
      {onFile.map(({ label }) => (
        <Badge>{label}</Badge>
      ))}
    </div>
  )
}

interface CompanyRowProps {
  company: ProjectRecord
  context: Linked
}

export function CompanyRow({ company, context: { href } }: CompanyRowProps): Html {
  return (
    <li class="row">
      <Monogram name={company.name} />
      <div class="what">
        <a class="name" href={href(companyPath(company))}>
          {company.name}
        </a>{' '}
        {company.ticker ? <span class="ticker">${company.ticker}</span> : null}
        {company.aiSummary ? <p class="clamp">{company.aiSummary}</p> : null}
      </div>
      <div class="marks">
        <Lifecycle lifecycle={company.lifecycle} />
        {company.companyType === 'project' ? null : (
          <Badge tone="accent">{humanize(company.companyType)}</Badge>
        )}
        {company.sectors.slice(0, 3).map((sector) => (
          <Badge>{sector}</Badge>
        ))}
      </div>
    </li>
  )
}

interface InvestorRowProps {
  fund: InvestorRecord
  context: Linked
}

export function InvestorRow({ fund, context: { href } }: InvestorRowProps): Html {
  const roi = fund.fundAllTimeRoiPct
  return (
    <li class="row">
      <Monogram name={fund.name} />
      <div class="what">
        <a class="name" href={href(companyPath(fund))}>
          {fund.name}
        </a>
        <p>
          {[
            plural(fund.portfolioCount, 'investment', 'investments'),
            roi === null ? null : `${shortFigure(roi)}% return`,
            fund.followers === null ? null : `${shortFigure(fund.followers)} followers`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <div class="marks">
        <Lifecycle lifecycle={fund.lifecycle} />
        {fund.entityKind === 'individual' && !/^angel$/i.test(fund.fundType ?? '') ? (
          <Badge tone="accent">Angel</Badge>
        ) : null}
        {fund.fundType ? <Badge>{humanize(fund.fundType)}</Badge> : null}
        {fund.trustTier ? <Badge>Trust: {humanize(fund.trustTier)}</Badge> : null}
      </div>
    </li>
  )
}

/** What is no longer. `null` says nothing, so nothing is said. */
export function Lifecycle({ lifecycle }: { lifecycle: string | null }): Html | null {
  return lifecycle ? <Badge tone="bad">{humanize(lifecycle)}</Badge> : null
}
