/** @jsxImportSource hono/jsx */
/** Companies like the one shown, each with what both have in common. */

import type { PageContext } from '../http/page.ts'
import { Section } from '../ui/page-parts.tsx'
import { plural, wordList } from '../ui/text.tsx'
import { CompanyRow } from './rows.tsx'
import type { SimilarCompany } from './similar.ts'

/** Names in a line, at most; the rest is counted. */
const NAMED = 3

interface SimilarProps {
  similar: readonly SimilarCompany[]
  context: Pick<PageContext, 'href' | 'picture'>
}

export function Similar({ similar, context }: SimilarProps) {
  if (similar.length === 0) return null
  return (
    <Section id="similar" title="Similar companies">
      <p class="note">Ranked by the investors, sectors and chains that they share.</p>
      <ul class="rows compact">
        {similar.map((it) => (
          <CompanyRow
            company={it.record}
            context={context}
            note={inCommon(it)}
            noted={it.sectors}
          />
        ))}
      </ul>
    </Section>
  )
}

function inCommon({ investors, sectors, chains }: SimilarCompany): string {
  const named = [...sectors, ...chains].slice(0, NAMED)
  return [
    investors.length > 0
      ? `${plural(investors.length, 'shared investor', 'shared investors')}: ${wordList(investors, NAMED)}`
      : null,
    named.length > 0 ? named.join(', ') : null,
  ]
    .filter(Boolean)
    .join(' · ')
}
