/** @jsxImportSource hono/jsx */
/** Records by name, before something is done with them. */

import type { SignedInContext } from '../../http/page.ts'
import { companyPath, nameOf, personPath, personRecord } from '../../profiles/view-models.ts'
import { figure } from '../../ui/text.tsx'

/** Named, at most; the others are counted. */
const NAMED = 20

export function RecordNames({
  ids,
  context,
}: {
  ids: readonly string[]
  context: SignedInContext
}) {
  if (ids.length === 0) return null
  return (
    <ul>
      {ids.slice(0, NAMED).map((id) => (
        <li>
          <RecordName id={id} context={context} />
        </li>
      ))}
      {ids.length > NAMED ? <li>and {figure(ids.length - NAMED)} more</li> : null}
    </ul>
  )
}

function RecordName({ id, context }: { id: string; context: SignedInContext }) {
  const { directory, href } = context
  const found = directory.person(id)
  if (found) {
    const person = personRecord(found)
    return <a href={href(personPath(person))}>{nameOf(person)}</a>
  }
  const company = directory.company(id)
  if (!company) return <span class="quiet">No longer in the directory</span>
  return <a href={href(companyPath(company))}>{company.name}</a>
}
