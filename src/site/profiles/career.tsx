/** @jsxImportSource hono/jsx */
/** Where a person works: what they do there, and what counts about the company. */

import { chainNames } from '../../directory/records/chains.ts'
import type { PageContext } from '../http/page.ts'
import { Badge, Monogram } from '../ui/badges.tsx'
import { Section } from '../ui/page-parts.tsx'
import { type Stat, Stats } from '../ui/stats.tsx'
import { figure, humanize, shortFigure } from '../ui/text.tsx'
import { fundingStats } from './funding-section.tsx'
import type { PersonProfile } from './profiles.ts'
import { Lifecycle } from './rows.tsx'
import { companyPath } from './view-models.ts'

interface CareerProps {
  profile: PersonProfile
  context: PageContext
}

/** Badges of sectors and chains, at most. */
const BADGES = 5

export function Career({ profile: { person, employer }, context }: CareerProps) {
  if (!employer) return null
  const { company, team } = employer
  const stats: Stat[] = [
    ...fundingStats({ profile: employer, context }),
    {
      name: 'Investments',
      value: employer.investments > 0 ? figure(employer.investments) : null,
      note: 'on record',
    },
    { name: 'Team', value: figure(team), note: 'on record' },
    {
      name: 'Followers',
      value: company.followers === null ? null : shortFigure(company.followers),
      note: 'on X',
    },
  ]
  return (
    <Section id="career" title="Career">
      <div class="card career">
        <div class="row">
          <Monogram name={company.name} picture={context.picture(company)} />
          <div class="what">
            <p class="position">{person.jobTitle ?? 'Job title not on record'}</p>
            <p>
              <a href={context.href(companyPath(company))}>{company.name}</a>
            </p>
          </div>
        </div>
        <p class="marks">
          <Badge tone="accent">{humanize(company.companyType)}</Badge>
          <Lifecycle of={company} />
          {[...company.sectors, ...chainNames(company.chains)].slice(0, BADGES).map((mark) => (
            <Badge>{mark}</Badge>
          ))}
        </p>
        {company.aiSummary ? (
          <p>
            <bdi>{company.aiSummary}</bdi> <span class="note unbroken">AI-generated</span>
          </p>
        ) : null}
        <Stats stats={stats} />
      </div>
    </Section>
  )
}
